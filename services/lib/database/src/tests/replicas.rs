//! Features that only a shared server has.

use std::time::Duration;

use causeway_testkit::wait_until;
use futures::future::join_all;

use super::*;

const SOON: Duration = Duration::from_secs(30);

#[tokio::test]
async fn replicas_that_start_at_once_make_the_tables_once() {
    let Some(server) = Postgres::shared() else {
        return;
    };
    let args = args(server.database());
    let replicas = join_all((0..4).map(|_| Subject::open(&args))).await;
    for (replica, name) in replicas.iter().zip(["a", "b", "c", "d"]) {
        replica.add(name).await.unwrap();
    }
    assert_eq!(replicas[0].names().await, ["a", "b", "c", "d"]);
}

#[tokio::test]
async fn parts_that_are_given_the_same_database_stay_apart() {
    let Some(server) = Postgres::shared() else {
        return;
    };
    let args = args(server.database());
    let one = Subject::open(&args).await;
    let file = one.folder.path().join("other.db");
    let other = Database::open(&args, "other-things", &file, &TABLES);
    let other = Subject {
        args: args.clone(),
        database: other.await.unwrap(),
        folder: tempfile::tempdir().unwrap(),
    };
    one.add("one").await.unwrap();
    other.add("other").await.unwrap();
    assert_eq!(
        (one.names().await, other.names().await),
        (vec!["one".to_owned()], vec!["other".to_owned()])
    );
}

#[tokio::test]
async fn what_one_replica_tells_is_heard_by_the_others_once_it_is_committed() {
    let Some(server) = Postgres::shared() else {
        return;
    };
    let args = args(server.database());
    let (one, other) = (Subject::open(&args).await, Subject::open(&args).await);
    let mut listener = other.database.listen("things");
    // The first notification reports the connection itself.
    listener.notified().await;
    let mut transaction = one.database.begin().await.unwrap();
    transaction.notify("things").await.unwrap();
    transaction.commit().await.unwrap();
    tokio::time::timeout(SOON, listener.notified())
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_went_away_is_told_apart_and_used_again_when_it_is_back() {
    let Some(server) = Postgres::start() else {
        return;
    };
    let subject = Subject::open(&args(server.database())).await;
    let mut listener = subject.database.listen("things");
    listener.notified().await;
    subject.add("before").await.unwrap();
    server.stop();
    let error = subject.add("during").await.unwrap_err();
    assert!(crate::is_unavailable(&error), "{error:?}");
    server.start_again();
    wait_until("a write", SOON, async || {
        subject
            .add("after")
            .await
            .map_err(|error| error.to_string())
    })
    .await;
    assert_eq!(subject.names().await, ["after", "before"]);
    tokio::time::timeout(SOON, listener.notified())
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_that_starts_before_its_server_waits_for_it() {
    let Some(server) = Postgres::start() else {
        return;
    };
    let args = args(server.database());
    server.stop();
    let opening = Subject::open(&args);
    let starting = async {
        tokio::task::yield_now().await;
        server.start_again();
    };
    let (subject, ()) = futures::join!(opening, starting);
    subject.add("one").await.unwrap();
}

#[tokio::test]
async fn a_database_that_is_not_there_is_named_without_its_password() {
    let Some(server) = Postgres::shared() else {
        return;
    };
    let url = server
        .url("absent")
        .replace("causeway@", "causeway:hidden@");
    let folder = tempfile::tempdir().unwrap();
    let refused = Database::open(&args(url), "things", folder.path(), &TABLES).await;
    let refused = refused.unwrap_err();
    assert!(matches!(refused, OpenError::Unusable(..)), "{refused:?}");
    let text = refused.to_string();
    assert!(
        text.contains("absent") && !text.contains("hidden"),
        "{text}"
    );
}

#[tokio::test]
async fn a_url_that_is_none_is_refused_and_not_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let args = args("mysql://user:hidden@host/base".to_owned());
    let shown = format!("{args:?}");
    assert!(!shown.contains("hidden"), "{shown}");
    let refused = Database::open(&args, "things", folder.path(), &TABLES).await;
    let text = refused.unwrap_err().to_string();
    assert_eq!(text, "--database: it must begin with postgres://");
}
