use super::*;

fn response(event: Event, cursor: &str) -> pb::WatchResourcesResponse {
    pb::WatchResourcesResponse {
        event: Some(event),
        cursor: cursor.to_owned(),
    }
}

fn resource(name: &str, version: u64) -> pb::LiveResource {
    pb::LiveResource {
        runtime: "eu".to_owned(),
        cluster: "in-cluster".to_owned(),
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
        resource_version: version,
        ..pb::LiveResource::default()
    }
}

/// What is to be printed: the version of each, nothing of one that is gone.
fn versions(pending: &PendingChanges) -> Vec<(String, Option<u64>)> {
    let last = pending.last.take().into_iter();
    let version = |it: pb::LiveResource| it.resource_version;
    last.map(|(name, it)| (name, it.map(version))).collect()
}

#[test]
fn a_restarted_watch_removes_objects_that_were_deleted_meanwhile() {
    let pending = PendingChanges::default();
    let bookmark = || Event::Bookmark(pb::WatchBookmark::default());
    let updated = |name| Event::Updated(resource(name, 1));
    let name = |name| format!("in-cluster/eu/argocd/{name}");
    for name in ["db", "web"] {
        pending.on_response(&response(updated(name), ""));
    }
    pending.on_response(&response(bookmark(), "1"));
    pending.last.take();
    pending.on_reconnect(ResumeFrom::Cursor);
    pending.on_response(&response(bookmark(), "2"));
    assert!(versions(&pending).is_empty());
    // The first time it is cut again before all that there is was pending of.
    pending.on_reconnect(ResumeFrom::Nothing);
    pending.on_response(&response(updated("db"), ""));
    pending.on_reconnect(ResumeFrom::Nothing);
    pending.on_response(&response(updated("web"), ""));
    assert_eq!(pending.last.take().len(), 2);
    pending.on_response(&response(bookmark(), "1"));
    assert_eq!(versions(&pending), [(name("db"), None)]);
    pending.on_response(&response(bookmark(), "2"));
    assert!(versions(&pending).is_empty());
}

#[tokio::test]
async fn a_failed_read_is_retried_unless_a_newer_state_is_queued() {
    let pending = PendingChanges::default();
    pending.requeue("a".to_owned(), Some(resource("a", 1)));
    pending.more.notified().await;
    let newer = resource("a", 2);
    pending.last.replace(BTreeMap::from([
        ("a".to_owned(), Some(newer)),
        ("gone".to_owned(), None),
    ]));
    for name in ["a", "b", "gone"] {
        pending.requeue(name.to_owned(), Some(resource(name, 1)));
    }
    let expected = [("a", Some(2)), ("b", Some(1)), ("gone", None)];
    let expected = expected.map(|(name, version)| (name.to_owned(), version));
    assert_eq!(versions(&pending), expected);
}

#[tokio::test]
async fn only_the_last_state_of_each_resource_is_queued_and_the_first_ones_print_together() {
    let pending = PendingChanges::default();
    let web = |version: u64| Event::Updated(resource("web", version));
    pending.on_response(&response(web(1), ""));
    pending.on_response(&response(web(2), ""));
    let early = futures::FutureExt::now_or_never(pending.more.notified());
    assert!(early.is_none());
    let bookmark = Event::Bookmark(pb::WatchBookmark::default());
    pending.on_response(&response(bookmark, "1"));
    pending.more.notified().await;
    let last = pending.last.take();
    let versions: Vec<_> = last
        .values()
        .flatten()
        .map(|it| it.resource_version)
        .collect();
    assert_eq!((last.len(), versions), (1, vec![2]));
    let gone = Event::Deleted(pb::ResourceDeleted {
        runtime: "eu".to_owned(),
        cluster: "in-cluster".to_owned(),
        namespace: "argocd".to_owned(),
        name: "web".to_owned(),
        ..pb::ResourceDeleted::default()
    });
    pending.on_response(&response(gone, "2"));
    assert_eq!(
        pending.last.take().keys().collect::<Vec<_>>(),
        last.keys().collect::<Vec<_>>()
    );
}
