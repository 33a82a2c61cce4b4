//! `causeway context …`: which platforms are known, and which one commands talk to.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use causeway_client::PeerUrl;
use causeway_shell::suggest_names;
use serde_json::{Value, json};

use super::{Contexts, Entry, file, read, write, write_entry};
use crate::{
    output::{self, Arrangement, Cell, Format, OutputArgs, Table},
    prompt::ConfirmArgs,
    words,
};

/// See and choose the platforms that commands talk to
#[derive(clap::Args, Debug)]
pub(crate) struct ContextGroup {
    /// The file of contexts
    #[arg(long, env = "CAUSEWAY_CONFIG", global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
    #[command(subcommand)]
    command: ContextCommand,
}

#[derive(clap::Subcommand, Debug)]
enum ContextCommand {
    /// List contexts; the current one has a star
    #[command(visible_alias = "ls")]
    List,
    /// Add a context, which becomes the current one
    Add(AddArgs),
    /// Make a context the current one
    Use {
        /// Its name
        #[arg(value_name = "CONTEXT")]
        name: String,
    },
    /// Show a context: the current one if none is named
    Show {
        /// Its name
        #[arg(value_name = "CONTEXT")]
        name: Option<String>,
    },
    /// Give a context another name
    Rename {
        /// Its name
        #[arg(value_name = "CONTEXT")]
        name: String,
        /// The name that it gets
        #[arg(value_name = "NEW-NAME")]
        new_name: String,
    },
    /// Forget a context; a session of it goes on until it ends, unless 'causeway logout' ended it before
    Delete {
        /// Its name
        #[arg(value_name = "CONTEXT")]
        name: String,
        #[command(flatten)]
        confirm: ConfirmArgs,
    },
}

/// A context to add.
#[derive(clap::Args, Debug)]
struct AddArgs {
    /// Its name
    #[arg(value_name = "CONTEXT")]
    name: String,
    /// The platform's address, for example https://causeway.example.com
    #[arg(long, visible_alias = "address", value_name = "URL")]
    server: String,
    /// A file with the API key; without it sign in with 'causeway login'
    #[arg(long, value_name = "FILE")]
    api_key_file: Option<PathBuf>,
    /// A file with the certificates, as PEM, that vouch for the platform
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
}

impl ContextGroup {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let format = self.output.begin(Arrangement::default());
        let file = file(self.config.as_ref());
        let contexts = read(&file)?;
        match self.command {
            ContextCommand::List => list(&contexts, format),
            ContextCommand::Add(args) => {
                let name = args.name.clone();
                let added = add(&contexts, args, &file)?;
                print_change(&file, &name, &added, format)
            }
            ContextCommand::Use { name } => {
                let chosen = choose(contexts, &name, &file)?;
                print_change(&file, &name, &chosen, format)
            }
            ContextCommand::Show { name } => {
                let name = name.unwrap_or_else(|| contexts.current.clone());
                show(&contexts, &name, &file, format)
            }
            ContextCommand::Rename { name, new_name } => {
                let renamed = rename(contexts, &name, &new_name, &file)?;
                print_change(&file, &new_name, &renamed, format)
            }
            ContextCommand::Delete { name, confirm } => {
                known(&contexts, &name, &file)?;
                confirm.confirm(&format!("Forget the context {name}?"))?;
                let deleted = delete(contexts, &name, &file)?;
                print_change(&file, &name, &deleted, format)
            }
        }
    }
}

/// Prints what was done for people, or the context as it is now; of a deleted one its name.
fn print_change(file: &Path, name: &str, done: &str, format: Format) -> anyhow::Result<()> {
    if format == Format::Table {
        return output::line(done);
    }
    let contexts = read(file)?;
    let entry = contexts.contexts.get(name);
    let document = entry.map_or_else(
        || json!({ "name": name }),
        |entry| document(&contexts, name, entry),
    );
    output::value(&document, format)
}

fn list(contexts: &Contexts, format: Format) -> anyhow::Result<()> {
    if format != Format::Table {
        let all = contexts.contexts.iter();
        let all: Vec<_> = all
            .map(|(name, entry)| document(contexts, name, entry))
            .collect();
        return output::value(&json!({ "contexts": all }), format);
    }
    if contexts.contexts.is_empty() {
        output::note(
            "no contexts: start a platform with 'causeway up', or sign in with 'causeway login --server URL'",
        );
        return Ok(());
    }
    let mut columns = Table::with_wide(
        &["CURRENT", "NAME", "ADDRESS", "USER", "EXPIRES"],
        &["API KEY FILE", "CA FILE"],
    );
    for (name, entry) in &contexts.contexts {
        let session = entry.session.as_ref();
        columns.row(vec![
            Cell::new(if *name == contexts.current { "*" } else { "" }),
            Cell::new(words::plain(name)),
            Cell::new(words::plain(&entry.address)),
            Cell::new(session.map_or_else(|| "-".to_owned(), |it| words::plain(&it.user))),
            Cell::new(session.map_or("-", |it| it.expires_at.as_str())),
            Cell::new(path(entry.api_key_file.as_ref())),
            Cell::new(path(entry.ca_file.as_ref())),
        ]);
    }
    columns.print()
}

fn path(file: Option<&PathBuf>) -> String {
    file.map_or_else(|| "-".to_owned(), |file| file.display().to_string())
}

