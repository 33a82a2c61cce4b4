//! `causeway account …`.

use causeway_proto::{ids::RequestId, platform::v1 as pb};
use comfy_table::Cell;

use crate::{
    connection::Connection,
    output::{self, Columns, Format},
    words,
};

const LIST: &str = "causeway.platform.v1.ListAccountsResponse";
const CREATED: &str = "causeway.platform.v1.CreateAccountResponse";

#[derive(clap::Subcommand, Debug)]
pub(crate) enum AccountCommand {
    /// List the accounts of the platform: for users of the first account
    #[command(visible_alias = "ls")]
    List,
    /// Make an account and show its admin's API key once: for users of the first account
    Create {
        /// The account's name
        #[arg(value_name = "ACCOUNT")]
        account: String,
    },
}

impl AccountCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::List => list(connection, format).await,
            Self::Create { account } => create(connection, account, format).await,
        }
    }
}

async fn list(connection: &Connection, format: Format) -> anyhow::Result<()> {
    let mut all = pb::ListAccountsResponse::default();
    let mut request = pb::ListAccountsRequest {
        page_size: 500,
        page_token: String::new(),
    };
    loop {
        let page = connection.accounts().list_accounts(request.clone()).await?;
        let page = page.into_inner();
        all.accounts.extend(page.accounts);
        if page.next_page_token.is_empty() {
            break;
        }
        request.page_token = page.next_page_token;
    }
    let all = output::arranged(LIST, all)?;
    if format != Format::Table {
        return output::document(LIST, &all, format);
    }
    let mut columns = Columns::new(&["ACCOUNT", "CREATED"]);
    for account in &all.accounts {
        columns.row(vec![
            Cell::new(&account.account),
            Cell::new(format!("{} ago", words::age(account.created_at.as_ref()))),
        ]);
    }
    columns.print()
}

async fn create(connection: &Connection, account: String, format: Format) -> anyhow::Result<()> {
    let request = pb::CreateAccountRequest {
        account: account.clone(),
        request_id: RequestId::generate().to_string(),
    };
    let response = connection.accounts().create_account(request).await?;
    let response = response.into_inner();
    if format != Format::Table {
        return output::document(CREATED, &response, format);
    }
    output::note(format!(
        "{account}: this is the API key of its user admin, shown only now"
    ));
    output::line(&response.admin_api_key)
}
