//! Deletion: responses, finalizers, preconditions, owners, namespaces.

use http::Method;
use serde_json::{Value, json};

use crate::target::{World, config_map, text, unique};

pub(crate) async fn a_delete_answers_what_is_gone(world: &World) {
    let path = world.path("v1", "configmaps");
    let made = world.create(&path, &config_map("a", json!({}))).await;
    let gone = world.delete(&format!("{path}/a")).await.ok();
    assert_eq!(
        (&gone["kind"], &gone["status"]),
        (&json!("Status"), &json!("Success"))
    );
    assert_eq!(
        gone["details"],
        json!({ "name": "a", "kind": "configmaps", "uid": made["metadata"]["uid"] })
    );
    let path = world.path("batch/v1", "cronjobs");
    world.create(&path, &crate::target::cron_job("a")).await;
    let gone = world.delete(&format!("{path}/a")).await.ok();
    assert_eq!(gone["details"]["group"], "batch");
}

pub(crate) async fn a_finalizer_holds_an_object_until_it_is_taken_off(world: &World) {
    let path = world.path("v1", "configmaps");
    let held = json!({ "metadata": { "name": "a", "finalizers": ["example.com/hold"] } });
    world.create(&path, &held).await;
    let path = format!("{path}/a");
    let marked = world.delete(&path).await.ok();
    assert_eq!(marked["kind"], "ConfigMap");
    assert_eq!(marked["metadata"]["deletionGracePeriodSeconds"], 0);
    let at = text(&marked["metadata"]["deletionTimestamp"]);
    assert_ne!(at, "");
    let again = world.delete(&path).await.ok();
    assert_eq!(again["metadata"]["deletionTimestamp"], at);
    let unmarked = json!({ "metadata": { "deletionTimestamp": null, "labels": { "l": "1" } } });
    let labelled = world.merge(&path, &unmarked).await.ok();
    assert_eq!(labelled["metadata"]["deletionTimestamp"], at);
    let more = json!({ "metadata": { "finalizers": ["example.com/hold", "example.com/more"] } });
    let refused = world.merge(&path, &more).await.refused(422, "Invalid");
    let cause = &refused["details"]["causes"][0];
    assert_eq!(
        (&cause["field"], &cause["reason"]),
        (&json!("metadata.finalizers"), &json!("FieldValueForbidden"))
    );
    assert_eq!(
        cause["message"],
        "Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{\"example.com/more\"}"
    );
    world
        .merge(&path, &json!({ "metadata": { "finalizers": null } }))
        .await
        .ok();
    world.get(&path).await.refused(404, "NotFound");
}

pub(crate) async fn a_name_is_free_again_with_another_identity(world: &World) {
    let path = world.path("v1", "configmaps");
    let first = world.create(&path, &config_map("a", json!({}))).await;
    world.delete(&format!("{path}/a")).await.ok();
    let second = world.create(&path, &config_map("a", json!({}))).await;
    assert_ne!(first["metadata"]["uid"], second["metadata"]["uid"]);
}

pub(crate) async fn preconditions_guard_a_delete(world: &World) {
    let collection = world.path("v1", "configmaps");
    let path = format!("{collection}/a");
    let made = world.create(&collection, &config_map("a", json!({}))).await;
    for (precondition, said) in [
        (
            json!({ "uid": "other" }),
            "the UID in the precondition (other) does not match the UID in record (",
        ),
        (
            json!({ "resourceVersion": "1" }),
            "the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (",
        ),
    ] {
        let request = world
            .request(Method::DELETE, &path)
            .json(&json!({ "preconditions": precondition }));
        let refused = request.send().await.refused(409, "Conflict");
        assert!(text(&refused["message"]).contains(said), "{refused}");
    }
    let right = json!({ "preconditions": { "uid": made["metadata"]["uid"] } });
    world
        .request(Method::DELETE, &path)
        .json(&right)
        .send()
        .await
        .ok();
}

