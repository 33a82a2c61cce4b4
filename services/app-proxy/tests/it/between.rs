//! Others change an object between two calls that the proxy makes for one request.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use causeway_argocd::ArgocdArgs;
use causeway_proto::proxy::v1::application_action_service_server::ApplicationActionService as _;
use kube::{
    api::{Api, ApiResource, DynamicObject, Patch, PatchParams},
    client::Body,
    core::GroupVersionKind,
};
use serde_json::{Value, json};

use crate::stage::{ALL, Stage, by_admin, delete, new_id, sync};

/// A way to the cluster on which somebody else changes `web` once, right before the first deletion arrives.
fn raced(cluster: &kube::Client, change: Value) -> kube::Client {
    let (inner, other, done) = (
        cluster.clone(),
        cluster.clone(),
        Arc::<AtomicBool>::default(),
    );
    let service = tower::service_fn(move |request: http::Request<Body>| {
        let (inner, other, done) = (inner.clone(), other.clone(), done.clone());
        let change = change.clone();
        async move {
            if request.method() == http::Method::DELETE && !done.swap(true, Ordering::SeqCst) {
                let kind = GroupVersionKind::gvk("argoproj.io", "v1alpha1", "Application");
                let kind = ApiResource::from_gvk(&kind);
                let api = Api::<DynamicObject>::namespaced_with(other, "argocd", &kind);
                let patch = Patch::Merge(change);
                let patched = api.patch("web", &PatchParams::default(), &patch).await;
                patched.unwrap();
            }
            inner.send(request).await
        }
    });
    kube::Client::new(service, "default")
}

#[tokio::test]
async fn what_becomes_of_the_resources_is_what_was_asked_for_though_somebody_takes_it_back() {
    let stage = Stage::set().await;
    let id = new_id();
    let started = stage.by_patch();
    let started = started.sync_application(by_admin(sync("web", &id))).await;
    started.unwrap();
    stage.ended("web", &id).await;
    stage.idle("web").await;
    let leaves = json!({"metadata": {"finalizers": null}});
    let client = raced(&stage.sandbox.kube().client(), leaves);
    let handler = Stage::handler_on(client, ALL, &ArgocdArgs::default());
    let order = by_admin(delete("web", &new_id(), ""));
    handler.delete_application(order).await.unwrap();
    stage.gone("web").await;
    let truth = stage.sandbox.kube().snapshot();
    assert!(truth.find("ConfigMap", "default", "a").is_none());
}
