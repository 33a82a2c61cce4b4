//! Watches: start, events, bookmarks, end.

use futures::StreamExt as _;
use http::Method;
use kube::{
    Api,
    api::{ApiResource, DynamicObject, GroupVersionKind},
    runtime::watcher,
};
use serde_json::{Value, json};

use crate::{
    kubernetes::widgets::{Widgets, widget},
    target::{NO_REVISION, TIMEOUT, World, assert_refusal, cells, config_map, revision, text},
};

const TABLE: &str = "application/json;as=Table;g=meta.k8s.io;v=v1";

pub(crate) async fn a_watch_from_a_revision_gives_exactly_what_came_after(world: &World) {
    let path = world.path("v1", "configmaps");
    world.create(&path, &config_map("before", json!({}))).await;
    let from = revision(&world.create(&path, &config_map("a", json!({}))).await);
    world
        .create(
            &world.path("v1", "secrets"),
            &json!({ "metadata": { "name": "other" } }),
        )
        .await;
    let changed = world
        .merge(&format!("{path}/a"), &json!({ "data": { "x": "1" } }))
        .await
        .ok();
    world.create(&path, &config_map("b", json!({}))).await;
    world.delete(&format!("{path}/a")).await.ok();
    let mut watch = world.watch(&format!("{path}?resourceVersion={from}")).await;
    let first = watch.next().await;
    assert_eq!(first["type"], "MODIFIED");
    assert_eq!(first["object"]["kind"], "ConfigMap");
    assert_eq!(first["object"]["data"]["x"], "1");
    assert_eq!(revision(&first["object"]), revision(&changed));
    assert_eq!(watch.named().await, pair("ADDED", "b"));
    assert_eq!(watch.named().await, pair("DELETED", "a"));
}

pub(crate) async fn a_watch_from_nothing_begins_with_what_is_there(world: &World) {
    let path = world.path("v1", "configmaps");
    for name in ["a", "b"] {
        world.create(&path, &config_map(name, json!({}))).await;
    }
    for from in ["", "?resourceVersion=0"] {
        let mut watch = world.watch(&format!("{path}{from}")).await;
        assert_eq!(watch.named().await, pair("ADDED", "a"), "{from}");
        assert_eq!(watch.named().await, pair("ADDED", "b"), "{from}");
    }
}

pub(crate) async fn a_watch_sees_what_is_written_while_it_is_open(world: &World) {
    let path = world.path("v1", "configmaps");
    let mut watch = world.watch(&path).await;
    let made = world.create(&path, &config_map("a", json!({}))).await;
    let event = watch.next().await;
    assert_eq!(
        (text(&event["type"]), &event["object"]),
        ("ADDED".to_owned(), &made)
    );
    let changed = world
        .merge(&format!("{path}/a"), &json!({ "data": { "x": "1" } }))
        .await
        .ok();
    let event = watch.next().await;
    assert_eq!(
        (text(&event["type"]), &event["object"]),
        ("MODIFIED".to_owned(), &changed)
    );
}

pub(crate) async fn a_write_that_changes_nothing_is_no_event(world: &World) {
    let path = world.path("v1", "configmaps");
    let made = world
        .create(&path, &config_map("a", json!({ "x": "1" })))
        .await;
    let mut watch = world
        .watch(&format!("{path}?resourceVersion={}", revision(&made)))
        .await;
    world
        .merge(&format!("{path}/a"), &json!({ "data": { "x": "1" } }))
        .await
        .ok();
    world.create(&path, &config_map("b", json!({}))).await;
    assert_eq!(watch.named().await, pair("ADDED", "b"));
}

pub(crate) async fn entering_and_leaving_a_selection_are_additions_and_deletions(world: &World) {
    let path = world.path("v1", "configmaps");
    let from = revision(&world.create(&path, &config_map("a", json!({}))).await);
    let mut revisions = Vec::new();
    for label in [json!("web"), json!("api"), json!(null), json!("web")] {
        let change = json!({ "metadata": { "labels": { "app": label } } });
        revisions.push(revision(
            &world.merge(&format!("{path}/a"), &change).await.ok(),
        ));
    }
    world.delete(&format!("{path}/a")).await.ok();
    let selected = format!("{path}?labelSelector=app%3Dweb&resourceVersion={from}");
    let mut watch = world.watch(&selected).await;
    assert_eq!(watch.named().await, pair("ADDED", "a"));
    let left = watch.next().await;
    assert_eq!(left["type"], "DELETED");
    assert_eq!(
        left["object"]["metadata"]["labels"]["app"], "web",
        "the last state that was selected"
    );
    assert_eq!(
        revision(&left["object"]),
        revisions[1],
        "at the revision that took it out"
    );
    assert_eq!(watch.named().await, pair("ADDED", "a"));
    assert_eq!(watch.named().await, pair("DELETED", "a"));
}

