//! Settings of Git.

use std::path::PathBuf;

use anyhow::Context as _;
use causeway_assertion::SigningKey;
use causeway_client::RuntimePart;
use causeway_git::{Config, Engine, Limits, Person};

use super::rule::{Rule, syntax};

/// Settings of Git. Without a folder Git is off.
#[derive(Debug, Clone, clap::Args)]
pub struct GitArgs {
    /// Folder for clones and the journal of commits; without it Git is off. The journal must outlive this process
    #[arg(long, env = "CAUSEWAY_GIT_FOLDER", value_name = "FOLDER")]
    pub(super) git_folder: Option<PathBuf>,
    #[arg(
        long,
        env = "CAUSEWAY_ALLOW_GIT",
        value_name = "RULE",
        value_delimiter = ',',
        help = "Repositories, branches and paths that users may read and write with integrations; none if not given",
        long_help = syntax()
    )]
    pub(super) allow_git: Vec<Rule>,
    /// Namespace of the Secrets that hold integrations
    #[arg(
        long,
        env = "CAUSEWAY_INTEGRATION_NAMESPACE",
        value_name = "NAMESPACE",
        default_value = "argocd"
    )]
    pub(super) integration_namespace: String,
    /// Committer of commits; the author is the user
    #[arg(
        long,
        env = "CAUSEWAY_GIT_COMMITTER",
        value_name = "NAME <EMAIL>",
        default_value = "Causeway <causeway@users.causeway.invalid>",
        value_parser = parse_person
    )]
    pub(super) git_committer: Person,
    /// The git program, 2.38 or newer
    #[arg(
        long,
        env = "CAUSEWAY_GIT_PROGRAM",
        value_name = "FILE",
        default_value = "/usr/bin/git"
    )]
    pub(super) git_program: PathBuf,
    /// Accept plain HTTP to loopback addresses, for tests
    #[arg(long, env = "CAUSEWAY_GIT_LOOPBACK", hide = true)]
    pub(super) git_loopback: bool,
}

impl GitArgs {
    /// Opens the engine; none without a folder.
    pub(super) fn engine(&self) -> anyhow::Result<Option<Engine>> {
        let Some(folder) = &self.git_folder else {
            return Ok(None);
        };
        let named = || format!("--git-folder {}", folder.display());
        std::fs::create_dir_all(folder).with_context(named)?;
        let config = Config {
            cache: folder.join("cache"),
            journal: folder.join("journal"),
            committer: self.git_committer.clone(),
            git: self.git_program.clone(),
            limits: Limits::default(),
        };
        Engine::open(config).map(Some).with_context(named)
    }
}

/// The key that credentials are sealed to.
pub(super) fn sealing_key(part: &RuntimePart) -> anyhow::Result<SigningKey> {
    let key = part.sealing_key()?;
    key.context(
        "--git-folder needs the file sealing.pem in --runtime-folder: credentials are sealed to it",
    )
}

fn parse_person(text: &str) -> Result<Person, String> {
    let parts = text
        .strip_suffix('>')
        .and_then(|text| text.split_once(" <"));
    let (name, email) = parts.ok_or("write NAME <EMAIL>")?;
    Person::new(name, email).map_err(|error| error.to_string())
}
