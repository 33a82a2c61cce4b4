//! `causeway event …`: what Kubernetes says that happened.

mod watch;

use std::num::NonZeroUsize;

use causeway_proto::inventory::v1 as pb;

use crate::{
    connection::Connection,
    output::{self, Cell, Columns, Format, Headings, Progress},
    pages, words,
};

const PAGE: u32 = 1_000;

#[derive(clap::Subcommand, Debug)]
pub(crate) enum EventCommand {
    /// List events of the last 24 hours, newest first
    #[command(visible_alias = "ls")]
    List(Box<ListArgs>),
}

/// Of what.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct ListArgs {
    /// Object as KIND/NAME or NAME; by default all visible events
    #[arg(value_name = "OBJECT", conflicts_with = "application")]
    object: Option<String>,
    /// Filter by application: NAME or NAMESPACE/NAME
    #[arg(short, long, value_name = "APPLICATION")]
    application: Option<String>,
    /// Filter by namespace; omit it for cluster-scoped objects
    #[arg(short, long, value_name = "NAMESPACE", conflicts_with = "application")]
    namespace: Option<String>,
    /// Filter by object kind, for example Pod
    #[arg(long, value_name = "KIND", conflicts_with_all = ["application", "object"])]
    kind: Option<String>,
    /// Filter by type: Normal or Warning
    #[arg(long = "type", value_name = "TYPE", ignore_case = true, value_parser = ["Normal", "Warning"])]
    of_type: Option<String>,
    /// Filter by runtime
    #[arg(long, value_name = "NAME")]
    runtime: Option<String>,
    /// Filter by cluster, by its name in the runtime
    #[arg(long, value_name = "NAME")]
    cluster: Option<String>,
    /// Limit the number of results
    #[arg(long, value_name = "NUMBER")]
    limit: Option<NonZeroUsize>,
    /// Stream new events, newest last
    ///
    /// Events that are reported more than a minute late are omitted.
    #[arg(short, long)]
    watch: bool,
}

impl EventCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        let Self::List(args) = self;
        let limit = args.limit.map_or(usize::MAX, NonZeroUsize::get);
        // Where some are left out afterwards, all are looked at first.
        let whole = output::narrows() || output::waits_for_all() || args.of_type.is_some();
        let enough = if whole { usize::MAX } else { limit };
        if args.watch {
            return watch::run(connection, &args, enough, format).await;
        }
        let mut client = connection.resources();
        let (request, progress) = (args.to_request(enough), Progress::start("reading events"));
        let fetch = async |page_token| {
            let request = pb::ListEventsRequest {
                page_token,
                ..request.clone()
            };
            client.list_events(request).await
        };
        let wants_more = |read| {
            progress.reached(read);
            read <= enough
        };
        let (mut events, _) = pages::read_while(fetch, wants_more).await?;
        drop(progress);
        events.events.retain(|it| args.wants(it));
        let mut events = output::arranged(events)?;
        if events.events.len() > limit {
            events.events.truncate(limit);
            output::note(format!("there are more than {limit}: raise --limit"));
        }
        match format {
            Format::Table => output::table::<Events>(&events.events),
            Format::Json | Format::Yaml => output::document(&events, format),
        }
    }
}

impl ListArgs {
    fn to_request(&self, enough: usize) -> pb::ListEventsRequest {
        let of = |text: &Option<String>| text.clone().unwrap_or_default();
        let (application_namespace, application) = apart(&of(&self.application));
        let (kind, name) = apart(&of(&self.object));
        pb::ListEventsRequest {
            runtime: of(&self.runtime),
            cluster: of(&self.cluster),
            application,
            application_namespace,
            name,
            namespace: of(&self.namespace),
            kind: self.kind.clone().unwrap_or(kind),
            // One more tells that there are more.
            page_size: u32::try_from(enough.saturating_add(1)).map_or(PAGE, |most| most.min(PAGE)),
            page_token: String::new(),
        }
    }

    /// Whether it is of the wanted type.
    fn wants(&self, event: &pb::ReportedEvent) -> bool {
        let is = event.event.as_ref().map(|event| &event.r#type);
        self.of_type.is_none() || is == self.of_type.as_ref()
    }
}

/// What stands before a slash, and what stands behind it.
fn apart(text: &str) -> (String, String) {
    let (before, behind) = text.split_once('/').unwrap_or(("", text));
    (before.to_owned(), behind.to_owned())
}

struct Events;

impl Columns for Events {
    type Item = pb::ReportedEvent;
    const HEADINGS: Headings = &[
        "LAST SEEN",
        "COUNT",
        "TYPE",
        "REASON",
        "OBJECT",
        "NAMESPACE",
        "RUNTIME",
        "MESSAGE",
    ];
    const NONE: &'static str = "nothing happened in the last 24 hours, or nothing that you may see";

    fn cells(reported: &pb::ReportedEvent) -> Vec<Cell> {
        let event = reported.event.clone().unwrap_or_default();
        let object = event.regarding.unwrap_or_default();
        vec![
            Cell::new(words::age(event.last_seen.as_ref())),
            Cell::new(event.count.max(1)),
            Cell::state(&words::plain(&event.r#type)),
            Cell::new(words::plain(&event.reason)),
            Cell::new(words::plain(&format!("{}/{}", object.kind, object.name))),
            Cell::new(words::plain(&object.namespace)),
            Cell::new(words::plain(&reported.runtime)),
            Cell::new(words::plain(&event.message)),
        ]
    }
}

#[cfg(test)]
mod tests;
