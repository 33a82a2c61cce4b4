use serde_json::json;

use crate::world::world;

#[tokio::test]
async fn a_test_can_store_what_no_user_could() {
    let world = world().await;
    let malformed = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
        "metadata": { "name": "odd", "namespace": "default" }, "spec": "not an object",
    });
    let revision = world
        .sandbox
        .write_raw("applications.argoproj.io", malformed)
        .unwrap();
    let stored = world.applications().get("odd").await.unwrap();
    assert_eq!(
        (crate::world::revision(&stored), &stored.data["spec"]),
        (revision, &json!("not an object"))
    );
}
