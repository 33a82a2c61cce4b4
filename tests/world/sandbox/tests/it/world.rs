//! A running API and short ways to say what a test does with it.

use std::time::Duration;

use causeway_sandbox::{KubeApi, KubeOptions};
use futures::StreamExt as _;
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, Patch, PatchParams, PostParams, WatchEvent, WatchParams},
    core::GroupVersionKind,
};
use serde_json::{Value, json};

pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct World {
    pub(crate) sandbox: KubeApi,
    pub(crate) client: Client,
}

pub(crate) fn options() -> KubeOptions {
    KubeOptions {
        pod_start: Duration::from_millis(20),
        pod_run: Some(Duration::from_millis(20)),
        ..KubeOptions::in_memory()
    }
}

pub(crate) async fn world() -> World {
    world_with(options()).await
}

pub(crate) async fn world_with(options: KubeOptions) -> World {
    let sandbox = KubeApi::start(options).await.unwrap();
    let client = sandbox.client();
    World { sandbox, client }
}

pub(crate) fn resource(group: &str, version: &str, kind: &str) -> ApiResource {
    ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind))
}

pub(crate) fn application(name: &str) -> DynamicObject {
    object(json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": { "name": name },
        "spec": { "project": "default", "destination": { "namespace": "default" } },
    }))
}

pub(crate) fn config_map(name: &str, data: &Value) -> DynamicObject {
    object(
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": data }),
    )
}

pub(crate) fn object(value: Value) -> DynamicObject {
    serde_json::from_value(value).unwrap()
}

impl World {
    pub(crate) fn applications(&self) -> Api<DynamicObject> {
        self.of("argoproj.io", "v1alpha1", "Application")
    }

    pub(crate) fn config_maps(&self) -> Api<DynamicObject> {
        self.of("", "v1", "ConfigMap")
    }

    pub(crate) fn of(&self, group: &str, version: &str, kind: &str) -> Api<DynamicObject> {
        Api::default_namespaced_with(self.client.clone(), &resource(group, version, kind))
    }

    pub(crate) fn cluster(&self, group: &str, version: &str, kind: &str) -> Api<DynamicObject> {
        Api::all_with(self.client.clone(), &resource(group, version, kind))
    }
}

pub(crate) async fn create(api: &Api<DynamicObject>, object: &DynamicObject) -> DynamicObject {
    api.create(&PostParams::default(), object).await.unwrap()
}

pub(crate) async fn merge(api: &Api<DynamicObject>, name: &str, change: &Value) -> DynamicObject {
    api.patch(name, &PatchParams::default(), &Patch::Merge(change))
        .await
        .unwrap()
}

pub(crate) fn revision(object: &DynamicObject) -> u64 {
    object
        .metadata
        .resource_version
        .as_deref()
        .unwrap()
        .parse()
        .unwrap()
}

/// The code and reason of a refusal.
pub(crate) fn refusal<T: std::fmt::Debug>(result: Result<T, kube::Error>) -> (u16, String) {
    let error = result.unwrap_err();
    let kube::Error::Api(status) = error else {
        panic!("not a refusal by the API: {error}")
    };
    (status.code, status.reason)
}

/// The next `count` events of a watch, each as kind and name.
pub(crate) async fn events(
    api: &Api<DynamicObject>,
    params: &WatchParams,
    from: &str,
    count: usize,
) -> Vec<(String, String)> {
    let stream = api.watch(params, from).await.unwrap();
    let read = stream
        .take(count)
        .map(|event| describe(&event.unwrap()))
        .collect();
    tokio::time::timeout(PATIENCE, read).await.unwrap()
}

pub(crate) fn describe(event: &WatchEvent<DynamicObject>) -> (String, String) {
    let named = |kind: &str, object: &DynamicObject| {
        (kind.to_owned(), object.metadata.name.clone().unwrap())
    };
    match event {
        WatchEvent::Added(object) => named("added", object),
        WatchEvent::Modified(object) => named("modified", object),
        WatchEvent::Deleted(object) => named("deleted", object),
        WatchEvent::Bookmark(bookmark) => (
            "bookmark".to_owned(),
            bookmark.metadata.resource_version.clone(),
        ),
        WatchEvent::Error(status) => ("error".to_owned(), status.code.to_string()),
    }
}

pub(crate) fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter()
        .map(|(kind, name)| ((*kind).to_owned(), (*name).to_owned()))
        .collect()
}

/// Waits until the object satisfies `holds`, by watching it.
pub(crate) async fn until(
    api: &Api<DynamicObject>,
    name: &str,
    holds: impl Fn(Option<&DynamicObject>) -> bool + Send,
) {
    let watched =
        kube::runtime::wait::await_condition(api.clone(), name, |found: Option<&DynamicObject>| {
            holds(found)
        });
    tokio::time::timeout(PATIENCE, watched)
        .await
        .expect("in time")
        .unwrap();
}

/// Waits until a later state of an object of this kind satisfies `holds`, however short it was.
pub(crate) async fn until_after(
    api: &Api<DynamicObject>,
    before: &DynamicObject,
    holds: impl Fn(&DynamicObject) -> bool,
) {
    let from = revision(before).to_string();
    let params = WatchParams::default();
    let mut stream = api.watch(&params, &from).await.unwrap().boxed();
    let looked = async {
        loop {
            let event = stream.next().await.expect("the watch goes on").unwrap();
            if matches!(&event, WatchEvent::Modified(object) if holds(object)) {
                return;
            }
        }
    };
    tokio::time::timeout(PATIENCE, looked)
        .await
        .expect("in time");
}