pub(crate) async fn how_dependents_go_is_one_of_three(world: &World) {
    let collection = world.path("v1", "configmaps");
    world.create(&collection, &config_map("a", json!({}))).await;
    let request = world.request(Method::DELETE, &format!("{collection}/a"));
    let refused = request
        .json(&json!({ "propagationPolicy": "Bogus" }))
        .send()
        .await
        .refused(422, "Invalid");
    assert_eq!(
        refused["details"]["causes"][0]["field"],
        "propagationPolicy"
    );
    assert_eq!(
        refused["details"]["causes"][0]["reason"],
        "FieldValueNotSupported"
    );
    world
        .delete(&format!("{collection}/a?propagationPolicy=Background"))
        .await
        .ok();
    world
        .get(&format!("{collection}/a"))
        .await
        .refused(404, "NotFound");
}

pub(crate) async fn waiting_for_dependents_is_a_finalizer(world: &World) {
    let collection = world.path("v1", "configmaps");
    let owner = world
        .create(&collection, &config_map("owner", json!({})))
        .await;
    let mut child = config_map("child", json!({}));
    child["metadata"]["ownerReferences"] = owned_by(&owner);
    child["metadata"]["finalizers"] = json!(["example.com/hold"]);
    world.create(&collection, &child).await;
    let request = world.request(Method::DELETE, &format!("{collection}/owner"));
    let marked = request
        .json(&json!({ "propagationPolicy": "Foreground" }))
        .send()
        .await
        .ok();
    assert_eq!(
        marked["metadata"]["finalizers"],
        json!(["foregroundDeletion"])
    );
    assert_ne!(text(&marked["metadata"]["deletionTimestamp"]), "");
}

pub(crate) async fn a_new_namespace_is_active_and_labelled_by_its_name(world: &World) {
    let namespace = world
        .get(&format!("/api/v1/namespaces/{}", world.namespace()))
        .await
        .ok();
    assert_eq!(namespace["status"]["phase"], "Active");
    assert_eq!(namespace["spec"]["finalizers"], json!(["kubernetes"]));
    assert_eq!(
        namespace["metadata"]["labels"]["kubernetes.io/metadata.name"],
        world.namespace()
    );
}

pub(crate) async fn an_ending_namespace_takes_nothing_new(world: &World) {
    let name = unique("ending");
    world
        .create(
            "/api/v1/namespaces",
            &json!({ "metadata": { "name": name } }),
        )
        .await;
    let path = format!("/api/v1/namespaces/{name}/configmaps");
    let held = json!({ "metadata": { "name": "held", "finalizers": ["example.com/hold"] } });
    world.create(&path, &held).await;
    let ending = world
        .delete(&format!("/api/v1/namespaces/{name}"))
        .await
        .ok();
    assert_eq!(ending["kind"], "Namespace");
    assert_eq!(ending["status"]["phase"], "Terminating");
    assert_ne!(text(&ending["metadata"]["deletionTimestamp"]), "");
    assert_eq!(ending["metadata"].get("deletionGracePeriodSeconds"), None);
    let refused = world
        .post(&path, &config_map("new", json!({})))
        .await
        .refused(403, "Forbidden");
    assert_eq!(
        refused["message"],
        format!(
            "configmaps \"new\" is forbidden: unable to create new content in namespace {name} because it is being terminated"
        )
    );
    let cause = &refused["details"]["causes"][0];
    assert_eq!(
        (&cause["reason"], &cause["field"]),
        (&json!("NamespaceTerminating"), &json!("metadata.namespace"))
    );
    assert_eq!(
        cause["message"],
        format!("namespace {name} is being terminated")
    );
}

pub(crate) async fn a_namespace_is_never_gone_at_once(world: &World) {
    let name = unique("empty");
    world
        .create(
            "/api/v1/namespaces",
            &json!({ "metadata": { "name": name } }),
        )
        .await;
    let ending = world
        .delete(&format!("/api/v1/namespaces/{name}"))
        .await
        .ok();
    assert_eq!(
        (&ending["kind"], &ending["status"]["phase"]),
        (&json!("Namespace"), &json!("Terminating"))
    );
}

fn owned_by(owner: &Value) -> Value {
    json!([{
        "apiVersion": "v1", "kind": "ConfigMap", "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"],
        "blockOwnerDeletion": true, "controller": true,
    }])
}
