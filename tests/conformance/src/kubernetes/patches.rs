//! Changing objects in parts.

use http::Method;
use serde_json::{Value, json};

use crate::{
    kubernetes::widgets::{Widgets, widget},
    target::{World, config_map, cron_job, revision, text},
};

const JSON_PATCH: &str = "application/json-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";

pub(crate) async fn a_merge_patch_sets_and_removes(world: &World) {
    let path = world.path("v1", "configmaps");
    world
        .create(&path, &config_map("a", json!({ "x": "1", "y": "1" })))
        .await;
    let change = json!({ "data": { "x": null, "z": "1" }, "metadata": { "labels": { "l": "1" } } });
    let changed = world.merge(&format!("{path}/a"), &change).await.ok();
    assert_eq!(changed["data"], json!({ "y": "1", "z": "1" }));
    let unlabelled = json!({ "metadata": { "labels": { "l": null } } });
    let changed = world.merge(&format!("{path}/a"), &unlabelled).await.ok();
    assert_eq!(
        changed["metadata"].get("labels"),
        None,
        "an empty map is left out"
    );
}

pub(crate) async fn a_json_patch_does_all_of_it_or_nothing(world: &World) {
    let path = format!("{}/a", world.path("v1", "configmaps"));
    let made = world
        .create(
            &world.path("v1", "configmaps"),
            &config_map("a", json!({ "x": "1" })),
        )
        .await;
    let add = json!({ "op": "add", "path": "/data/y", "value": "2" });
    for wrong in [
        json!({ "op": "test", "path": "/data/x", "value": "9" }),
        json!({ "op": "remove", "path": "/data/absent" }),
        json!({ "op": "bogus", "path": "/data/x" }),
    ] {
        let refused = world
            .patch(&path, JSON_PATCH, &json!([add, wrong]))
            .await
            .refused(422, "Invalid");
        assert_eq!(
            refused["message"],
            "the server rejected our request due to an error in our request"
        );
    }
    assert_eq!(revision(&world.get(&path).await.ok()), revision(&made));
    let operations = json!([
        { "op": "test", "path": "/data/x", "value": "1" }, add,
        { "op": "replace", "path": "/data/x", "value": "3" }, { "op": "move", "from": "/data/y", "path": "/data/z" },
    ]);
    let changed = world.patch(&path, JSON_PATCH, &operations).await.ok();
    assert_eq!(changed["data"], json!({ "x": "3", "z": "2" }));
    world
        .patch(&path, JSON_PATCH, &json!({ "op": "add" }))
        .await
        .refused(400, "BadRequest");
}

pub(crate) async fn a_json_patch_replaces_also_what_is_not_there_yet(world: &World) {
    let path = world.path("v1", "configmaps");
    world
        .create(&path, &config_map("a", json!({ "x": "1" })))
        .await;
    let replace = |place: &str| json!([{ "op": "replace", "path": place, "value": "2" }]);
    let path = format!("{path}/a");
    let changed = world.patch(&path, JSON_PATCH, &replace("/data/y")).await;
    assert_eq!(changed.ok()["data"], json!({ "x": "1", "y": "2" }));
    for nowhere in ["/metadata/annotations/y", "/data/z/y"] {
        let answer = world.patch(&path, JSON_PATCH, &replace(nowhere)).await;
        answer.refused(422, "Invalid");
    }
}

pub(crate) async fn a_strategic_patch_merges_lists_by_their_keys(world: &World) {
    let path = world.path("batch/v1", "cronjobs");
    world.create(&path, &cron_job("a")).await;
    let containers = |list: Value| json!({ "spec": { "jobTemplate": { "spec": { "template": { "spec": { "containers": list } } } } } });
    let images = |job: &Value| {
        let list = job
            .pointer("/spec/jobTemplate/spec/template/spec/containers")
            .unwrap()
            .as_array()
            .unwrap();
        let mut images: Vec<_> = list
            .iter()
            .map(|container| text(&container["image"]))
            .collect();
        images.sort();
        images
    };
    let path = format!("{path}/a");
    let both = containers(
        json!([{ "name": "main", "image": "main:2" }, { "name": "side", "image": "side:1" }]),
    );
    let changed = world.patch(&path, STRATEGIC, &both).await.ok();
    assert_eq!(images(&changed), ["main:2", "side:1"]);
    let one = containers(json!([{ "name": "side", "$patch": "delete" }]));
    assert_eq!(
        images(&world.patch(&path, STRATEGIC, &one).await.ok()),
        ["main:2"]
    );
    let replaced = world
        .merge(
            &path,
            &containers(json!([{ "name": "new", "image": "new:1" }])),
        )
        .await
        .ok();
    assert_eq!(images(&replaced), ["new:1"], "a merge patch replaces lists");
}

pub(crate) async fn a_custom_kind_knows_no_strategic_patch(world: &World) {
    let widgets = Widgets::install(world).await;
    world.create(&widgets.path, &widget(&widgets, "a")).await;
    let answer = world
        .patch(
            &format!("{}/a", widgets.path),
            STRATEGIC,
            &json!({ "spec": { "size": 2 } }),
        )
        .await;
    let refused = answer.refused(415, "UnsupportedMediaType");
    assert_eq!(
        refused["message"],
        "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
    );
}

pub(crate) async fn a_body_of_another_kind_is_unsupported(world: &World) {
    let path = world.path("v1", "configmaps");
    world.create(&path, &config_map("a", json!({}))).await;
    for kind in ["application/json", "text/plain"] {
        let answer = world.patch(&format!("{path}/a"), kind, &json!({})).await;
        answer.refused(415, "UnsupportedMediaType");
    }
    let request = world
        .request(Method::POST, &path)
        .json(&config_map("b", json!({})));
    request
        .header("content-type", "text/plain")
        .send()
        .await
        .refused(415, "UnsupportedMediaType");
    let yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {x: '1'}\n";
    let request = world
        .request(Method::POST, &path)
        .body(yaml)
        .header("content-type", "application/yaml");
    assert_eq!(request.send().await.ok()["data"]["x"], "1");
}
