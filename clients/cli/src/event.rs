//! `causeway event …`: what Kubernetes says that happened.

mod watch;

use std::num::NonZeroUsize;

use causeway_proto::inventory::v1 as pb;

use crate::{
    connection::Connection,
    output::{self, Format, Lines, Progress, Text},
    words,
};

const PAGE: u32 = 1_000;
const LIST: &str = "causeway.inventory.v1.ListEventsResponse";

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
        let mut events = all(connection, args.to_request(enough), enough).await?;
        events.events.retain(|it| args.wants(it));
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
        let mut table = Lines::new(&HEADINGS, &[]);
        for event in &events.events {
            table.row(row(event));
        }
        table.print()
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

const HEADINGS: [&str; 8] = [
    "LAST SEEN",
    "COUNT",
    "TYPE",
    "REASON",
    "OBJECT",
    "NAMESPACE",
    "RUNTIME",
    "MESSAGE",
];

fn row(reported: &pb::ReportedEvent) -> Vec<Text> {
    let event = reported.event.clone().unwrap_or_default();
    let object = event.regarding.unwrap_or_default();
    vec![
        Text::new(words::age(event.last_seen.as_ref())),
        Text::new(event.count.max(1).to_string()),
        Text::state(&words::plain(&event.r#type)),
        Text::new(words::plain(&event.reason)),
        Text::new(words::plain(&format!("{}/{}", object.kind, object.name))),
        Text::new(words::plain(&object.namespace)),
        Text::new(words::plain(&reported.runtime)),
        Text::new(words::plain(&event.message)),
    ]
}

#[cfg(test)]
mod tests;
