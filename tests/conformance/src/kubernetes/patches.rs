//! Merge patches and JSON patches.

use http::Method;
use serde_json::json;

use crate::target::{World, config_map, revision};

const JSON_PATCH: &str = "application/json-patch+json";

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
