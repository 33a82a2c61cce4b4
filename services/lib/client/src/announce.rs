//! Heartbeat of a part to the platform: announces version, health and notices.

use std::time::Duration;

use causeway_proto::platform::v1::{self as pb, part_service_client::PartServiceClient};
use causeway_shell::{Health, Shell};

use crate::Peer;

const FIRST_INTERVAL: Duration = Duration::from_secs(5);
const RETRY: Duration = Duration::from_secs(1);
const LEAVE_TIMEOUT: Duration = Duration::from_millis(500);

/// Starts the task that announces the part: on each change of its health, every few seconds, and at shutdown.
pub fn announce(shell: &Shell, peer: Peer) {
    announce_actions(shell, peer, Vec::new());
}

/// The same for a part that allows these actions only.
pub fn announce_actions(shell: &Shell, peer: Peer, allowed_actions: Vec<String>) {
    let announcer = Announcer {
        shell: shell.clone(),
        allowed_actions,
    };
    let announcing = announcer.run(PartServiceClient::new(peer));
    shell.tasks().spawn("announce", Box::pin(announcing));
}

/// What a part announces beside its health.
struct Announcer {
    shell: Shell,
    allowed_actions: Vec<String>,
}

impl Announcer {
    async fn run(self, client: PartServiceClient<Peer>) {
        // A draining platform rejects announcements, which is expected.
        tokio::select! {
            () = self.keep_announcing(client.clone()) => {}
            () = self.shell.shutdown().requested() => {}
        }
        self.leave(client).await;
    }

    async fn keep_announcing(&self, mut client: PartServiceClient<Peer>) {
        let mut health = self.shell.health();
        let mut notices = self.shell.notices().watch();
        let mut interval = FIRST_INTERVAL;
        let mut failing = false;
        loop {
            health.mark_unchanged();
            notices.mark_unchanged();
            let wait = match client.announce(self.announcement()).await {
                Ok(response) => {
                    failing = false;
                    let seconds = response.into_inner().interval_seconds.clamp(1, 60);
                    interval = Duration::from_secs(seconds.into());
                    interval
                }
                Err(status) => {
                    if !failing {
                        tracing::warn!(%status, "cannot announce this part to the platform; retrying");
                    }
                    failing = true;
                    RETRY.min(interval)
                }
            };
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                _ = health.changed() => {}
                _ = notices.changed() => {}
            }
        }
    }

    async fn leave(&self, mut client: PartServiceClient<Peer>) {
        let leaving = pb::AnnounceRequest {
            leaving: true,
            ..self.announcement()
        };
        // If the platform is already gone, it will detect the missing announcements.
        let _ = tokio::time::timeout(LEAVE_TIMEOUT, client.announce(leaving)).await;
    }

    fn announcement(&self) -> pb::AnnounceRequest {
        let shell = &self.shell;
        let (health, pending) = match &*shell.health().borrow() {
            Health::Ready => (pb::Health::Serving, Vec::new()),
            Health::Starting { pending } => (pb::Health::NotServing, pending.clone()),
            Health::Draining => (pb::Health::NotServing, vec!["drain"]),
        };
        pb::AnnounceRequest {
            part: shell.name().to_owned(),
            instance: shell.instance().to_owned(),
            version: shell.version().to_owned(),
            health: health.into(),
            pending: pending.into_iter().map(str::to_owned).collect(),
            leaving: false,
            notices: shell.notices().watch().borrow().values().cloned().collect(),
            allowed_actions: self.allowed_actions.clone(),
        }
    }
}
