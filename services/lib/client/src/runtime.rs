//! Identity of a runtime: its private keys and the trust anchors that it received when it joined.

use std::{fs, path::Path, sync::Arc, time::SystemTime};

use anyhow::{Context as _, bail};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use causeway_assertion::private_file::{open_private_folder, write_private};
use causeway_assertion::{PublicKey, SigningKey};
use causeway_proto::{
    ids::{AccountId, RuntimeId, RuntimeName},
    platform::v1::{self as pb, runtime_service_client::RuntimeServiceClient},
    time::{millis_to_timestamp, timestamp_to_millis, to_millis},
};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{Credential, Peer, PeerUrl};

pub(crate) const IDENTITY_KEY: &str = "identity.pem";
pub(crate) const REDACTION_KEY: &str = "redaction.key";
pub(crate) const SEALING_KEY: &str = "sealing.pem";
pub(crate) const RECORD: &str = "runtime.json";
const RECORD_FORMAT: u32 = 1;

/// A runtime that has joined.
#[derive(Debug, Clone)]
pub struct RuntimeIdentity {
    pub account: AccountId,
    pub runtime_id: RuntimeId,
    pub name: RuntimeName,
    pub identity_key: PublicKey,
    /// Its private identity key; none if only a part key is available.
    pub key: Option<Arc<SigningKey>>,
    /// The pinned root key of the platform.
    pub root_key: PublicKey,
    /// Signing keys of the platform at the time of the join, certified by the root key.
    pub signing_keys: Vec<TrustedSigningKey>,
    pub platform_url: PeerUrl,
    /// URL of the tunnel server; empty if there is none.
    pub tunnel_url: String,
    /// Trusted CA certificates of the tunnel server as PEM; empty for those of the system.
    pub tunnel_ca: String,
}

/// Signing key of the platform with a verified certification.
#[derive(Debug, Clone)]
pub struct TrustedSigningKey {
    pub key: PublicKey,
    not_before_ms: i64,
    not_after_ms: i64,
}

#[derive(Serialize, Deserialize)]
struct Record {
    format: u32,
    account: AccountId,
    runtime_id: RuntimeId,
    name: RuntimeName,
    identity_key: String,
    root_key: String,
    signing_keys: Vec<SigningKeyRecord>,
    platform_url: String,
    platform_ca: String,
    tunnel_url: String,
    tunnel_ca: String,
}

#[derive(Serialize, Deserialize)]
struct SigningKeyRecord {
    key: String,
    not_before_ms: i64,
    not_after_ms: i64,
}

impl TrustedSigningKey {
    pub(crate) fn is_valid_at(&self, now_ms: i64) -> bool {
        (self.not_before_ms..self.not_after_ms).contains(&now_ms)
    }
}

impl RuntimeIdentity {
    /// Files of a runtime folder. All except the record are secret.
    pub const FILES: [&str; 4] = [IDENTITY_KEY, SEALING_KEY, REDACTION_KEY, RECORD];

    /// Opens the runtime of a folder; none if no runtime has joined.
    ///
    /// # Errors
    /// A file cannot be read, or is of a newer version.
    pub fn open(folder: &Path) -> anyhow::Result<Option<Self>> {
        let file = folder.join(RECORD);
        if !file.exists() {
            return Ok(None);
        }
        open_private_folder(folder).with_context(|| folder.display().to_string())?;
        let named = || file.display().to_string();
        let text = fs::read(&file).with_context(named)?;
        let record: Record = serde_json::from_slice(&text).with_context(named)?;
        if record.format > RECORD_FORMAT {
            bail!(
                "{} was written by a newer version: update causeway",
                file.display()
            );
        }
        let key_file = folder.join(IDENTITY_KEY);
        let key = if key_file.exists() {
            Some(SigningKey::open_or_create(&key_file)?)
        } else {
            None
        };
        Self::from_record(record, key).with_context(named).map(Some)
    }

    /// Creates missing keys, so that they can be backed up before the runtime joins.
    ///
    /// # Errors
    /// A file cannot be written, or contains no key.
    pub fn create_keys(folder: &Path) -> anyhow::Result<()> {
        for name in [IDENTITY_KEY, SEALING_KEY] {
            SigningKey::open_or_create(&folder.join(name))?;
        }
        make_redaction_key(&folder.join(REDACTION_KEY))
    }

