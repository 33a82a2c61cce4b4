//! One part of a runtime: whose it is, the key that it shows, and the keys that it believes.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context as _, bail};
use causeway_assertion::{ExpectedAudience, KeyHolder, Verifier};
use causeway_proto::ids::PartName;
use causeway_shell::ReloadedFile;
use sha2::{Digest as _, Sha256};

use crate::{
    Credential, PartKeys, Peer, ProxyArgs, RuntimeIdentity, RuntimeKeys,
    runtime::{IDENTITY_KEY, RECORD, REDACTION_KEY, read_identity_key},
};

/// Where a runtime's identity is, and the key of the part where it is not to be made from that.
#[derive(clap::Args, Debug, Clone)]
pub struct RuntimeArgs {
    /// The folder that 'causeway join' made: with the runtime's key in it this process certifies its own part
    #[arg(long, env = "CAUSEWAY_RUNTIME_FOLDER", value_name = "FOLDER")]
    pub runtime_folder: PathBuf,
    /// The file with this part's own key and certificate, made by 'causeway key issue', where the folder is without the runtime's key; read again when it changes
    #[arg(long, env = "CAUSEWAY_PART_KEY", value_name = "FILE")]
    pub part_key: Option<PathBuf>,
    #[command(flatten)]
    pub proxy: ProxyArgs,
}

/// A part of a runtime that has joined.
#[derive(Debug, Clone)]
pub struct RuntimePart {
    /// The runtime as it was at the start of the part.
    pub runtime: RuntimeIdentity,
    part: PartName,
    folder: PathBuf,
    keys: Arc<PartKeys>,
}

impl RuntimeArgs {
    /// Reads the folder, for a part of this name.
    ///
    /// # Errors
    /// The runtime has not joined, a file cannot be read, or the key is not this part's.
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
    /// The platform, with what this part shows to it.
    pub fn platform(&self) -> Peer {
        Peer::new(&self.runtime.platform_url, self.credential())
    }

    /// What this part shows to the platform and to other parts of its runtime.
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

    /// Verifies the callers of this part.
    ///
    /// # Errors
    /// The runtime's record cannot be read any more.
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

    /// The secret by which equal secrets are shown as equal, and nothing else of them: the same for all parts of the runtime.
    ///
    /// # Errors
    /// The folder has none.
    pub fn redaction_secret(&self) -> anyhow::Result<Vec<u8>> {
        redaction_secret(&self.folder)
    }
}

/// A runtime that joined before there was a file of its own for it made it from its key.
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
        // Another secret than that of the other parts would show what is equal as different.
        Err(error) => Err(error).with_context(named),
    }
}

#[cfg(test)]
mod tests;
