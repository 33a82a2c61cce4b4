//! TLS of listeners. Plaintext is allowed only on loopback or behind a TLS proxy.

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

const MAX_AGE: Duration = Duration::from_secs(30);

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
    /// Returns the TLS settings for `address` (the value of `flag`); none if plaintext is safe.
    pub fn for_listener(
        &self,
        flag: &str,
        address: SocketAddr,
    ) -> anyhow::Result<Option<ServerTls>> {
        match (&self.tls_certificate, &self.tls_key) {
            (Some(certificate), Some(key)) => ServerTls::from_files(certificate, key).map(Some),
            _ if address.ip().is_loopback() || self.tls_terminated_in_front => Ok(None),
            _ => bail!(
                "{flag} {address} is not on loopback and has no TLS: pass --tls-certificate and --tls-key, or --tls-terminated-in-front"
            ),
        }
    }
}

/// TLS settings of a server for HTTP/2 and HTTP/1.1. Clones share one certificate.
#[derive(Clone, Debug)]
pub struct ServerTls(Arc<rustls::ServerConfig>);

impl ServerTls {
    /// Reads the files, and reloads changed files, such as mounted Secrets, within 30 seconds.
    pub fn from_files(certificate: &Path, key: &Path) -> anyhow::Result<Self> {
        let files = Files {
            certificate: certificate.to_owned(),
            key: key.to_owned(),
        };
        Self::new(Arc::new(files.into_reloading()?))
    }

    pub fn from_pem(certificates: &[u8], key: &[u8]) -> anyhow::Result<Self> {
        Self::new(Arc::new(Fixed(certified_key(certificates, key)?)))
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

    /// Returns the settings for servers with their own accept loop.
    #[must_use]
    pub fn config(&self) -> Arc<rustls::ServerConfig> {
        self.0.clone()
    }
}

fn certified_key(certificates: &[u8], key: &[u8]) -> anyhow::Result<Arc<CertifiedKey>> {
    let chain = CertificateDer::pem_slice_iter(certificates)
        .collect::<Result<Vec<_>, _>>()
        .context("read the certificate")?;
    if chain.is_empty() {
        bail!("no certificate in it: expected -----BEGIN CERTIFICATE-----");
    }
    let key = PrivateKeyDer::from_pem_slice(key).context("read the private key")?;
    let pair = CertifiedKey::from_der(chain, key, &aws_lc_rs::default_provider())
        .context("the certificate is for another key")?;
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
    fn into_reloading(self) -> anyhow::Result<Reloading> {
        let current = self.read()?;
        Ok(Reloading {
            cached: RwLock::new(Cached {
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
        certified_key(&certificates, &key).with_context(|| {
            let (certificate, key) = (self.certificate.display(), self.key.display());
            format!("--tls-certificate {certificate} with --tls-key {key}")
        })
    }
}

#[derive(Debug)]
struct Reloading {
    files: Files,
    cached: RwLock<Cached>,
}

#[derive(Debug)]
struct Cached {
    pair: Arc<CertifiedKey>,
    at: Instant,
}

impl Reloading {
    fn current(&self, max_age: Duration) -> Arc<CertifiedKey> {
        let cached = self.cached.read().unwrap_or_else(PoisonError::into_inner);
        if cached.at.elapsed() < max_age {
            return cached.pair.clone();
        }
        drop(cached);
        let read = self.files.read();
        let mut cached = self.cached.write().unwrap_or_else(PoisonError::into_inner);
        cached.at = Instant::now();
        match read {
            Ok(pair) => cached.pair = pair,
            // The files may be half written. The next attempt follows after the same interval.
            Err(error) => {
                tracing::warn!(error = %format!("{error:#}"), "cannot reload the certificate; the previous one stays in use");
            }
        }
        cached.pair.clone()
    }
}

impl ResolvesServerCert for Reloading {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.current(MAX_AGE))
    }
}

#[cfg(test)]
mod tests;
