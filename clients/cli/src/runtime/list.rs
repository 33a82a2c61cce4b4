//! `causeway runtime list`.

use causeway_proto::platform::v1 as pb;

use crate::{
    connection::Connection,
    output::{self, Cell, Changes, Columns, Format, Headings},
    pages,
    watch::poll,
    words,
};

const PAGE: u32 = 500;

/// Flags of the list.
#[derive(clap::Args, Debug)]
pub(crate) struct ListArgs {
    /// Stream changes after the list: state, sessions and version
    #[arg(short, long)]
    watch: bool,
}

pub(super) async fn run(
    connection: &Connection,
    args: &ListArgs,
    format: Format,
) -> anyhow::Result<()> {
    if args.watch {
        return watch(connection, format).await;
    }
    output::list::<Runtimes>(list_all(connection).await?, format)
}

/// Lists all runtimes.
pub(super) async fn list_all(connection: &Connection) -> anyhow::Result<pb::ListRuntimesResponse> {
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
    poll((changes, known), list, |(changes, known), now| {
        if format == Format::Table {
            let names: Vec<_> = now.iter().map(|it| it.name.as_str()).collect();
            for name in changes.missing(&names) {
                changes.remove(&name);
            }
            for runtime in &now {
                changes.update::<Runtimes>(&runtime.name, runtime);
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
