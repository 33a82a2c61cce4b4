//! Verified heads of audit chains and root keys of platforms, as this user last saw them.
//!
//! They reveal a chain that was cut or rewritten.

use std::{collections::BTreeMap, fs, io, path::PathBuf};

use anyhow::Context as _;
use base64::{Engine as _, prelude::BASE64_STANDARD};
use causeway_assertion::PublicKey;
use causeway_assertion::private_file::write_private;
use causeway_client::{ExpectedEntry, VerifiedChain};
use serde::{Deserialize, Serialize};

/// The file.
pub(super) struct Memory {
    file: PathBuf,
    chains: BTreeMap<String, Chain>,
}

/// A chain as it was.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Chain {
    root_key: String,
    sequence: u64,
    hash: String,
}

impl Memory {
    pub(super) fn open(file: PathBuf) -> anyhow::Result<Self> {
        let named = || file.display().to_string();
        let chains = match fs::read(&file) {
            Ok(text) => serde_json::from_slice(&text).with_context(named)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(error).with_context(named),
        };
        Ok(Self { file, chains })
    }

    /// The entry with which a chain of a platform ended.
    pub(super) fn mark(&self, address: &str, chain: &str) -> Option<ExpectedEntry> {
        let known = self.chains.get(&name(address, chain))?;
        let hash = BASE64_STANDARD.decode(&known.hash).ok()?;
        Some(ExpectedEntry {
            sequence: known.sequence,
            hash: hash.try_into().ok()?,
            by: "the last verify",
        })
    }

    /// The root key that signed for a chain.
    pub(super) fn root(&self, address: &str, chain: &str) -> Option<PublicKey> {
        let known = self.chains.get(&name(address, chain))?;
        PublicKey::from_bytes(&BASE64_STANDARD.decode(&known.root_key).ok()?)
    }

    /// Keeps what was verified.
    pub(super) fn keep(
        mut self,
        address: &str,
        chain: &str,
        root: &PublicKey,
        verified: &VerifiedChain,
    ) -> anyhow::Result<()> {
        let known = Chain {
            root_key: BASE64_STANDARD.encode(root.as_bytes()),
            sequence: verified.last,
            hash: BASE64_STANDARD.encode(verified.hash),
        };
        self.chains.insert(name(address, chain), known);
        let text = serde_json::to_vec_pretty(&self.chains).context("writing JSON")?;
        write_private(&self.file, &text)
    }
}

fn name(address: &str, chain: &str) -> String {
    format!("{address} {chain}")
}
