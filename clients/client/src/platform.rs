//! The identity of a part of the platform.

use std::{path::PathBuf, sync::Arc};

use anyhow::Context as _;
use causeway_proto::ids::PartName;
use causeway_shell::assertion::SigningKey;

use crate::{Credential, Peer, PeerUrl};

/// How a part of the platform reaches the part `platform`.
#[derive(clap::Args, Debug, Clone)]
pub struct PlatformPeerArgs {
    /// The address of the part `platform`
    #[arg(long, env = "CAUSEWAY_PLATFORM_URL", value_name = "URL")]
    pub platform_url: String,
    /// The file with this part's private key, made by the part `platform`
    #[arg(long, env = "CAUSEWAY_PART_KEY", value_name = "FILE")]
    pub part_key: PathBuf,
}

/// A part of the platform that can call the part `platform`.
#[derive(Debug, Clone)]
pub struct PlatformIdentity {
    /// The part `platform`.
    pub platform: Peer,
    /// What this part shows to other parts of the platform.
    pub credential: Credential,
}

impl PlatformPeerArgs {
    /// Reads the key.
    ///
    /// # Errors
    /// The key file cannot be read or is no key; the URL is no address.
    pub fn identity(&self, part: &str) -> anyhow::Result<PlatformIdentity> {
        let part: PartName = part.parse().context("the part's name")?;
        let file = self.part_key.display();
        let pem = std::fs::read_to_string(&self.part_key).with_context(|| {
            format!(
                "cannot read --part-key {file}: start the part 'platform' first, it makes the file"
            )
        })?;
        let key = SigningKey::from_pem(&pem).with_context(|| format!("--part-key {file}"))?;
        let credential = Credential::platform_part(Arc::new(key), part);
        let url = PeerUrl::parse(&self.platform_url, None).context("--platform-url")?;
        Ok(PlatformIdentity {
            platform: Peer::new(&url, credential.clone()),
            credential,
        })
    }
}
