//! Lists: revisions, pages, selectors.

use serde_json::json;

use crate::target::{World, revision};

pub(crate) async fn a_list_tells_its_kind_and_revision_and_items_carry_no_kind_of_their_own(
    world: &World,
) {
    let path = world.path("v1", "configmaps");
    let made = world
        .create(
            &path,
            &json!({ "metadata": { "name": "one" }, "data": { "k": "v" } }),
        )
        .await;
    assert_eq!(
        (&made["kind"], &made["apiVersion"]),
        (&json!("ConfigMap"), &json!("v1"))
    );
    let list = world.get(&path).await.ok();
    assert_eq!(
        (&list["kind"], &list["apiVersion"]),
        (&json!("ConfigMapList"), &json!("v1"))
    );
    assert_eq!(list["items"][0]["data"], json!({ "k": "v" }));
    assert_eq!(list["items"][0].get("kind"), None, "{list}");
    assert!(revision(&list) >= revision(&made));
}