pub(crate) async fn one_object_is_watched_by_its_name(world: &World) {
    let path = world.path("v1", "configmaps");
    let mut watch = world
        .watch(&format!("{path}?fieldSelector=metadata.name%3Db"))
        .await;
    for name in ["a", "b"] {
        world.create(&path, &config_map(name, json!({}))).await;
    }
    assert_eq!(watch.named().await, pair("ADDED", "b"));
}

pub(crate) async fn a_deletion_carries_the_last_state_at_a_revision_of_its_own(world: &World) {
    let path = world.path("v1", "configmaps");
    let made = world
        .create(&path, &config_map("a", json!({ "x": "1" })))
        .await;
    let mut watch = world
        .watch(&format!("{path}?resourceVersion={}", revision(&made)))
        .await;
    world.delete(&format!("{path}/a")).await.ok();
    let event = watch.next().await;
    assert_eq!(event["type"], "DELETED");
    assert_eq!(event["object"]["data"]["x"], "1");
    assert_eq!(event["object"]["metadata"]["uid"], made["metadata"]["uid"]);
    assert!(revision(&event["object"]) > revision(&made));
}

pub(crate) async fn a_held_object_is_seen_to_be_deleting_first(world: &World) {
    let path = world.path("v1", "configmaps");
    let held = json!({ "metadata": { "name": "a", "finalizers": ["example.com/hold"] } });
    let made = world.create(&path, &held).await;
    let mut watch = world
        .watch(&format!("{path}?resourceVersion={}", revision(&made)))
        .await;
    world.delete(&format!("{path}/a")).await.ok();
    let marked = watch.next().await;
    assert_eq!(marked["type"], "MODIFIED");
    assert_ne!(text(&marked["object"]["metadata"]["deletionTimestamp"]), "");
    world
        .merge(
            &format!("{path}/a"),
            &json!({ "metadata": { "finalizers": null } }),
        )
        .await
        .ok();
    let gone = watch.next().await;
    assert_eq!(gone["type"], "DELETED");
    assert_eq!(
        gone["object"]["metadata"]["finalizers"],
        json!(["example.com/hold"]),
        "the write that ended it is not seen"
    );
    assert!(revision(&gone["object"]) > revision(&marked["object"]));
}

pub(crate) async fn a_bookmark_comes_before_the_end_where_it_was_asked_for(world: &World) {
    let path = world.path("v1", "configmaps");
    let made = world.create(&path, &config_map("a", json!({}))).await;
    let from = format!(
        "{path}?resourceVersion={}&timeoutSeconds=5",
        revision(&made)
    );
    let mut watch = world
        .watch(&format!("{from}&allowWatchBookmarks=true"))
        .await;
    let last = world.create(&path, &config_map("b", json!({}))).await;
    assert_eq!(watch.named().await, pair("ADDED", "b"));
    let bookmark = watch.next().await;
    assert_eq!(bookmark["type"], "BOOKMARK");
    let object = &bookmark["object"];
    assert_eq!(
        (&object["kind"], &object["apiVersion"]),
        (&json!("ConfigMap"), &json!("v1"))
    );
    assert!(revision(object) >= revision(&last));
    let fields: Vec<_> = object["metadata"].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["resourceVersion"], "{bookmark}");
    let mut silent = world
        .watch(&format!(
            "{path}?resourceVersion={}&timeoutSeconds=4",
            revision(&last)
        ))
        .await;
    assert_eq!(silent.try_next().await, None);
}

pub(crate) async fn a_watch_ends_after_its_timeout_without_a_word(world: &World) {
    let path = world.path("v1", "configmaps");
    let mut watch = world.watch(&format!("{path}?timeoutSeconds=1")).await;
    assert_eq!(watch.try_next().await, None);
}

