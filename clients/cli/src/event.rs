//! `causeway event …`: Kubernetes events.

mod list;
mod watch;

use std::num::NonZeroUsize;

use causeway_proto::inventory::v1 as pb;

use self::list::{Events, ListArgs};
use crate::{
    connection::Connection,
    output::{self, Format, Progress},
    pages,
};

#[derive(clap::Subcommand, Debug)]
pub(crate) enum EventCommand {
    /// List events of the last 24 hours, newest first
    #[command(visible_alias = "ls")]
    List(Box<ListArgs>),
}

impl EventCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        let Self::List(args) = self;
        let limit = args.limit.map_or(usize::MAX, NonZeroUsize::get);
        // Filters of this process need all events before the limit.
        let whole = output::narrows() || output::waits_for_all() || args.filters();
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
            let mut page = client.list_events(request).await?;
            // Newest first: behind an event that is too old there are only older ones.
            if page
                .get_ref()
                .events
                .last()
                .is_some_and(|it| args.is_too_old(it))
            {
                page.get_mut().next_page_token.clear();
            }
            Ok(page)
        };
        let wants_more = |read| {
            progress.reached(read);
            read <= enough
        };
        let (mut events, _) = pages::read_while(fetch, wants_more).await?;
        drop(progress);
        if events.events.is_empty() {
            args.selection().check(connection).await?;
        }
        events.events.retain(|it| args.wants(it));
        list::sort_newest_first(&mut events.events);
        let mut events = output::arranged(events)?;
        if events.events.len() > limit {
            events.events.truncate(limit);
            output::note(format!("there are more than {limit}: raise --limit"));
        }
        output::show(&events, format, |_| output::table::<Events>(&events.events))
    }
}

#[cfg(test)]
mod tests;
