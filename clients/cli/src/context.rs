//! Where the platform is and what to show there, a session or an API key: a file of named contexts, as kubectl's users know it.
//! Only its owner may read it.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};

mod command;
mod session;

pub(crate) use command::ContextGroup;
pub(crate) use session::Session;

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
    #[arg(
        long,
        visible_alias = "server",
        env = "CAUSEWAY_ADDRESS",
        global = true,
        value_name = "URL"
    )]
    address: Option<String>,
    /// The address where neither --address nor a context is named
    #[arg(
        long,
        env = "CAUSEWAY_SERVER",
        global = true,
        hide = true,
        value_name = "URL"
    )]
    usual_address: Option<String>,
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
    /// The file with the API key, which is used where there is no session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) api_key_file: Option<PathBuf>,
    /// What the last sign-in gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<Session>,
    /// The file with the certificates that vouch for the platform; the system's own where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ca_file: Option<PathBuf>,
}

/// An entry by its name, in its file.
pub(crate) struct Target {
    file: PathBuf,
    pub(crate) name: String,
    pub(crate) entry: Entry,
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
        if let (Some(address), Some(key)) = (self.address(), &self.api_key_file) {
            return Ok(Entry {
                address: address.clone(),
                api_key_file: Some(key.clone()),
                session: None,
                ca_file: self.ca_file.clone(),
            });
        }
        let file = file(self.config.as_ref());
        let contexts = read(&file)?;
        let name = self.name(&contexts);
        let (_, entry) = chosen(contexts, name, &file)?;
        Ok(self.applied(entry))
    }

    /// The context that a sign-in is for: one that is there, or a new one for the address that a flag names.
    pub(crate) fn target(&self) -> anyhow::Result<Target> {
        let file = file(self.config.as_ref());
        let contexts = read(&file)?;
        let (name, entry) = match self.address() {
            Some(address) if self.known(&contexts).is_none() => {
                let name = self.context.clone().unwrap_or_else(|| authority(address));
                (name, Entry::at(address))
            }
            _ => {
                let name = self.name(&contexts);
                chosen(contexts, name, &file)?
            }
        };
        let mut entry = self.applied(entry);
        entry.ca_file = entry.ca_file.map(std::path::absolute).transpose()?;
        Ok(Target { file, name, entry })
    }

    /// The address that flags or the environment name. A context that is named has its own.
    fn address(&self) -> Option<&String> {
        let usual = self.usual_address.as_ref();
        self.address
            .as_ref()
            .or(usual.filter(|_| self.context.is_none()))
    }

    /// The names of the contexts that there are.
    pub(crate) fn names(&self) -> anyhow::Result<Vec<String>> {
        let contexts = read(&file(self.config.as_ref()))?;
        Ok(contexts.contexts.into_keys().collect())
    }

    /// A file in the folder of the file of contexts.
    pub(crate) fn sibling_file(&self, name: &str) -> PathBuf {
        file(self.config.as_ref()).with_file_name(name)
    }

    /// Which context the flags mean: the one of that name, or one at that address.
    fn name(&self, contexts: &Contexts) -> Option<String> {
        self.context.clone().or_else(|| self.known(contexts))
    }

    /// The one that is meant, if it is there.
    fn known(&self, contexts: &Contexts) -> Option<String> {
        let (Some(address), None) = (self.address(), &self.context) else {
            let name = self.context.as_ref()?;
            return contexts.contexts.contains_key(name).then(|| name.clone());
        };
        let here = |name: &&String| {
            contexts
                .contexts
                .get(*name)
                .is_some_and(|e| e.is_at(address))
        };
        let mut names = std::iter::once(&contexts.current).chain(contexts.contexts.keys());
        names.find(here).cloned()
    }

    /// An entry with what flags say otherwise. Neither a session nor an API key goes to another address than the one that it is for,
    /// unless a flag names it beside.
    fn applied(&self, mut entry: Entry) -> Entry {
        if let Some(address) = self.address() {
            if !entry.is_at(address) {
                entry.session = None;
                entry.api_key_file = None;
            }
            entry.address.clone_from(address);
        }
        if self.api_key_file.is_some() {
            entry.session = None;
        }
        entry.api_key_file = self.api_key_file.clone().or(entry.api_key_file);
        entry.ca_file = self.ca_file.clone().or(entry.ca_file);
        entry
    }
}

/// An entry of the file: the one of a name, or the current one.
fn chosen(
    mut contexts: Contexts,
    name: Option<String>,
    file: &Path,
) -> anyhow::Result<(String, Entry)> {
    let name = name.unwrap_or(contexts.current);
    if let Some(entry) = contexts.contexts.remove(&name) {
        return Ok((name, entry));
    }
    let file = file.display();
    if contexts.contexts.is_empty() {
        bail!(
            "no context in {file}: start one with 'causeway up', or sign in with 'causeway login --server URL', or give --address and --api-key-file",
        );
    }
    let known: Vec<_> = contexts.contexts.into_keys().collect();
    let known = known.join(", ");
    if name.is_empty() {
        bail!("no current context in {file}: choose one of {known} with 'causeway context use'");
    }
    bail!("no context '{name}' in {file}: there are {known}")
}

/// Host and port of an address, by which a new context is called.
fn authority(address: &str) -> String {
    let uri = address.parse::<http::Uri>();
    let authority = uri.ok().and_then(|uri| uri.into_parts().authority);
    authority.map_or_else(|| address.to_owned(), |authority| authority.to_string())
}

impl Entry {
    fn at(address: &str) -> Self {
        Self {
            address: address.to_owned(),
            api_key_file: None,
            session: None,
            ca_file: None,
        }
    }

    fn is_at(&self, address: &str) -> bool {
        self.address.trim_end_matches('/') == address.trim_end_matches('/')
    }
}

impl Target {
    /// Remembers a session and makes its context the current one.
    pub(crate) fn keep(self, session: Session) -> anyhow::Result<()> {
        let entry = Entry {
            session: Some(session),
            ..self.entry
        };
        write_entry(&self.file, &self.name, entry)
    }

    /// Forgets the session; the current context stays.
    pub(crate) fn forget(self) -> anyhow::Result<()> {
        let mut contexts = read(&self.file)?;
        if let Some(entry) = contexts.contexts.get_mut(&self.name) {
            entry.session = None;
        }
        write(&self.file, &contexts)
    }
}

/// Puts an entry into a file of contexts and makes it the current one; other entries stay, and so does a session at the same address.
pub(crate) fn write_entry(file: &Path, name: &str, mut entry: Entry) -> anyhow::Result<()> {
    let mut contexts = read(file)?;
    let former = contexts.contexts.get(name);
    let former = former.filter(|former| former.is_at(&entry.address));
    let former = former.and_then(|former| former.session.clone());
    entry.session = entry.session.or(former);
    if contexts.current == name && contexts.contexts.get(name) == Some(&entry) {
        return Ok(());
    }
    name.clone_into(&mut contexts.current);
    contexts.contexts.insert(name.to_owned(), entry);
    write(file, &contexts)
}

fn write(file: &Path, contexts: &Contexts) -> anyhow::Result<()> {
    let text = serde_json::to_vec_pretty(contexts).context("writing contexts")?;
    causeway_assertion::private_file::write_private(file, &text)
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