pub(crate) async fn a_forgotten_revision_is_gone_as_an_event(world: &World) {
    let before = revision(
        &world
            .create(&world.path("v1", "configmaps"), &config_map("a", json!({})))
            .await,
    );
    let widgets = Widgets::install(world).await;
    world.create(&widgets.path, &widget(&widgets, "a")).await;
    let mut watch = world
        .watch(&format!("{}?resourceVersion={before}", widgets.path))
        .await;
    let event = watch.next().await;
    assert_eq!(event["type"], "ERROR");
    assert_refusal(&event["object"], 410, "Expired");
    let message = text(&event["object"]["message"]);
    assert!(
        message.starts_with(&format!("too old resource version: {before} (")),
        "{message}"
    );
    assert_eq!(watch.try_next().await, None);
}

pub(crate) async fn a_watch_from_the_future_waits(world: &World) {
    let path = world.path("v1", "configmaps");
    let made = world.create(&path, &config_map("a", json!({}))).await;
    let future = revision(&made) + 1_000_000;
    let mut watch = world
        .watch(&format!("{path}?resourceVersion={future}&timeoutSeconds=1"))
        .await;
    assert_eq!(watch.try_next().await, None);
}

pub(crate) async fn a_watch_from_what_is_no_revision_fails(world: &World) {
    let path = world.path("v1", "configmaps");
    let asked = format!("{path}?watch=true&resourceVersion=abc");
    let answer = world.get(&asked).await;
    assert_eq!(answer.status, 500);
    assert_eq!(answer.body.get("reason"), None, "{:?}", answer.body);
    assert_eq!(answer.body["message"], NO_REVISION);
}

pub(crate) async fn a_watch_of_a_table_sends_its_columns_once(world: &World) {
    let path = world.path("v1", "configmaps");
    for name in ["a", "b"] {
        world
            .create(&path, &config_map(name, json!({ "k": "v" })))
            .await;
    }
    let mut watch = world.watch_as(&path, TABLE).await;
    let first = watch.next().await;
    assert_eq!(
        (&first["type"], &first["object"]["kind"]),
        (&json!("ADDED"), &json!("Table"))
    );
    let columns = first["object"]["columnDefinitions"].as_array().unwrap();
    let columns: Vec<_> = columns.iter().map(|column| text(&column["name"])).collect();
    assert_eq!(columns[0], "Name");
    assert_eq!(
        cells(&first["object"]["rows"][0], 1),
        json!(["a"]).as_array().unwrap()
    );
    assert_eq!(
        first["object"]["rows"][0]["object"]["kind"],
        "PartialObjectMetadata"
    );
    let second = watch.next().await;
    assert_eq!(second["object"]["columnDefinitions"], Value::Null);
    assert_eq!(second["object"]["rows"][0]["cells"][0], "b");
}

pub(crate) async fn a_watch_of_an_unknown_kind_is_not_found(world: &World) {
    let path = world.path("v1", "things");
    let answer = world
        .request(Method::GET, &format!("{path}?watch=true"))
        .send()
        .await;
    answer.refused(404, "NotFound");
}

pub(crate) async fn the_watcher_of_the_client_library_keeps_up(world: &World) {
    let path = world.path("v1", "configmaps");
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "ConfigMap"));
    world.create(&path, &config_map("a", json!({}))).await;
    let api: Api<DynamicObject> =
        Api::namespaced_with(world.client().await, world.namespace(), &kind);
    let mut stream = watcher(api, watcher::Config::default().labels("!skip")).boxed();
    world
        .merge(
            &format!("{path}/a"),
            &json!({ "data": { "x": crate::target::unique("x") } }),
        )
        .await
        .ok();
    let mut done = false;
    while !done {
        let event = tokio::time::timeout(TIMEOUT, stream.next()).await.unwrap();
        done = matches!(event.unwrap().unwrap(), watcher::Event::InitDone);
    }
    world.create(&path, &config_map("b", json!({}))).await;
    let event = tokio::time::timeout(TIMEOUT, stream.next())
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    assert!(
        matches!(event, watcher::Event::Apply(object) if object.metadata.name.as_deref() == Some("b"))
    );
    world.delete(&format!("{path}/b")).await.ok();
    let event = tokio::time::timeout(TIMEOUT, stream.next())
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    assert!(
        matches!(event, watcher::Event::Delete(object) if object.metadata.name.as_deref() == Some("b"))
    );
}

fn pair(kind: &str, name: &str) -> (String, String) {
    (kind.to_owned(), name.to_owned())
}
