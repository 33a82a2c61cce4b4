use futures::{StreamExt as _, TryStreamExt as _};
use kube::{
    api::{WatchEvent, WatchParams},
    runtime::watcher,
};
use serde_json::json;

use crate::world::{
    PATIENCE, application, config_map, create, describe, events, merge, pairs, refusal, revision,
    world,
};

#[tokio::test]
async fn a_watch_from_a_revision_gives_exactly_what_came_after() {
    let world = world().await;
    let maps = world.config_maps();
    create(&maps, &config_map("before", &json!({}))).await;
    let from = create(&maps, &config_map("a", &json!({}))).await;
    create(&world.applications(), &application("another-kind")).await;
    merge(&maps, "a", &json!({ "data": { "x": "1" } })).await;
    create(&maps, &config_map("b", &json!({}))).await;
    maps.delete("a", &Default::default()).await.unwrap();
    let seen = events(
        &maps,
        &WatchParams::default(),
        &revision(&from).to_string(),
        3,
    )
    .await;
    assert_eq!(
        seen,
        pairs(&[("modified", "a"), ("added", "b"), ("deleted", "a")])
    );
}

#[tokio::test]
async fn a_watch_from_nothing_begins_with_what_is_there() {
    let world = world().await;
    let maps = world.config_maps();
    create(&maps, &config_map("a", &json!({}))).await;
    create(&maps, &config_map("b", &json!({}))).await;
    let seen = events(&maps, &WatchParams::default(), "0", 2).await;
    assert_eq!(seen, pairs(&[("added", "a"), ("added", "b")]));
}

#[tokio::test]
async fn entering_and_leaving_a_selection_are_additions_and_deletions() {
    let world = world().await;
    let maps = world.config_maps();
    let from = create(&maps, &config_map("a", &json!({}))).await;
    for label in [json!("web"), json!("api"), json!(null)] {
        merge(
            &maps,
            "a",
            &json!({ "metadata": { "labels": { "app": label } } }),
        )
        .await;
    }
    merge(
        &maps,
        "a",
        &json!({ "metadata": { "labels": { "app": "web" } } }),
    )
    .await;
    maps.delete("a", &Default::default()).await.unwrap();
    let selected = WatchParams::default().labels("app=web");
    let seen = events(&maps, &selected, &revision(&from).to_string(), 4).await;
    assert_eq!(
        seen,
        pairs(&[
            ("added", "a"),
            ("deleted", "a"),
            ("added", "a"),
            ("deleted", "a")
        ])
    );
}

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
    let too_old = maps
        .watch(&WatchParams::default(), &revision(&first).to_string())
        .await;
    assert_eq!(refusal(too_old.map(drop)), (410, "Expired".to_owned()));
    let recent = world.sandbox.truth().revision - 100;
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

#[tokio::test]
async fn a_streaming_list_ends_with_the_bookmark_that_says_so() {
    let world = world().await;
    let maps = world.config_maps();
    create(&maps, &config_map("a", &json!({}))).await;
    let stream = maps
        .watch(&WatchParams::default().initial_events(), "0")
        .await
        .unwrap();
    let seen: Vec<_> = stream.take(2).try_collect().await.unwrap();
    assert_eq!(describe(&seen[0]), ("added".to_owned(), "a".to_owned()));
    let WatchEvent::Bookmark(bookmark) = &seen[1] else {
        panic!("{seen:?}")
    };
    assert_eq!(
        bookmark.metadata.annotations["k8s.io/initial-events-end"],
        "true"
    );
}

#[tokio::test]
async fn a_reflector_by_streaming_lists_keeps_up() {
    let world = world().await;
    let maps = world.config_maps();
    create(&maps, &config_map("a", &json!({}))).await;
    let mut stream = watcher(maps.clone(), watcher::Config::default().streaming_lists()).boxed();
    let mut names = Vec::new();
    create(&maps, &config_map("b", &json!({}))).await;
    while names.len() < 2 {
        let event = tokio::time::timeout(PATIENCE, stream.next())
            .await
            .unwrap()
            .unwrap()
            .unwrap();
        if let watcher::Event::InitApply(object) | watcher::Event::Apply(object) = event {
            names.push(object.metadata.name.unwrap());
        }
    }
    assert_eq!(names, ["a", "b"]);
}

#[tokio::test]
async fn a_watch_ends_after_its_timeout() {
    let world = world().await;
    let stream = world
        .config_maps()
        .watch(&WatchParams::default().timeout(1), "0")
        .await
        .unwrap();
    tokio::time::timeout(PATIENCE, stream.count())
        .await
        .unwrap();
}
