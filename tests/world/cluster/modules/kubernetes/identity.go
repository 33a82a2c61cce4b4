package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	kubeconfig "k8s.io/client-go/tools/clientcmd/api"
)

// What a folder holds between two runs, so that a client goes on working after a restart.
const (
	authority          = "ca.crt"
	servingCertificate = "serving.crt"
	servingKey         = "serving.key"
	serviceAccountKey  = "service-account.key"
	tokens             = "tokens.csv"
)

type identity struct {
	folder, token string
	authority     []byte
}

// open makes the folder ready, with keys and a token if it has none, and takes away an earlier kubeconfig.
func open(folder string) (identity, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return identity{}, err
	}
	if err := claim(folder); err != nil {
		return identity{}, err
	}
	if err := os.Remove(filepath.Join(folder, "kubeconfig")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return identity{}, err
	}
	// Written last, so a folder with it is complete.
	if _, err := os.Stat(filepath.Join(folder, tokens)); errors.Is(err, fs.ErrNotExist) {
		if err := fill(folder); err != nil {
			return identity{}, err
		}
	}
	line, err := os.ReadFile(filepath.Join(folder, tokens))
	if err != nil {
		return identity{}, err
	}
	trusted, err := os.ReadFile(filepath.Join(folder, authority))
	if err != nil {
		return identity{}, err
	}
	token, _, _ := strings.Cut(string(line), ",")
	return identity{folder: folder, token: token, authority: trusted}, nil
}

// claim keeps others off the folder until this process ends.
func claim(folder string) error {
	descriptor, err := syscall.Open(filepath.Join(folder, "lock"), syscall.O_CREAT|syscall.O_RDWR|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	if syscall.Flock(descriptor, syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return fmt.Errorf("%s is in use by another cluster: stop it, or give another FOLDER", folder)
	}
	return nil
}

func fill(folder string) error {
	root, rootKey, err := sign(&x509.Certificate{
		Subject:               pkix.Name{CommonName: "causeway test authority"},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}, nil, nil)
	if err != nil {
		return err
	}
	leaf, leafKey, err := sign(&x509.Certificate{
		Subject:     pkix.Name{CommonName: "kube-apiserver"},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		DNSNames:    []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"},
	}, root, rootKey)
	if err != nil {
		return err
	}
	signing, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	contents := []struct {
		name string
		text []byte
	}{
		{authority, certificatePEM(root)},
		{servingCertificate, certificatePEM(leaf)},
		{servingKey, keyPEM(leafKey)},
		{serviceAccountKey, keyPEM(signing)},
		{tokens, []byte(rand.Text() + ",admin,admin,system:masters\n")},
	}
	for _, each := range contents {
		if err := os.WriteFile(filepath.Join(folder, each.name), each.text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// sign makes a key and a certificate for it, signed by the issuer or, without one, by itself.
func sign(wanted, issuer *x509.Certificate, issuerKey *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	if issuer == nil {
		issuer, issuerKey = wanted, key
	}
	wanted.SerialNumber = big.NewInt(time.Now().UnixNano())
	wanted.NotBefore = time.Now().Add(-time.Hour)
	wanted.NotAfter = time.Now().AddDate(10, 0, 0)
	raw, err := x509.CreateCertificate(rand.Reader, wanted, issuer, key.Public(), issuerKey)
	if err != nil {
		return nil, nil, err
	}
	signed, err := x509.ParseCertificate(raw)
	return signed, key, err
}

func certificatePEM(certificate *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw})
}

func keyPEM(key *ecdsa.PrivateKey) []byte {
	raw, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		panic(fmt.Sprintf("a key of our own does not encode: %v", err))
	}
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: raw})
}

func (kept identity) trust() *tls.Config {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(kept.authority)
	return &tls.Config{RootCAs: roots}
}

// write puts the administrator's kubeconfig in place in one step: whoever finds it can use it.
func (kept identity) write(address string) error {
	config := kubeconfig.NewConfig()
	config.Clusters["minimal"] = &kubeconfig.Cluster{Server: address, CertificateAuthorityData: kept.authority}
	config.AuthInfos["admin"] = &kubeconfig.AuthInfo{Token: kept.token}
	config.Contexts["minimal"] = &kubeconfig.Context{Cluster: "minimal", AuthInfo: "admin"}
	config.CurrentContext = "minimal"
	text, err := clientcmd.Write(*config)
	if err != nil {
		return err
	}
	unfinished := filepath.Join(kept.folder, "kubeconfig.new")
	if err := os.WriteFile(unfinished, text, 0o600); err != nil {
		return err
	}
	return os.Rename(unfinished, filepath.Join(kept.folder, "kubeconfig"))
}
