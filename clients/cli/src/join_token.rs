//! `causeway join-token …`.

use causeway_proto::{ids::RequestId, platform::v1 as pb};

use crate::{
    connection::Connection,
    output::{self, Cell, Columns, Format, Headings},
    pages,
    prompt::ConfirmArgs,
    request, words,
};

#[derive(clap::Subcommand, Debug)]
pub(crate) enum JoinTokenCommand {
    /// List unused join tokens that have not expired, without their secrets
    #[command(visible_alias = "ls")]
    List,
    /// Revoke an unused join token
    Revoke {
        /// The public id of the token
        #[arg(value_name = "TOKEN-ID")]
        join_token_id: String,
        #[command(flatten)]
        confirm: ConfirmArgs,
    },
}

impl JoinTokenCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::List => list(connection, format).await,
            Self::Revoke {
                join_token_id,
                confirm,
            } => {
                confirm.confirm(&format!("Revoke the join token {join_token_id}?"))?;
                revoke(connection, join_token_id, format).await
            }
        }
    }
}

async fn list(connection: &Connection, format: Format) -> anyhow::Result<()> {
    let mut client = connection.runtimes();
    let tokens = pages::read_all(async |page_token| {
        let request = pb::ListJoinTokensRequest {
            page_token,
            ..Default::default()
        };
        client.list_join_tokens(request).await
    });
    output::list::<JoinTokens>(tokens.await?, format)
}

async fn revoke(
    connection: &Connection,
    join_token_id: String,
    format: Format,
) -> anyhow::Result<()> {
    let request = pb::RevokeJoinTokenRequest {
        join_token_id: join_token_id.clone(),
        request_id: RequestId::generate().to_string(),
    };
    let revoked = request::change(request, async |request| {
        connection.runtimes().revoke_join_token(request).await
    })
    .await?;
    output::show(&revoked, format, |_| {
        output::line(format!("{join_token_id}: revoked"))
    })
}

struct JoinTokens;

impl Columns for JoinTokens {
    type Item = pb::JoinToken;
    const HEADINGS: Headings = &["TOKEN ID", "RUNTIME", "FOR", "BY", "CREATED", "EXPIRES"];

    fn cells(token: &pb::JoinToken) -> Vec<Cell> {
        let purpose = if token.rejoins { "rejoin" } else { "join" };
        vec![
            Cell::new(&token.join_token_id),
            Cell::new(&token.runtime),
            Cell::new(purpose),
            Cell::new(&token.created_by),
            Cell::new(words::ago(token.created_at.as_ref())),
            Cell::new(words::moment(token.expires_at.as_ref())),
        ]
    }
}
