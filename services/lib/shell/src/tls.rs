//! TLS of listeners, and the refusal of plaintext where others could read it.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use anyhow::{Context as _, bail};
use rustls::{
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};
use tokio::time::Instant;
use tokio_rustls::TlsAcceptor;

const FRESH_FOR: Duration = Duration::from_secs(30);

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "TLS")]
pub struct TlsArgs {
    /// PEM file with the certificate chain of this listener
    #[arg(
        long,
        env = "CAUSEWAY_TLS_CERTIFICATE",
        value_name = "FILE",
        requires = "tls_key"
    )]
    pub tls_certificate: Option<PathBuf>,

    /// PEM file with the private key of the certificate
    #[arg(
        long,
        env = "CAUSEWAY_TLS_KEY",
        value_name = "FILE",
        requires = "tls_certificate"
    )]
    pub tls_key: Option<PathBuf>,

    /// Serve plaintext beyond loopback, because something in front of this listener ends TLS
    #[arg(long, env = "CAUSEWAY_TLS_TERMINATED_IN_FRONT")]
    pub tls_terminated_in_front: bool,
}

impl TlsArgs {
    /// What to serve `address` (the value of `flag`) with: TLS, or plaintext where that is safe.
    pub fn for_listener(
        &self,
        flag: &str,
        address: SocketAddr,
    ) -> anyhow::Result<Option<ServerTls>> {
        match (&self.tls_certificate, &self.tls_key) {
            (Some(certificate), Some(key)) => ServerTls::from_files(certificate, key).map(Some),
            _ if address.ip().is_loopback() || self.tls_terminated_in_front => Ok(None),
            _ => bail!(
                "{flag} {address} is not on loopback and has no TLS: give --tls-certificate and --tls-key, or --tls-terminated-in-front"
            ),
        }
    }
}

/// A server's certificate and key, ready to use for HTTP/2 and HTTP/1.1. Clones share one certificate.
#[derive(Clone, Debug)]
pub struct ServerTls(Arc<rustls::ServerConfig>);

impl ServerTls {
    /// Files that are written anew, as a mounted Secret is, are taken up within half a minute.
    pub fn from_files(certificate: &Path, key: &Path) -> anyhow::Result<Self> {
        let files = Files {
            certificate: certificate.to_owned(),
            key: key.to_owned(),
        };
        Self::new(Arc::new(files.read_first()?))
    }

    pub fn from_pem(certificates: &[u8], key: &[u8]) -> anyhow::Result<Self> {
        Self::new(Arc::new(Fixed(certified(certificates, key)?)))
    }

    fn new(certificate: Arc<dyn ResolvesServerCert>) -> anyhow::Result<Self> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let mut config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(certificate);
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self(Arc::new(config)))
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(self.0.clone())
    }

    /// For servers that make their own connections.
    #[must_use]
    pub fn config(&self) -> Arc<rustls::ServerConfig> {
        self.0.clone()
    }
}

fn certified(certificates: &[u8], key: &[u8]) -> anyhow::Result<Arc<CertifiedKey>> {
    let chain = CertificateDer::pem_slice_iter(certificates)
        .collect::<Result<Vec<_>, _>>()
        .context("read the certificate")?;
    if chain.is_empty() {
        bail!("no certificate in it: expected -----BEGIN CERTIFICATE-----");
    }
    let key = PrivateKeyDer::from_pem_slice(key).context("read the private key")?;
    let pair = CertifiedKey::from_der(chain, key, &aws_lc_rs::default_provider())
        .context("the certificate and the key do not belong together")?;
    Ok(Arc::new(pair))
}

#[derive(Debug)]
struct Fixed(Arc<CertifiedKey>);

impl ResolvesServerCert for Fixed {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.clone())
    }
}

#[derive(Clone, Debug)]
struct Files {
    certificate: PathBuf,
    key: PathBuf,
}

impl Files {
    fn read_first(self) -> anyhow::Result<Reloading> {
        let current = self.read()?;
        Ok(Reloading {
            seen: RwLock::new(Seen {
                pair: current,
                at: Instant::now(),
            }),
            files: self,
        })
    }

    fn read(&self) -> anyhow::Result<Arc<CertifiedKey>> {
        let read = |flag: &str, path: &Path| {
            std::fs::read(path).with_context(|| format!("{flag} {}", path.display()))
        };
        let certificates = read("--tls-certificate", &self.certificate)?;
        let key = read("--tls-key", &self.key)?;
        certified(&certificates, &key).with_context(|| {
            let (certificate, key) = (self.certificate.display(), self.key.display());
            format!("--tls-certificate {certificate} with --tls-key {key}")
        })
    }
}

#[derive(Debug)]
struct Reloading {
    files: Files,
    seen: RwLock<Seen>,
}

#[derive(Debug)]
struct Seen {
    pair: Arc<CertifiedKey>,
    at: Instant,
}

impl Reloading {
    fn current(&self, fresh_for: Duration) -> Arc<CertifiedKey> {
        let seen = self.seen.read().unwrap_or_else(PoisonError::into_inner);
        if seen.at.elapsed() < fresh_for {
            return seen.pair.clone();
        }
        drop(seen);
        let read = self.files.read();
        let mut seen = self.seen.write().unwrap_or_else(PoisonError::into_inner);
        seen.at = Instant::now();
        match read {
            Ok(pair) => seen.pair = pair,
            // Half written, perhaps: the one in use goes on until the next look.
            Err(error) => {
                tracing::warn!(error = %format!("{error:#}"), "the certificate in use stays");
            }
        }
        seen.pair.clone()
    }
}

impl ResolvesServerCert for Reloading {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.current(FRESH_FOR))
    }
}

#[cfg(test)]
mod tests;
