package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/pflag"
	"go.etcd.io/etcd/server/v3/embed"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/rest"
	logs "k8s.io/component-base/logs/api/v1"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
)

const minimalUsage = `usage: minimal FOLDER PORT [kube-apiserver flags]
  FOLDER  for keys, the store and kubeconfig; a folder that was used before is taken up again
  PORT    of the API server on 127.0.0.1; 0 takes a free one
FOLDER/kubeconfig is removed at the start and written in one step when the API server is ready.
`

// A unix socket's path is kept in 108 bytes, with the zero at its end.
const longestSocket = 107

// minimal runs etcd and kube-apiserver in this process. etcd listens on unix sockets, so the one port
// is the API server's; the one user is an administrator with a token.
func minimal(arguments []string) int {
	if len(arguments) < 2 {
		fmt.Fprint(os.Stderr, minimalUsage)
		return 2
	}
	port, err := strconv.ParseUint(arguments[1], 10, 16)
	if err != nil {
		fmt.Fprintf(os.Stderr, "minimal: PORT is %q: give a number from 0 to 65535\n%s", arguments[1], minimalUsage)
		return 2
	}
	if err := serve(arguments[0], int(port), arguments[2:]); err != nil {
		return complain("minimal", err)
	}
	return 0
}

func serve(folder string, port int, flags []string) error {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	if longest := longestSocket - len("/etcd.sock"); len(folder) > longest {
		return fmt.Errorf("FOLDER has a path of %d bytes: give one of at most %d, for the socket in it", len(folder), longest)
	}
	kept, err := open(folder)
	if err != nil {
		return err
	}
	// Bound here and handed over, so that nobody can take a free port in between.
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return err
	}
	chosen, err := choose(folder, listener, flags)
	if err != nil {
		return err
	}
	store, err := startStore(folder)
	if err != nil {
		return fmt.Errorf("etcd: %w", err)
	}
	defer store.Close()
	ctx := server.SetupSignalContext()
	go announce(ctx, kept, "https://"+listener.Addr().String())
	return serveAPI(ctx, chosen)
}

func startStore(folder string) (*embed.Etcd, error) {
	// Published to other members and clients, of which there are none.
	nowhere := url.URL{Scheme: "http", Host: "localhost:1"}
	config := embed.NewConfig()
	config.Name = "minimal"
	config.Dir = filepath.Join(folder, "etcd")
	config.ListenClientUrls = []url.URL{{Scheme: "unix", Host: filepath.Join(folder, "etcd.sock")}}
	config.ListenPeerUrls = []url.URL{{Scheme: "unix", Host: filepath.Join(folder, "peer.sock")}}
	config.AdvertiseClientUrls, config.AdvertisePeerUrls = []url.URL{nowhere}, []url.URL{nowhere}
	config.InitialCluster = config.Name + "=" + nowhere.String()
	config.UnsafeNoFsync = true
	config.LogLevel = "error"
	store, err := embed.StartEtcd(config)
	if err != nil {
		return nil, err
	}
	select {
	case <-store.Server.ReadyNotify():
		return store, nil
	case err := <-store.Err():
		return nil, err
	case <-time.After(30 * time.Second):
		return nil, errors.New("not ready after 30 s")
	}
}

// choose sets the flags of the API server, the caller's after ours, and the listener, for which there is no flag.
func choose(folder string, listener net.Listener, flags []string) (*options.ServerRunOptions, error) {
	in := func(name string) string { return filepath.Join(folder, name) }
	chosen := options.NewServerRunOptions()
	set := pflag.NewFlagSet("kube-apiserver", pflag.ContinueOnError)
	for _, group := range chosen.Flags().FlagSets {
		set.AddFlagSet(group)
	}
	if err := set.Parse(append([]string{
		"--etcd-servers=unix://" + in("etcd.sock"),
		"--bind-address=127.0.0.1",
		"--tls-cert-file=" + in(servingCertificate),
		"--tls-private-key-file=" + in(servingKey),
		"--token-auth-file=" + in(tokens),
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-key-file=" + in(serviceAccountKey),
		"--service-account-signing-key-file=" + in(serviceAccountKey),
		"--authorization-mode=RBAC",
		"--service-cluster-ip-range=10.96.0.0/16",
		"--allow-privileged=true",
		"--endpoint-reconciler-type=none",
	}, flags...)); err != nil {
		return nil, err
	}
	chosen.SecureServing.Listener = listener
	chosen.SecureServing.BindPort = listener.Addr().(*net.TCPAddr).Port
	return chosen, nil
}

// serveAPI does what the command of kube-apiserver does with its flags.
func serveAPI(ctx context.Context, chosen *options.ServerRunOptions) error {
	components := chosen.GenericServerRunOptions.ComponentGlobalsRegistry
	if err := components.Set(); err != nil {
		return err
	}
	rest.SetDefaultWarningHandler(rest.NoWarnings{})
	if err := logs.ValidateAndApply(chosen.Logs, nil); err != nil {
		return err
	}
	completed, err := chosen.Complete(ctx)
	if err != nil {
		return err
	}
	if wrong := completed.Validate(); len(wrong) > 0 {
		return utilerrors.NewAggregate(wrong)
	}
	return apiserver.Run(ctx, completed)
}

// announce writes the kubeconfig once the API server says that it is ready.
func announce(ctx context.Context, kept identity, address string) {
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: kept.trust()}, Timeout: 2 * time.Second}
	defer client.CloseIdleConnections()
	for ctx.Err() == nil {
		if answer, err := client.Get(address + "/readyz"); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				break
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
	if err := kept.write(address); err != nil {
		os.Exit(complain("minimal", err))
	}
}
