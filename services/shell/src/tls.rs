//! TLS of listeners, and the refusal of plaintext where others could read it.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context as _, bail};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _};
use tokio_rustls::TlsAcceptor;

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

/// A server's certificate and key, ready to use for HTTP/2 and HTTP/1.1.
#[derive(Clone, Debug)]
pub struct ServerTls(Arc<rustls::ServerConfig>);

impl ServerTls {
    pub fn from_files(certificate: &Path, key: &Path) -> anyhow::Result<Self> {
        let read = |flag: &str, path: &Path| {
            std::fs::read(path).with_context(|| format!("{flag} {}", path.display()))
        };
        let certificates = read("--tls-certificate", certificate)?;
        let key_pem = read("--tls-key", key)?;
        Self::from_pem(&certificates, &key_pem).with_context(|| {
            format!(
                "--tls-certificate {} with --tls-key {}",
                certificate.display(),
                key.display()
            )
        })
    }

    pub fn from_pem(certificates: &[u8], key: &[u8]) -> anyhow::Result<Self> {
        let chain = CertificateDer::pem_slice_iter(certificates)
            .collect::<Result<Vec<_>, _>>()
            .context("read the certificate")?;
        if chain.is_empty() {
            bail!("no certificate in it: expected -----BEGIN CERTIFICATE-----");
        }
        let key = PrivateKeyDer::from_pem_slice(key).context("read the private key")?;
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let mut config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .context("the certificate and the key do not belong together")?;
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
