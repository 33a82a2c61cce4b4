//! Certificates, keys and kubeconfigs of one cluster. Nothing of it is worth keeping once the cluster is gone.

use std::{
    fs::OpenOptions,
    io::{self, Write as _},
    net::IpAddr,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, SanType,
};
use serde_json::{Value, json};

/// Failure to create or write keys.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error("cannot make a certificate: {0}")]
    Make(#[from] rcgen::Error),
    #[error("cannot sign a token: {0}")]
    Token(jsonwebtoken::errors::Error),
    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
}

/// A certificate authority of one cluster.
pub(crate) struct Authority {
    pem: String,
    key_pem: String,
    issuer: Issuer<'static, KeyPair>,
}

/// A certificate and its key, both PEM.
#[derive(Debug, Clone)]
pub(crate) struct Identity {
    pub(crate) certificate: String,
    pub(crate) key: String,
}

/// Files of an identity.
#[derive(Debug, Clone)]
pub(crate) struct Files {
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
}

/// Files of a signing key.
#[derive(Debug, Clone)]
pub(crate) struct Signing {
    pub(crate) key: PathBuf,
    pub(crate) public: PathBuf,
}

impl Authority {
    pub(crate) fn new(name: &str) -> Result<Self, KeyError> {
        let mut params = CertificateParams::new(Vec::new())?;
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        params.key_usages = vec![
            KeyUsagePurpose::KeyCertSign,
            KeyUsagePurpose::CrlSign,
            KeyUsagePurpose::DigitalSignature,
        ];
        let key = KeyPair::generate()?;
        let pem = params.self_signed(&key)?.pem();
        let key_pem = key.serialize_pem();
        let issuer = Issuer::from_ca_cert_pem(&pem, key)?;
        Ok(Self {
            pem,
            key_pem,
            issuer,
        })
    }

    pub(crate) fn pem(&self) -> &str {
        &self.pem
    }

    /// For a server at these names and addresses.
    pub(crate) fn server(&self, names: &[&str]) -> Result<Identity, KeyError> {
        let mut params = CertificateParams::new(Vec::new())?;
        for name in names {
            params.subject_alt_names.push(match name.parse::<IpAddr>() {
                Ok(address) => SanType::IpAddress(address),
                Err(_) => SanType::DnsName((*name).try_into()?),
            });
        }
        let common = names.first().copied().unwrap_or("server");
        params.distinguished_name.push(DnType::CommonName, common);
        self.sign(params, ExtendedKeyUsagePurpose::ServerAuth)
    }

    /// For a client that Kubernetes knows by this user's name and, where there is one, its group.
    pub(crate) fn client(&self, user: &str, group: Option<&str>) -> Result<Identity, KeyError> {
        self.sign(client(user, group)?, ExtendedKeyUsagePurpose::ClientAuth)
    }

    /// Issues a client certificate with this lifetime.
    pub(crate) fn expiring_client(
        &self,
        user: &str,
        group: Option<&str>,
        life: Duration,
    ) -> Result<Identity, KeyError> {
        let mut params = client(user, group)?;
        params.not_after = (SystemTime::now() + life).into();
        self.sign(params, ExtendedKeyUsagePurpose::ClientAuth)
    }

    /// Writes `NAME.crt` and `NAME.key`.
    pub(crate) fn write(&self, folder: &Path, name: &str) -> Result<Files, KeyError> {
        let own = Identity {
            certificate: self.pem.clone(),
            key: self.key_pem.clone(),
        };
        own.write(folder, name)
    }

    fn sign(
        &self,
        mut params: CertificateParams,
        purpose: ExtendedKeyUsagePurpose,
    ) -> Result<Identity, KeyError> {
        params.use_authority_key_identifier_extension = true;
        params.key_usages.push(KeyUsagePurpose::DigitalSignature);
        params.extended_key_usages.push(purpose);
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &self.issuer)?;
        Ok(Identity {
            certificate: certificate.pem(),
            key: key.serialize_pem(),
        })
    }
}

fn client(user: &str, group: Option<&str>) -> Result<CertificateParams, KeyError> {
    let mut params = CertificateParams::new(Vec::new())?;
    params.distinguished_name.push(DnType::CommonName, user);
    if let Some(group) = group {
        params
            .distinguished_name
            .push(DnType::OrganizationName, group);
    }
    Ok(params)
}

impl Identity {
    /// Writes `NAME.crt` and `NAME.key`, for this user only.
    pub(crate) fn write(&self, folder: &Path, name: &str) -> Result<Files, KeyError> {
        let files = Files {
            certificate: folder.join(format!("{name}.crt")),
            key: folder.join(format!("{name}.key")),
        };
        write_private(&files.certificate, &self.certificate)?;
        write_private(&files.key, &self.key)?;
        Ok(files)
    }

    /// The user's part of a kubeconfig.
    pub(crate) fn user(&self) -> Value {
        json!({
            "client-certificate-data": STANDARD.encode(&self.certificate),
            "client-key-data": STANDARD.encode(&self.key),
        })
    }
}

/// Writes a key that signs tokens of service accounts: `NAME.key`, and its public half `NAME.pub`.
pub(crate) fn write_signing_key(folder: &Path, name: &str) -> Result<Signing, KeyError> {
    let key = KeyPair::generate()?;
    let files = Signing {
        key: folder.join(format!("{name}.key")),
        public: folder.join(format!("{name}.pub")),
    };
    write_private(&files.key, &key.serialize_pem())?;
    write_private(&files.public, &key.public_key_pem())?;
    Ok(files)
}

/// A kubeconfig with one context, as JSON, which is YAML too. `user` is the user's part of it.
pub(crate) fn kubeconfig(server: &str, authority: &str, user: &Value) -> String {
    let config = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "causeway",
        "clusters": [{"name": "causeway", "cluster": {
            "server": server,
            "certificate-authority-data": STANDARD.encode(authority),
        }}],
        "users": [{"name": "causeway", "user": user}],
        "contexts": [{"name": "causeway", "context": {"cluster": "causeway", "user": "causeway"}}],
    });
    format!("{config:#}\n")
}

/// Writes a file that only this user may read.
pub(crate) fn write_private(path: &Path, text: &str) -> Result<(), KeyError> {
    let written = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|source| KeyError::Write {
        path: path.to_owned(),
        source,
    })
}
