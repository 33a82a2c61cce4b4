//! Follows revocations for platform parts, so that no cache outlives a revocation by 5 seconds. Without messages from the
//! platform all caches are invalidated every few seconds.

use std::time::Duration;

use causeway_assertion::{RevocationNotifier, RevocationSignal};
use causeway_proto::platform::v1::{self as pb, key_service_client::KeyServiceClient};
use causeway_shell::Shell;
use tokio::time::{sleep, timeout};
use tonic::Status;

use crate::{Backoff, Peer};

/// Timeout without a message; the platform sends one every second.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(3);
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Starts the task that follows revocations until the shell drains.
pub fn follow_revocations(shell: &Shell, platform: Peer) -> RevocationSignal {
    let revoker = RevocationNotifier::default();
    let revocations = revoker.revocations();
    let following = follow(shell.clone(), KeyServiceClient::new(platform), revoker);
    shell.tasks().spawn("revocations", Box::pin(following));
    revocations
}

async fn follow(shell: Shell, client: KeyServiceClient<Peer>, revoker: RevocationNotifier) {
    let mut follower = Follower {
        client,
        revoker,
        last_response: None,
        backoff: Backoff::new(FIRST_PAUSE, LONGEST_PAUSE),
        failing: false,
    };
    tokio::select! {
        () = follower.run() => {}
        () = shell.shutdown().requested() => {}
    }
}

struct Follower {
    client: KeyServiceClient<Peer>,
    revoker: RevocationNotifier,
    last_response: Option<pb::WatchRevocationsResponse>,
    backoff: Backoff,
    /// True during an outage, which is logged once.
    failing: bool,
}

impl Follower {
    async fn run(&mut self) {
        loop {
            let status = self.listen().await;
            if !self.failing {
                tracing::warn!(%status, "no stream of revocations from the platform; caches are invalidated every few seconds until it is back");
            }
            self.failing = true;
            // Revocations may be missed until the stream is open again.
            self.revoker.notify();
            sleep(self.backoff.next_delay()).await;
        }
    }

    /// Reads the stream until it ends and returns the reason.
    async fn listen(&mut self) -> Status {
        let opening = self
            .client
            .watch_revocations(pb::WatchRevocationsRequest {});
        let mut stream = match timeout(SILENCE_TIMEOUT, opening).await {
            Ok(Ok(response)) => response.into_inner(),
            Ok(Err(status)) => return status,
            Err(_) => return silent(),
        };
        loop {
            match timeout(SILENCE_TIMEOUT, stream.message()).await {
                Ok(Ok(Some(response))) => self.on_response(response),
                Ok(Ok(None)) => return Status::unavailable("the platform ended the stream"),
                Ok(Err(status)) => return status,
                Err(_) => return silent(),
            }
        }
    }

    fn on_response(&mut self, response: pb::WatchRevocationsResponse) {
        if self.failing {
            tracing::info!("the stream of revocations is back");
        }
        self.failing = false;
        self.backoff.reset();
        if self.last_response.as_ref() != Some(&response) {
            self.last_response = Some(response);
            self.revoker.notify();
        }
    }
}

fn silent() -> Status {
    Status::deadline_exceeded("no message from the platform in time")
}
