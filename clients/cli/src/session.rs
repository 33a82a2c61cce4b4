//! `causeway session …`, `causeway whoami` and `causeway logout`.

use causeway_proto::{ids::RequestId, platform::v1 as pb};
use tonic::Code;

use crate::{
    connection::Connection,
    context::Target,
    output::{self, Cell, Columns, Format, Headings, Table},
    pages,
    prompt::ConfirmArgs,
    request, words,
};

#[derive(clap::Subcommand, Debug)]
pub(crate) enum SessionCommand {
    /// List sessions that have not ended: those of the account, or your own where you may not see others
    #[command(visible_alias = "ls")]
    List {
        /// Only those of this user
        #[arg(long, value_name = "USER")]
        user: Option<String>,
    },
    /// End a session now, and the streams that it opened
    Revoke {
        /// The session's id
        #[arg(value_name = "SESSION")]
        session_id: String,
        #[command(flatten)]
        confirm: ConfirmArgs,
    },
}

impl SessionCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::List { user } => list(connection, user.unwrap_or_default(), format).await,
            Self::Revoke {
                session_id,
                confirm,
            } => {
                confirm.confirm(&format!("End the session {session_id}?"))?;
                let request = pb::RevokeSessionRequest {
                    session_id: session_id.clone(),
                    request_id: RequestId::generate().to_string(),
                };
                let revoked = request::change(request, async |request| {
                    connection.sessions().revoke_session(request).await
                })
                .await?;
                output::show(&revoked, format, |_| {
                    output::line(format!("{session_id}: revoked"))
                })
            }
        }
    }
}

async fn list(connection: &Connection, user: String, format: Format) -> anyhow::Result<()> {
    let mut client = connection.sessions();
    let sessions = pages::read_all(async |page_token| {
        let request = pb::ListSessionsRequest {
            user: user.clone(),
            page_token,
            ..Default::default()
        };
        client.list_sessions(request).await
    });
    output::list::<Sessions>(sessions.await?, format)
}

struct Sessions;

impl Columns for Sessions {
    type Item = pb::UserSession;
    const HEADINGS: Headings = &[
        "SESSION",
        "USER",
        "PROVIDER",
        "IDENTITY",
        "FROM",
        "SINCE",
        "LAST SEEN",
        "EXPIRES",
    ];

    fn cells(session: &pb::UserSession) -> Vec<Cell> {
        let mark = if session.current { " (this one)" } else { "" };
        vec![
            Cell::new(format!("{}{mark}", session.session_id)),
            Cell::new(&session.user),
            Cell::new(words::or_dash(&session.provider)),
            Cell::new(words::or_dash(&session.identity)),
            Cell::new(words::or_dash(&session.source_address)),
            Cell::new(words::ago(session.created_at.as_ref())),
            Cell::new(words::ago(session.last_seen_at.as_ref())),
            Cell::new(words::moment(session.expires_at.as_ref())),
        ]
    }
}

/// Who the platform takes the caller for.
pub(crate) async fn who_am_i(connection: &Connection, format: Format) -> anyhow::Result<()> {
    let request = pb::WhoAmIRequest {};
    let who = connection.sessions().who_am_i(request).await?.into_inner();
    if format != Format::Table {
        return output::document(&who, format);
    }
    let session = who.session.as_ref();
    let rows = [
        ("User", who.user.clone()),
        ("Name", who.display_name.clone()),
        ("Account", who.account.clone()),
        ("Roles", who.roles.join(", ")),
        ("Limited to", who.limit.clone()),
        ("Credential", who.credential.clone()),
        ("Identity", session.map(identity).unwrap_or_default()),
        ("Expires", session.map(expires).unwrap_or_default()),
        ("Platform", connection.address().to_owned()),
    ];
    let mut columns = Table::plain();
    for (name, value) in rows {
        columns.row(vec![Cell::new(name), Cell::new(words::or_dash(&value))]);
    }
    columns.print()
}

fn identity(session: &pb::UserSession) -> String {
    match session.provider.as_str() {
        "" => session.identity.clone(),
        provider => format!("{} of {provider}", session.identity),
    }
}

fn expires(session: &pb::UserSession) -> String {
    words::moment(session.expires_at.as_ref())
}

/// Ends the session of a context and forgets it, also where the platform cannot be told.
pub(crate) async fn sign_out(target: Target) -> anyhow::Result<()> {
    let Some(session) = target.entry.session.clone() else {
        return output::line(format!("not signed in at {}", target.entry.address));
    };
    let ended = match Connection::open(&target.entry) {
        // Over by itself.
        Err(_) if session.is_over() => Ok(()),
        Err(error) => Err(error),
        Ok(connection) => end(&connection).await,
    };
    target.forget()?;
    ended.map_err(|error| {
        let id = &session.session_id;
        error.context(format!(
            "forgotten here, but the platform was not told; until {} 'causeway session revoke {id}' ends it",
            session.expires_at
        ))
    })?;
    output::line(format!("{}: signed out", session.user))
}

async fn end(connection: &Connection) -> anyhow::Result<()> {
    let request = pb::SignOutRequest {
        request_id: RequestId::generate().to_string(),
    };
    match connection.sessions().sign_out(request).await {
        // It has ended already.
        Err(status) if status.code() == Code::Unauthenticated => Ok(()),
        Err(status) => Err(status.into()),
        Ok(_) => Ok(()),
    }
}
