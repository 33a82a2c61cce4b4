// Command kubernetes is a Kubernetes control plane, a node and kubectl in one file:
// the first argument, or the name that it is called by, chooses the program.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"causeway.example/cluster/parent"
	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"go.etcd.io/etcd/server/v3/storage/wal"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

// A program gets its arguments without its name and returns its exit code.
type program func(arguments []string) int

// The order is the one of the usage.
var programs = []struct {
	name, use string
	run       program
}{
	{"etcd", "the store", etcd},
	{"kube-apiserver", "the API server", component(apiserver.NewAPIServerCommand)},
	{"kube-controller-manager", "the controllers", component(controllermanager.NewControllerManagerCommand)},
	{"kube-scheduler", "the scheduler", component(func() *cobra.Command { return scheduler.NewSchedulerCommand() })},
	{"kubelet", "a node", component(func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) })},
	{"kube-proxy", "the Services of a node", component(proxy.NewProxyCommand)},
	{"kubectl", "the client", client},
	{"kwok", "nodes and pods without processes", simulate},
	{"kwok-stages", "print what simulated nodes and pods do, for kwok --config", stages},
	{"minimal", "FOLDER PORT [kube-apiserver flags]: etcd and the API server in one process", minimal},
	{"compact", "ENDPOINT: make an etcd forget its history", compact},
	{"guard", "PROGRAM [ARGUMENTS]: another program, ended together with whoever started this one", guard},
}

func main() {
	// Two segments are allocated at once, upstream of 64 MB each.
	wal.SegmentSizeBytes = 4 << 20
	if run := find(filepath.Base(os.Args[0])); run != nil {
		os.Exit(start(run, os.Args))
	}
	if len(os.Args) > 1 {
		if run := find(os.Args[1]); run != nil {
			os.Exit(start(run, os.Args[1:]))
		}
	}
	usage()
	os.Exit(2)
}

func start(run program, arguments []string) int {
	// Most upstream commands read the command line themselves.
	os.Args = arguments
	if arguments[0] != "guard" {
		parent.Watch()
	}
	return run(arguments[1:])
}

func find(name string) program {
	for _, each := range programs {
		if each.name == name {
			return each.run
		}
	}
	return nil
}

func usage() {
	var text strings.Builder
	fmt.Fprintf(&text, "usage: %s PROGRAM [ARGUMENTS]\n", filepath.Base(os.Args[0]))
	for _, each := range programs {
		fmt.Fprintf(&text, "  %-24s %s\n", each.name, each.use)
	}
	fmt.Fprint(os.Stderr, text.String())
}

func etcd([]string) int {
	etcdmain.Main(os.Args)
	return 0
}

// The constructor runs only in its own branch: several of them set up signal handlers.
func component(construct func() *cobra.Command) program {
	return func([]string) int { return cli.Run(construct()) }
}

func client([]string) int {
	if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
		return complain("kubectl", err)
	}
	return 0
}

// One line of why, for people; the exit code of a program that failed.
func complain(name string, err error) int {
	fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
	return 1
}
