//! Creating objects.

use http::Method;
use serde_json::json;

use crate::target::{World, config_map, text};

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
        ("?fieldManager=other", "tool/v1", "other"),
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
    world
        .put(&format!("{path}/a"), &json!({ "data": {} }))
        .await
        .refused(400, "BadRequest");
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
