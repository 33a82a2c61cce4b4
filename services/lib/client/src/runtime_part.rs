//! Identity of a runtime part: its runtime, its key and its trusted keys.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context as _, bail};
use causeway_assertion::{ExpectedAudience, KeyHolder, SigningKey, Verifier};
use causeway_proto::ids::PartName;
use causeway_shell::ReloadedFile;
use sha2::{Digest as _, Sha256};

use crate::{
    Credential, PartKeys, Peer, ProxyArgs, RuntimeIdentity, RuntimeKeys,
    runtime::{IDENTITY_KEY, RECORD, REDACTION_KEY, SEALING_KEY, read_identity_key},
};

/// Location of a runtime's identity, and of the part's key.
#[derive(clap::Args, Debug, Clone)]
pub struct RuntimeArgs {
    /// Folder of 'causeway join'; if it contains the runtime's key, this process certifies its own part
    #[arg(long, env = "CAUSEWAY_RUNTIME_FOLDER", value_name = "FOLDER")]
    pub runtime_folder: PathBuf,
    /// File with the key and certificate of this part from 'causeway key issue', if the folder is without the runtime's key;
    /// reloaded when it changes
    #[arg(long, env = "CAUSEWAY_PART_KEY", value_name = "FILE")]
    pub part_key: Option<PathBuf>,
    #[command(flatten)]
    pub proxy: ProxyArgs,
}

/// Identity of a runtime part.
#[derive(Debug, Clone)]
pub struct RuntimePart {
    /// The runtime at the start of the part.
    pub runtime: RuntimeIdentity,
    part: PartName,
    folder: PathBuf,
    keys: Arc<PartKeys>,
}

impl RuntimeArgs {
    /// Reads the folder for a part of this name.
    ///
    /// # Errors
    /// The runtime has not joined, a file cannot be read, or the key is for another part.
    pub fn part(&self, name: &str) -> anyhow::Result<RuntimePart> {
        let part: PartName = name.parse().context("the part's name")?;
        let folder = self.runtime_folder.clone();
        let mut runtime = RuntimeIdentity::open(&folder)?.with_context(|| {
            let shown = folder.display();
            format!("{shown} holds no runtime: run 'causeway join' first")
        })?;
        runtime.platform_url = runtime.platform_url.with_proxy(&self.proxy);
        let (account, id) = (runtime.account.clone(), runtime.runtime_id.clone());
        let holder = KeyHolder::runtime(account, id, part.clone());
        let keys = self.keys(holder)?;
        Ok(RuntimePart {
            runtime,
            part,
            folder,
            keys: Arc::new(keys),
        })
    }

    fn keys(&self, holder: KeyHolder) -> anyhow::Result<PartKeys> {
        let Some(file) = &self.part_key else {
            let issuer = self.runtime_folder.join(IDENTITY_KEY);
            return PartKeys::from_issuer_file(&issuer, holder).context(
                "--runtime-folder is without the runtime's key: give --part-key, or join again from an empty folder with a token of 'causeway runtime token --rejoin'",
            );
        };
        PartKeys::from_file(file, holder).context("--part-key")
    }
}

impl RuntimePart {
    /// Returns the platform with the credential of this part.
    pub fn platform(&self) -> Peer {
        Peer::new(&self.runtime.platform_url, self.credential())
    }

    /// Returns the credential for the platform and other parts of the runtime.
    pub fn credential(&self) -> Credential {
        let (account, runtime) = (
            self.runtime.account.clone(),
            self.runtime.runtime_id.clone(),
        );
        Credential::runtime_part_with_keys(
            Arc::clone(&self.keys),
            account,
            runtime,
            self.part.clone(),
        )
    }

    /// Creates a verifier of the callers of this part.
    ///
    /// # Errors
    /// The runtime's record cannot be read.
    pub fn verifier(&self) -> anyhow::Result<Verifier> {
        let platform = Peer::new(&self.runtime.platform_url, Credential::None);
        let own = ReloadedFile::open(&self.folder.join(RECORD), read_identity_key)?;
        let keys = RuntimeKeys::new(&self.runtime, own, platform);
        let (account, runtime) = (
            self.runtime.account.clone(),
            self.runtime.runtime_id.clone(),
        );
        let recipient = ExpectedAudience::runtime(account, runtime, self.part.clone());
        Ok(Verifier::new(Arc::new(keys), recipient))
    }

    /// Returns the redaction key, with which equal secrets stay recognizable as equal. All parts of the runtime share it.
    ///
    /// # Errors
    /// The folder has none.
    pub fn redaction_secret(&self) -> anyhow::Result<Vec<u8>> {
        redaction_secret(&self.folder)
    }

    /// Returns the key that secrets for this runtime are sealed to; none if the folder is without it.
    ///
    /// # Errors
    /// The file cannot be read, or contains no key.
    pub fn sealing_key(&self) -> anyhow::Result<Option<SigningKey>> {
        let file = self.folder.join(SEALING_KEY);
        if file.exists() {
            SigningKey::open_or_create(&file).map(Some)
        } else {
            Ok(None)
        }
    }
}

/// Runtimes that joined before this file existed derive it from their key.
fn redaction_secret(folder: &Path) -> anyhow::Result<Vec<u8>> {
    let own = folder.join(REDACTION_KEY);
    let named = || own.display().to_string();
    match fs::read(&own) {
        Ok(secret) if secret.is_empty() => bail!(
            "{}: it is empty; put back what was in it, the same for all parts of the runtime",
            named()
        ),
        Ok(secret) => Ok(secret),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let key = fs::read(folder.join(IDENTITY_KEY)).with_context(named)?;
            Ok(Sha256::digest(key).to_vec())
        }
        // A different key than that of the other parts would make equal secrets look different.
        Err(error) => Err(error).with_context(named),
    }
}

#[cfg(test)]
mod tests;
