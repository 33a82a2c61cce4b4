//! Watches of resources.

use std::collections::BTreeMap;

use causeway_proto::inventory::v1::{self as pb, watch_resources_response::Event};

use super::find;
use crate::{
    connection::Connection,
    output::{self, Format},
    watch::{self, Next, ResumeFrom, now},
};

const RESPONSE: &str = "causeway.inventory.v1.WatchResourcesResponse";

/// Prints what there is and then each change, as a line that is made of a resource or as one document each.
pub(crate) async fn run(
    connection: &Connection,
    filter: pb::ResourceFilter,
    view: pb::ResourceView,
    format: Format,
    line: fn(&pb::LiveResource) -> String,
) -> anyhow::Result<()> {
    // The line printed last for each resource, so that a change in what is not shown prints nothing.
    let mut shown = BTreeMap::new();
    follow(connection, filter, view, |response| {
        if format != Format::Table {
            return output::stream_document(RESPONSE, response, format);
        }
        match &response.event {
            Some(Event::Updated(resource)) => {
                let line = line(resource);
                let name = (resource.resource.clone(), find::full_name(resource));
                let before = shown.insert(name, line.clone());
                match before.as_ref() == Some(&line) {
                    true => Ok(()),
                    false => output::line(format!("{}  {line}", now())),
                }
            }
            Some(Event::Deleted(gone)) => {
                let name = format!("{}/{}/{}", gone.runtime, gone.namespace, gone.name);
                shown.remove(&(gone.resource.clone(), name));
                let name = format!("{}/{}", gone.resource, gone.name);
                output::line(format!("{}  {name:<40} deleted", now()))
            }
            Some(Event::Bookmark(_)) | None => Ok(()),
        }
    })
    .await
}

/// Shows one resource, whole, now and whenever what is shown of it changes.
pub(crate) async fn one(
    connection: &Connection,
    meant: pb::LiveResource,
    format: Format,
    whole: fn(&pb::LiveResource) -> String,
) -> anyhow::Result<()> {
    let kind = meant.kind.to_lowercase();
    let mut shown = String::new();
    let view = pb::ResourceView::Full;
    let filter = find::exact_filter(meant);
    follow(connection, filter, view, |response| match &response.event {
        Some(Event::Updated(resource)) if format == Format::Table => {
            let text = whole(resource);
            if text == shown {
                return Ok(());
            }
            shown.clone_from(&text);
            output::line(text)?;
            output::line("")
        }
        Some(Event::Updated(resource)) => super::document(resource, format),
        Some(Event::Deleted(_)) => {
            shown.clear();
            output::note(format!("the {kind} is gone"));
            Ok(())
        }
        Some(Event::Bookmark(_)) | None => Ok(()),
    })
    .await
}

/// Hands each response of a watch of resources to `see`.
pub(crate) async fn follow(
    connection: &Connection,
    filter: pb::ResourceFilter,
    view: pb::ResourceView,
    mut see: impl FnMut(&pb::WatchResourcesResponse) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let see = |response: &pb::WatchResourcesResponse| see(response).map(|()| Next::Continue);
    follow_until(connection, filter, view, see).await
}

/// The same, until it has seen enough.
pub(crate) async fn follow_until(
    connection: &Connection,
    filter: pb::ResourceFilter,
    view: pb::ResourceView,
    see: impl FnMut(&pb::WatchResourcesResponse) -> anyhow::Result<Next>,
) -> anyhow::Result<()> {
    follow_with_reconnects(connection, filter, view, watch::note_reconnect, see).await
}

/// The same, with somebody who is told of each cut.
pub(crate) async fn follow_with_reconnects(
    connection: &Connection,
    filter: pb::ResourceFilter,
    view: pb::ResourceView,
    cut: impl FnMut(ResumeFrom),
    see: impl FnMut(&pb::WatchResourcesResponse) -> anyhow::Result<Next>,
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
