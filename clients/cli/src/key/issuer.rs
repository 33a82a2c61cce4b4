//! Keys that certify keys of parts.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use causeway_assertion::{KeyHolder, SigningKey};
use causeway_client::RuntimeIdentity;
use causeway_proto::ids::{AccountId, PartName, RuntimeId};

/// Flags that name the key which certifies keys of parts.
#[derive(clap::Args, Debug)]
pub(crate) struct IssuerArgs {
    /// The file with the platform's key for its parts, keys/parts.pem of the part `platform`
    #[arg(
        long,
        env = "CAUSEWAY_PART_ISSUER_KEY",
        value_name = "FILE",
        required_unless_present = "runtime_folder",
        conflicts_with = "runtime_folder"
    )]
    issuer_key: Option<PathBuf>,
    /// The folder with a runtime's key, for a part of that runtime
    #[arg(long, env = "CAUSEWAY_RUNTIME_FOLDER", value_name = "FOLDER")]
    pub(super) runtime_folder: Option<PathBuf>,
}

/// A key that certifies keys of parts.
pub(crate) struct Issuer {
    pub(super) key: SigningKey,
    /// The runtime of the parts; none for the platform.
    pub(super) runtime: Option<(AccountId, RuntimeId)>,
}

impl IssuerArgs {
    /// Reads the files.
    ///
    /// # Errors
    /// One cannot be read, or nothing has joined in the folder.
    pub(super) fn read(&self) -> anyhow::Result<Issuer> {
        if let Some(folder) = &self.runtime_folder {
            let runtime = RuntimeIdentity::open(folder)?;
            let runtime = runtime.with_context(|| {
                format!(
                    "--runtime-folder {} holds no runtime: run 'causeway join' first",
                    folder.display()
                )
            })?;
            let key = read_key(&folder.join("identity.pem")).context("--runtime-folder")?;
            return Ok(Issuer {
                key,
                runtime: Some((runtime.account, runtime.runtime_id)),
            });
        }
        let file = self
            .issuer_key
            .as_ref()
            .context("give --issuer-key or --runtime-folder")?;
        let key = read_key(file).context("--issuer-key")?;
        Ok(Issuer { key, runtime: None })
    }
}

impl Issuer {
    pub(super) fn holder(&self, part: PartName) -> KeyHolder {
        match self.runtime.clone() {
            Some((account, runtime)) => KeyHolder::runtime(account, runtime, part),
            None => KeyHolder::platform(part),
        }
    }
}

fn read_key(file: &Path) -> anyhow::Result<SigningKey> {
    let named = || file.display().to_string();
    let pem = std::fs::read_to_string(file).with_context(named)?;
    SigningKey::from_pem(&pem).with_context(named)
}
