//! Server-side apply: owners of fields, conflicts, force.

use http::Method;
use serde_json::{Value, json};

use crate::{
    kubernetes::widgets::{Widgets, widget},
    target::{Answer, World, config_map, cron_job, revision, text},
};

const APPLY: &str = "application/apply-patch+yaml";

async fn apply(world: &World, name: &str, query: &str, data: Value) -> Answer {
    let path = format!("{}/{name}?{query}", world.path("v1", "configmaps"));
    world.patch(&path, APPLY, &config_map(name, data)).await
}

pub(crate) async fn applying_makes_an_object_and_the_same_again_changes_nothing(world: &World) {
    let made = apply(world, "a", "fieldManager=git", json!({ "x": "1" })).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let again = apply(world, "a", "fieldManager=git", json!({ "x": "1" })).await;
    assert_eq!(again.status, 200);
    assert_eq!(revision(&again.body), revision(&made.body));
    let entries = made.body["metadata"]["managedFields"].as_array().unwrap();
    assert_eq!(entries.len(), 1, "{}", made.text);
    assert_eq!(
        (&entries[0]["manager"], &entries[0]["operation"]),
        (&json!("git"), &json!("Apply"))
    );
    assert_eq!(entries[0]["fieldsV1"], json!({ "f:data": { "f:x": {} } }));
}

pub(crate) async fn a_field_of_another_manager_is_a_conflict(world: &World) {
    apply(
        world,
        "a",
        "fieldManager=git",
        json!({ "x": "1", "y": "1" }),
    )
    .await
    .ok();
    let refused = apply(world, "a", "fieldManager=user", json!({ "x": "2" }))
        .await
        .refused(409, "Conflict");
    assert_eq!(
        refused["message"],
        "Apply failed with 1 conflict: conflict with \"git\": .data.x"
    );
    let cause = json!({ "reason": "FieldManagerConflict", "message": "conflict with \"git\"", "field": ".data.x" });
    assert_eq!(refused["details"]["causes"], json!([cause]));
    let refused = apply(
        world,
        "a",
        "fieldManager=user",
        json!({ "x": "2", "y": "2" }),
    )
    .await;
    let refused = refused.refused(409, "Conflict");
    assert_eq!(
        refused["message"],
        "Apply failed with 2 conflicts: conflicts with \"git\":\n- .data.x\n- .data.y"
    );
}

pub(crate) async fn a_field_that_was_written_otherwise_is_a_conflict_too(world: &World) {
    apply(world, "a", "fieldManager=git", json!({})).await.ok();
    let path = format!("{}/a?fieldManager=editor", world.path("v1", "configmaps"));
    world
        .merge(&path, &json!({ "data": { "m": "1" } }))
        .await
        .ok();
    let refused = apply(world, "a", "fieldManager=git", json!({ "m": "2" }))
        .await
        .refused(409, "Conflict");
    let message = text(&refused["details"]["causes"][0]["message"]);
    assert!(
        message.starts_with("conflict with \"editor\" using v1"),
        "{message}"
    );
}