/// A context without what is secret of it.
fn document(contexts: &Contexts, name: &str, entry: &Entry) -> Value {
    let mut document = json!({
        "name": name,
        "current": name == contexts.current,
        "address": entry.address,
    });
    let mut add = |field: &str, value: Option<String>| {
        if let Some(value) = value {
            document[field] = value.into();
        }
    };
    let file = |file: &Option<PathBuf>| file.as_ref().map(|it| it.display().to_string());
    add("apiKeyFile", file(&entry.api_key_file));
    add("caFile", file(&entry.ca_file));
    let session = entry.session.as_ref();
    add("user", session.map(|it| it.user.clone()));
    add("account", session.map(|it| it.account.clone()));
    add("sessionId", session.map(|it| it.session_id.clone()));
    add("expiresAt", session.map(|it| it.expires_at.clone()));
    document
}

fn show(contexts: &Contexts, name: &str, file: &Path, format: Format) -> anyhow::Result<()> {
    let entry = known(contexts, name, file)?;
    let document = document(contexts, name, entry);
    if format != Format::Table {
        return output::value(&document, format);
    }
    let names = [
        ("Name", "name"),
        ("Address", "address"),
        ("User", "user"),
        ("Account", "account"),
        ("Session", "sessionId"),
        ("Expires", "expiresAt"),
        ("API key file", "apiKeyFile"),
        ("CA file", "caFile"),
    ];
    let mut columns = Table::plain();
    for (name, field) in names {
        let value = document[field].as_str().unwrap_or("-");
        columns.row(vec![Cell::new(name), Cell::new(words::plain(value))]);
    }
    columns.print()
}

fn add(contexts: &Contexts, args: AddArgs, file: &Path) -> anyhow::Result<String> {
    let name = args.name;
    if name.trim().is_empty() || contexts.contexts.contains_key(&name) {
        bail!(
            "cannot add a context '{name}': the name is taken or empty; choose another, or remove it with 'causeway context delete'"
        );
    }
    let ca = readable(args.ca_file.as_ref(), "--ca-file")?;
    readable(args.api_key_file.as_ref(), "--api-key-file")?;
    PeerUrl::parse(&args.server, ca.map(String::into_bytes)).context("--server")?;
    let entry = Entry {
        address: args.server,
        api_key_file: absolute(args.api_key_file)?,
        session: None,
        ca_file: absolute(args.ca_file)?,
    };
    let next = match entry.api_key_file {
        Some(_) => "",
        None => "; sign in with 'causeway login'",
    };
    let added = format!("{name}: added, commands use {} now{next}", entry.address);
    write_entry(file, &name, entry)?;
    Ok(added)
}

/// Reads a file that a flag names, so that a typo is noticed now.
fn readable(file: Option<&PathBuf>, flag: &str) -> anyhow::Result<Option<String>> {
    let read = file.map(|file| {
        let text = std::fs::read_to_string(file);
        text.with_context(|| format!("cannot read {flag} {}", file.display()))
    });
    read.transpose()
}

fn absolute(file: Option<PathBuf>) -> anyhow::Result<Option<PathBuf>> {
    Ok(file.map(std::path::absolute).transpose()?)
}

fn choose(mut contexts: Contexts, name: &str, file: &Path) -> anyhow::Result<String> {
    let address = known(&contexts, name, file)?.address.clone();
    name.clone_into(&mut contexts.current);
    write(file, &contexts)?;
    Ok(format!("{name}: commands talk to {address} now"))
}

fn rename(
    mut contexts: Contexts,
    name: &str,
    new_name: &str,
    file: &Path,
) -> anyhow::Result<String> {
    known(&contexts, name, file)?;
    if new_name.is_empty() || contexts.contexts.contains_key(new_name) {
        bail!("a context '{new_name}' cannot be made: the name is taken or empty");
    }
    if let Some(entry) = contexts.contexts.remove(name) {
        contexts.contexts.insert(new_name.to_owned(), entry);
    }
    if contexts.current == name {
        new_name.clone_into(&mut contexts.current);
    }
    write(file, &contexts)?;
    Ok(format!("{name}: called {new_name} now"))
}

fn delete(mut contexts: Contexts, name: &str, file: &Path) -> anyhow::Result<String> {
    known(&contexts, name, file)?;
    let entry = contexts.contexts.remove(name);
    if contexts.current == name {
        contexts.current.clear();
        output::note("there is no current context now: choose one with 'causeway context use'");
    }
    write(file, &contexts)?;
    if let Some(session) = entry
        .and_then(|entry| entry.session)
        .filter(|it| !it.is_over())
    {
        let id = &session.session_id;
        output::note(format!(
            "its session goes on until {}; 'causeway session revoke {id}' ends it",
            session.expires_at
        ));
    }
    Ok(format!("{name}: forgotten"))
}

fn known<'a>(contexts: &'a Contexts, name: &str, file: &Path) -> anyhow::Result<&'a Entry> {
    if let Some(entry) = contexts.contexts.get(name) {
        return Ok(entry);
    }
    if name.is_empty() {
        bail!("there is no current context: choose one with 'causeway context use'");
    }
    let near = suggest_names(name, contexts.contexts.keys().map(String::as_str));
    match near.as_slice() {
        [] => bail!(
            "no context '{name}' in {}; see 'causeway context list'",
            file.display()
        ),
        names => bail!("no context '{name}'; did you mean {}?", names.join(", ")),
    }
}

#[cfg(test)]
mod tests;
