//! Flags and columns of `causeway event list`.

use std::num::NonZeroUsize;

use causeway_proto::{inventory::v1 as pb, time::timestamp_to_millis};

use crate::{
    moment::{Moment, moment},
    output::{Cell, Columns, Headings},
    selection::Selection,
    words,
};

const PAGE: u32 = 1_000;

/// Events to list.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct ListArgs {
    /// Object as KIND/NAME or NAME; by default all visible events
    #[arg(value_name = "OBJECT", conflicts_with = "application")]
    pub(super) object: Option<String>,
    /// Filter by application: NAME or NAMESPACE/NAME
    #[arg(short, long, value_name = "APPLICATION")]
    pub(super) application: Option<String>,
    /// Filter by namespace; omit it for cluster-scoped objects
    #[arg(short, long, value_name = "NAMESPACE", conflicts_with = "application")]
    pub(super) namespace: Option<String>,
    /// Filter by object kind, for example Pod
    #[arg(long, value_name = "KIND", conflicts_with_all = ["application", "object"])]
    pub(super) kind: Option<String>,
    /// Filter by type: Normal or Warning
    #[arg(long = "type", value_name = "TYPE", ignore_case = true, value_parser = ["Normal", "Warning"])]
    pub(super) of_type: Option<String>,
    /// Filter by runtime
    #[arg(long, value_name = "NAME")]
    pub(super) runtime: Option<String>,
    /// Filter by cluster, by its name in the runtime
    #[arg(long, value_name = "NAME")]
    pub(super) cluster: Option<String>,
    /// Filter by last occurrence: today, 1h, a date or RFC 3339
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(super) since: Option<Moment>,
    /// Limit the number of results
    #[arg(long, value_name = "NUMBER")]
    pub(super) limit: Option<NonZeroUsize>,
    /// Stream new events, newest last
    ///
    /// Events that are reported more than a minute late are omitted.
    #[arg(short, long)]
    pub(super) watch: bool,
}

impl ListArgs {
    pub(super) fn to_request(&self, enough: usize) -> pb::ListEventsRequest {
        let of = |text: &Option<String>| text.clone().unwrap_or_default();
        let (application_namespace, application) = split_at_slash(&of(&self.application));
        let (kind, name) = split_at_slash(&of(&self.object));
        pb::ListEventsRequest {
            runtime: of(&self.runtime),
            cluster: of(&self.cluster),
            application,
            application_namespace,
            name,
            namespace: of(&self.namespace),
            kind: self.kind.clone().unwrap_or(kind),
            // One more than the limit tells if there are more.
            page_size: u32::try_from(enough.saturating_add(1)).map_or(PAGE, |most| most.min(PAGE)),
            page_token: String::new(),
        }
    }

    /// The names of runtime and cluster that it selects by.
    pub(super) fn selection(&self) -> Selection {
        let name = |text: &Option<String>| text.clone().unwrap_or_default();
        Selection::of_runtime(&name(&self.runtime), &name(&self.cluster))
    }

    /// True if this process filters events.
    pub(super) fn filters(&self) -> bool {
        self.of_type.is_some() || self.since.is_some()
    }

    /// True if an event has the requested type and time.
    pub(super) fn wants(&self, event: &pb::ReportedEvent) -> bool {
        let is = event.event.as_ref().map(|event| &event.r#type);
        (self.of_type.is_none() || is == self.of_type.as_ref()) && !self.is_too_old(event)
    }

    /// True if --since leaves an event out. An event without a time is not too old.
    pub(super) fn is_too_old(&self, event: &pb::ReportedEvent) -> bool {
        let last_seen = event.event.as_ref().and_then(|it| it.last_seen.as_ref());
        let (Some(since), Some(at)) = (&self.since, last_seen) else {
            return false;
        };
        timestamp_to_millis(at) < timestamp_to_millis(&since.0)
    }
}

/// Sorts by the last occurrence; events without a time come last.
pub(super) fn sort_newest_first(events: &mut [pb::ReportedEvent]) {
    let last_seen = |it: &pb::ReportedEvent| {
        let seen = it.event.as_ref()?.last_seen.as_ref()?;
        Some((seen.seconds, seen.nanos))
    };
    events.sort_by_key(|it| std::cmp::Reverse(last_seen(it)));
}

/// Splits at the first slash; without one all stands behind it.
fn split_at_slash(text: &str) -> (String, String) {
    let (before, behind) = text.split_once('/').unwrap_or(("", text));
    (before.to_owned(), behind.to_owned())
}

pub(super) struct Events;

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
