//! Watches of resources: they go on over lost connections without a gap or a repeat.

use std::{collections::BTreeMap, time::Duration};

use causeway_client::Backoff;
use causeway_proto::inventory::v1::{self as pb, watch_resources_response::Event};
use tonic::Status;

use super::find;
use crate::{
    app::watch::{goes_on, now},
    connection::Connection,
    output::{self, Format},
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

/// Hands each response of a watch to `see`, reconnecting from the last cursor for ever.
pub(crate) async fn follow(
    connection: &Connection,
    filter: pb::ResourceFilter,
    view: pb::ResourceView,
    mut see: impl FnMut(&pb::WatchResourcesResponse) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut backoff = Backoff::new(Duration::from_millis(200), Duration::from_secs(10));
    let mut request = pb::WatchResourcesRequest {
        filter: Some(filter),
        view: view.into(),
        cursor: String::new(),
    };
    let mut connected = false;
    loop {
        if let Err(error) = one_stream(connection, &mut request, &mut see, &mut connected).await {
            let status = error.downcast_ref::<Status>();
            let again = status.is_some_and(|status| goes_on(status, &mut request.cursor));
            if !(connected && again) {
                return Err(error);
            }
        }
        output::note("the watch was cut; connecting again");
        tokio::time::sleep(backoff.next_delay()).await;
    }
}

async fn one_stream(
    connection: &Connection,
    request: &mut pb::WatchResourcesRequest,
    see: &mut impl FnMut(&pb::WatchResourcesResponse) -> anyhow::Result<()>,
    connected: &mut bool,
) -> anyhow::Result<()> {
    let mut client = connection.resources();
    let stream = client.watch_resources(request.clone()).await?;
    let mut stream = stream.into_inner();
    *connected = true;
    while let Some(response) = stream.message().await? {
        request.cursor.clone_from(&response.cursor);
        see(&response)?;
    }
    Ok(())
}
