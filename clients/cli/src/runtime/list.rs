//! `causeway runtime list`.

use std::{cell::RefCell, collections::BTreeMap};

use causeway_proto::platform::v1::{self as pb, watch_runtimes_response::Event};
use tonic::Status;

use crate::{
    connection::Connection,
    output::{self, Cell, Changes, Columns, Format, Headings},
    pages, watch, words,
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
        return watch_all(connection, format).await;
    }
    output::list::<Runtimes>(list_all(connection).await?, format)
}

/// Lists all runtimes.
pub(crate) async fn list_all(connection: &Connection) -> Result<pb::ListRuntimesResponse, Status> {
    let mut client = connection.runtimes();
    let runtimes = pages::read_all(async |page_token| {
        let page_size = PAGE;
        let request = pb::ListRuntimesRequest {
            page_size,
            page_token,
        };
        client.list_runtimes(request).await
    });
    runtimes.await
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

/// The stream has no cursor: after each reconnect it sends all runtimes again.
static NO_CURSOR: String = String::new();

/// Prints each runtime, and again after each change.
async fn watch_all(connection: &Connection, format: Format) -> anyhow::Result<()> {
    let mut shown = Shown {
        format,
        changes: Changes::new::<Runtimes>(),
        known: BTreeMap::new(),
        heard: Some(Vec::new()),
    };
    let shown = RefCell::new(&mut shown);
    let open = async |_| {
        shown.borrow_mut().heard = Some(Vec::new());
        let mut client = connection.runtimes();
        let stream = client.watch_runtimes(pb::WatchRuntimesRequest {}).await?;
        Ok(stream.into_inner())
    };
    watch::follow(
        open,
        |_| &NO_CURSOR,
        |response: &pb::WatchRuntimesResponse| shown.borrow_mut().take(response),
    )
    .await
}

/// What a watch has printed.
struct Shown {
    format: Format,
    changes: Changes,
    known: BTreeMap<String, pb::Runtime>,
    /// Names that a new stream has sent; none once it has sent all.
    heard: Option<Vec<String>>,
}

impl Shown {
    fn take(&mut self, response: &pb::WatchRuntimesResponse) -> anyhow::Result<()> {
        match &response.event {
            Some(Event::Updated(runtime)) => self.update(runtime)?,
            Some(Event::Deleted(name)) => self.remove(name),
            Some(Event::Bookmark(_)) if self.heard.is_some() => {
                let heard = self.heard.take().unwrap_or_default();
                let heard: Vec<_> = heard.iter().map(String::as_str).collect();
                for name in self.changes.missing(&heard) {
                    self.remove(&name);
                }
            }
            Some(Event::Bookmark(_)) | None => {}
        }
        // The widths of columns follow from all rows of the list.
        if self.heard.is_none() && self.format == Format::Table {
            self.changes.print()?;
        }
        Ok(())
    }

    fn update(&mut self, runtime: &pb::Runtime) -> anyhow::Result<()> {
        if let Some(heard) = &mut self.heard {
            heard.push(runtime.name.clone());
        }
        let before = self.known.insert(runtime.name.clone(), runtime.clone());
        if before.is_some_and(|before| is_same(&before, runtime)) {
            return Ok(());
        }
        match self.format {
            Format::Table => self.changes.update::<Runtimes>(&runtime.name, runtime),
            format @ (Format::Json | Format::Yaml) => output::stream_document(runtime, format)?,
        }
        Ok(())
    }

    fn remove(&mut self, name: &str) {
        self.known.remove(name);
        self.changes.remove(name);
    }
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
