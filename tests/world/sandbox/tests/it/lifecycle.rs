use kube::api::{DeleteParams, DynamicObject, ListParams};
use serde_json::json;

use crate::world::{World, config_map, create, merge, object, refusal, world};

async fn owned_by(world: &World, name: &str, owner: &DynamicObject) -> DynamicObject {
    let mut child = config_map(name, &json!({}));
    child.metadata.owner_references = serde_json::from_value(json!([{
        "apiVersion": "v1", "kind": "ConfigMap", "name": owner.metadata.name, "uid": owner.metadata.uid,
        "blockOwnerDeletion": true, "controller": true,
    }]))
    .unwrap();
    create(&world.config_maps(), &child).await
}

async fn names(world: &World) -> Vec<String> {
    let list = world
        .config_maps()
        .list(&ListParams::default())
        .await
        .unwrap();
    list.items
        .into_iter()
        .map(|item| item.metadata.name.unwrap())
        .collect()
}

#[tokio::test]
async fn what_an_object_owns_goes_with_it_all_the_way_down() {
    let world = world().await;
    let owner = create(&world.config_maps(), &config_map("owner", &json!({}))).await;
    let child = owned_by(&world, "child", &owner).await;
    owned_by(&world, "grandchild", &child).await;
    create(&world.config_maps(), &config_map("stranger", &json!({}))).await;
    world
        .config_maps()
        .delete("owner", &DeleteParams::background())
        .await
        .unwrap();
    assert_eq!(names(&world).await, ["stranger"]);
}

#[tokio::test]
async fn orphans_stay_without_their_owner() {
    let world = world().await;
    let owner = create(&world.config_maps(), &config_map("owner", &json!({}))).await;
    owned_by(&world, "child", &owner).await;
    world
        .config_maps()
        .delete("owner", &DeleteParams::orphan())
        .await
        .unwrap();
    let child = world.config_maps().get("child").await.unwrap();
    assert!(
        child
            .metadata
            .owner_references
            .unwrap_or_default()
            .is_empty()
    );
}

#[tokio::test]
async fn a_foreground_delete_waits_for_what_is_owned() {
    let world = world().await;
    let maps = world.config_maps();
    let owner = create(&maps, &config_map("owner", &json!({}))).await;
    owned_by(&world, "child", &owner).await;
    merge(
        &maps,
        "child",
        &json!({ "metadata": { "finalizers": ["example.com/hold"] } }),
    )
    .await;
    let waiting = maps
        .delete("owner", &DeleteParams::foreground())
        .await
        .unwrap()
        .left()
        .unwrap();
    assert_eq!(waiting.metadata.finalizers.unwrap(), ["foregroundDeletion"]);
    merge(
        &maps,
        "child",
        &json!({ "metadata": { "finalizers": null } }),
    )
    .await;
    assert_eq!(names(&world).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_namespace_ends_with_what_is_in_it_and_takes_nothing_new() {
    let world = world().await;
    let namespaces = world.cluster("", "v1", "Namespace");
    let shop = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "shop" } });
    create(&namespaces, &object(shop)).await;
    let maps: kube::Api<DynamicObject> = kube::Api::namespaced_with(
        world.client.clone(),
        "shop",
        &crate::world::resource("", "v1", "ConfigMap"),
    );
    let mut held = config_map("held", &json!({}));
    held.metadata.finalizers = Some(vec!["example.com/hold".to_owned()]);
    create(&maps, &held).await;
    create(&maps, &config_map("free", &json!({}))).await;
    let ending = namespaces
        .delete("shop", &DeleteParams::default())
        .await
        .unwrap()
        .left()
        .unwrap();
    assert_eq!(ending.data["status"]["phase"], "Terminating");
    assert_eq!(
        refusal(
            maps.create(&Default::default(), &config_map("new", &json!({})))
                .await
        )
        .0,
        403
    );
    assert_eq!(refusal(maps.get("free").await).0, 404);
    merge(
        &maps,
        "held",
        &json!({ "metadata": { "finalizers": null } }),
    )
    .await;
    assert_eq!(refusal(namespaces.get("shop").await).0, 404);
}
