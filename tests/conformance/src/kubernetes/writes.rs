//! Creating, replacing and patching objects.

use http::Method;
use serde_json::{Value, json};

use crate::{
    kubernetes::widgets::{Widgets, widget},
    target::{World, config_map, revision, text},
};

const JSON_PATCH: &str = "application/json-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";

pub(crate) async fn a_new_object_gets_its_identity(world: &World) {
    let path = world.path("v1", "configmaps");
    let made = world
        .create(&path, &config_map("a", json!({ "x": "1" })))
        .await;
    let metadata = &made["metadata"];
    assert_eq!(text(&metadata["uid"]).len(), 36);
    assert_eq!(
        text(&metadata["creationTimestamp"]).len(),
        "2026-01-01T00:00:00Z".len()
    );
    assert_eq!(metadata["namespace"], world.namespace());
    assert_eq!(
        metadata.get("generation"),
        None,
        "a ConfigMap has no desired state"
    );
    let entry = &metadata["managedFields"][0];
    assert_eq!(
        (text(&entry["operation"]), text(&entry["apiVersion"])),
        ("Update".to_owned(), "v1".to_owned())
    );
    assert_eq!(entry["fieldsType"], "FieldsV1");
    assert!(entry["fieldsV1"]["f:data"]["f:x"].is_object(), "{entry}");
    assert_eq!(world.get(&format!("{path}/a")).await.ok(), made);
}

pub(crate) async fn the_manager_of_a_write_is_named_by_the_client_or_the_request(world: &World) {
    let path = world.path("v1", "configmaps");
    for (query, agent, expected) in [
        ("", "tool/v1 (linux)", "tool"),
        ("?fieldManager=somebody", "tool/v1", "somebody"),
    ] {
        let request = world.request(Method::POST, &format!("{path}{query}"));
        let request = request.json(&config_map(&format!("by-{expected}"), json!({ "x": "1" })));
        let made = request.header("user-agent", agent).send().await.ok();
        assert_eq!(made["metadata"]["managedFields"][0]["manager"], expected);
    }
}

pub(crate) async fn an_object_that_is_there_already_is_refused(world: &World) {
    let path = world.path("v1", "configmaps");
    world.create(&path, &config_map("a", json!({}))).await;
    let refused = world
        .post(&path, &config_map("a", json!({})))
        .await
        .refused(409, "AlreadyExists");
    assert_eq!(refused["message"], "configmaps \"a\" already exists");
    assert_eq!(
        refused["details"],
        json!({ "name": "a", "kind": "configmaps" })
    );
}

pub(crate) async fn a_name_is_made_where_only_its_beginning_is_given(world: &World) {
    let path = world.path("v1", "configmaps");
    let made = world
        .create(&path, &json!({ "metadata": { "generateName": "part-" } }))
        .await;
    let name = text(&made["metadata"]["name"]);
    assert!(
        name.starts_with("part-") && name.len() == "part-".len() + 5,
        "{name}"
    );
    assert_eq!(made["metadata"]["generateName"], "part-");
    let other = world
        .create(&path, &json!({ "metadata": { "generateName": "part-" } }))
        .await;
    assert_ne!(other["metadata"]["name"], made["metadata"]["name"]);
}

pub(crate) async fn names_are_checked(world: &World) {
    let path = world.path("v1", "configmaps");
    let refused = world
        .post(&path, &config_map("Bad_Name", json!({})))
        .await
        .refused(422, "Invalid");
    let message = text(&refused["message"]);
    assert!(message.starts_with("ConfigMap \"Bad_Name\" is invalid: metadata.name: Invalid value: \"Bad_Name\": a lowercase RFC 1123 subdomain must consist of"), "{message}");
    let cause = &refused["details"]["causes"][0];
    assert_eq!(
        (text(&cause["field"]), text(&cause["reason"])),
        ("metadata.name".to_owned(), "FieldValueInvalid".to_owned())
    );
    assert_eq!(
        (&refused["details"]["kind"], &refused["details"]["name"]),
        (&json!("ConfigMap"), &json!("Bad_Name"))
    );
    let nameless = world
        .post(&path, &json!({ "metadata": {} }))
        .await
        .refused(422, "Invalid");
    assert_eq!(
        nameless["message"],
        "ConfigMap \"\" is invalid: metadata.name: Required value: name or generateName is required"
    );
    assert_eq!(
        nameless["details"]["causes"][0]["reason"],
        "FieldValueRequired"
    );
}

