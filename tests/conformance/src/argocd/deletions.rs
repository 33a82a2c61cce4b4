//! Deletion by the REST API, which sets or removes the finalizer.

use kube::api::{DeleteParams, PostParams};
use serde_json::{Value, json};

use super::{
    application::{Application, config_map, until_gone},
    world::World,
};

const FINALIZER: &str = "resources-finalizer.argocd.argoproj.io";

async fn synced<'a>(world: &'a World, word: &str, finalizers: &Value) -> Application<'a> {
    let mut web = Application::prepare(world, word).await;
    web.push(&[("a.yaml", &config_map("a", "1"))]).await;
    let policy = json!({"automated": {}});
    web.create(json!({"metadata": {"finalizers": finalizers}, "spec": {"syncPolicy": policy}}))
        .await;
    web.until_settled_at(1).await;
    web
}

pub(crate) async fn by_the_api_with_resources(world: &World) {
    let web = synced(world, "apideleted", &Value::Null).await;
    let answer = web.ask("DELETE", "?cascade=true", None).await;
    assert_eq!(answer.status, 200, "{:#}", answer.body);
    web.until(Value::is_null).await;
    until_gone(&web.config_maps(), "a").await;
}

pub(crate) async fn by_the_api_alone(world: &World) {
    let web = synced(world, "apiremoved", &json!([FINALIZER])).await;
    let answer = web.ask("DELETE", "?cascade=false", None).await;
    assert_eq!(answer.status, 200, "{:#}", answer.body);
    web.until(Value::is_null).await;
    assert!(web.config_maps().get_opt("a").await.unwrap().is_some());
}

/// The garbage collector deletes an object with the last of its owners.
pub(crate) async fn of_an_owner(world: &World) {
    let web = synced(world, "owned", &Value::Null).await;
    let maps = web.config_maps();
    let owner = maps.get("a").await.unwrap();
    let reference = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": owner.metadata.uid,
    });
    for (name, owners) in [("owned", json!([reference])), ("free", Value::Null)] {
        let metadata = json!({"name": name, "ownerReferences": owners});
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
        let map = serde_json::from_value(map).unwrap();
        maps.create(&PostParams::default(), &map).await.unwrap();
    }
    maps.delete("a", &DeleteParams::background()).await.unwrap();
    until_gone(&maps, "owned").await;
    assert!(maps.get_opt("free").await.unwrap().is_some());
}
