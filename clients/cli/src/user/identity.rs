//! Which persons of which identity providers a user is.

use causeway_proto::{ids::RequestId, platform::v1 as pb};
use comfy_table::Cell;
use tonic::Status;

use crate::{
    connection::Connection,
    output::{self, Columns, Format},
    pages, words,
};

const LIST: &str = "causeway.platform.v1.ListIdentitiesResponse";
const IDENTITY: &str = "causeway.platform.v1.Identity";

#[derive(clap::Subcommand, Debug)]
pub(crate) enum IdentityCommand {
    /// Show which persons of which identity providers a user is
    Identities {
        /// The user
        #[arg(value_name = "USER")]
        user: String,
    },
    /// Let a person of an identity provider sign in as this user
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
    /// Let no person of an identity provider sign in as this user any more, and end the sessions by it
    Unlink {
        /// The user
        #[arg(value_name = "USER")]
        user: String,
        /// The identity provider
        #[arg(long, value_name = "PROVIDER")]
        provider: String,
    },
}

/// Which person.
#[derive(clap::Args, Debug)]
#[group(required = true, multiple = false)]
pub(crate) struct PersonArgs {
    /// The person's claim sub
    #[arg(long, value_name = "SUB")]
    subject: Option<String>,
    /// The person's name in the claim that names users, for example a verified email; who has it first is bound by sub
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

/// All links of a user.
async fn all(connection: &Connection, user: &str) -> Result<pb::ListIdentitiesResponse, Status> {
    let mut client = connection.identity_providers();
    let identities = pages::all(async |page_token| {
        let request = pb::ListIdentitiesRequest {
            user: user.to_owned(),
            page_token,
            ..Default::default()
        };
        let page = client.list_identities(request).await?.into_inner();
        Ok((page.identities, page.next_page_token))
    });
    Ok(pb::ListIdentitiesResponse {
        identities: identities.await?,
        ..Default::default()
    })
}

impl IdentityCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        let mut providers = connection.identity_providers();
        let request_id = RequestId::generate().to_string();
        match self {
            Self::Identities { user } => {
                let response = all(connection, &user).await?;
                match format {
                    Format::Table => print(&response.identities),
                    Format::Json | Format::Yaml => output::document(LIST, &response, format),
                }
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
                let response = providers.link_identity(request).await?.into_inner();
                let identity = response.identity.unwrap_or_default();
                match format {
                    Format::Table => print(&[identity]),
                    Format::Json | Format::Yaml => output::document(IDENTITY, &identity, format),
                }
            }
            Self::Unlink { user, provider } => {
                let request = pb::UnlinkIdentityRequest {
                    user: user.clone(),
                    provider: provider.clone(),
                    request_id,
                };
                providers.unlink_identity(request).await?;
                output::line(format!("{user}: nobody of {provider} any more"))
            }
        }
    }
}

fn print(identities: &[pb::Identity]) -> anyhow::Result<()> {
    let mut columns = Columns::new(&["USER", "PROVIDER", "SUBJECT", "NAME", "LINKED"]);
    for identity in identities {
        columns.row(vec![
            Cell::new(&identity.user),
            Cell::new(&identity.provider),
            Cell::new(words::or_dash(&identity.subject)),
            Cell::new(words::or_dash(&identity.name)),
            Cell::new(words::ago(identity.linked_at.as_ref())),
        ]);
    }
    columns.print()
}
