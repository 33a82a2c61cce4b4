//! Somebody who watches applications and goes on with the cursor after each loss.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use causeway_client::Peer;
use causeway_proto::inventory::v1::{
    self as pb, application_service_client::ApplicationServiceClient,
};
use tokio::time::{sleep, timeout};
use tonic::{Code, Status};

use crate::history::History;

const PAUSE: Duration = Duration::from_millis(200);
/// Twice as long as a watch may be without a word.
const SILENCE: Duration = Duration::from_secs(30);

/// A history that the checker reads too.
pub(crate) type Shared = Arc<Mutex<History>>;

pub(crate) fn lock(history: &Shared) -> MutexGuard<'_, History> {
    history.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Watches for ever.
pub(crate) async fn watch(history: Shared, platform: Peer) {
    loop {
        if let Err(status) = follow(platform.clone(), &history).await
            && matches!(status.code(), Code::OutOfRange | Code::InvalidArgument)
        {
            lock(&history).cursor.clear();
        }
        sleep(PAUSE).await;
    }
}

async fn follow(platform: Peer, history: &Shared) -> Result<(), Status> {
    let cursor = lock(history).cursor.clone();
    let request = pb::WatchApplicationsRequest {
        cursor,
        ..Default::default()
    };
    let late = |_| Status::deadline_exceeded("the watch is silent");
    let mut client = ApplicationServiceClient::new(platform);
    let opening = timeout(SILENCE, client.watch_applications(request));
    let mut responses = opening.await.map_err(late)??.into_inner();
    lock(history).begin();
    while let Some(response) = timeout(SILENCE, responses.message())
        .await
        .map_err(late)??
    {
        lock(history).take(response);
    }
    Ok(())
}
