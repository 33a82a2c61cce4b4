//! Replacing objects, and the rules of all writes.

use serde_json::json;

use crate::target::{World, config_map, revision};

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

pub(crate) async fn status_is_written_by_its_subresource_only(world: &World) {
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
