//! Links of users to identities of providers.

use causeway_proto::{ids::RequestId, platform::v1 as pb};

use crate::{
    connection::Connection,
    output::{self, Cell, Columns, Format, Headings},
    pages,
    prompt::ConfirmArgs,
    request, words,
};

#[derive(clap::Subcommand, Debug)]
pub(crate) enum IdentityCommand {
    /// List the linked identities of a user
    Identities {
        /// The user
        #[arg(value_name = "USER")]
        user: String,
    },
    /// Link an identity of a provider to a user
    Link {
        /// The user
        #[arg(value_name = "USER")]
        user: String,
        /// The identity provider
        #[arg(long, value_name = "PROVIDER")]
        provider: String,
        #[command(flatten)]
        person: PersonArgs,
    },
    /// Unlink a provider's identities from a user and end their sessions
    Unlink {
        /// The user
        #[arg(value_name = "USER")]
        user: String,
        /// The identity provider
        #[arg(long, value_name = "PROVIDER")]
        provider: String,
        #[command(flatten)]
        confirm: ConfirmArgs,
    },
}

/// An identity of a provider.
#[derive(clap::Args, Debug)]
#[group(required = true, multiple = false)]
pub(crate) struct PersonArgs {
    /// The claim sub of the identity
    #[arg(long, value_name = "SUB")]
    subject: Option<String>,
    /// Name in the claim that names users, for example a verified email; the first sign-in binds its sub
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

impl IdentityCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        let mut providers = connection.identity_providers();
        let request_id = RequestId::generate().to_string();
        match self {
            Self::Identities { user } => {
                let identities = pages::read_all(async |page_token| {
                    let request = pb::ListIdentitiesRequest {
                        user: user.clone(),
                        page_token,
                        ..Default::default()
                    };
                    providers.list_identities(request).await
                });
                output::list::<Identities>(identities.await?, format)
            }
            Self::Link {
                user,
                provider,
                person,
            } => {
                let request = pb::LinkIdentityRequest {
                    user,
                    provider,
                    subject: person.subject.unwrap_or_default(),
                    name: person.name.unwrap_or_default(),
                    request_id,
                };
                let response = request::change(request, async |request| {
                    connection.identity_providers().link_identity(request).await
                })
                .await?;
                output::one::<Identities>(response.identity, format)
            }
            Self::Unlink {
                user,
                provider,
                confirm,
            } => {
                confirm.confirm(&format!(
                    "Unlink {user} from {provider} and end its sessions?"
                ))?;
                let request = pb::UnlinkIdentityRequest {
                    user: user.clone(),
                    provider: provider.clone(),
                    request_id,
                };
                let unlinked = request::change(request, async |request| {
                    connection
                        .identity_providers()
                        .unlink_identity(request)
                        .await
                })
                .await?;
                output::show(&unlinked, format, |_| {
                    output::line(format!("{user}: no longer linked to {provider}"))
                })
            }
        }
    }
}

struct Identities;

impl Columns for Identities {
    type Item = pb::Identity;
    const HEADINGS: Headings = &["USER", "PROVIDER", "SUBJECT", "NAME", "LINKED"];

    fn cells(identity: &pb::Identity) -> Vec<Cell> {
        vec![
            Cell::new(&identity.user),
            Cell::new(&identity.provider),
            Cell::new(words::or_dash(&identity.subject)),
            Cell::new(words::or_dash(&identity.name)),
            Cell::new(words::ago(identity.linked_at.as_ref())),
        ]
    }
}