    /// Creates the keys, registers their public halves with a single-use token and writes the record. An interrupted join can be
    /// repeated with the same token because the keys remain.
    ///
    /// # Errors
    /// The platform rejects the join or is unavailable, or a file cannot be written.
    pub async fn join(
        folder: &Path,
        url: &PeerUrl,
        platform: Peer,
        token: &str,
    ) -> anyhow::Result<Self> {
        let key = SigningKey::open_or_create(&folder.join(IDENTITY_KEY))?;
        let sealing = SigningKey::open_or_create(&folder.join(SEALING_KEY))?;
        let request = join_request(&key, &sealing, token)?;
        let response = RuntimeServiceClient::new(platform)
            .join(request)
            .await?
            .into_inner();
        let record = Record::from_response(response, url, key.public_key())?;
        make_redaction_key(&folder.join(REDACTION_KEY))?;
        write_record(&folder.join(RECORD), &record)?;
        Self::from_record(record, Some(key))
    }

    /// Updates the platform URL and CA in the record. Returns true if something changed.
    ///
    /// # Errors
    /// The record cannot be read or written.
    pub fn update_platform(folder: &Path, platform: &PeerUrl) -> anyhow::Result<bool> {
        let file = folder.join(RECORD);
        let named = || file.display().to_string();
        let mut record: Record =
            serde_json::from_slice(&fs::read(&file).with_context(named)?).with_context(named)?;
        if record.platform_url == platform.as_str() && record.platform_ca == platform.ca() {
            return Ok(false);
        }
        platform.as_str().clone_into(&mut record.platform_url);
        platform.ca().clone_into(&mut record.platform_ca);
        write_record(&file, &record)?;
        Ok(true)
    }

    /// Updates the URLs of the platform and the tunnel server in the record, if changed.
    ///
    /// # Errors
    /// The record cannot be read or written.
    pub fn update_urls(folder: &Path, platform_url: &str, tunnel_url: &str) -> anyhow::Result<()> {
        let file = folder.join(RECORD);
        let named = || file.display().to_string();
        let mut record: Record =
            serde_json::from_slice(&fs::read(&file).with_context(named)?).with_context(named)?;
        if record.platform_url == platform_url && record.tunnel_url == tunnel_url {
            return Ok(());
        }
        platform_url.clone_into(&mut record.platform_url);
        tunnel_url.clone_into(&mut record.tunnel_url);
        write_record(&file, &record)
    }

    /// Returns the platform with the runtime's own key as the credential; without credential if the key is not available.
    pub fn platform(&self) -> Peer {
        let (account, runtime) = (self.account.clone(), self.runtime_id.clone());
        let credential = match &self.key {
            Some(key) => Credential::runtime(Arc::clone(key), account, runtime),
            None => Credential::None,
        };
        Peer::new(&self.platform_url, credential)
    }

    fn from_record(record: Record, key: Option<SigningKey>) -> anyhow::Result<Self> {
        let ca = (!record.platform_ca.is_empty()).then(|| record.platform_ca.into_bytes());
        let signing = record.signing_keys.iter().map(SigningKeyRecord::read);
        Ok(Self {
            account: record.account,
            runtime_id: record.runtime_id,
            name: record.name,
            identity_key: read_point(&record.identity_key)?,
            key: key.map(Arc::new),
            root_key: read_point(&record.root_key)?,
            signing_keys: signing.collect::<anyhow::Result<_>>()?,
            platform_url: PeerUrl::parse(&record.platform_url, ca)?,
            tunnel_url: record.tunnel_url,
            tunnel_ca: record.tunnel_ca,
        })
    }
}

impl Record {
    fn from_response(
        response: pb::JoinResponse,
        url: &PeerUrl,
        identity_key: &PublicKey,
    ) -> anyhow::Result<Self> {
        let root =
            PublicKey::from_bytes(&response.root_key).context("the platform sent no root key")?;
        let keys = read_signing_keys(&root, &response.signing_keys);
        if keys.is_empty() {
            bail!("the platform sent no signing key that its root key certifies");
        }
        Ok(Self {
            format: RECORD_FORMAT,
            account: response.account.parse().context("the platform's answer")?,
            runtime_id: response
                .runtime_id
                .parse()
                .context("the platform's answer")?,
            name: response.name.parse().context("the platform's answer")?,
            identity_key: BASE64_STANDARD.encode(identity_key.as_bytes()),
            root_key: BASE64_STANDARD.encode(root.as_bytes()),
            signing_keys: keys.iter().map(SigningKeyRecord::from_key).collect(),
            platform_url: url.as_str().to_owned(),
            platform_ca: url.ca().to_owned(),
            tunnel_url: response.tunnel_url,
            tunnel_ca: response.tunnel_ca,
        })
    }
}

