//! What the platform lists, held against what there is.

use std::{collections::BTreeMap, fmt, time::Duration};

use crate::{Known, wait_until};
use causeway_client::Peer;
use causeway_proto::inventory::v1::{
    self as pb, HealthStatus, SyncStatus, application_service_client::ApplicationServiceClient,
};

/// The most that a page holds.
const PAGE: u32 = 1_000;
/// How long the platform may be too busy to list.
const PATIENCE: Duration = Duration::from_secs(300);
/// How many are named of each fault.
const NAMED: usize = 5;

/// What is wrong, each as `runtime/name`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Applications that there are.
    pub applications: usize,
    /// They are not listed, or in a state that is not their last.
    pub lost: Vec<String>,
    /// They are listed and are not there, or are another object of that name.
    pub ghosts: Vec<String>,
}

impl Verdict {
    /// Holds what is listed against what there is, both by (runtime, name).
    pub fn of(
        truth: &BTreeMap<(String, String), Known>,
        listed: &BTreeMap<(String, String), pb::Application>,
    ) -> Self {
        let name = |(runtime, name): &(String, String)| format!("{runtime}/{name}");
        let is_last = |(key, known): &(&_, &Known)| {
            let shown = listed.get(*key);
            shown.is_some_and(|shown| is_state(shown, known))
        };
        let is_there = |(key, shown): &(&_, &pb::Application)| {
            let known = truth.get(*key);
            known.is_some_and(|known| known.uid == shown.uid)
        };
        let lost = truth.iter().filter(|one| !is_last(one));
        let ghosts = listed.iter().filter(|one| !is_there(one));
        Self {
            applications: truth.len(),
            lost: lost.map(|(key, _)| name(key)).collect(),
            ghosts: ghosts.map(|(key, _)| name(key)).collect(),
        }
    }

    /// Whether nothing is.
    pub fn is_clean(&self) -> bool {
        self.lost.is_empty() && self.ghosts.is_empty()
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (lost, ghosts) = (self.lost.len(), self.ghosts.len());
        write!(
            formatter,
            "{} applications, {lost} lost, {ghosts} ghosts",
            self.applications
        )?;
        for (word, names) in [("lost", &self.lost), ("ghosts", &self.ghosts)] {
            if !names.is_empty() {
                let some: Vec<_> = names.iter().take(NAMED).map(String::as_str).collect();
                write!(formatter, "; {word}: {}", some.join(", "))?;
            }
        }
        Ok(())
    }
}

fn is_state(shown: &pb::Application, known: &Known) -> bool {
    let status = shown.status.as_ref();
    let sync = status.and_then(|status| status.sync.as_ref());
    let health = status.and_then(|status| status.health.as_ref());
    let synced = match known.sync {
        "Synced" => SyncStatus::Synced,
        _ => SyncStatus::OutOfSync,
    };
    let healthy = match known.health {
        "Healthy" => HealthStatus::Healthy,
        "Progressing" => HealthStatus::Progressing,
        _ => HealthStatus::Degraded,
    };
    shown.uid == known.uid
        && shown.resource_version == known.resource_version
        && sync.is_some_and(|sync| {
            sync.status() == synced && sync.revisions == [known.revision.clone()]
        })
        && health.is_some_and(|health| health.status() == healthy)
}

/// Everything that the platform lists, by (runtime, name).
pub(super) async fn listed(user: &Peer) -> BTreeMap<(String, String), pb::Application> {
    let client = ApplicationServiceClient::new(user.clone()).max_decoding_message_size(64 << 20);
    let mut listed = BTreeMap::new();
    let mut request = pb::ListApplicationsRequest {
        page_size: PAGE,
        ..pb::ListApplicationsRequest::default()
    };
    loop {
        let page = wait_until("a page of applications", PATIENCE, async || {
            let page = client.clone().list_applications(request.clone()).await;
            page.map_err(|status| status.to_string())
        });
        let page = page.await.into_inner();
        for one in page.applications {
            listed.insert((one.runtime.clone(), one.name.clone()), one);
        }
        if page.next_page_token.is_empty() {
            return listed;
        }
        request.page_token = page.next_page_token;
    }
}
