//! `causeway integration …`.

mod seal;
mod test_host;

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use causeway_proto::git::v1 as pb;

use crate::{
    connection::Connection,
    output::{self, Cell, Columns, Format, Headings},
    prompt::ConfirmArgs,
    request::{self, RequestIdArgs},
    resource::{RuntimeArg, runtime_of},
    secret_input, words,
};

/// Longest password, token or key.
const LONGEST_SECRET: usize = 16 << 10;

#[derive(clap::Subcommand, Debug)]
pub(crate) enum IntegrationCommand {
    /// List the Git integrations of a runtime
    #[command(visible_alias = "ls")]
    List(RuntimeArg),
    /// Show an integration, without its credential
    Get(NameArgs),
    /// Create an integration; its credential is sealed here, so that only the runtime can open it
    Create(CreateArgs),
    /// Test an integration at its host: its credential, rights and limits
    Test(test_host::TestArgs),
    /// Delete an integration with its credential
    Delete {
        #[command(flatten)]
        name: NameArgs,
        #[command(flatten)]
        ids: RequestIdArgs,
        #[command(flatten)]
        confirm: ConfirmArgs,
    },
}

/// An integration of a runtime.
#[derive(clap::Args, Debug)]
pub(crate) struct NameArgs {
    /// Name of the integration
    #[arg(value_name = "NAME")]
    name: String,
    #[command(flatten)]
    runtime: RuntimeArg,
}

/// A new integration.
#[derive(clap::Args, Debug)]
pub(crate) struct CreateArgs {
    #[command(flatten)]
    name: NameArgs,
    /// Kind of the host
    #[arg(long, value_enum)]
    provider: Provider,
    /// URL under which repositories lie, for example https://git.example.com/shop
    #[arg(long, value_name = "URL")]
    url: String,
    /// User name; hosts with tokens mostly ignore it
    #[arg(long, value_name = "USER", default_value = "causeway")]
    user: String,
    /// File with the password or token, or - for stdin
    #[arg(long, value_name = "FILE", required_unless_present = "ssh_key_file")]
    token_file: Option<PathBuf>,
    /// File with the private SSH key, in the OpenSSH format
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "token_file",
        requires = "known_hosts_file"
    )]
    ssh_key_file: Option<PathBuf>,
    /// File with the accepted host keys, as ssh-keyscan prints them
    #[arg(long, value_name = "FILE", requires = "ssh_key_file")]
    known_hosts_file: Option<PathBuf>,
    /// File with a private ed25519 SSH key that signs commits, in the OpenSSH format and without a passphrase
    #[arg(long, value_name = "FILE")]
    signing_key_file: Option<PathBuf>,
    /// ID of the runtime's sealing key, as 'causeway runtime get' showed it before; another key is refused
    #[arg(long, value_name = "KEY-ID")]
    sealing_key: Option<String>,
    #[command(flatten)]
    ids: RequestIdArgs,
}

/// Kind of a Git host.
#[derive(clap::ValueEnum, Debug, Clone, Copy)]
enum Provider {
    /// Any host that speaks Git
    Git,
    /// GitHub, and GitHub Enterprise Server
    Github,
    /// GitLab
    Gitlab,
    /// Bitbucket Cloud
    BitbucketCloud,
    /// Bitbucket Data Center
    BitbucketDataCenter,
    /// Azure DevOps
    AzureDevops,
    /// Gitea and Forgejo
    Gitea,
}

impl IntegrationCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::List(args) => {
                let runtime = runtime_of(connection, args.runtime).await?;
                let request = pb::ListIntegrationsRequest { runtime };
                let listed = connection.integrations().list_integrations(request).await?;
                output::list::<Integrations>(listed.into_inner(), format)
            }
            Self::Get(args) => {
                let runtime = runtime_of(connection, args.runtime.runtime).await?;
                let found = get(connection, runtime, args.name).await?;
                output::one::<Integrations>(Some(found), format)
            }
            Self::Create(args) => args.run(connection, format).await,
            Self::Test(args) => args.run(connection, format).await,
            Self::Delete { name, ids, confirm } => {
                delete(connection, (name, ids, confirm), format).await
            }
        }
    }
}

/// Returns an integration.
pub(crate) async fn get(
    connection: &Connection,
    runtime: String,
    name: String,
) -> anyhow::Result<pb::Integration> {
    let request = pb::GetIntegrationRequest { runtime, name };
    let found = connection.integrations().get_integration(request).await?;
    Ok(found.into_inner().integration.unwrap_or_default())
}

/// Returns a URL as it is, and a path under the URL of the integration.
pub(crate) async fn repository_url(
    connection: &Connection,
    (runtime, name): (&str, &str),
    repository: String,
) -> anyhow::Result<String> {
    if repository.contains("://") {
        return Ok(repository);
    }
    let found = get(connection, runtime.to_owned(), name.to_owned()).await?;
    let path = repository.trim_start_matches('/');
    Ok(format!("{}/{path}", found.url))
}