pub(crate) async fn the_body_must_speak_of_the_path(world: &World) {
    let path = world.path("v1", "configmaps");
    let elsewhere = json!({ "metadata": { "name": "a", "namespace": "elsewhere" } });
    let refused = world
        .post(&path, &elsewhere)
        .await
        .refused(400, "BadRequest");
    assert_eq!(
        refused["message"],
        "the namespace of the provided object does not match the namespace sent on the request"
    );
    let other_kind = json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "a" } });
    world
        .post(&path, &other_kind)
        .await
        .refused(400, "BadRequest");
    let other_version =
        json!({ "apiVersion": "v9", "kind": "ConfigMap", "metadata": { "name": "a" } });
    world
        .post(&path, &other_version)
        .await
        .refused(400, "BadRequest");
    world.create(&path, &config_map("a", json!({}))).await;
    let refused = world
        .put(&format!("{path}/a"), &config_map("b", json!({})))
        .await
        .refused(400, "BadRequest");
    assert_eq!(
        refused["message"],
        "the name of the object (b) does not match the name on the URL (a)"
    );
    let refused = world
        .put(&format!("{path}/a"), &json!({ "data": {} }))
        .await
        .refused(400, "BadRequest");
    assert_eq!(
        refused["message"],
        "the name of the object (a based on URL) was undeterminable: name must be provided"
    );
}

pub(crate) async fn a_body_that_cannot_be_read_is_refused(world: &World) {
    let path = world.path("v1", "configmaps");
    for body in ["{bad", "[]", "1"] {
        let request = world.request(Method::POST, &path).body(body);
        request
            .header("content-type", "application/json")
            .send()
            .await
            .refused(400, "BadRequest");
    }
    let large = config_map("large", json!({ "x": "x".repeat(4 << 20) }));
    let refused = world
        .post(&path, &large)
        .await
        .refused(413, "RequestEntityTooLarge");
    assert_eq!(
        refused["message"],
        "Request entity too large: limit is 3145728"
    );
}

pub(crate) async fn a_revision_is_not_for_new_objects(world: &World) {
    let path = world.path("v1", "configmaps");
    let answer = world
        .post(
            &path,
            &json!({ "metadata": { "name": "a", "resourceVersion": "5" } }),
        )
        .await;
    assert_eq!(
        answer.body["message"],
        "resourceVersion should not be set on objects to be created"
    );
    assert_eq!((answer.status, answer.body.get("reason")), (500, None));
}

pub(crate) async fn a_namespace_must_be_there(world: &World) {
    let refused = world
        .post(
            "/api/v1/namespaces/absent/configmaps",
            &config_map("a", json!({})),
        )
        .await;
    let refused = refused.refused(404, "NotFound");
    assert_eq!(refused["message"], "namespaces \"absent\" not found");
    assert_eq!(
        refused["details"],
        json!({ "name": "absent", "kind": "namespaces" })
    );
}

pub(crate) async fn a_stale_writer_gets_a_conflict(world: &World) {
    let path = world.path("v1", "configmaps");
    let first = world
        .create(&path, &config_map("a", json!({ "x": "1" })))
        .await;
    world
        .merge(&format!("{path}/a"), &json!({ "data": { "x": "2" } }))
        .await
        .ok();
    let refused = world
        .put(&format!("{path}/a"), &first)
        .await
        .refused(409, "Conflict");
    assert_eq!(
        refused["message"],
        "Operation cannot be fulfilled on configmaps \"a\": the object has been modified; please apply your changes to the latest version and try again"
    );
    assert_eq!(
        refused["details"],
        json!({ "name": "a", "kind": "configmaps" })
    );
    let stale = json!({ "metadata": { "resourceVersion": first["metadata"]["resourceVersion"] }, "data": { "x": "3" } });
    world
        .merge(&format!("{path}/a"), &stale)
        .await
        .refused(409, "Conflict");
}

pub(crate) async fn a_write_that_changes_nothing_keeps_the_revision(world: &World) {
    let path = world.path("v1", "configmaps");
    let made = world
        .create(&path, &config_map("a", json!({ "x": "1" })))
        .await;
    let same = world.put(&format!("{path}/a"), &made).await.ok();
    assert_eq!(revision(&same), revision(&made));
    let same = world
        .merge(&format!("{path}/a"), &json!({ "data": { "x": "1" } }))
        .await
        .ok();
    assert_eq!(revision(&same), revision(&made));
}

