//! `causeway service-account …`.

mod trust;

use causeway_proto::{ids::RequestId, platform::v1 as pb};

use crate::{
    connection::Connection,
    output::{self, Cell, Columns, Format, Headings},
    pages,
    prompt::ConfirmArgs,
    request, words,
};

#[derive(clap::Subcommand, Debug)]
pub(crate) enum ServiceAccountCommand {
    /// List service accounts and their trust rules
    #[command(visible_alias = "ls")]
    List,
    /// Create a service account; it signs in with 'causeway login --service-account'
    Create {
        #[command(flatten)]
        user: NameArgs,
        /// Display name
        #[arg(long, value_name = "NAME")]
        display_name: Option<String>,
        /// Role to assign (repeatable)
        #[arg(long = "role", value_name = "ROLE")]
        roles: Vec<String>,
        #[command(flatten)]
        trust: TrustArgs,
    },
    /// Replace the trust rules of a service account and end its sessions
    SetTrust {
        #[command(flatten)]
        user: NameArgs,
        #[command(flatten)]
        trust: TrustArgs,
    },
    /// Delete a service account, its sessions and its trust rules
    Delete {
        #[command(flatten)]
        user: NameArgs,
        #[command(flatten)]
        confirm: ConfirmArgs,
    },
}

/// A service account.
#[derive(clap::Args, Debug)]
pub(crate) struct NameArgs {
    /// The service account
    #[arg(value_name = "USER")]
    user: String,
}

/// Trust rules.
#[derive(clap::Args, Debug)]
pub(crate) struct TrustArgs {
    /// Trust rule: issuer=URL|github|gitlab [audience=TEXT] [subject=PATTERN] [claim:NAME=PATTERN]… (repeatable)
    ///
    /// For example 'issuer=github claim:repository=acme/shop claim:environment=production'. The default audience is the
    /// platform's address.
    #[arg(long = "trust", value_name = "RULE", value_parser = trust::parse, required = true)]
    rules: Vec<pb::TrustRule>,
}

impl TrustArgs {
    fn rules(self, connection: &Connection) -> Vec<pb::TrustRule> {
        let whole = |mut rule: pb::TrustRule| {
            if rule.audience.is_empty() {
                connection.address().clone_into(&mut rule.audience);
            }
            rule
        };
        self.rules.into_iter().map(whole).collect()
    }
}

impl ServiceAccountCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        let request_id = RequestId::generate().to_string();
        let changed = match self {
            Self::List => return list(connection, format).await,
            Self::Delete {
                user: NameArgs { user },
                confirm,
            } => {
                confirm.confirm(&format!(
                    "Delete the service account {user} and end its sessions?"
                ))?;
                let request = pb::DeleteUserRequest {
                    user: user.clone(),
                    request_id,
                };
                let deleted = request::change(request, async |request| {
                    connection.users().delete_user(request).await
                })
                .await?;
                return output::show(&deleted, format, |_| {
                    output::line(format!("{user}: deleted"))
                });
            }
            Self::Create {
                user: NameArgs { user },
                display_name,
                roles,
                trust,
            } => {
                let request = pb::CreateServiceAccountRequest {
                    user,
                    display_name: display_name.unwrap_or_default(),
                    roles,
                    trust_rules: trust.rules(connection),
                    request_id,
                };
                let response = request::change(request, async |request| {
                    connection
                        .service_accounts()
                        .create_service_account(request)
                        .await
                })
                .await?;
                response.service_account
            }
            Self::SetTrust {
                user: NameArgs { user },
                trust,
            } => {
                let request = pb::SetTrustRulesRequest {
                    user,
                    trust_rules: trust.rules(connection),
                    request_id,
                };
                let response = request::change(request, async |request| {
                    connection.service_accounts().set_trust_rules(request).await
                })
                .await?;
                response.service_account
            }
        };
        output::one::<ServiceAccounts>(changed, format)
    }
}

async fn list(connection: &Connection, format: Format) -> anyhow::Result<()> {
    let mut client = connection.service_accounts();
    let accounts = pages::read_all(async |page_token| {
        let request = pb::ListServiceAccountsRequest {
            page_token,
            ..Default::default()
        };
        client.list_service_accounts(request).await
    });
    output::list::<ServiceAccounts>(accounts.await?, format)
}

struct ServiceAccounts;

impl Columns for ServiceAccounts {
    type Item = pb::ServiceAccount;
    const HEADINGS: Headings = &["USER", "NAME", "ROLES", "STATE", "TRUSTS", "CREATED"];

    fn cells(account: &pb::ServiceAccount) -> Vec<Cell> {
        let rules: Vec<_> = account.trust_rules.iter().map(trust::text).collect();
        vec![
            Cell::new(&account.user),
            Cell::new(&account.display_name),
            Cell::new(words::or_dash(&account.roles.join(", "))),
            Cell::state(words::enabled(account.disabled_at.as_ref())),
            Cell::new(words::or_dash(&rules.join("; "))),
            Cell::new(words::ago(account.created_at.as_ref())),
        ]
    }
}