pub(crate) async fn the_same_value_is_shared_without_a_conflict(world: &World) {
    apply(world, "a", "fieldManager=git", json!({ "x": "1" }))
        .await
        .ok();
    let shared = apply(world, "a", "fieldManager=user", json!({ "x": "1" }))
        .await
        .ok();
    assert_eq!(
        shared["metadata"]["managedFields"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    let left = apply(world, "a", "fieldManager=git", json!({})).await.ok();
    assert_eq!(
        left["data"],
        json!({ "x": "1" }),
        "the other owner still wants it"
    );
    let left = apply(world, "a", "fieldManager=user", json!({})).await.ok();
    assert_eq!(
        left.get("data").and_then(|data| data.get("x")),
        None,
        "{left}"
    );
}

pub(crate) async fn force_takes_a_field_over_and_what_is_left_out_goes(world: &World) {
    apply(
        world,
        "a",
        "fieldManager=git",
        json!({ "x": "1", "y": "1" }),
    )
    .await
    .ok();
    let taken = apply(
        world,
        "a",
        "fieldManager=user&force=true",
        json!({ "x": "2" }),
    )
    .await
    .ok();
    assert_eq!(taken["data"], json!({ "x": "2", "y": "1" }));
    let left = apply(world, "a", "fieldManager=git", json!({})).await.ok();
    assert_eq!(left["data"], json!({ "x": "2" }));
    let entries = left["metadata"]["managedFields"].as_array().unwrap();
    let of = |manager: &str| {
        entries
            .iter()
            .find(|entry| entry["manager"] == manager)
            .unwrap()
    };
    assert_eq!(of("user")["fieldsV1"], json!({ "f:data": { "f:x": {} } }));
    assert_eq!(of("git")["fieldsV1"], json!({ "f:data": {} }));
}

pub(crate) async fn what_others_wrote_stays(world: &World) {
    let path = world.path("v1", "configmaps");
    world
        .create(&path, &config_map("a", json!({ "theirs": "1" })))
        .await;
    let merged = apply(world, "a", "fieldManager=git", json!({ "ours": "1" }))
        .await
        .ok();
    assert_eq!(merged["data"], json!({ "theirs": "1", "ours": "1" }));
}

pub(crate) async fn a_map_that_a_writer_makes_is_a_field_too(world: &World) {
    let path = world.path("v1", "configmaps");
    let made = world
        .create(&path, &config_map("a", json!({ "x": "1" })))
        .await;
    let fields = |object: &Value| object["metadata"]["managedFields"][0]["fieldsV1"].clone();
    let mut owned = json!({ "f:data": { ".": {}, "f:x": {} } });
    if world.differs("owned-maps") {
        owned["f:data"] = json!({ "f:x": {} });
    }
    assert_eq!(fields(&made), owned);
}

pub(crate) async fn an_apply_says_who_and_what(world: &World) {
    let refused = apply(world, "a", "", json!({}))
        .await
        .refused(422, "Invalid");
    assert_eq!(
        refused["message"],
        "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch"
    );
    apply(world, "a", "fieldManager=git", json!({})).await.ok();
    let path = format!("{}/a?fieldManager=git", world.path("v1", "configmaps"));
    let kindless = json!({ "metadata": { "name": "a" } });
    world
        .patch(&path, APPLY, &kindless)
        .await
        .refused(400, "BadRequest");
    let mut owned = config_map("a", json!({}));
    owned["metadata"]["managedFields"] = json!([{ "manager": "x" }]);
    let refused = world
        .patch(&path, APPLY, &owned)
        .await
        .refused(400, "BadRequest");
    assert_eq!(refused["message"], "metadata.managedFields must be nil");
    let refused = world
        .patch(&path, APPLY, &config_map("b", json!({})))
        .await
        .refused(400, "BadRequest");
    assert_eq!(
        refused["message"],
        "the name of the object (b) does not match the name on the URL (a)"
    );
    let stale = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a", "resourceVersion": "1" }, "data": { "x": "1" } });
    world
        .patch(&path, APPLY, &stale)
        .await
        .refused(409, "Conflict");
    let merge = world
        .merge(&format!("{path}&force=true"), &json!({}))
        .await
        .refused(422, "Invalid");
    assert_eq!(merge["details"]["causes"][0]["field"], "force");
}

pub(crate) async fn yaml_is_applied_as_it_is(world: &World) {
    let path = format!("{}/a?fieldManager=git", world.path("v1", "configmaps"));
    let yaml =
        "# a comment\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata: {x: '1'}\n";
    let request = world
        .request(Method::PATCH, &path)
        .body(yaml)
        .header("content-type", APPLY);
    assert_eq!(request.send().await.ok()["data"], json!({ "x": "1" }));
    let request = world
        .request(Method::PATCH, &path)
        .body("{x")
        .header("content-type", APPLY);
    request.send().await.refused(400, "BadRequest");
}

pub(crate) async fn items_of_a_keyed_list_are_owned_one_by_one(world: &World) {
    let path = format!("{}/a", world.path("batch/v1", "cronjobs"));
    let job = |containers: Value| {
        let mut job = cron_job("a");
        job["apiVersion"] = json!("batch/v1");
        job["kind"] = json!("CronJob");
        *job.pointer_mut("/spec/jobTemplate/spec/template/spec/containers")
            .unwrap() = containers;
        job
    };
    let main = json!({ "name": "main", "image": "main:1" });
    let side = json!({ "name": "side", "image": "side:1" });
    world
        .patch(
            &format!("{path}?fieldManager=git"),
            APPLY,
            &job(json!([main])),
        )
        .await
        .ok();
    let both = world
        .patch(
            &format!("{path}?fieldManager=injector"),
            APPLY,
            &job(json!([side])),
        )
        .await
        .ok();
    let names = |job: &Value| {
        let list = job
            .pointer("/spec/jobTemplate/spec/template/spec/containers")
            .unwrap()
            .as_array()
            .unwrap();
        list.iter()
            .map(|container| text(&container["name"]))
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&both), ["main", "side"]);
    let mut without = job(json!([]));
    without
        .pointer_mut("/spec/jobTemplate/spec/template/spec")
        .unwrap()
        .as_object_mut()
        .unwrap()
        .remove("containers");
    let left = world
        .patch(&format!("{path}?fieldManager=injector"), APPLY, &without)
        .await
        .ok();
    assert_eq!(names(&left), ["main"]);
}

pub(crate) async fn status_is_applied_by_its_subresource(world: &World) {
    let widgets = Widgets::install(world).await;
    let path = format!("{}/a", widgets.path);
    let made = world
        .patch(
            &format!("{path}?fieldManager=git"),
            APPLY,
            &widget(&widgets, "a"),
        )
        .await;
    assert_eq!(made.status, 201, "{}", made.text);
    let reported = json!({ "apiVersion": widgets.api_version(), "kind": "Widget", "metadata": { "name": "a" }, "status": { "ready": true } });
    let reported = world
        .patch(
            &format!("{path}/status?fieldManager=controller"),
            APPLY,
            &reported,
        )
        .await
        .ok();
    assert_eq!(
        (&reported["status"]["ready"], &reported["spec"]["size"]),
        (&json!(true), &json!(1))
    );
    let entries = reported["metadata"]["managedFields"].as_array().unwrap();
    let entry = entries
        .iter()
        .find(|entry| entry["manager"] == "controller")
        .unwrap();
    assert_eq!(
        (&entry["operation"], &entry["subresource"]),
        (&json!("Apply"), &json!("status"))
    );
    let other = widgets.object("a", json!({ "size": 2 }));
    let refused = world
        .patch(&format!("{path}?fieldManager=user"), APPLY, &other)
        .await
        .refused(409, "Conflict");
    assert_eq!(refused["details"]["causes"][0]["field"], ".spec.size");
}
