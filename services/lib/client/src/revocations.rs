//! A part of the platform hears of revocations, so that nothing that it remembers outlives one by 5 seconds. Owns that promise
//! while nobody tells, too: then everything that is remembered is forgotten every few seconds.

use std::time::Duration;

use causeway_assertion::{RevocationNotifier, RevocationSignal};
use causeway_proto::platform::v1::{self as pb, key_service_client::KeyServiceClient};
use causeway_shell::Shell;
use tokio::time::{sleep, timeout};
use tonic::Status;

use crate::{Backoff, Peer};

/// The platform says something every second.
const SILENCE: Duration = Duration::from_secs(3);
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Starts the task that hears of revocations until the shell drains.
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
        heard: None,
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
    heard: Option<pb::WatchRevocationsResponse>,
    backoff: Backoff,
    /// So that an outage is logged once.
    failing: bool,
}

impl Follower {
    async fn run(&mut self) {
        loop {
            let status = self.listen().await;
            if !self.failing {
                tracing::warn!(%status, "nobody tells of revocations; nothing is remembered for more than a few seconds until somebody does");
            }
            self.failing = true;
            // What happens until the next word is not known.
            self.revoker.notify();
            sleep(self.backoff.next_delay()).await;
        }
    }

    /// Hears until nobody tells any more, and gives the reason.
    async fn listen(&mut self) -> Status {
        let opening = self
            .client
            .watch_revocations(pb::WatchRevocationsRequest {});
        let mut stream = match timeout(SILENCE, opening).await {
            Ok(Ok(response)) => response.into_inner(),
            Ok(Err(status)) => return status,
            Err(_) => return silent(),
        };
        loop {
            match timeout(SILENCE, stream.message()).await {
                Ok(Ok(Some(said))) => self.hear(said),
                Ok(Ok(None)) => return Status::unavailable("the platform ended the stream"),
                Ok(Err(status)) => return status,
                Err(_) => return silent(),
            }
        }
    }

    fn hear(&mut self, said: pb::WatchRevocationsResponse) {
        if self.failing {
            tracing::info!("revocations are told again");
        }
        self.failing = false;
        self.backoff.reset();
        if self.heard.as_ref() != Some(&said) {
            self.heard = Some(said);
            self.revoker.notify();
        }
    }
}

fn silent() -> Status {
    Status::deadline_exceeded("the platform is silent")
}
