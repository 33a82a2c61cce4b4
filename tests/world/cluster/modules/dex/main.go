// Command dex is an OpenID Connect provider with the users and clients of a file, for tests of sign-in.
//
// It listens on a free port of the loopback address and writes the URL of the issuer as its first line.
package main

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"causeway.example/cluster/parent"
	"github.com/dexidp/dex/connector"
	"github.com/dexidp/dex/server"
	"github.com/dexidp/dex/server/connectors"
	"github.com/dexidp/dex/server/signer"
	"github.com/dexidp/dex/storage"
	"github.com/dexidp/dex/storage/memory"
)

const connectorName = "people"

// config is what the file says. Times are as time.ParseDuration reads them.
type config struct {
	// Certificate and Key name PEM files; without them the provider serves plaintext.
	Certificate string `json:"certificate"`
	Key         string `json:"key"`
	// IDTokens is how long ID tokens are good.
	IDTokens string           `json:"idTokens"`
	Users    []user           `json:"users"`
	Clients  []storage.Client `json:"clients"`
}

type user struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Email    string   `json:"email"`
	Password string   `json:"password"`
	Groups   []string `json:"groups"`
}

// people signs in the users of the file.
type people struct{ users []user }

func (p *people) Open(string, *slog.Logger) (connector.Connector, error) { return p, nil }

func (p *people) Prompt() string { return "User" }

func (p *people) Login(_ context.Context, _ connector.Scopes, name, password string) (connector.Identity, bool, error) {
	for _, user := range p.users {
		if user.Name == name && subtle.ConstantTimeCompare([]byte(user.Password), []byte(password)) == 1 {
			return user.identity(), true, nil
		}
	}
	return connector.Identity{}, false, nil
}

func (p *people) Refresh(_ context.Context, _ connector.Scopes, before connector.Identity) (connector.Identity, error) {
	for _, user := range p.users {
		if user.ID == before.UserID {
			return user.identity(), nil
		}
	}
	return connector.Identity{}, fmt.Errorf("no user %q", before.UserID)
}

func (u user) identity() connector.Identity {
	return connector.Identity{
		UserID: u.ID, Username: u.Name, PreferredUsername: u.Name,
		Email: u.Email, EmailVerified: u.Email != "", Groups: u.Groups,
	}
}

func main() {
	parent.Watch()
	if len(os.Args) != 2 {
		fail("usage: dex CONFIG.json")
	}
	file, err := os.ReadFile(os.Args[1])
	check(err)
	var config config
	check(json.Unmarshal(file, &config))
	check(serve(context.Background(), config))
}

func serve(ctx context.Context, config config) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	scheme := "http"
	if config.Certificate != "" {
		scheme = "https"
	}
	// Without a path: below one, Dex lets no public client use the device flow.
	issuer := scheme + "://" + listener.Addr().String()
	handler, err := provider(ctx, issuer, config)
	if err != nil {
		return err
	}
	fmt.Println(issuer)
	if scheme == "https" {
		return http.ServeTLS(listener, handler, config.Certificate, config.Key)
	}
	return http.Serve(listener, handler)
}

func provider(ctx context.Context, issuer string, config config) (http.Handler, error) {
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
	life := time.Hour
	if config.IDTokens != "" {
		parsed, err := time.ParseDuration(config.IDTokens)
		if err != nil {
			return nil, fmt.Errorf("idTokens: %w", err)
		}
		life = parsed
	}
	kept := storage.WithStaticConnectors(
		storage.WithStaticClients(memory.New(logger), config.Clients),
		[]storage.Connector{{ID: connectorName, Type: connectorName, Name: "People", Config: []byte("{}")}},
	)
	server.ConnectorsConfig[connectorName] = func() connectors.ConnectorConfig { return &people{config.Users} }
	local := signer.LocalConfig{KeysRotationPeriod: "6h"}
	signer, err := local.Open(ctx, kept, life, time.Now, logger)
	if err != nil {
		return nil, err
	}
	return server.NewServer(ctx, server.Config{
		Issuer: issuer, Storage: kept, Logger: logger, Signer: signer,
		SkipApprovalScreen: true, IDTokensValidFor: life,
	})
}

func check(err error) {
	if err != nil {
		fail(err.Error())
	}
}

func fail(text string) {
	fmt.Fprintln(os.Stderr, "dex:", text)
	os.Exit(1)
}