pub(crate) async fn a_built_in_object_may_be_replaced_blindly_and_a_custom_one_not(world: &World) {
    let path = world.path("v1", "configmaps");
    world
        .create(&path, &config_map("a", json!({ "x": "1" })))
        .await;
    let replaced = world
        .put(&format!("{path}/a"), &config_map("a", json!({ "y": "2" })))
        .await
        .ok();
    assert_eq!(replaced["data"], json!({ "y": "2" }));
    let widgets = Widgets::install(world).await;
    world.create(&widgets.path, &widget(&widgets, "a")).await;
    let blind = world
        .put(&format!("{}/a", widgets.path), &widget(&widgets, "a"))
        .await;
    let refused = blind.refused(422, "Invalid");
    let cause = &refused["details"]["causes"][0];
    assert_eq!(cause["field"], "metadata.resourceVersion");
    assert!(
        text(&cause["message"]).ends_with("must be specified for an update"),
        "{refused}"
    );
}

pub(crate) async fn what_is_absent_cannot_be_changed(world: &World) {
    let path = world.path("v1", "configmaps");
    let put = world
        .put(&format!("{path}/absent"), &config_map("absent", json!({})))
        .await;
    let patch = world
        .merge(&format!("{path}/absent"), &json!({ "data": {} }))
        .await;
    let delete = world.delete(&format!("{path}/absent")).await;
    let get = world.get(&format!("{path}/absent")).await;
    for answer in [put, patch, delete, get] {
        let refused = answer.refused(404, "NotFound");
        assert_eq!(refused["message"], "configmaps \"absent\" not found");
        assert_eq!(
            refused["details"],
            json!({ "name": "absent", "kind": "configmaps" })
        );
    }
}

pub(crate) async fn the_identity_of_an_object_cannot_be_changed(world: &World) {
    let path = world.path("v1", "configmaps");
    world.create(&path, &config_map("a", json!({}))).await;
    let other = json!({ "metadata": { "name": "a", "uid": "other" } });
    let refused = world
        .put(&format!("{path}/a"), &other)
        .await
        .refused(409, "Conflict");
    let message = text(&refused["message"]);
    assert!(
        message.contains("Precondition failed: UID in precondition: other, UID in object meta: "),
        "{message}"
    );
    let renamed = json!({ "metadata": { "name": "b" } });
    world
        .merge(&format!("{path}/a"), &renamed)
        .await
        .refused(400, "BadRequest");
    let refused = world
        .merge(
            &format!("{path}/a"),
            &json!({ "metadata": { "uid": "other" } }),
        )
        .await;
    let refused = refused.refused(422, "Invalid");
    assert_eq!(refused["details"]["causes"][0]["field"], "metadata.uid");
    assert_eq!(
        refused["details"]["causes"][0]["message"],
        "Invalid value: \"other\": field is immutable"
    );
}

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

pub(crate) async fn a_dry_run_answers_and_changes_nothing(world: &World) {
    let path = world.path("v1", "configmaps");
    let pretended = world
        .post(&format!("{path}?dryRun=All"), &config_map("a", json!({})))
        .await;
    assert_eq!(pretended.status, 201);
    assert_ne!(text(&pretended.body["metadata"]["uid"]), "");
    world
        .get(&format!("{path}/a"))
        .await
        .refused(404, "NotFound");
    let made = world
        .create(&path, &config_map("a", json!({ "x": "1" })))
        .await;
    let changed = world
        .merge(
            &format!("{path}/a?dryRun=All"),
            &json!({ "data": { "x": "2" } }),
        )
        .await
        .ok();
    assert_eq!(changed["data"]["x"], "2");
    world.delete(&format!("{path}/a?dryRun=All")).await.ok();
    assert_eq!(world.get(&format!("{path}/a")).await.ok(), made);
    let refused = world
        .post(&format!("{path}?dryRun=Some"), &config_map("b", json!({})))
        .await;
    let refused = refused.refused(422, "Invalid");
    assert_eq!(refused["details"]["causes"][0]["field"], "dryRun");
}