async fn delete(
    connection: &Connection,
    (args, ids, confirm): (NameArgs, RequestIdArgs, ConfirmArgs),
    format: Format,
) -> anyhow::Result<()> {
    let runtime = runtime_of(connection, args.runtime.runtime).await?;
    let name = args.name;
    confirm.confirm(&format!("Delete the integration {name} of {runtime}?"))?;
    let requests = ids.for_one()?;
    let request = pb::DeleteIntegrationRequest {
        runtime,
        name: name.clone(),
        request_id: requests.request_id(&name),
    };
    let call = async || {
        connection
            .integrations()
            .delete_integration(request.clone())
            .await
    };
    let deleted = request::send(&requests.retry_command(), call).await?;
    match format {
        Format::Table => output::line(format!("integration '{name}' deleted")),
        Format::Json | Format::Yaml => output::document(&deleted, format),
    }
}

impl CreateArgs {
    async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        let credential = self.credential()?;
        let runtime = runtime_of(connection, self.name.runtime.runtime).await?;
        let requests = self.ids.for_one()?;
        let provider = pb::Provider::from(self.provider);
        let url = self.url.trim_end_matches('/').to_owned();
        let place = seal::Place {
            runtime: &runtime,
            name: &self.name.name,
            provider,
            url: &url,
        };
        let expected = self.sealing_key.as_deref();
        let sealed = seal::seal(connection, &place, &credential, expected).await?;
        let request = pb::CreateIntegrationRequest {
            runtime: runtime.clone(),
            name: self.name.name.clone(),
            request_id: requests.request_id(&self.name.name),
            provider: provider.into(),
            url: url.clone(),
            credential: Some(sealed),
        };
        let call = async || {
            connection
                .integrations()
                .create_integration(request.clone())
                .await
        };
        let created = request::send(&requests.retry_command(), call).await?;
        match format {
            Format::Table => output::line(format!(
                "integration '{}' created in runtime {runtime}",
                self.name.name
            )),
            Format::Json | Format::Yaml => output::document(&created, format),
        }
    }

    fn credential(&self) -> anyhow::Result<pb::Credential> {
        use pb::credential::Secret;
        let secret = match (&self.token_file, &self.ssh_key_file, &self.known_hosts_file) {
            (Some(file), ..) => {
                Secret::Password(secret_input::read("--token-file", file, LONGEST_SECRET)?)
            }
            (None, Some(key), Some(hosts)) => {
                let private_key = secret_input::read("--ssh-key-file", key, LONGEST_SECRET)?;
                let known_hosts = std::fs::read_to_string(hosts);
                let named = || format!("--known-hosts-file {}", hosts.display());
                Secret::SshKey(pb::SshKey {
                    // ssh refuses a key without a line break at the end.
                    private_key: private_key + "\n",
                    known_hosts: known_hosts.with_context(named)?,
                })
            }
            (None, ..) => bail!("give --token-file, or --ssh-key-file and --known-hosts-file"),
        };
        let signing_key = self.signing_key_file.as_ref();
        let signing_key = signing_key
            .map(|file| secret_input::read("--signing-key-file", file, LONGEST_SECRET))
            .transpose()?;
        Ok(pb::Credential {
            signing_key: signing_key.unwrap_or_default(),
            user: self.user.clone(),
            secret: Some(secret),
        })
    }
}

impl From<Provider> for pb::Provider {
    fn from(provider: Provider) -> Self {
        match provider {
            Provider::Git => Self::Git,
            Provider::Github => Self::Github,
            Provider::Gitlab => Self::Gitlab,
            Provider::BitbucketCloud => Self::BitbucketCloud,
            Provider::BitbucketDataCenter => Self::BitbucketDataCenter,
            Provider::AzureDevops => Self::AzureDevops,
            Provider::Gitea => Self::Gitea,
        }
    }
}

/// The words of `--provider`.
fn provider_word(provider: pb::Provider) -> &'static str {
    match provider {
        pb::Provider::Unspecified => "-",
        pb::Provider::Git => "git",
        pb::Provider::Github => "github",
        pb::Provider::Gitlab => "gitlab",
        pb::Provider::BitbucketCloud => "bitbucket-cloud",
        pb::Provider::BitbucketDataCenter => "bitbucket-data-center",
        pb::Provider::AzureDevops => "azure-devops",
        pb::Provider::Gitea => "gitea",
    }
}

struct Integrations;

impl Columns for Integrations {
    type Item = pb::Integration;
    const HEADINGS: Headings = &["NAME", "PROVIDER", "URL", "CREATED BY", "CREATED"];

    fn cells(integration: &pb::Integration) -> Vec<Cell> {
        vec![
            Cell::new(&integration.name),
            Cell::new(provider_word(integration.provider())),
            Cell::new(words::plain(&integration.url)),
            Cell::new(words::plain(&integration.created_by)),
            Cell::new(words::ago(integration.created_at.as_ref())),
        ]
    }
}
