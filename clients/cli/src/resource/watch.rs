//! Watches of resources.

use causeway_proto::inventory::v1::{self as pb, watch_resources_response::Event};

use super::find;
use crate::{
    connection::Connection,
    output::{self, Format, StateLines},
    watch::{self, Next, ResumeFrom, note_reconnect},
};

/// Prints the current state and each change, as lines or documents.
pub(crate) async fn run(
    connection: &Connection,
    filter: pb::ResourceFilter,
    format: Format,
    line: fn(&pb::LiveResource) -> String,
) -> anyhow::Result<()> {
    find::check_selection(connection, &filter).await?;
    // Reports change more often than what a line shows.
    let mut lines = StateLines::default();
    let view = pb::ResourceView::Basic;
    follow(connection, filter, view, note_reconnect, |response| {
        if format != Format::Table {
            return output::stream_document(response, format);
        }
        match &response.event {
            Some(Event::Updated(resource)) => {
                let name = format!("{}/{}", resource.resource, find::full_name(resource));
                lines.update(name, line(resource))
            }
            Some(Event::Deleted(gone)) => {
                let names = [&gone.resource, &gone.runtime, &gone.namespace, &gone.name];
                let label = format!("{}/{}", gone.resource, gone.name);
                lines.delete(
                    &names.map(String::as_str).join("/"),
                    &format!("{label:<40}"),
                )
            }
            Some(Event::Bookmark(_)) | None => Ok(()),
        }
    })
    .await
}

/// Prints one resource, and again whenever its details change.
pub(crate) async fn watch_one(
    connection: &Connection,
    meant: pb::LiveResource,
    format: Format,
    whole: fn(&pb::LiveResource) -> String,
) -> anyhow::Result<()> {
    let kind = meant.kind.to_lowercase();
    let mut shown = String::new();
    let view = pb::ResourceView::Full;
    let filter = find::exact_filter(meant);
    follow(
        connection,
        filter,
        view,
        note_reconnect,
        |response| match &response.event {
            Some(Event::Updated(resource)) if format == Format::Table => {
                let text = whole(resource);
                if text == shown {
                    return Ok(());
                }
                shown.clone_from(&text);
                output::line(text)?;
                output::line("")
            }
            Some(Event::Updated(resource)) => output::document(resource, format),
            Some(Event::Deleted(_)) => {
                shown.clear();
                output::note(format!("the {kind} is gone"));
                Ok(())
            }
            Some(Event::Bookmark(_)) | None => Ok(()),
        },
    )
    .await
}

/// Passes each response of a watch to `see` until it stops, and each cut to `cut`.
pub(crate) async fn follow<N: Into<Next>>(
    connection: &Connection,
    filter: pb::ResourceFilter,
    view: pb::ResourceView,
    cut: impl FnMut(ResumeFrom),
    see: impl FnMut(&pb::WatchResourcesResponse) -> anyhow::Result<N>,
) -> anyhow::Result<()> {
    let open = async |cursor| {
        let request = pb::WatchResourcesRequest {
            filter: Some(filter.clone()),
            view: view.into(),
            cursor,
        };
        let mut client = connection.resources();
        let stream = client.watch_resources(request).await?;
        Ok(stream.into_inner())
    };
    watch::follow_with_reconnects(open, |response| &response.cursor, cut, see).await
}
