//! `causeway event …`: what Kubernetes says that happened.

use std::num::NonZeroUsize;

use causeway_proto::inventory::v1 as pb;
use comfy_table::Cell;

use crate::{
    connection::Connection,
    output::{self, Columns, Format, Progress, state_cell},
    words,
};

const PAGE: u32 = 1_000;
const LIST: &str = "causeway.inventory.v1.ListEventsResponse";

#[derive(clap::Subcommand, Debug)]
pub(crate) enum EventCommand {
    /// List what happened in the last 24 hours to an object, or to all that belongs to an application, the newest first
    #[command(visible_alias = "ls")]
    List(ListArgs),
}

/// Of what.
#[derive(clap::Args, Debug)]
pub(crate) struct ListArgs {
    /// The object, as KIND/NAME or NAME
    #[arg(
        value_name = "OBJECT",
        required_unless_present = "application",
        conflicts_with = "application"
    )]
    object: Option<String>,
    /// All that belongs to the application NAME or NAMESPACE/NAME
    #[arg(short, long, value_name = "APPLICATION")]
    application: Option<String>,
    /// The namespace of the object; none for what is cluster-wide
    #[arg(short, long, value_name = "NAMESPACE", conflicts_with = "application")]
    namespace: Option<String>,
    /// Only of this runtime
    #[arg(long, value_name = "NAME")]
    runtime: Option<String>,
    /// Only of this cluster, as its runtime calls it
    #[arg(long, value_name = "NAME")]
    cluster: Option<String>,
    /// At most this many, the newest ones
    #[arg(long, value_name = "NUMBER")]
    limit: Option<NonZeroUsize>,
}

impl EventCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        let Self::List(args) = self;
        let limit = args.limit.map_or(usize::MAX, NonZeroUsize::get);
        // Where some are left out afterwards, all are looked at first.
        let whole = output::narrows() || output::waits_for_all();
        let enough = if whole { usize::MAX } else { limit };
        let events = all(connection, args.into_request(enough), enough).await?;
        let mut events = output::arranged(LIST, events)?;
        if events.events.len() > limit {
            events.events.truncate(limit);
            output::note(format!("there are more than {limit}: raise --limit"));
        }
        if format != Format::Table {
            return output::document(LIST, &events, format);
        }
        if events.events.is_empty() {
            output::note("nothing happened in the last 24 hours, or nothing that you may see");
            return Ok(());
        }
        table(&events.events).print()
    }
}

impl ListArgs {
    fn into_request(self, enough: usize) -> pb::ListEventsRequest {
        let application = self.application.unwrap_or_default();
        let (application_namespace, application) = apart(&application);
        let object = self.object.unwrap_or_default();
        let (kind, name) = apart(&object);
        pb::ListEventsRequest {
            runtime: self.runtime.unwrap_or_default(),
            cluster: self.cluster.unwrap_or_default(),
            application,
            application_namespace,
            name,
            namespace: self.namespace.unwrap_or_default(),
            kind,
            // One more tells that there are more.
            page_size: u32::try_from(enough.saturating_add(1)).map_or(PAGE, |most| most.min(PAGE)),
            page_token: String::new(),
        }
    }
}

/// More than are enough, or all.
async fn all(
    connection: &Connection,
    mut request: pb::ListEventsRequest,
    enough: usize,
) -> anyhow::Result<pb::ListEventsResponse> {
    let mut client = connection.resources();
    let mut all = pb::ListEventsResponse::default();
    let progress = Progress::start("reading events");
    loop {
        let page = client.list_events(request.clone()).await?.into_inner();
        all.events.extend(page.events);
        progress.reached(all.events.len());
        if all.events.len() > enough || page.next_page_token.is_empty() {
            return Ok(all);
        }
        request.page_token = page.next_page_token;
    }
}

/// What stands before a slash, and what stands behind it.
fn apart(text: &str) -> (String, String) {
    let (before, behind) = text.split_once('/').unwrap_or(("", text));
    (before.to_owned(), behind.to_owned())
}

fn table(events: &[pb::ReportedEvent]) -> Columns {
    let headings = [
        "LAST SEEN",
        "COUNT",
        "TYPE",
        "REASON",
        "OBJECT",
        "RUNTIME",
        "MESSAGE",
    ];
    let mut columns = Columns::new(&headings);
    for reported in events {
        let Some(event) = &reported.event else {
            continue;
        };
        let object = event.regarding.as_ref().map_or_else(String::new, |it| {
            words::plain(&format!("{}/{}", it.kind, it.name))
        });
        columns.row(vec![
            Cell::new(words::age(event.last_seen.as_ref())),
            Cell::new(event.count.max(1)),
            state_cell(&words::plain(&event.r#type)),
            Cell::new(words::plain(&event.reason)),
            Cell::new(object),
            Cell::new(&reported.runtime),
            Cell::new(words::plain(&event.message)),
        ]);
    }
    columns
}

#[cfg(test)]
mod tests;
