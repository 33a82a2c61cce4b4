//! `causeway app watch`: goes on over lost connections without a gap or a repeat.

use std::{collections::BTreeMap, time::Duration};

use anyhow::Context as _;
use causeway_client::{Backoff, is_transient, reason};
use causeway_proto::{
    error::v1::Reason,
    inventory::v1::{self as pb, watch_applications_response::Event},
};
use tonic::Status;

use super::{WatchArgs, find};
use crate::{
    connection::Connection,
    output::{self, Format},
    words,
};

const RESPONSE: &str = "causeway.inventory.v1.WatchApplicationsResponse";

pub(super) async fn run(
    connection: &Connection,
    args: &WatchArgs,
    format: Format,
) -> anyhow::Result<()> {
    let mut screen = Screen {
        format,
        shown: BTreeMap::new(),
    };
    let filter = args.filter.to_filter(args.name.as_deref());
    follow(connection, filter, pb::ApplicationView::Basic, |response| {
        screen.show(response)?;
        Ok(Next::Continue)
    })
    .await
}

/// Whether a watch has seen enough.
pub(super) enum Next {
    Continue,
    Stop,
}

/// Hands each response of a watch to `see` until it has seen enough, reconnecting from the last cursor for ever.
pub(super) async fn follow(
    connection: &Connection,
    filter: pb::ApplicationFilter,
    view: pb::ApplicationView,
    mut see: impl FnMut(&pb::WatchApplicationsResponse) -> anyhow::Result<Next>,
) -> anyhow::Result<()> {
    let mut backoff = Backoff::new(Duration::from_millis(200), Duration::from_secs(10));
    let mut request = pb::WatchApplicationsRequest {
        filter: Some(filter),
        view: view.into(),
        cursor: String::new(),
    };
    let mut connected = false;
    loop {
        match one_stream(connection, &mut request, &mut see, &mut connected).await {
            Ok(Next::Stop) => return Ok(()),
            Ok(Next::Continue) => {}
            Err(error) => {
                let status = error
                    .downcast_ref::<Status>()
                    .context("watching")
                    .map_err(|_| ());
                let again =
                    connected && status.is_ok_and(|status| goes_on(status, &mut request.cursor));
                if !again {
                    return Err(error);
                }
            }
        }
        output::note("the watch was cut; connecting again");
        tokio::time::sleep(backoff.next_delay()).await;
    }
}

/// Whether a watch that ended so is to be opened again, from a cursor that still counts.
pub(crate) fn goes_on(status: &Status, cursor: &mut String) -> bool {
    if reason(status) == Some(Reason::CursorExpired) {
        cursor.clear();
        return true;
    }
    is_transient(status)
        || matches!(
            status.code(),
            tonic::Code::Unknown | tonic::Code::Cancelled | tonic::Code::Internal
        )
}

async fn one_stream(
    connection: &Connection,
    request: &mut pb::WatchApplicationsRequest,
    see: &mut impl FnMut(&pb::WatchApplicationsResponse) -> anyhow::Result<Next>,
    connected: &mut bool,
) -> anyhow::Result<Next> {
    let mut stream = connection
        .applications()
        .watch_applications(request.clone())
        .await?
        .into_inner();
    *connected = true;
    while let Some(response) = stream.message().await? {
        request.cursor.clone_from(&response.cursor);
        if matches!(see(&response)?, Next::Stop) {
            return Ok(Next::Stop);
        }
    }
    Ok(Next::Continue)
}

struct Screen {
    format: Format,
    /// The line printed last for each application, so that a change in what is not shown prints nothing.
    shown: BTreeMap<String, String>,
}

impl Screen {
    fn show(&mut self, response: &pb::WatchApplicationsResponse) -> anyhow::Result<()> {
        if self.format != Format::Table {
            return output::stream_document(RESPONSE, response, self.format);
        }
        match &response.event {
            Some(Event::Updated(application)) => self.show_change(application),
            Some(Event::Deleted(gone)) => {
                let name = format!("{}/{}/{}", gone.runtime, gone.namespace, gone.name);
                self.shown.remove(&name);
                output::line(format!("{}  {:<28} deleted", now(), gone.name))
            }
            Some(Event::Bookmark(_)) | None => Ok(()),
        }
    }

    fn show_change(&mut self, application: &pb::Application) -> anyhow::Result<()> {
        let line = state_line(application);
        let before = self
            .shown
            .insert(find::full_name(application), line.clone());
        if before.as_ref() == Some(&line) {
            return Ok(());
        }
        output::line(format!("{}  {line}", now()))
    }
}

fn state_line(application: &pb::Application) -> String {
    let status = application.status.as_ref();
    let operation = status.and_then(|status| status.operation.as_ref());
    let running = matches!(
        operation.map(pb::Operation::phase),
        Some(pb::OperationPhase::Running | pb::OperationPhase::Terminating)
    );
    let sync = if running {
        "Syncing"
    } else {
        words::sync(status)
    };
    let commit = status.and_then(|status| status.commit.as_ref());
    let commit = commit.map_or(String::new(), |commit| {
        format!(
            "{}: {}",
            words::author_name(&commit.author),
            words::plain(&commit.message)
        )
    });
    let health = words::health(status);
    let revision = words::revision(status);
    format!(
        "{:<28} {sync:<10} {health:<12} {revision:<9} {commit}",
        application.name
    )
    .trim_end()
    .to_owned()
}

/// The time of day.
pub(crate) fn now() -> String {
    jiff::Zoned::now().strftime("%H:%M:%S").to_string()
}
