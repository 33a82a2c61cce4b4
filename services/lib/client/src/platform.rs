//! Identity of a platform part.

use std::{path::PathBuf, sync::Arc};

use anyhow::{Context as _, bail};
use causeway_assertion::KeyHolder;
use causeway_proto::ids::PartName;

use crate::{Credential, PartKeys, Peer, PeerUrl};

/// Connection to the part `platform` and the key of this part.
#[derive(clap::Args, Debug, Clone)]
pub struct PlatformPeerArgs {
    /// URL of the part `platform`
    #[arg(long, env = "CAUSEWAY_PLATFORM_URL", value_name = "URL")]
    pub platform_url: String,
    /// File with the key and certificate of this part from 'causeway key issue'; reloaded when it changes
    #[arg(
        long,
        env = "CAUSEWAY_PART_KEY",
        value_name = "FILE",
        required_unless_present = "part_issuer_key"
    )]
    pub part_key: Option<PathBuf>,
    /// File with the platform's key for its parts (keys/parts.pem of the part `platform`), with which this process certifies its
    /// own part
    #[arg(
        long,
        env = "CAUSEWAY_PART_ISSUER_KEY",
        value_name = "FILE",
        conflicts_with = "part_key"
    )]
    pub part_issuer_key: Option<PathBuf>,
}

/// Identity of a platform part.
#[derive(Debug, Clone)]
pub struct PlatformIdentity {
    /// Peer of the part `platform`.
    pub platform: Peer,
    /// Credential for other platform parts.
    pub credential: Credential,
}

impl PlatformPeerArgs {
    /// Reads the key.
    ///
    /// # Errors
    /// The key file cannot be read or is for another part, or the URL is invalid.
    pub fn identity(&self, part: &str) -> anyhow::Result<PlatformIdentity> {
        let part: PartName = part.parse().context("the part's name")?;
        let keys = self.keys(KeyHolder::platform(part.clone()))?;
        let credential = Credential::platform_part_with_keys(Arc::new(keys), part);
        let url = PeerUrl::parse(&self.platform_url, None).context("--platform-url")?;
        Ok(PlatformIdentity {
            platform: Peer::new(&url, credential.clone()),
            credential,
        })
    }

    fn keys(&self, holder: KeyHolder) -> anyhow::Result<PartKeys> {
        match (&self.part_key, &self.part_issuer_key) {
            (Some(file), _) => PartKeys::from_file(file, holder).context("--part-key"),
            (None, Some(file)) => PartKeys::from_issuer_file(file, holder).context(
                "--part-issuer-key (the part 'platform' makes the file when it first starts)",
            ),
            (None, None) => bail!("pass --part-key or --part-issuer-key"),
        }
    }
}
