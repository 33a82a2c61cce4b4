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
    let announcing = run(shell.clone(), PartServiceClient::new(peer));
    shell.tasks().spawn("announce", Box::pin(announcing));
}

async fn run(shell: Shell, client: PartServiceClient<Peer>) {
    // A draining platform rejects announcements, which is expected.
    tokio::select! {
        () = keep_announcing(&shell, client.clone()) => {}
        () = shell.shutdown().requested() => {}
    }
    leave(&shell, client).await;
}

async fn keep_announcing(shell: &Shell, mut client: PartServiceClient<Peer>) {
    let mut health = shell.health();
    let mut notices = shell.notices().watch();
    let mut interval = FIRST_INTERVAL;
    let mut failing = false;
    loop {
        health.mark_unchanged();
        notices.mark_unchanged();
        let wait = match client.announce(announcement(shell)).await {
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

async fn leave(shell: &Shell, mut client: PartServiceClient<Peer>) {
    let leaving = pb::AnnounceRequest {
        leaving: true,
        ..announcement(shell)
    };
    // If the platform is already gone, it will detect the missing announcements.
    let _ = tokio::time::timeout(LEAVE_TIMEOUT, client.announce(leaving)).await;
}

fn announcement(shell: &Shell) -> pb::AnnounceRequest {
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
        allowed_actions: Vec::new(),
    }
}
