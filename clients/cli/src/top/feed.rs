//! From the watch of applications to the model.

use std::cell::RefCell;

use causeway_proto::{
    inventory::v1::{self as pb, watch_applications_response::Event},
    time::timestamp_to_millis,
};

use super::model::{Model, Name, Row};
use crate::{
    connection::Connection,
    watch::{self, Next, ResumeFrom},
    words,
};

/// Keeps the model as the platform says, for as long as it takes.
///
/// # Errors
/// The platform cannot be reached at the beginning, or does not allow it.
pub(super) async fn run(
    connection: &Connection,
    filter: pb::ApplicationFilter,
    model: &RefCell<Model>,
) -> anyhow::Result<()> {
    let open = async |cursor| {
        let request = pb::WatchApplicationsRequest {
            filter: Some(filter.clone()),
            view: pb::ApplicationView::Basic.into(),
            cursor,
        };
        let mut client = connection.applications();
        let stream = client.watch_applications(request).await?;
        Ok(stream.into_inner())
    };
    let cut = |from| model.borrow_mut().cut(from == ResumeFrom::Nothing);
    watch::follow_with_reconnects(
        open,
        |response| &response.cursor,
        cut,
        |response| {
            see(&mut model.borrow_mut(), response);
            Ok(Next::Continue)
        },
    )
    .await
}

fn see(model: &mut Model, response: &pb::WatchApplicationsResponse) {
    model.resume();
    match &response.event {
        Some(Event::Updated(application)) => model.update(name(application), row(application)),
        Some(Event::Deleted(gone)) => model.delete(&Name {
            runtime: gone.runtime.clone(),
            namespace: gone.namespace.clone(),
            name: gone.name.clone(),
            cluster: gone.cluster.clone(),
        }),
        Some(Event::Bookmark(bookmark)) if bookmark.initial_state_sent => model.complete(),
        Some(Event::Bookmark(_)) | None => {}
    }
}

fn name(application: &pb::Application) -> Name {
    Name {
        runtime: application.runtime.clone(),
        namespace: application.namespace.clone(),
        name: application.name.clone(),
        cluster: application.cluster.clone(),
    }
}

fn row(application: &pb::Application) -> Row {
    let status = application.status.as_ref();
    let spec = application.spec.as_ref();
    let commit = status.and_then(|status| status.commit.as_ref());
    let operation = status.and_then(|status| status.operation.as_ref());
    let phase = operation.map_or(pb::OperationPhase::Unspecified, pb::Operation::phase);
    let received = application.received_at.as_ref();
    Row {
        project: spec.map_or_else(String::new, |spec| spec.project.clone()),
        sync: words::sync(status),
        health: words::health(status),
        stale_since: application.stale_since,
        operation: match phase {
            pb::OperationPhase::Running | pb::OperationPhase::Terminating => words::phase(phase),
            pb::OperationPhase::Unspecified
            | pb::OperationPhase::Succeeded
            | pb::OperationPhase::Failed
            | pb::OperationPhase::Error => "",
        },
        revision: words::revision(status),
        message: commit.map_or_else(String::new, |commit| words::plain(&commit.message)),
        changed: received.map_or(0, timestamp_to_millis),
    }
}

#[cfg(test)]
mod tests;
