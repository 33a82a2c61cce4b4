use futures::StreamExt as _;
use kube::api::WatchParams;
use serde_json::json;

use crate::world::{
    PATIENCE, application, config_map, create, describe, events, merge, pairs, revision, world,
};

#[tokio::test]
async fn a_forgotten_revision_is_gone_and_a_remembered_one_is_not() {
    let world = world().await;
    let maps = world.config_maps();
    let first = create(&maps, &config_map("a", &json!({}))).await;
    for count in 0..4_200 {
        merge(
            &maps,
            "a",
            &json!({ "data": { "count": count.to_string() } }),
        )
        .await;
    }
    let first = revision(&first).to_string();
    let too_old = events(&maps, &WatchParams::default(), &first, 1).await;
    assert_eq!(too_old, pairs(&[("error", "410")]));
    let recent = world.sandbox.snapshot().revision - 100;
    let seen = events(&maps, &WatchParams::default(), &recent.to_string(), 100).await;
    assert_eq!(seen.len(), 100);
}

#[tokio::test]
async fn bookmarks_move_on_while_other_kinds_change() {
    let world = world().await;
    let maps = world.config_maps();
    let from = create(&maps, &config_map("a", &json!({}))).await;
    let mut stream = maps
        .watch(&WatchParams::default(), &revision(&from).to_string())
        .await
        .unwrap()
        .boxed();
    let other = create(&world.applications(), &application("other")).await;
    let next = tokio::time::timeout(PATIENCE, stream.next())
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    assert_eq!(
        describe(&next),
        ("bookmark".to_owned(), revision(&other).to_string())
    );
}
