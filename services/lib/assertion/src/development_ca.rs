//! Development certificate authority, created at the first start and reused afterwards.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use anyhow::{Context as _, bail};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};

use crate::private_file::{open_private_folder, write_private};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const CA_LIFE: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);
const SERVER_LIFE: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// A certificate authority of P-256 in the files `ca.pem` and `ca-key.pem` of a folder.
pub struct DevelopmentCa {
    folder: PathBuf,
    pem: String,
    key: KeyPair,
}

/// PEM of a certificate and of its PKCS#8 key.
#[derive(Clone)]
pub struct Identity {
    pub certificate_pem: String,
    pub key_pem: String,
}

impl DevelopmentCa {
    /// Reads the authority from `folder`, or creates both.
    pub fn open_or_create(folder: &Path) -> anyhow::Result<Self> {
        open_private_folder(folder).with_context(|| format!("make {}", folder.display()))?;
        let (certificate_file, key_file) = (folder.join("ca.pem"), folder.join("ca-key.pem"));
        match (certificate_file.exists(), key_file.exists()) {
            (true, true) => Self::open(folder, &certificate_file, &key_file),
            // The key is written last, so a certificate alone means that the first start was interrupted.
            (_, false) => Self::create(folder, &certificate_file, &key_file),
            (false, true) => bail!(
                "{} is there but {} is not: restore it, or delete both to create a new authority",
                key_file.display(),
                certificate_file.display()
            ),
        }
    }

    /// Returns the CA certificate as PEM.
    #[must_use]
    pub fn ca_pem(&self) -> &str {
        &self.pem
    }

    /// The file that holds [`Self::ca_pem`].
    #[must_use]
    pub fn ca_file(&self) -> PathBuf {
        self.folder.join("ca.pem")
    }

    /// Issues a server certificate for DNS names and IP addresses, valid for 90 days.
    pub fn server_identity(&self, names: &[&str]) -> anyhow::Result<Identity> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).context("names of the certificate")?;
        params
            .distinguished_name
            .push(DnType::CommonName, "Causeway development");
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.use_authority_key_identifier_extension = true;
        valid_for(&mut params, SERVER_LIFE)?;
        let key = KeyPair::generate().context("make a key")?;
        let issuer =
            Issuer::from_ca_cert_pem(&self.pem, &self.key).context("read the authority")?;
        let certificate = params
            .signed_by(&key, &issuer)
            .context("sign the certificate")?;
        Ok(Identity {
            certificate_pem: certificate.pem(),
            key_pem: key.serialize_pem(),
        })
    }

    fn open(folder: &Path, certificate: &Path, key: &Path) -> anyhow::Result<Self> {
        let read = |path: &Path| {
            fs::read_to_string(path).with_context(|| format!("read {}", path.display()))
        };
        Ok(Self {
            folder: folder.to_owned(),
            pem: read(certificate)?,
            key: KeyPair::from_pem(&read(key)?)
                .with_context(|| format!("{}: not a private key in PEM", key.display()))?,
        })
    }

    fn create(folder: &Path, certificate: &Path, key_file: &Path) -> anyhow::Result<Self> {
        let mut params = CertificateParams::default();
        params
            .distinguished_name
            .push(DnType::CommonName, "Causeway development authority");
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        valid_for(&mut params, CA_LIFE)?;
        let key = KeyPair::generate().context("make a key")?;
        let pem = params
            .self_signed(&key)
            .context("sign the authority")?
            .pem();
        write_private(certificate, pem.as_bytes())?;
        write_private(key_file, key.serialize_pem().as_bytes())?;
        Ok(Self {
            folder: folder.to_owned(),
            pem,
            key,
        })
    }
}

fn valid_for(params: &mut CertificateParams, life: Duration) -> anyhow::Result<()> {
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .context("the clock is before 1970: set it")?;
    let epoch = rcgen::date_time_ymd(1970, 1, 1);
    // Backdated by a day because clocks of peers may be behind.
    params.not_before = epoch + now.saturating_sub(DAY);
    params.not_after = epoch + now + life;
    Ok(())
}

#[cfg(test)]
mod tests;
