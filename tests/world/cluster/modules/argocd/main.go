// Command argocd is every process of a stock Argo CD in one file, and a Redis for them.
// Argo CD itself names the process by an environment variable when it calls its own
// program again, so the same variable chooses here.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"sort"
	"strings"
	"syscall"

	"causeway.example/cluster/parent"
	"github.com/alicebob/miniredis/v2"
	controller "github.com/argoproj/argo-cd/v3/cmd/argocd-application-controller/commands"
	applicationset "github.com/argoproj/argo-cd/v3/cmd/argocd-applicationset-controller/commands"
	askpass "github.com/argoproj/argo-cd/v3/cmd/argocd-git-ask-pass/commands"
	reposerver "github.com/argoproj/argo-cd/v3/cmd/argocd-repo-server/commands"
	server "github.com/argoproj/argo-cd/v3/cmd/argocd-server/commands"
	"github.com/argoproj/argo-cd/v3/util/grpc"
	"github.com/spf13/cobra"
)

const variable = "ARGOCD_BINARY_NAME"

var processes = map[string]func() *cobra.Command{
	"argocd-application-controller":    controller.NewCommand,
	"argocd-applicationset-controller": applicationset.NewCommand,
	"argocd-git-ask-pass":              askpass.NewCommand,
	"argocd-repo-server":               reposerver.NewCommand,
	"argocd-server":                    server.NewCommand,
	"miniredis":                        redis,
}

func main() {
	parent.Watch()
	process, known := processes[os.Getenv(variable)]
	if !known {
		fmt.Fprintf(os.Stderr, "%s is %q: give one of %s\n", variable, os.Getenv(variable), names())
		os.Exit(2)
	}
	// Every dial would otherwise ask the DNS for SRV records of 127.0.0.1.
	grpc.DisableSRVLookups()
	if err := process().Execute(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func names() string {
	all := make([]string, 0, len(processes))
	for name := range processes {
		all = append(all, name)
	}
	sort.Strings(all)
	return strings.Join(all, ", ")
}

func redis() *cobra.Command {
	return &cobra.Command{
		Use:          "miniredis ADDRESS",
		Short:        "Serve a Redis in memory, until a signal",
		Args:         cobra.ExactArgs(1),
		SilenceUsage: true,
		RunE: func(_ *cobra.Command, args []string) error {
			served := miniredis.NewMiniRedis()
			if err := served.StartAddr(args[0]); err != nil {
				return err
			}
			defer served.Close()
			fmt.Println("listening on", served.Addr())
			stop := make(chan os.Signal, 1)
			signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)
			<-stop
			return nil
		},
	}
}
