//! `causeway runtime …`.

mod install;
mod shards;

use causeway_proto::{
    ids::{RequestId, RuntimeName},
    platform::v1 as pb,
};

pub(crate) use self::shards::groups;
use crate::{
    connection::Connection,
    output::{self, Cell, Changes, Columns, Format, Headings},
    pages, watch, words,
};

const PAGE: u32 = 500;

#[derive(clap::Subcommand, Debug)]
pub(crate) enum RuntimeCommand {
    /// List the runtimes of the account
    #[command(visible_alias = "ls")]
    List(ListArgs),
    /// Make a token with which one runtime can join once, within 15 minutes
    Token {
        /// The name that the runtime will have
        #[arg(value_name = "NAME")]
        name: RuntimeName,
        /// For a runtime that is there: it joins again from an empty folder and stays what it is, its former keys count no more
        #[arg(long)]
        rejoin: bool,
    },
    Install(Box<install::InstallArgs>),
    Upgrade(Box<install::UpgradeArgs>),
    Uninstall(Box<install::UninstallArgs>),
    /// Put a runtime out: its key is refused and its sessions end
    Revoke {
        /// The runtime's name
        #[arg(value_name = "NAME")]
        name: RuntimeName,
    },
    /// Show which reporters share the objects of a runtime, how many each has, and who came or went last
    Shards {
        /// The runtime's name; all runtimes if not given
        #[arg(value_name = "NAME")]
        name: Option<RuntimeName>,
    },
}

/// For how long to list.
#[derive(clap::Args, Debug)]
pub(crate) struct ListArgs {
    /// Go on with every runtime that comes, goes online or offline, or is another version
    #[arg(short, long)]
    watch: bool,
}

impl RuntimeCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::List(args) if args.watch => watch(connection, format).await,
            Self::List(_) => output::list::<Runtimes>(list_all(connection).await?, format),
            Self::Token {
                name,
                rejoin: false,
            } => token(connection, &name, format).await,
            Self::Token { name, rejoin: true } => rejoin_token(connection, &name, format).await,
            Self::Install(args) => args.run(connection, format).await,
            Self::Upgrade(args) => args.run(connection).await,
            Self::Uninstall(args) => args.run(connection).await,
            Self::Revoke { name } => revoke(connection, &name).await,
            Self::Shards { name } => shards::run(connection, name.as_ref(), format).await,
        }
    }
}

async fn list_all(connection: &Connection) -> anyhow::Result<pb::ListRuntimesResponse> {
    let mut client = connection.runtimes();
    let runtimes = pages::read_all(async |page_token| {
        let page_size = PAGE;
        let request = pb::ListRuntimesRequest {
            page_size,
            page_token,
        };
        client.list_runtimes(request).await
    });
    Ok(runtimes.await?)
}

/// Lists the names of all runtimes.
pub(crate) async fn names(connection: &Connection) -> anyhow::Result<Vec<String>> {
    let runtimes = list_all(connection).await?.runtimes.into_iter();
    Ok(runtimes.map(|runtime| runtime.name).collect())
}

struct Runtimes;

impl Columns for Runtimes {
    type Item = pb::Runtime;
    const HEADINGS: Headings = &[
        "NAME",
        "STATE",
        "SESSIONS",
        "VERSION",
        "JOINED",
        "LAST SEEN",
    ];
    const WIDE: Headings = &["ID"];
    const WATCHED: usize = 4;

    fn cells(runtime: &pb::Runtime) -> Vec<Cell> {
        vec![
            Cell::new(&runtime.name),
            Cell::state(connection_word(runtime.connection())),
            Cell::new(runtime.sessions.len()),
            Cell::new(words::plain(&runtime.version)),
            Cell::new(words::ago(runtime.joined_at.as_ref())),
            Cell::new(words::ago(runtime.last_seen_at.as_ref())),
            Cell::new(&runtime.runtime_id),
        ]
    }
}

/// Prints each runtime, and again after each change.
async fn watch(connection: &Connection, format: Format) -> anyhow::Result<()> {
    let changes = Changes::new::<Runtimes>();
    let known: Vec<pb::Runtime> = Vec::new();
    let list = async |_: &_| Ok(list_all(connection).await?.runtimes);
    watch::poll((changes, known), list, |(changes, known), now| {
        if format == Format::Table {
            let names: Vec<_> = now.iter().map(|it| it.name.as_str()).collect();
            for name in changes.without(&names) {
                changes.gone(&name);
            }
            for runtime in &now {
                changes.see::<Runtimes>(&runtime.name, runtime);
            }
            return changes.print();
        }
        for runtime in &now {
            if !known.iter().any(|known| is_same(known, runtime)) {
                output::stream_document(runtime, format)?;
            }
        }
        *known = now;
        Ok(())
    })
    .await
}

/// True if at most the time at which it was seen differs.
fn is_same(known: &pb::Runtime, now: &pb::Runtime) -> bool {
    let now = pb::Runtime {
        last_seen_at: known.last_seen_at,
        ..now.clone()
    };
    *known == now
}

pub(crate) fn connection_word(connection: pb::Connection) -> &'static str {
    match connection {
        pb::Connection::Unspecified => "unknown",
        pb::Connection::Online => "online",
        pb::Connection::Offline => "offline",
        pb::Connection::Reporting => "reporting",
        pb::Connection::Revoked => "revoked",
    }
}

async fn make_token(
    connection: &Connection,
    name: &RuntimeName,
) -> anyhow::Result<pb::CreateJoinTokenResponse> {
    let request = pb::CreateJoinTokenRequest {
        runtime: name.to_string(),
        request_id: RequestId::generate().to_string(),
    };
    let made = connection.runtimes().create_join_token(request).await?;
    Ok(made.into_inner())
}

/// A token for a runtime to join with.
async fn join_token(connection: &Connection, name: &RuntimeName) -> anyhow::Result<String> {
    Ok(make_token(connection, name).await?.token)
}

async fn token(connection: &Connection, name: &RuntimeName, format: Format) -> anyhow::Result<()> {
    let response = make_token(connection, name).await?;
    match format {
        Format::Table => output::line(&response.token),
        Format::Json | Format::Yaml => output::document(&response, format),
    }
}

async fn rejoin_token(
    connection: &Connection,
    name: &RuntimeName,
    format: Format,
) -> anyhow::Result<()> {
    let request = pb::CreateRejoinTokenRequest {
        name: name.to_string(),
        request_id: RequestId::generate().to_string(),
    };
    let response = connection
        .runtimes()
        .create_rejoin_token(request)
        .await?
        .into_inner();
    match format {
        Format::Table => output::line(&response.token),
        Format::Json | Format::Yaml => output::document(&response, format),
    }
}

async fn revoke(connection: &Connection, name: &RuntimeName) -> anyhow::Result<()> {
    let request = pb::RevokeRuntimeRequest {
        name: name.to_string(),
        request_id: RequestId::generate().to_string(),
    };
    connection.runtimes().revoke_runtime(request).await?;
    output::line(format!("{name}: put out"))
}
