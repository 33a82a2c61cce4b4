//! Where the platform is and what to sign in with: a file of named contexts, as kubectl's users know it.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};

/// The flags that say which platform a command talks to.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct ContextArgs {
    /// The file of contexts
    #[arg(long, env = "CAUSEWAY_CONFIG", global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The context to use instead of the current one
    #[arg(long, env = "CAUSEWAY_CONTEXT", global = true, value_name = "NAME")]
    context: Option<String>,
    /// The platform's address, for example http://127.0.0.1:7400; with --api-key-file no context is needed
    #[arg(long, env = "CAUSEWAY_ADDRESS", global = true, value_name = "URL")]
    address: Option<String>,
    /// A file with the API key
    #[arg(
        long,
        env = "CAUSEWAY_API_KEY_FILE",
        global = true,
        value_name = "FILE"
    )]
    api_key_file: Option<PathBuf>,
    /// A file with the certificates, as PEM, that vouch for the platform
    #[arg(long, env = "CAUSEWAY_CA_FILE", global = true, value_name = "FILE")]
    ca_file: Option<PathBuf>,
}

/// One platform and a way to sign in.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    /// The platform's address.
    pub(crate) address: String,
    /// The file with the API key.
    pub(crate) api_key_file: PathBuf,
    /// The file with the certificates that vouch for the platform; the system's own where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ca_file: Option<PathBuf>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contexts {
    current: String,
    contexts: BTreeMap<String, Entry>,
}

impl ContextArgs {
    /// The platform that the flags, or else the file, name.
    pub(crate) fn resolve(&self) -> anyhow::Result<Entry> {
        if let (Some(address), Some(key)) = (&self.address, &self.api_key_file) {
            return Ok(Entry {
                address: address.clone(),
                api_key_file: key.clone(),
                ca_file: self.ca_file.clone(),
            });
        }
        let mut entry = self.entry_of_file()?;
        entry.address = self.address.clone().unwrap_or(entry.address);
        entry.api_key_file = self.api_key_file.clone().unwrap_or(entry.api_key_file);
        entry.ca_file = self.ca_file.clone().or(entry.ca_file);
        Ok(entry)
    }

    /// A file in the folder of the file of contexts.
    pub(crate) fn file_beside(&self, name: &str) -> PathBuf {
        file(self.config.as_ref()).with_file_name(name)
    }

    fn entry_of_file(&self) -> anyhow::Result<Entry> {
        let file = file(self.config.as_ref());
        let mut contexts = read(&file)?;
        let name = self.context.clone().unwrap_or(contexts.current);
        if let Some(entry) = contexts.contexts.remove(&name) {
            return Ok(entry);
        }
        if contexts.contexts.is_empty() {
            bail!(
                "no context in {}: start one with 'causeway up', or give --address and --api-key-file",
                file.display()
            );
        }
        let known: Vec<_> = contexts.contexts.into_keys().collect();
        bail!(
            "no context '{name}' in {}: there are {}",
            file.display(),
            known.join(", ")
        )
    }
}

/// Puts an entry into a file of contexts and makes it the current one; other entries stay.
pub(crate) fn write_entry(file: &Path, name: &str, entry: Entry) -> anyhow::Result<()> {
    let mut contexts = read(file)?;
    if contexts.current == name && contexts.contexts.get(name) == Some(&entry) {
        return Ok(());
    }
    name.clone_into(&mut contexts.current);
    contexts.contexts.insert(name.to_owned(), entry);
    let text = serde_json::to_vec_pretty(&contexts).context("writing contexts")?;
    causeway_shell::certificate::write_private(file, &text)
}

/// The file of contexts: the one that a flag names, or the one in the user's home.
pub(crate) fn file(named: Option<&PathBuf>) -> PathBuf {
    named.cloned().unwrap_or_else(default_file)
}

fn default_file() -> PathBuf {
    let folder = std::env::home_dir().unwrap_or_else(|| PathBuf::from("."));
    folder.join(".config/causeway/contexts.json")
}

fn read(file: &Path) -> anyhow::Result<Contexts> {
    match fs::read(file) {
        Ok(text) => serde_json::from_slice(&text).with_context(|| {
            format!(
                "{} is not a file of contexts: mend it or move it away",
                file.display()
            )
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Contexts::default()),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", file.display())),
    }
}

#[cfg(test)]
mod tests;
