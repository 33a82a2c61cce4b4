use kube::api::{ListParams, VersionMatch};
use serde_json::json;

use crate::world::{application, config_map, create, merge, refusal, revision, world};

#[tokio::test]
async fn a_list_tells_the_revision_and_selects_by_labels_and_fields() {
    let world = world().await;
    let maps = world.config_maps();
    let mut labelled = config_map("one", &json!({}));
    labelled.metadata.labels = Some([("app".to_owned(), "web".to_owned())].into());
    create(&maps, &labelled).await;
    let last = create(&maps, &config_map("two", &json!({}))).await;
    let all = maps.list(&ListParams::default()).await.unwrap();
    assert_eq!(all.items.len(), 2);
    assert_eq!(
        all.metadata.resource_version,
        last.metadata.resource_version
    );
    let web = maps
        .list(&ListParams::default().labels("app in (web)"))
        .await
        .unwrap();
    assert_eq!(web.items[0].metadata.name.as_deref(), Some("one"));
    let two = maps
        .list(&ListParams::default().fields("metadata.name=two"))
        .await
        .unwrap();
    assert_eq!(two.items[0].metadata.name.as_deref(), Some("two"));
}

#[tokio::test]
async fn pages_show_one_revision_whatever_is_written_between_them() {
    let world = world().await;
    let maps = world.config_maps();
    for name in ["a", "b", "c", "d"] {
        create(&maps, &config_map(name, &json!({ "v": "old" }))).await;
    }
    let first = maps.list(&ListParams::default().limit(2)).await.unwrap();
    assert_eq!(first.metadata.remaining_item_count, Some(2));
    merge(&maps, "c", &json!({ "data": { "v": "new" } })).await;
    maps.delete("d", &Default::default()).await.unwrap();
    create(&maps, &config_map("e", &json!({}))).await;
    let token = first.metadata.continue_.unwrap();
    let second = maps
        .list(&ListParams::default().limit(2).continue_token(&token))
        .await
        .unwrap();
    let names: Vec<_> = second
        .items
        .iter()
        .map(|item| item.metadata.name.as_deref().unwrap())
        .collect();
    assert_eq!(names, ["c", "d"]);
    assert_eq!(second.items[0].data["data"]["v"], "old");
    assert_eq!(
        second.metadata.resource_version,
        first.metadata.resource_version
    );
    assert_eq!(second.metadata.continue_.unwrap_or_default(), "");
}

#[tokio::test]
async fn an_exact_old_revision_is_shown_as_it_was_and_a_future_one_is_refused() {
    let world = world().await;
    let maps = world.config_maps();
    let created = create(&maps, &config_map("a", &json!({ "v": "1" }))).await;
    let changed = merge(&maps, "a", &json!({ "data": { "v": "2" } })).await;
    let at = |revision: u64| {
        ListParams::default()
            .at(&revision.to_string())
            .matching(VersionMatch::Exact)
    };
    let old = maps.list(&at(revision(&created))).await.unwrap();
    assert_eq!(old.items[0].data["data"]["v"], "1");
    let future = maps.list(&at(revision(&changed) + 1_000)).await;
    assert_eq!(refusal(future), (504, "Timeout".to_owned()));
}

#[tokio::test]
async fn metadata_alone_can_be_asked_for() {
    let world = world().await;
    create(&world.applications(), &application("guestbook")).await;
    let list = world
        .applications()
        .list_metadata(&ListParams::default())
        .await
        .unwrap();
    assert_eq!(list.items[0].metadata.name.as_deref(), Some("guestbook"));
    let one = world
        .applications()
        .get_metadata("guestbook")
        .await
        .unwrap();
    assert_eq!(one.metadata.namespace.as_deref(), Some("default"));
}

#[tokio::test]
async fn discovery_tells_the_built_in_kinds_and_custom_ones_as_they_come() {
    let world = world().await;
    let found = kube::discovery::Discovery::new(world.client.clone())
        .run()
        .await
        .unwrap();
    let kinds: Vec<String> = found
        .groups()
        .flat_map(|group| group.recommended_resources())
        .map(|(kind, _)| kind.kind)
        .collect();
    for kind in [
        "Pod",
        "Deployment",
        "Application",
        "AppProject",
        "CustomResourceDefinition",
        "Lease",
    ] {
        assert!(
            kinds.iter().any(|known| known == kind),
            "{kind} in {kinds:?}"
        );
    }
    assert_eq!(
        refusal(
            world
                .of("example.com", "v1", "Widget")
                .list(&ListParams::default())
                .await
        )
        .0,
        404
    );
    let definition = crate::world::object(json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "widgets.example.com" },
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": { "plural": "widgets", "kind": "Widget" },
            "versions": [
                { "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": { "type": "object" } } },
                { "name": "v2", "served": true, "storage": false, "schema": { "openAPIV3Schema": { "type": "object" } } },
            ],
        },
    }));
    let definitions = world.cluster("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
    create(&definitions, &definition).await;
    let widget = json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "w" }, "spec": 1 });
    create(
        &world.of("example.com", "v1", "Widget"),
        &crate::world::object(widget),
    )
    .await;
    let other = world
        .of("example.com", "v2", "Widget")
        .get("w")
        .await
        .unwrap();
    assert_eq!(other.types.unwrap().api_version, "example.com/v2");
    definitions
        .delete("widgets.example.com", &Default::default())
        .await
        .unwrap();
    assert_eq!(
        refusal(
            world
                .of("example.com", "v1", "Widget")
                .list(&ListParams::default())
                .await
        )
        .0,
        404
    );
    assert!(
        world
            .sandbox
            .truth()
            .find("Widget", "default", "w")
            .is_none()
    );
}
