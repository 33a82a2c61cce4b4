use std::sync::Arc;

use serde_json::{Value, json};
use tokio::time::{Duration, Instant};

use super::Watch;
use crate::cluster::{
    http::Api,
    route::{Format, Query},
    store::Store,
};

const MAPS: &str = "configmaps";

fn api() -> Arc<Api> {
    Arc::new(Api::new(Store::in_memory()))
}

fn write(api: &Api, kind: &str, name: &str) -> u64 {
    let object = json!({"metadata": {"name": name, "namespace": "default"}});
    let written = api.store().write_raw(kind, object, "2026-01-01T00:00:00Z");
    written.ok().unwrap().revision
}

fn watch(api: &Arc<Api>, from: u64) -> Watch {
    let query = format!("resourceVersion={from}&allowWatchBookmarks=true&timeoutSeconds=600");
    let query = Query::parse(&query).ok().unwrap();
    let resource = Arc::clone(&api.store().collection(MAPS).unwrap().resource);
    let opened = Watch::open(api, &resource, "v1", "default", &query, Format::Json);
    opened.ok().unwrap()
}

/// The revision of the next bookmark, and after how many seconds it came; nothing at the end.
async fn bookmark(watch: &mut Watch) -> Option<(u64, u64)> {
    let begun = Instant::now();
    let line: Value = serde_json::from_slice(&watch.next().await?).unwrap();
    assert_eq!(line["type"], "BOOKMARK", "{line}");
    let revision = line["object"]["metadata"]["resourceVersion"].as_str()?;
    Some((revision.parse().unwrap(), begun.elapsed().as_secs()))
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_has_moved_on_says_so_every_minute_though_nothing_changes() {
    let api = api();
    let mut watch = watch(&api, write(&api, MAPS, "a"));
    let other = write(&api, "secrets", "b");
    assert_eq!(bookmark(&mut watch).await, Some((other, 2)));
    for _ in 0..5 {
        assert_eq!(bookmark(&mut watch).await, Some((other, 60)));
    }
}

#[tokio::test(start_paused = true)]
async fn no_bookmark_tells_where_a_watch_began() {
    let api = api();
    let mut watch = watch(&api, write(&api, MAPS, "a"));
    let begun = Instant::now();
    assert_eq!(bookmark(&mut watch).await, None);
    assert_eq!(begun.elapsed(), Duration::from_secs(600));
}
