//! `causeway account …`.

use causeway_proto::{ids::RequestId, platform::v1 as pb};

use crate::{
    connection::Connection,
    output::{self, Cell, Columns, Format, Headings},
    pages, request, words,
};

const PAGE: u32 = 500;

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
    let mut client = connection.accounts();
    let accounts = pages::read_all(async |page_token| {
        let page_size = PAGE;
        let request = pb::ListAccountsRequest {
            page_size,
            page_token,
        };
        client.list_accounts(request).await
    });
    output::list::<Accounts>(accounts.await?, format)
}

struct Accounts;

impl Columns for Accounts {
    type Item = pb::Account;
    const HEADINGS: Headings = &["ACCOUNT", "CREATED"];

    fn cells(account: &pb::Account) -> Vec<Cell> {
        vec![
            Cell::new(&account.account),
            Cell::new(words::ago(account.created_at.as_ref())),
        ]
    }
}

async fn create(connection: &Connection, account: String, format: Format) -> anyhow::Result<()> {
    let request = pb::CreateAccountRequest {
        account: account.clone(),
        request_id: RequestId::generate().to_string(),
    };
    let response = request::change(request, async |request| {
        connection.accounts().create_account(request).await
    })
    .await?;
    if format != Format::Table {
        return output::document(&response, format);
    }
    output::note(format!(
        "{account}: this is the API key of its user admin, shown only now"
    ));
    output::line(&response.admin_api_key)
}
