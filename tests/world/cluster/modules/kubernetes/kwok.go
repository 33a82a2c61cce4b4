package main

import (
	"fmt"
	"os"

	"github.com/spf13/pflag"
	nodefast "sigs.k8s.io/kwok/kustomize/stage/node/fast"
	nodelease "sigs.k8s.io/kwok/kustomize/stage/node/heartbeat-with-lease"
	podfast "sigs.k8s.io/kwok/kustomize/stage/pod/fast"
	"sigs.k8s.io/kwok/pkg/config"
	kwok "sigs.k8s.io/kwok/pkg/kwok/cmd"
	"sigs.k8s.io/kwok/pkg/log"
	"sigs.k8s.io/kwok/pkg/utils/signals"
)

// simulate runs kwok, which keeps the lease of every simulated node and moves pods through their stages.
func simulate([]string) int {
	// Kubernetes registers a --version of another kind on the global set, and cobra would merge it into kwok's.
	pflag.CommandLine = pflag.NewFlagSet("kwok", pflag.ExitOnError)
	// kwok reads the flags that decide logging and configuration before its command exists.
	early := pflag.NewFlagSet("early", pflag.ContinueOnError)
	early.ParseErrorsAllowlist.UnknownFlags = true
	early.Usage = func() {}
	ctx, _ := log.InitFlags(signals.SetupSignalContext(), early)
	ctx, err := config.InitFlags(ctx, early)
	if err != nil {
		return complain("kwok", err)
	}
	command := kwok.NewCommand(ctx)
	command.PersistentFlags().AddFlagSet(early)
	if err := command.ExecuteContext(ctx); err != nil {
		return complain("kwok", err)
	}
	return 0
}

// stages prints the documents without which kwok does nothing: a node becomes and stays ready, a pod
// runs, completes when it belongs to a Job, and goes when it is deleted.
func stages([]string) int {
	documents := []string{
		nodefast.DefaultNodeInit,
		nodelease.DefaultNodeHeartbeatWithLease,
		podfast.DefaultPodReady,
		podfast.DefaultPodComplete,
		podfast.DefaultPodDelete,
	}
	for _, document := range documents {
		fmt.Fprintln(os.Stdout, "---\n"+document)
	}
	return 0
}
