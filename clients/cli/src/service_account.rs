//! `causeway service-account …`.

mod trust;

use causeway_proto::{ids::RequestId, platform::v1 as pb};
use comfy_table::Cell;

use crate::{
    connection::Connection,
    output::{self, Columns, Format, state_cell},
    pages, words,
};

const LIST: &str = "causeway.platform.v1.ListServiceAccountsResponse";
const ACCOUNT: &str = "causeway.platform.v1.ServiceAccount";

#[derive(clap::Subcommand, Debug)]
pub(crate) enum ServiceAccountCommand {
    /// List the service accounts and which tokens they trust
    #[command(visible_alias = "ls")]
    List,
    /// Make a service account, which signs in by 'causeway login --service-account'
    Create {
        #[command(flatten)]
        user: NameArgs,
        /// What people call it
        #[arg(long, value_name = "NAME")]
        display_name: Option<String>,
        /// A role that it will hold; may be given again
        #[arg(long = "role", value_name = "ROLE")]
        roles: Vec<String>,
        #[command(flatten)]
        trust: TrustArgs,
    },
    /// Give a service account these rules in the place of those that it has, and end its sessions
    SetTrust {
        #[command(flatten)]
        user: NameArgs,
        #[command(flatten)]
        trust: TrustArgs,
    },
    /// Remove a service account for good; its name is never given to another user
    Delete(NameArgs),
}

/// Which service account.
#[derive(clap::Args, Debug)]
pub(crate) struct NameArgs {
    /// The service account
    #[arg(value_name = "USER")]
    user: String,
}

/// Which tokens it trusts.
#[derive(clap::Args, Debug)]
pub(crate) struct TrustArgs {
    /// Tokens that it trusts: issuer=URL|github|gitlab [audience=TEXT] [subject=PATTERN] [claim:NAME=PATTERN]…, for example
    /// 'issuer=github claim:repository=acme/shop claim:environment=production'; may be given again. The audience is the
    /// platform's address where none is given
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
        let mut service_accounts = connection.service_accounts();
        let request_id = RequestId::generate().to_string();
        let changed = match self {
            Self::List => return list(connection, format).await,
            Self::Delete(NameArgs { user }) => {
                let request = pb::DeleteUserRequest {
                    user: user.clone(),
                    request_id,
                };
                connection.users().delete_user(request).await?;
                return output::line(format!("{user}: deleted"));
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
                let response = service_accounts.create_service_account(request).await?;
                response.into_inner().service_account
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
                let response = service_accounts.set_trust_rules(request).await?;
                response.into_inner().service_account
            }
        };
        let service_account = changed.unwrap_or_default();
        match format {
            Format::Table => print(&[service_account]),
            Format::Json | Format::Yaml => output::document(ACCOUNT, &service_account, format),
        }
    }
}

async fn list(connection: &Connection, format: Format) -> anyhow::Result<()> {
    let mut client = connection.service_accounts();
    let service_accounts = pages::all(async |page_token| {
        let request = pb::ListServiceAccountsRequest {
            page_token,
            ..Default::default()
        };
        let page = client.list_service_accounts(request).await?.into_inner();
        Ok((page.service_accounts, page.next_page_token))
    });
    let response = pb::ListServiceAccountsResponse {
        service_accounts: service_accounts.await?,
        ..Default::default()
    };
    let response = output::arranged(LIST, response)?;
    match format {
        Format::Table => print(&response.service_accounts),
        Format::Json | Format::Yaml => output::document(LIST, &response, format),
    }
}

fn print(service_accounts: &[pb::ServiceAccount]) -> anyhow::Result<()> {
    let mut columns = Columns::new(&["USER", "NAME", "ROLES", "STATE", "TRUSTS", "CREATED"]);
    for service_account in service_accounts {
        let state = match service_account.disabled_at {
            Some(_) => "disabled",
            None => "enabled",
        };
        let rules: Vec<_> = service_account
            .trust_rules
            .iter()
            .map(trust::text)
            .collect();
        columns.row(vec![
            Cell::new(&service_account.user),
            Cell::new(&service_account.display_name),
            Cell::new(words::or_dash(&service_account.roles.join(", "))),
            state_cell(state),
            Cell::new(words::or_dash(&rules.join("; "))),
            Cell::new(words::ago(service_account.created_at.as_ref())),
        ]);
    }
    columns.print()
}
