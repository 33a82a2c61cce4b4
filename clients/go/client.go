// Package causeway calls Causeway: it opens connections, tells errors by their reasons, lists over all pages, and watches
// applications over lost connections. Messages and clients of services are in causeway/<package>/v1 beside it.
package causeway

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
)

// Version is that of the contract which this package was generated from.
const Version = "0.1.0"

// Dial opens nothing yet: the first call connects, and a call after a loss connects again. The address is that of the platform,
// for example https://causeway.example.com, and the key an API key or a session's token.
func Dial(address, key string, options ...grpc.DialOption) (*grpc.ClientConn, error) {
	at, err := url.Parse(address)
	if err != nil || at.Host == "" || (at.Scheme != "https" && at.Scheme != "http") {
		return nil, fmt.Errorf("the address %q is no URL of http or https", address)
	}
	transport, port := credentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS12}), "443"
	if at.Scheme == "http" {
		transport, port = insecure.NewCredentials(), "80"
	}
	host := at.Host
	if at.Port() == "" {
		host += ":" + port
	}
	own := []grpc.DialOption{
		grpc.WithTransportCredentials(transport),
		grpc.WithPerRPCCredentials(bearer{key: key, tls: at.Scheme == "https"}),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 15 * time.Second, Timeout: 10 * time.Second}),
		grpc.WithUserAgent("causeway-go/" + Version),
		// An application with everything in it may have nearly 4 MiB, and a page of them more.
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64 << 20)),
	}
	return grpc.NewClient(host, append(own, options...)...)
}

// FromEnvironment dials CAUSEWAY_ADDRESS with the key that is in CAUSEWAY_API_KEY_FILE, as the command line does, and trusts the
// certificates of CAUSEWAY_CA_FILE where that is set.
func FromEnvironment(options ...grpc.DialOption) (*grpc.ClientConn, error) {
	key, err := os.ReadFile(os.Getenv("CAUSEWAY_API_KEY_FILE"))
	if err != nil {
		return nil, fmt.Errorf("set CAUSEWAY_API_KEY_FILE to a file with an API key: %w", err)
	}
	if path := os.Getenv("CAUSEWAY_CA_FILE"); path != "" {
		authorities, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("CAUSEWAY_CA_FILE: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(authorities) {
			return nil, fmt.Errorf("CAUSEWAY_CA_FILE: %s holds no certificate", path)
		}
		trust := credentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool})
		options = append([]grpc.DialOption{grpc.WithTransportCredentials(trust)}, options...)
	}
	return Dial(os.Getenv("CAUSEWAY_ADDRESS"), strings.TrimSpace(string(key)), options...)
}

// NewRequestID is an id for one change. A repeat of the change with the same id gives its first outcome, so keep it for the retry.
func NewRequestID() string {
	var id [16]byte
	// It never fails: a system without random numbers ends the program.
	_, _ = rand.Read(id[:])
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

type bearer struct {
	key string
	tls bool
}

func (it bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + it.key}, nil
}

func (it bearer) RequireTransportSecurity() bool { return it.tls }
