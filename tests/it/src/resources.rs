//! What is no application, from a cluster to whoever asks the platform.

use causeway_proto::inventory::v1::{
    ListEventsRequest, ListResourcesRequest, LiveResource, ResourceFilter,
    resource_service_client::ResourceServiceClient,
};
use causeway_sandbox::{Sandbox, SandboxOptions};
use causeway_testkit::{Mesh, wait_until};
use kube::{
    Api, ResourceExt as _,
    api::{ApiResource, DynamicObject, PostParams},
    core::GroupVersionKind,
};
use serde_json::{Value, json};

use crate::world::{PATIENCE, application, create};

/// Creates an object in the namespace "default"; gives its uid.
async fn make(sandbox: &Sandbox, (group, kind): (&str, &str), object: Value) -> String {
    let kind = GroupVersionKind::gvk(group, "v1", kind);
    let resource = ApiResource::from_gvk(&kind);
    let client = sandbox.kube().client();
    let api: Api<DynamicObject> = Api::namespaced_with(client, "default", &resource);
    let object = serde_json::from_value(object).unwrap();
    let made = api.create(&PostParams::default(), &object).await.unwrap();
    made.uid().unwrap()
}

/// A Deployment of the application "web-app".
fn deployment() -> Value {
    let labels = json!({"app": "web"});
    let tracking = "argocd_web-app:apps/Deployment:default/web";
    json!({
        "metadata": {"name": "web", "annotations": {
            "argocd.argoproj.io/tracking-id": tracking, "argocd.argoproj.io/hook": "PostSync",
        }},
        "spec": {
            "replicas": 1, "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": "web:1"}]}},
        },
    })
}

async fn replica_sets(mesh: &Mesh) -> Vec<LiveResource> {
    let request = ListResourcesRequest {
        filter: Some(ResourceFilter {
            runtime: "east".to_owned(),
            kind: "ReplicaSet".to_owned(),
            application: "web-app".to_owned(),
            ..ResourceFilter::default()
        }),
        ..ListResourcesRequest::default()
    };
    let listed = ResourceServiceClient::new(mesh.user())
        .list_resources(request)
        .await;
    listed.unwrap().into_inner().resources
}

#[tokio::test(flavor = "multi_thread")]
async fn resources_and_events_of_applications_reach_the_platform() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let sandbox = mesh.sandbox();
    create(sandbox, &application(sandbox, "web-app")).await;
    let uid = make(sandbox, ("apps", "Deployment"), deployment()).await;
    let event = json!({
        "metadata": {"name": "web.1"}, "type": "Normal", "reason": "ScalingReplicaSet", "message": "up",
        "involvedObject": {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "default", "name": "web", "uid": uid},
    });
    make(sandbox, ("", "Event"), event).await;
    let sets = wait_until("the ReplicaSet", PATIENCE, async || {
        let sets = replica_sets(&mesh).await;
        if sets.is_empty() {
            Err("none is told".to_owned())
        } else {
            Ok(sets)
        }
    })
    .await;
    assert_eq!(
        (sets.len(), &*sets[0].images),
        (1, &["web:1".to_owned()][..])
    );
    assert_eq!(sets[0].cluster, "in-cluster");
    let request = ListEventsRequest {
        application: "web-app".to_owned(),
        ..ListEventsRequest::default()
    };
    wait_until("the event", PATIENCE, async || {
        let mut client = ResourceServiceClient::new(mesh.user());
        let told = client
            .list_events(request.clone())
            .await
            .unwrap()
            .into_inner();
        let reasons = told
            .events
            .iter()
            .filter_map(|it| Some(&*it.event.as_ref()?.reason));
        if reasons
            .into_iter()
            .any(|reason| reason == "ScalingReplicaSet")
        {
            Ok(())
        } else {
            Err(format!("{told:?}"))
        }
    })
    .await;
    mesh.stop().await;
}
