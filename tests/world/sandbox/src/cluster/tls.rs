//! The sandbox's own certificate authority, its server certificate and the bearer token of its one user.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    net::{IpAddr, SocketAddr},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
    sync::Arc,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, SanType,
};
use rustls::{
    ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer},
};

use crate::error::SandboxError;

const AUTHORITY: &str = "ca.crt";
const AUTHORITY_KEY: &str = "ca.key";
const TOKEN: &str = "token";

/// Certificate authority and token of a sandbox.
pub(crate) struct Identity {
    pub(crate) authority_pem: String,
    pub(crate) token: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Identity {
    /// Reads the identity kept in `folder`, or makes one there (private files), or makes one in memory.
    pub(crate) fn load(folder: Option<&Path>) -> Result<Self, SandboxError> {
        let Some(folder) = folder else {
            let (authority_pem, key_pem) =
                new_authority().map_err(|cause| unusable(Path::new("memory"), &cause))?;
            return Self::assemble(authority_pem, &key_pem, new_token(), Path::new("memory"));
        };
        let of_folder = |source| SandboxError::Folder {
            path: folder.to_owned(),
            source,
        };
        let known = read(&folder.join(AUTHORITY)).map_err(of_folder)?;
        let known_key = read(&folder.join(AUTHORITY_KEY)).map_err(of_folder)?;
        let known_token = read(&folder.join(TOKEN)).map_err(of_folder)?;
        let (authority_pem, key_pem) = match known.zip(known_key) {
            Some(pair) => pair,
            None => {
                let (authority_pem, key_pem) =
                    new_authority().map_err(|cause| unusable(folder, &cause))?;
                write_private(&folder.join(AUTHORITY_KEY), &key_pem).map_err(of_folder)?;
                write_private(&folder.join(AUTHORITY), &authority_pem).map_err(of_folder)?;
                (authority_pem, key_pem)
            }
        };
        let token = match known_token.filter(|token| !token.trim().is_empty()) {
            Some(token) => token.trim().to_owned(),
            None => {
                let token = new_token();
                write_private(&folder.join(TOKEN), &token).map_err(of_folder)?;
                token
            }
        };
        Self::assemble(authority_pem, &key_pem, token, folder)
    }

    fn assemble(
        authority_pem: String,
        key_pem: &str,
        token: String,
        folder: &Path,
    ) -> Result<Self, SandboxError> {
        let key = KeyPair::from_pem(key_pem).map_err(|cause| unusable(folder, &cause))?;
        let issuer = Issuer::from_ca_cert_pem(&authority_pem, key)
            .map_err(|cause| unusable(folder, &cause))?;
        Ok(Self {
            authority_pem,
            token,
            issuer,
        })
    }

    /// The TLS settings of a server at `address`, with a certificate made just now, good for `host` too.
    pub(crate) fn server(
        &self,
        address: SocketAddr,
        host: Option<&str>,
    ) -> Result<ServerConfig, SandboxError> {
        let here = Path::new("memory");
        let (certificate, key) = self
            .certify(address.ip(), host)
            .map_err(|cause| unusable(here, &cause))?;
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|cause| unusable(here, &cause))?
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .map_err(|cause| unusable(here, &cause))?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(config)
    }

    fn certify(
        &self,
        own: IpAddr,
        host: Option<&str>,
    ) -> Result<(CertificateDer<'static>, PrivateKeyDer<'static>), rcgen::Error> {
        let names = ["localhost", "127.0.0.1", "::1"].into_iter().chain(host);
        let names: Vec<String> = names.map(str::to_owned).collect();
        let mut params = CertificateParams::new(names)?;
        if !own.is_loopback() && !own.is_unspecified() {
            params.subject_alt_names.push(SanType::IpAddress(own));
        }
        params
            .distinguished_name
            .push(DnType::CommonName, "causeway sandbox API");
        params.use_authority_key_identifier_extension = true;
        params.key_usages.push(KeyUsagePurpose::DigitalSignature);
        params
            .extended_key_usages
            .push(ExtendedKeyUsagePurpose::ServerAuth);
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &self.issuer)?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        Ok((certificate.der().clone(), key))
    }
}

fn new_authority() -> Result<(String, String), rcgen::Error> {
    let mut params = CertificateParams::new(Vec::new())?;
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params
        .distinguished_name
        .push(DnType::CommonName, "causeway sandbox authority");
    params.key_usages.push(KeyUsagePurpose::KeyCertSign);
    params.key_usages.push(KeyUsagePurpose::DigitalSignature);
    let key = KeyPair::generate()?;
    let certificate = params.self_signed(&key)?;
    Ok((certificate.pem(), key.serialize_pem()))
}

fn new_token() -> String {
    let bytes: [u8; 32] = rand::random();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn read(path: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn unusable(folder: &Path, cause: &dyn std::error::Error) -> SandboxError {
    SandboxError::Identity {
        path: folder.to_owned(),
        cause: cause.to_string(),
    }
}

impl Identity {
    /// A kubeconfig for a server at `address`, that others find as `host`.
    pub(crate) fn kubeconfig(&self, address: SocketAddr, host: Option<&str>) -> String {
        let port = address.port();
        let reachable = match (host, address.ip()) {
            (Some(host), _) => format!("{host}:{port}"),
            (None, ip) if ip.is_unspecified() => format!("127.0.0.1:{port}"),
            (None, _) => address.to_string(),
        };
        let authority = STANDARD.encode(&self.authority_pem);
        let token = &self.token;
        format!(
            "apiVersion: v1
kind: Config
current-context: sandbox
clusters:
- name: sandbox
  cluster:
    server: https://{reachable}
    certificate-authority-data: {authority}
contexts:
- name: sandbox
  context:
    cluster: sandbox
    user: sandbox-admin
    namespace: default
users:
- name: sandbox-admin
  user:
    token: {token}
"
        )
    }
}
