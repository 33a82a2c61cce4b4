//! What the platform shows of the applications, and how it differs from what the cluster has.

use std::collections::BTreeMap;

use causeway_client::Peer;
use causeway_proto::inventory::v1::{
    self as pb, application_service_client::ApplicationServiceClient,
};

const PAGE: u32 = 1_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Difference {
    /// Applications whose last state is not shown.
    pub(super) lost: usize,
    /// Applications that are shown and are not there.
    pub(super) ghosts: usize,
}

impl Difference {
    pub(super) fn is_none(self) -> bool {
        self.lost == 0 && self.ghosts == 0
    }
}

pub(super) fn difference(
    truth: &BTreeMap<String, u64>,
    shown: &BTreeMap<String, u64>,
) -> Difference {
    let lost = truth
        .iter()
        .filter(|(name, version)| shown.get(*name) != Some(version));
    let ghosts = shown.keys().filter(|name| !truth.contains_key(*name));
    Difference {
        lost: lost.count(),
        ghosts: ghosts.count(),
    }
}

/// The name and the resource version of each application that the platform shows.
pub(super) async fn versions(peer: Peer) -> anyhow::Result<BTreeMap<String, u64>> {
    let mut client = ApplicationServiceClient::new(peer);
    let mut request = pb::ListApplicationsRequest {
        page_size: PAGE,
        ..pb::ListApplicationsRequest::default()
    };
    let mut shown = BTreeMap::new();
    loop {
        let page = client
            .list_applications(request.clone())
            .await?
            .into_inner();
        for application in page.applications {
            shown.insert(application.name, application.resource_version);
        }
        if page.next_page_token.is_empty() {
            return Ok(shown);
        }
        request.page_token = page.next_page_token;
    }
}
