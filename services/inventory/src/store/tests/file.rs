use std::{collections::BTreeMap, path::Path};

use causeway_database::DatabaseArgs;
use causeway_proto::inventory::v1 as pb;
use prost::Message as _;

use super::*;
use crate::fixture::live_in;
use crate::{metrics::Metrics, store::sql::WriterTask};

async fn open(folder: &Path) -> Result<(SqlStore, WriterTask), OpenError> {
    SqlStore::open(&DatabaseArgs::default(), folder, Metrics::unread()).await
}

#[tokio::test]
async fn acknowledged_writes_survive_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let mut incarnation = None;
    for round in 1..=3_u64 {
        let mut bench = Bench::open(folder.path()).await;
        let store = &*bench.store;
        assert_eq!(
            *incarnation.get_or_insert(store.reads().incarnation()),
            store.reads().incarnation()
        );
        assert_eq!(
            write(store, Write::Epoch(scope())).await,
            Outcome::Epoch(round)
        );
        report(store, live("u1", "web", at(round, 1, round))).await;
        report(
            store,
            live(
                &format!("u1{round}"),
                &format!("a{round}"),
                at(round, 1, round),
            ),
        )
        .await;
        assert_eq!(
            names(store).await.len(),
            usize::try_from(round).unwrap() + 1
        );
        assert_eq!(
            store
                .reads()
                .change_bounds(&account("default"))
                .await
                .unwrap()
                .latest,
            round * 2
        );
        // As a crash does: nothing is closed, the writer just stops.
        bench.tasks.abort_all();
    }
}

#[tokio::test]
async fn event_deleted_by_its_cluster_is_listed_but_not_held() {
    use crate::{
        event::{EventFilter, EventsOf},
        fixture::resource::{event, scope_for, submit_event},
    };
    let bench = Bench::sqlite().await;
    let store = &*bench.store;
    submit_event(store, event("e", "web", at(1, 1, 1), None, 1_000)).await;
    let scope = scope_for("events");
    assert_eq!(
        store
            .reads()
            .list_held(&scope, None, 10)
            .await
            .unwrap()
            .len(),
        1
    );
    let path = bench.folder.as_ref().unwrap().path().join("inventory.db");
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path);
    let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
    let earlier = "UPDATE event SET received_at = received_at - 3 * 3600 * 1000";
    sqlx::raw_sql(earlier).execute(&pool).await.unwrap();
    assert_eq!(store.reads().list_held(&scope, None, 10).await.unwrap(), []);
    let filter = EventFilter {
        visible: crate::application::Visible::everything(),
        of: EventsOf::Object {
            kind: String::new(),
            namespace: "shop".to_owned(),
            name: "web".to_owned(),
        },
        ..EventFilter::default()
    };
    let account = account("default");
    let listed = store.reads().list_events(&account, &filter, None, 10);
    assert_eq!(listed.await.unwrap().items.len(), 1);
    let day = "UPDATE event SET received_at = received_at - 24 * 3600 * 1000";
    sqlx::raw_sql(day).execute(&pool).await.unwrap();
    let listed = store.reads().list_events(&account, &filter, None, 10);
    assert_eq!(listed.await.unwrap().items, []);
}

#[tokio::test]
async fn folder_in_use_is_rejected_in_one_line() {
    let bench = Bench::sqlite().await;
    let folder = bench.folder.as_ref().unwrap().path();
    let refused = open(folder).await.err().unwrap();
    assert!(matches!(refused, OpenError::Locked(_)));
    assert!(refused.to_string().contains("is in use by another process"));
    assert!(!refused.to_string().contains('\n'));
}

#[tokio::test]
async fn labels_of_older_versions_are_indexed_on_open() {
    let folder = tempfile::tempdir().unwrap();
    let mut bench = Bench::open(folder.path()).await;
    for number in 1..=3_u64 {
        let (uid, labels) = (format!("u{number}"), [("team", "a")]);
        let change = live_in(&uid, &uid, at(number, 1, number), "shop", &labels);
        report(&*bench.store, change).await;
    }
    drop(bench.store);
    while bench.tasks.join_next().await.is_some() {}
    let path = folder.path().join("inventory.db");
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path);
    let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
    let earlier = "DELETE FROM application_label; UPDATE store SET labels_indexed = 0";
    sqlx::raw_sql(earlier).execute(&pool).await.unwrap();
    pool.close().await;
    let bench = Bench::open(folder.path()).await;
    let filter = Filter {
        labels: "team=a".parse().unwrap(),
        ..all()
    };
    let account = account("default");
    let page = bench
        .store
        .reads()
        .list_applications(&account, &filter, View::Basic, None, 10);
    assert_eq!(page.await.unwrap().items.len(), 3);
}

