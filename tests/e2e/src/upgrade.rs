//! A runtime and a platform of which one is of the version before: what the last release's contract does not have never arrives at
//! the other, neither field nor call. The programs themselves are held to it by `make previous`.

mod lens;

use causeway_client::{Credential, Peer, PeerUrl};
use causeway_proto::{
    inventory::v1::{
        WatchApplicationsRequest, application_service_client::ApplicationServiceClient,
    },
    platform::v1::{ListRuntimesRequest, runtime_service_client::RuntimeServiceClient},
    proxy::v1::{
        SyncApplicationRequest, application_action_service_client::ApplicationActionServiceClient,
    },
};
use causeway_sandbox::SandboxOptions;
use causeway_testkit::{Mesh, new_id, wait_until};
use prost_reflect::DescriptorPool;
use tonic::Code;

use self::lens::Lens;
use crate::{
    program::SOON,
    world::{create, delete, label, publish, told, until_told},
};

/// The contract of the last release, by which breaking changes are judged too.
const BASE: &[u8] = include_bytes!("../../../proto/base.binpb");

fn base() -> DescriptorPool {
    DescriptorPool::decode(BASE).unwrap()
}

fn through(lens: &Lens, mesh: &Mesh) -> Peer {
    let url = PeerUrl::parse(&lens.url(), None).unwrap();
    Peer::new(&url, Credential::api_key(&mesh.admin_key()))
}

/// Joins, reports, is listed, watched and acted on, though both sides see of each other what the last release knew.
#[tokio::test(flavor = "multi_thread")]
async fn a_runtime_and_a_platform_that_know_only_the_last_release_of_each_other_work_together() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let lens = Lens::before(&mesh.router.url(), base()).await;
    let west = mesh
        .join_at(&lens.url(), "west", SandboxOptions::in_memory())
        .await;
    let sandbox = west.sandbox();
    publish(sandbox, "a").await;
    for name in ["a", "b"] {
        create(sandbox, name).await;
    }
    let user = through(&lens, &mesh);
    until_told(&user, "west", sandbox).await;
    let mut watch = ApplicationServiceClient::new(user.clone());
    let watch = watch.watch_applications(WatchApplicationsRequest::default());
    let mut watch = watch.await.unwrap().into_inner();
    while watch.message().await.unwrap().unwrap().cursor.is_empty() {}
    label(sandbox, "a").await;
    delete(sandbox, "b").await;
    until_told(&user, "west", sandbox).await;
    watch.message().await.unwrap().unwrap();
    let actions = ApplicationActionServiceClient::new(user);
    let order = SyncApplicationRequest {
        runtime: "west".to_owned(),
        namespace: "argocd".to_owned(),
        name: "a".to_owned(),
        request_id: new_id(),
        ..SyncApplicationRequest::default()
    };
    wait_until("a sync through the tunnel", SOON, async || {
        let asked = actions.clone().sync_application(order.clone()).await;
        asked.map(drop).map_err(|status| status.to_string())
    })
    .await;
    west.stop().await;
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn call_unknown_to_the_last_release_is_reported_as_such() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let mut without = lens::Contract::of(BASE);
    without.take_method("causeway.platform.v1.RuntimeService", "ListRuntimes");
    let lens = Lens::before(&mesh.router.url(), without.pool()).await;
    let mut runtimes = RuntimeServiceClient::new(through(&lens, &mesh));
    let refused = runtimes.list_runtimes(ListRuntimesRequest::default()).await;
    assert_eq!(refused.unwrap_err().code(), Code::Unimplemented);
    mesh.stop().await;
}

/// The twin: what the parts cannot do without is missed.
#[tokio::test(flavor = "multi_thread")]
async fn runtime_with_incomplete_reports_is_not_listed() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let mut without = lens::Contract::of(BASE);
    without.take_field("causeway.inventory.v1.Report", "resource_version");
    let lens = Lens::before(&mesh.router.url(), without.pool()).await;
    let west = mesh
        .join_at(&lens.url(), "west", SandboxOptions::in_memory())
        .await;
    let sandbox = west.sandbox();
    create(sandbox, "a").await;
    wait_until("reports without it", SOON, async || match lens.taken() {
        0 => Err("none yet".to_owned()),
        _ => Ok(()),
    })
    .await;
    assert!(told(&mesh.user(), "west").await.unwrap().is_empty());
    west.stop().await;
    mesh.stop().await;
}