pub(crate) async fn a_secret_is_written_in_plain_text_and_kept_encoded(world: &World) {
    let path = world.path("v1", "secrets");
    let made = world
        .create(
            &path,
            &json!({ "metadata": { "name": "a" }, "stringData": { "k": "v" } }),
        )
        .await;
    assert_eq!(made["data"], json!({ "k": "dg==" }));
    assert_eq!(
        (&made["type"], made.get("stringData")),
        (&json!("Opaque"), None)
    );
    let broken = json!({ "metadata": { "name": "b" }, "data": { "k": "not base64!" } });
    world.post(&path, &broken).await.refused(400, "BadRequest");
}

pub(crate) async fn fields_that_a_built_in_kind_lacks_are_dropped_with_a_warning(world: &World) {
    let path = world.path("v1", "configmaps");
    let odd = json!({ "metadata": { "name": "a" }, "bogus": 1 });
    let answer = world.post(&path, &odd).await;
    if world.differs("built-in-schemas") {
        assert_eq!(answer.ok()["bogus"], 1);
        return;
    }
    assert_eq!(
        answer.headers["warning"],
        "299 - \"unknown field \\\"bogus\\\"\""
    );
    assert_eq!(answer.ok().get("bogus"), None);
    let strict = world
        .post(&format!("{path}?fieldValidation=Strict"), &odd)
        .await;
    strict.refused(400, "BadRequest");
}

pub(crate) async fn generation_counts_changes_of_what_is_desired(world: &World) {
    let path = format!("{}/a", world.path("policy/v1", "poddisruptionbudgets"));
    let budget = json!({ "metadata": { "name": "a" }, "spec": { "minAvailable": 1 } });
    let made = world
        .create(&world.path("policy/v1", "poddisruptionbudgets"), &budget)
        .await;
    assert_eq!(made["metadata"]["generation"], 1);
    let labelled = world
        .merge(&path, &json!({ "metadata": { "labels": { "x": "y" } } }))
        .await
        .ok();
    assert_eq!(labelled["metadata"]["generation"], 1);
    let changed = world
        .merge(&path, &json!({ "spec": { "minAvailable": 2 } }))
        .await
        .ok();
    assert_eq!(changed["metadata"]["generation"], 2);
    let reported = json!({ "status": { "currentHealthy": 3, "observedGeneration": 2 } });
    let reported = world.merge(&format!("{path}/status"), &reported).await.ok();
    assert_eq!(reported["metadata"]["generation"], 2);
}

pub(crate) async fn status_has_a_door_of_its_own(world: &World) {
    let path = format!("{}/a", world.path("policy/v1", "poddisruptionbudgets"));
    let budget = json!({ "metadata": { "name": "a" }, "spec": { "minAvailable": 1 }, "status": { "currentHealthy": 9 } });
    let made = world
        .create(&world.path("policy/v1", "poddisruptionbudgets"), &budget)
        .await;
    assert_ne!(
        made["status"]["currentHealthy"], 9,
        "a new object has no status yet"
    );
    let both = json!({ "spec": { "minAvailable": 5 }, "status": { "currentHealthy": 3 } });
    let reported = world.merge(&format!("{path}/status"), &both).await.ok();
    assert_eq!(
        (
            &reported["spec"]["minAvailable"],
            &reported["status"]["currentHealthy"]
        ),
        (&json!(1), &json!(3))
    );
    let both = json!({ "spec": { "minAvailable": 5 }, "status": { "currentHealthy": 7 } });
    let changed = world.merge(&path, &both).await.ok();
    assert_eq!(
        (
            &changed["spec"]["minAvailable"],
            &changed["status"]["currentHealthy"]
        ),
        (&json!(5), &json!(3))
    );
    let entries = changed["metadata"]["managedFields"].as_array().unwrap();
    assert!(
        entries.iter().any(|entry| entry["subresource"] == "status"),
        "{changed}"
    );
    let seen = world.get(&format!("{path}/status")).await.ok();
    assert_eq!(seen["kind"], "PodDisruptionBudget");
}

pub(crate) fn cron_job(name: &str) -> Value {
    json!({
        "metadata": { "name": name },
        "spec": {
            "schedule": "0 0 1 1 *", "suspend": true,
            "jobTemplate": { "spec": { "template": { "spec": {
                "restartPolicy": "Never", "containers": [{ "name": "main", "image": "main:1" }],
            } } } },
        },
    })
}