impl SigningKeyRecord {
    fn from_key(key: &TrustedSigningKey) -> Self {
        let point = BASE64_STANDARD.encode(key.key.as_bytes());
        Self {
            key: point,
            not_before_ms: key.not_before_ms,
            not_after_ms: key.not_after_ms,
        }
    }

    fn read(&self) -> anyhow::Result<TrustedSigningKey> {
        let key = read_point(&self.key)?;
        Ok(TrustedSigningKey {
            key,
            not_before_ms: self.not_before_ms,
            not_after_ms: self.not_after_ms,
        })
    }
}

/// Reads the runtime's public key from its record.
pub(crate) fn read_identity_key(record: &[u8]) -> anyhow::Result<PublicKey> {
    let record: Record = serde_json::from_slice(record)?;
    read_point(&record.identity_key)
}

fn write_record(file: &Path, record: &Record) -> anyhow::Result<()> {
    let text = serde_json::to_vec_pretty(record).context("writing the runtime's record")?;
    write_private(file, &text)
}

/// Creates the key only if it is missing, so that values redacted earlier remain comparable.
fn make_redaction_key(file: &Path) -> anyhow::Result<()> {
    if file.exists() {
        return Ok(());
    }
    let secret: [u8; 32] = rand::random();
    write_private(file, BASE64_STANDARD.encode(secret).as_bytes())
}

fn read_point(text: &str) -> anyhow::Result<PublicKey> {
    let bytes = BASE64_STANDARD
        .decode(text)
        .context("a public key is not base64")?;
    PublicKey::from_bytes(&bytes).context("a public key is not a P-256 point")
}

fn join_request(
    key: &SigningKey,
    sealing: &SigningKey,
    token: &str,
) -> anyhow::Result<pb::JoinRequest> {
    let identity_key = *key.public_key();
    let sealing_key = *sealing.public_key();
    let mut statement = b"causeway-join-v1".to_vec();
    statement.extend(Sha256::digest(token));
    statement.extend(identity_key.as_bytes());
    statement.extend(sealing_key.as_bytes());
    Ok(pb::JoinRequest {
        token: token.to_owned(),
        identity_key: identity_key.as_bytes().to_vec().into(),
        sealing_key: sealing_key.as_bytes().to_vec().into(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        client_time: Some(millis_to_timestamp(to_millis(SystemTime::now()))),
        proof: key.sign_bytes(&statement)?.into(),
    })
}

/// Returns the keys that the root key certifies.
pub(crate) fn read_signing_keys(
    root: &PublicKey,
    keys: &[pb::SigningKey],
) -> Vec<TrustedSigningKey> {
    keys.iter()
        .filter_map(|key| read_signing_key(root, key))
        .collect()
}

fn read_signing_key(root: &PublicKey, key: &pb::SigningKey) -> Option<TrustedSigningKey> {
    let public = PublicKey::from_bytes(&key.public_key)?;
    let (not_before, not_after) = (key.not_before.as_ref()?, key.not_after.as_ref()?);
    let statement =
        signing_key_statement(&key.key_id, &public, not_before.seconds, not_after.seconds);
    let certified =
        public.id().as_str() == key.key_id && root.verifies(&statement, &key.root_signature);
    certified.then(|| TrustedSigningKey {
        key: public,
        not_before_ms: timestamp_to_millis(not_before),
        not_after_ms: timestamp_to_millis(not_after),
    })
}

/// The bytes that the root key signs to certify a signing key; times in seconds since 1970.
pub fn signing_key_statement(
    key_id: &str,
    key: &PublicKey,
    not_before: i64,
    not_after: i64,
) -> Vec<u8> {
    let mut statement = Vec::new();
    for field in [
        b"causeway-signing-key-v1".as_slice(),
        key_id.as_bytes(),
        key.as_bytes(),
    ] {
        let length = u32::try_from(field.len()).expect("the fields are short");
        statement.extend(length.to_be_bytes());
        statement.extend(field);
    }
    statement.extend(not_before.to_be_bytes());
    statement.extend(not_after.to_be_bytes());
    statement
}

#[cfg(test)]
mod tests;
