//! `causeway sign-in-provider …`.

mod settings;

use std::path::PathBuf;

use anyhow::Context as _;
use causeway_proto::{ids::RequestId, platform::v1 as pb};

use self::settings::{SettingsArgs, WithoutArgs};
use crate::{
    connection::Connection,
    output::{self, Cell, Columns, Format, Headings},
    pages,
    prompt::ConfirmArgs,
    request, secret_input, words,
};

/// Default client ID.
const CLIENT: &str = "causeway";
const LONGEST_SECRET: usize = 1024;

#[derive(clap::Subcommand, Debug)]
pub(crate) enum SignInProviderCommand {
    /// List the identity providers of the account
    #[command(visible_alias = "ls")]
    List,
    /// Add an OpenID Connect provider; its issuer must be reachable
    ///
    /// Register these redirect URIs at the provider: https://HOST/auth/callback/ACCOUNT/PROVIDER for browsers, with
    /// the host of --public-url, and http://127.0.0.1/callback/ACCOUNT/PROVIDER, on any port, for 'causeway login'.
    Create {
        /// ID of the provider, for 'causeway login --provider'
        #[arg(value_name = "PROVIDER")]
        provider: String,
        /// Issuer URL, exactly as the provider writes it
        #[arg(long, value_name = "URL")]
        issuer: String,
        #[command(flatten)]
        secret: SecretArgs,
        #[command(flatten)]
        settings: SettingsArgs,
    },
    /// Change a provider; group roles apply at once, a change of the admitted users ends its sessions
    Update {
        /// ID of the provider
        #[arg(value_name = "PROVIDER")]
        provider: String,
        #[command(flatten)]
        secret: SecretArgs,
        #[command(flatten)]
        settings: SettingsArgs,
        #[command(flatten)]
        without: WithoutArgs,
    },
    /// Delete a provider, its sessions and its linked identities
    Delete {
        /// ID of the provider
        #[arg(value_name = "PROVIDER")]
        provider: String,
        #[command(flatten)]
        confirm: ConfirmArgs,
    },
}

/// The secret, by file or stdin.
#[derive(clap::Args, Debug)]
pub(crate) struct SecretArgs {
    /// File with the client secret, or - for stdin; without one Causeway is a public client with PKCE
    #[arg(long, value_name = "FILE")]
    client_secret_file: Option<PathBuf>,
}

impl SecretArgs {
    fn read(&self) -> anyhow::Result<String> {
        let Some(file) = &self.client_secret_file else {
            return Ok(String::new());
        };
        secret_input::read("--client-secret-file", file, LONGEST_SECRET)
    }
}

impl SignInProviderCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        let request_id = RequestId::generate().to_string();
        let changed = match self {
            Self::List => return output::list::<Providers>(list_all(connection).await?, format),
            Self::Delete { provider, confirm } => {
                confirm.confirm(&format!(
                    "Delete the provider {provider}, its sessions and its linked identities?"
                ))?;
                let request = pb::DeleteIdentityProviderRequest {
                    provider: provider.clone(),
                    request_id,
                };
                let deleted = request::change(request, async |request| {
                    connection
                        .identity_providers()
                        .delete_identity_provider(request)
                        .await
                })
                .await?;
                return output::show(&deleted, format, |_| {
                    output::line(format!("{provider}: deleted"))
                });
            }
            Self::Create {
                provider,
                issuer,
                secret,
                settings,
            } => {
                let usual = pb::IdentityProviderSettings {
                    client_id: CLIENT.to_owned(),
                    ..Default::default()
                };
                let request = pb::CreateIdentityProviderRequest {
                    provider,
                    issuer,
                    settings: Some(settings.apply(usual)?),
                    client_secret: secret.read()?,
                    request_id,
                };
                let response = request::change(request, async |request| {
                    connection
                        .identity_providers()
                        .create_identity_provider(request)
                        .await
                })
                .await?;
                response.provider
            }
            Self::Update {
                provider,
                secret,
                settings,
                without,
            } => {
                let now = find(connection, &provider).await?;
                let settings = settings.apply(now.settings.unwrap_or_default())?;
                let request = pb::UpdateIdentityProviderRequest {
                    provider,
                    settings: Some(without.apply(settings)),
                    client_secret: secret.read()?,
                    request_id,
                    version: now.version,
                    remove_client_secret: without.client_secret(),
                };
                let response = request::change(request, async |request| {
                    connection
                        .identity_providers()
                        .update_identity_provider(request)
                        .await
                })
                .await?;
                response.provider
            }
        };
        output::one::<Providers>(changed, format)
    }
}

async fn list_all(connection: &Connection) -> anyhow::Result<pb::ListIdentityProvidersResponse> {
    let mut client = connection.identity_providers();
    let providers = pages::read_all(async |page_token| {
        let request = pb::ListIdentityProvidersRequest {
            page_token,
            ..Default::default()
        };
        client.list_identity_providers(request).await
    });
    Ok(providers.await?)
}

async fn find(connection: &Connection, name: &str) -> anyhow::Result<pb::IdentityProvider> {
    let providers = list_all(connection).await?.providers;
    let found = providers.into_iter().find(|known| known.provider == name);
    found.with_context(|| format!("no provider '{name}': see 'causeway sign-in-provider list'"))
}

struct Providers;

impl Columns for Providers {
    type Item = pb::IdentityProvider;
    const HEADINGS: Headings = &[
        "PROVIDER", "ISSUER", "CLIENT", "SECRET", "ADMITS", "GROUPS", "CREATED",
    ];

    fn cells(provider: &pb::IdentityProvider) -> Vec<Cell> {
        let settings = provider.settings.clone().unwrap_or_default();
        let groups = settings.group_roles.iter();
        let groups = groups.map(|group| format!("{}={}", group.group, group.roles.join(",")));
        let groups: Vec<_> = groups.collect();
        vec![
            Cell::new(&provider.provider),
            Cell::new(&provider.issuer),
            Cell::new(&settings.client_id),
            Cell::new(words::yes_or_no(provider.has_client_secret)),
            Cell::new(settings::admits(&settings)),
            Cell::new(words::or_dash(&groups.join(" "))),
            Cell::new(words::ago(provider.created_at.as_ref())),
        ]
    }
}
