//! `causeway app watch`.

use causeway_proto::inventory::v1::{self as pb, watch_applications_response::Event};

use super::{filter::FilterArgs, find, print};
use crate::{
    connection::Connection,
    output::{self, Format, StateLines},
    watch::{self, Next},
    words,
};

/// Applications to watch.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct WatchArgs {
    /// Filter by name
    #[arg(value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    filter: FilterArgs,
}

pub(super) async fn run(
    connection: &Connection,
    args: &WatchArgs,
    format: Format,
) -> anyhow::Result<()> {
    let filter = args.filter.to_filter(args.name.as_deref());
    watch_all(connection, filter, format).await
}

/// Prints a line for each application, and again after each change that it shows.
pub(super) async fn watch_all(
    connection: &Connection,
    filter: pb::ApplicationFilter,
    format: Format,
) -> anyhow::Result<()> {
    find::check_selection(connection, &filter).await?;
    let mut lines = StateLines::default();
    follow(connection, filter, pb::ApplicationView::Basic, |response| {
        if format != Format::Table {
            return output::stream_document(response, format);
        }
        match &response.event {
            Some(Event::Updated(application)) => {
                lines.update(find::full_name(application), state_line(application))
            }
            Some(Event::Deleted(gone)) => {
                let name = format!("{}/{}/{}", gone.runtime, gone.namespace, gone.name);
                lines.delete(&name, &format!("{:<28}", gone.name))
            }
            Some(Event::Bookmark(_)) | None => Ok(()),
        }
    })
    .await
}

/// Prints one application, and again whenever its details change.
pub(super) async fn watch_one(
    connection: &Connection,
    key: pb::GetApplicationRequest,
    format: Format,
) -> anyhow::Result<()> {
    let filter = pb::ApplicationFilter {
        runtime: key.runtime,
        cluster: key.cluster,
        namespace: key.namespace,
        name: key.name,
        ..pb::ApplicationFilter::default()
    };
    let mut shown = String::new();
    follow(connection, filter, pb::ApplicationView::Full, |response| {
        match &response.event {
            Some(Event::Updated(application)) if format == Format::Table => {
                let text = print::details(application, None).text();
                if text != shown {
                    output::line(format!("{}\n{text}\n", words::time_of_day()))?;
                    shown = text;
                }
            }
            Some(Event::Updated(application)) => output::stream_document(application, format)?,
            Some(Event::Deleted(_)) => {
                shown.clear();
                output::note("the application is gone");
            }
            Some(Event::Bookmark(_)) | None => {}
        }
        anyhow::Ok(())
    })
    .await
}

/// Passes each response of a watch to `see` until it stops.
pub(super) async fn follow<N: Into<Next>>(
    connection: &Connection,
    filter: pb::ApplicationFilter,
    view: pb::ApplicationView,
    see: impl FnMut(&pb::WatchApplicationsResponse) -> anyhow::Result<N>,
) -> anyhow::Result<()> {
    let open = async |cursor| {
        let request = pb::WatchApplicationsRequest {
            filter: Some(filter.clone()),
            view: view.into(),
            cursor,
        };
        let mut client = connection.applications();
        let stream = client.watch_applications(request).await?;
        Ok(stream.into_inner())
    };
    watch::follow(open, |response| &response.cursor, see).await
}

fn state_line(application: &pb::Application) -> String {
    let status = application.status.as_ref();
    let operation = status.and_then(|status| status.operation.as_ref());
    let running = matches!(
        operation.map(pb::Operation::phase),
        Some(pb::OperationPhase::Running | pb::OperationPhase::Terminating)
    );
    let sync = if running {
        words::with_staleness("Syncing", application.stale_since.as_ref())
    } else {
        words::reported_sync(application)
    };
    let commit = status.and_then(|status| status.commit.as_ref());
    let commit = commit.map_or(String::new(), |commit| {
        format!(
            "{}: {}",
            words::author_name(&commit.author),
            words::plain(&commit.message)
        )
    });
    let health = words::reported_health(application);
    let revision = words::revision(status);
    format!(
        "{:<28} {sync:<10} {health:<12} {revision:<9} {commit}",
        application.name
    )
    .trim_end()
    .to_owned()
}
