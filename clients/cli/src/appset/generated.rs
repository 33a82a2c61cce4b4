//! Applications that a set generated.

use std::collections::BTreeMap;

use causeway_proto::inventory::v1 as pb;

use crate::{
    connection::Connection,
    pages,
    resource::manifests::{self, Described},
};

const PAGE: u32 = 1_000;

/// An application that a set reports.
pub(super) struct Generated {
    pub(super) namespace: String,
    pub(super) name: String,
    /// The step of the set's own rollout that it is at; empty where the set has none.
    pub(super) step: String,
    /// As the platform knows it; nothing where it does not, or where the caller may not see it.
    pub(super) application: Option<pb::Application>,
}

/// Lists the applications of a set.
pub(super) async fn list(
    connection: &Connection,
    set: &Described,
) -> anyhow::Result<Vec<Generated>> {
    let named: Vec<(String, String)> = set
        .list("/status/resources")
        .iter()
        .map(|it| {
            (
                manifests::text(it.get("namespace")),
                manifests::text(it.get("name")),
            )
        })
        .collect();
    let mut known = applications(connection, set).await?;
    let steps: BTreeMap<String, String> = set
        .list("/status/applicationStatus")
        .iter()
        .map(|it| {
            let (status, step) = (manifests::text(it.get("status")), it.get("step"));
            let step = format!("{} {status}", manifests::text(step));
            (
                manifests::text(it.get("application")),
                step.trim().to_owned(),
            )
        })
        .collect();
    let named = named.into_iter().map(|(namespace, name)| Generated {
        step: steps.get(&name).cloned().unwrap_or_default(),
        application: known.remove(&(namespace.clone(), name.clone())),
        namespace,
        name,
    });
    Ok(named.collect())
}

/// Returns the applications of the set's runtime and cluster, by namespace and name.
async fn applications(
    connection: &Connection,
    set: &Described,
) -> anyhow::Result<BTreeMap<(String, String), pb::Application>> {
    let filter = pb::ApplicationFilter {
        runtime: set.resource.runtime.clone(),
        cluster: set.resource.cluster.clone(),
        ..pb::ApplicationFilter::default()
    };
    let mut client = connection.applications();
    let listed = pages::read_all(async |page_token| {
        let request = pb::ListApplicationsRequest {
            filter: Some(filter.clone()),
            page_size: PAGE,
            page_token,
            ..pb::ListApplicationsRequest::default()
        };
        client.list_applications(request).await
    });
    let listed = listed.await?.applications.into_iter();
    let keyed = listed.map(|it| ((it.namespace.clone(), it.name.clone()), it));
    Ok(keyed.collect())
}
