//! Certificate authorities that a dialling end trusts.

use std::sync::Arc;

use rustls::crypto::aws_lc_rs;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

/// Certificate authorities for verifying a server.
#[derive(Debug, Clone)]
pub enum TrustRoots {
    /// Those of the operating system.
    Native,
    /// Those of a PEM bundle, and no others.
    Pem(Vec<u8>),
}

#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("the operating system has no certificate authorities: pass a CA bundle")]
    NoNativeRoots,
    #[error("the CA bundle contains no certificate: pass a PEM file with at least one")]
    EmptyBundle,
    #[error("the CA bundle cannot be read: {0}")]
    Bundle(String),
    #[error("tls settings: {0}")]
    Settings(#[from] rustls::Error),
}

impl TrustRoots {
    /// Builds client settings for TLS 1.2 or newer with one ALPN protocol. Build them once: they
    /// also keep the TLS sessions that make a reconnect cheap.
    pub fn client_config(&self, alpn: &[u8]) -> Result<Arc<ClientConfig>, TlsError> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(self.store()?)
            .with_no_client_auth();
        config.alpn_protocols = vec![alpn.to_vec()];
        Ok(Arc::new(config))
    }

    fn store(&self) -> Result<RootCertStore, TlsError> {
        let mut store = RootCertStore::empty();
        match self {
            Self::Native => {
                store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
                if store.is_empty() {
                    return Err(TlsError::NoNativeRoots);
                }
            }
            Self::Pem(bundle) => {
                for certificate in CertificateDer::pem_slice_iter(bundle) {
                    store.add(certificate.map_err(|error| TlsError::Bundle(error.to_string()))?)?;
                }
                if store.is_empty() {
                    return Err(TlsError::EmptyBundle);
                }
            }
        }
        Ok(store)
    }
}
