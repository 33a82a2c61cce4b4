use std::time::Duration;

use futures::StreamExt as _;
use kube::api::WatchParams;
use serde_json::json;

use crate::world::{
    PATIENCE, config_map, create, describe, events, merge, pairs, refusal, revision, world,
};

#[tokio::test]
async fn the_next_watches_are_gone_and_later_ones_are_not() {
    let world = world().await;
    let maps = world.config_maps();
    create(&maps, &config_map("a", &json!({}))).await;
    world.sandbox.faults().gone_410("configmaps", 1);
    let gone = events(&maps, &WatchParams::default(), "0", 1).await;
    assert_eq!(gone, pairs(&[("error", "410")]));
    assert_eq!(
        events(&maps, &WatchParams::default(), "0", 1).await,
        pairs(&[("added", "a")])
    );
}

#[tokio::test]
async fn a_watch_is_gone_after_so_many_events() {
    let world = world().await;
    let maps = world.config_maps();
    for name in ["a", "b", "c"] {
        create(&maps, &config_map(name, &json!({}))).await;
    }
    world.sandbox.faults().gone_410_after("configmaps", 2);
    let seen = events(&maps, &WatchParams::default(), "0", 3).await;
    assert_eq!(
        seen,
        pairs(&[("added", "a"), ("added", "b"), ("error", "410")])
    );
}

#[tokio::test]
async fn a_stalled_watch_says_nothing_until_it_is_cleared() {
    let world = world().await;
    let maps = world.config_maps();
    let from = create(&maps, &config_map("a", &json!({}))).await;
    let mut stream = maps
        .watch(&WatchParams::default(), &revision(&from).to_string())
        .await
        .unwrap()
        .boxed();
    world.sandbox.faults().stall_watches("configmaps");
    create(&maps, &config_map("b", &json!({}))).await;
    let muted = tokio::time::timeout(Duration::from_millis(100), stream.next()).await;
    assert!(muted.is_err(), "{muted:?}");
    world.sandbox.faults().clear("configmaps");
    let next = tokio::time::timeout(PATIENCE, stream.next())
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    assert_eq!(describe(&next), ("added".to_owned(), "b".to_owned()));
}

#[tokio::test]
async fn open_watches_can_be_closed_and_events_doubled() {
    let world = world().await;
    let maps = world.config_maps();
    let from = revision(&create(&maps, &config_map("a", &json!({}))).await).to_string();
    let stream = maps.watch(&WatchParams::default(), &from).await.unwrap();
    world.sandbox.faults().close_watches("configmaps");
    assert_eq!(
        tokio::time::timeout(PATIENCE, stream.count())
            .await
            .unwrap(),
        0
    );
    world.sandbox.faults().duplicate_events("configmaps", 1);
    merge(&maps, "a", &json!({ "data": { "x": "1" } })).await;
    let seen = events(&maps, &WatchParams::default(), &from, 2).await;
    assert_eq!(seen, pairs(&[("modified", "a"), ("modified", "a")]));
}

#[tokio::test]
async fn requests_are_throttled_failed_and_delayed() {
    let world = world().await;
    let maps = world.config_maps();
    world
        .sandbox
        .faults()
        .throttle("configmaps", 1, Duration::from_secs(3));
    assert_eq!(
        refusal(maps.get("a").await),
        (429, "TooManyRequests".to_owned())
    );
    world.sandbox.faults().fail("*", 1, 500);
    assert_eq!(
        refusal(world.applications().get("a").await),
        (500, "InternalError".to_owned())
    );
    world
        .sandbox
        .faults()
        .delay("configmaps", Duration::from_millis(50));
    let began = tokio::time::Instant::now();
    assert_eq!(refusal(maps.get("a").await).0, 404);
    assert!(began.elapsed() >= Duration::from_millis(50));
    world.sandbox.faults().clear("*");
}