#[tokio::test]
async fn rows_of_older_versions_get_a_history_on_open() {
    let folder = tempfile::tempdir().unwrap();
    let mut bench = Bench::open(folder.path()).await;
    let (uid, ours) = (Uid::from("u1"), account("default"));
    let labels: BTreeMap<_, _> = [("team".to_owned(), "a".repeat(300))].into();
    let status = pb::ApplicationStatus {
        images: vec!["registry.example.com/web:1".to_owned()],
        ..pb::ApplicationStatus::default()
    };
    let state_of = pb::ApplicationState {
        labels: labels.clone(),
        created_at_ms: 5_000,
        status: Some(status.clone()),
        ..pb::ApplicationState::default()
    };
    let canonical = bytes::Bytes::from(state_of.encode_to_vec());
    let basic = pb::Application {
        labels,
        created_at: Some(causeway_proto::time::millis_to_timestamp(5_000)),
        status: Some(status),
        ..pb::Application::default()
    };
    let mut change = live("u1", "web", at(1, 1, 1));
    let state = change.state.as_mut().unwrap();
    state.root_digest = Digest::of(&canonical);
    (state.basic, state.detail) = (basic.encode_to_vec().into(), bytes::Bytes::new());
    report(&*bench.store, change.clone()).await;
    let mut other = live("u2", "other", at(2, 1, 2));
    let inexact = other.state.as_mut().unwrap();
    (inexact.basic, inexact.detail) = (basic.encode_to_vec().into(), bytes::Bytes::new());
    report(&*bench.store, other).await;
    drop(bench.store);
    while bench.tasks.join_next().await.is_some() {}
    let path = folder.path().join("inventory.db");
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path);
    let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
    let earlier = "DELETE FROM history; DELETE FROM story; UPDATE store SET history_begun = 0;
                   UPDATE application SET canonical = NULL, story = NULL";
    sqlx::raw_sql(earlier).execute(&pool).await.unwrap();
    pool.close().await;
    let bench = Bench::open(folder.path()).await;
    let reads = bench.store.reads();
    let root = Digest::of(&canonical);
    let held = reads.held_state(&scope(), &uid, &root).await.unwrap();
    assert_eq!(held.as_ref(), Some(&canonical));
    let told = history::entries(&*bench.store, &ours, "web").await;
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].root_digest, Some(Digest::of(&canonical)));
    let used = images::uses(&*bench.store, &images::everywhere(), 10).await;
    let image = "registry.example.com/web:1@";
    assert_eq!(used, [format!("{image} other"), format!("{image} web")]);
    let unknown = history::entries(&*bench.store, &ours, "other").await;
    assert!(unknown.is_empty(), "its bytes cannot be had exactly");
    change.position = at(3, 1, 3);
    let longer = [&canonical[..], b"\x22\x00"].concat();
    let state = change.state.as_mut().unwrap();
    (state.root_digest, state.canonical) = (Digest::of(&longer), longer.into());
    report(&*bench.store, change).await;
    let told = history::entries(&*bench.store, &ours, "web").await;
    assert!(matches!(told[1].frame, crate::history::Frame::Patch(_)));
}

#[tokio::test]
async fn newer_schema_is_rejected_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    drop(Bench::open(folder.path()).await);
    let path = folder.path().join("inventory.db");
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path);
    let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
    let later = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
                 VALUES (99, 'later', TRUE, x'00', 0)";
    sqlx::raw_sql(later).execute(&pool).await.unwrap();
    pool.close().await;
    let refused = open(folder.path()).await.err().unwrap().to_string();
    let expected = "newer causeway (schema 99, this one knows ";
    assert!(refused.contains(expected), "{refused}");
    assert!(!refused.contains('\n'));
}

#[tokio::test]
async fn failed_writes_are_not_acknowledged_and_later_ones_succeed() {
    let bench = Bench::sqlite().await;
    let path = bench.folder.as_ref().unwrap().path().join("inventory.db");
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path);
    let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
    let refuse = "CREATE TRIGGER refuse BEFORE INSERT ON application WHEN new.name = 'bad' \
                  BEGIN SELECT raise(ABORT, 'no'); END";
    sqlx::raw_sql(refuse).execute(&pool).await.unwrap();
    let store = &*bench.store;
    let submit = |change| store.submit(Write::Report(Arc::new(change), None));
    let good = submit(live("u1", "web", at(1, 1, 1))).await.unwrap();
    let bad = submit(live("u2", "bad", at(2, 1, 2))).await.unwrap();
    let other = submit(live("u3", "api", at(3, 1, 3))).await.unwrap();
    assert_eq!(good.await.unwrap(), Outcome::Stored);
    assert!(bad.await.is_err());
    assert_eq!(other.await.unwrap(), Outcome::Stored);
    assert_eq!(names(store).await, listed(&[("api", 3), ("web", 1)]));
}
