//! Tests of the SQLite file.

use causeway_database::{OpenError, query};

use super::*;
use crate::data_folder::DataFolder;

async fn open(folder: &Path) -> Result<SqlStore, OpenError> {
    SqlStore::open(&DatabaseArgs::default(), &folder.join("platform.db")).await
}

#[tokio::test]
async fn what_was_answered_is_there_after_a_restart_without_a_close() {
    let folder = tempfile::tempdir().unwrap();
    let secret = Secret::generate(API_KEY_PREFIX);
    let first = open(folder.path()).await.unwrap();
    first
        .create_account(&user("default"), &key("default", 1), secret.digest())
        .await
        .unwrap();
    let second = open(folder.path()).await.unwrap();
    assert!(second.find_holder(secret.digest()).await.unwrap().is_some());
    second.close().await;
    let third = open(folder.path()).await.unwrap();
    assert!(third.find_holder(secret.digest()).await.unwrap().is_some());
}

#[tokio::test]
async fn a_newer_schema_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await.unwrap();
    store.pretend_newer().await;
    store.close().await;
    let error = format!(
        "{:#}",
        anyhow::Error::from(open(folder.path()).await.unwrap_err())
    );
    assert!(
        error.contains("newer causeway (schema 99, this one knows "),
        "{error}"
    );
    assert!(!error.contains('\n'));
}

#[tokio::test]
async fn a_file_that_is_no_database_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("platform.db"), "nonsense ".repeat(1000)).unwrap();
    let error = format!(
        "{:#}",
        anyhow::Error::from(open(folder.path()).await.unwrap_err())
    );
    assert!(
        error.contains("platform.db") && !error.contains('\n'),
        "{error}"
    );
}

#[test]
fn a_folder_is_held_by_one_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let held = DataFolder::open(folder.path()).unwrap();
    let error = DataFolder::open(folder.path()).unwrap_err().to_string();
    assert!(
        error.contains("another causeway process holds this folder"),
        "{error}"
    );
    drop(held);
    DataFolder::open(folder.path()).unwrap();
}

/// Lets each write to the audit fail, or none.
async fn break_audit(store: &SqlStore, statement: &'static str) {
    let mut work = store.begin().await.unwrap();
    query(statement).execute(&mut work).await.unwrap();
    work.commit().await.unwrap();
}

#[tokio::test]
async fn a_join_whose_audit_entry_cannot_be_written_has_no_effect_and_uses_up_no_token() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await.unwrap();
    let subject = Subject::filled(Arc::new(store.clone()), None).await;
    let (first, own) = (subject.token("default", "edge", 0).await, joining());
    let fails =
        "CREATE TRIGGER fails BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'full'); END";
    break_audit(&store, fails).await;
    store.join(first, &own, 1).await.unwrap_err();
    assert_eq!(store.present_runtimes(10).await.unwrap(), []);
    let unused = store.list_join_tokens(&account("default"), 1, 10).await;
    assert_eq!(unused.unwrap().len(), 1);

    break_audit(&store, "DROP TRIGGER fails").await;
    let joined = store.join(first, &own, 2).await.unwrap();
    assert!(matches!(joined, JoinOutcome::Joined(_)), "{joined:?}");

    let again = subject.rejoin_token("default", "edge", 3).await.unwrap();
    break_audit(&store, fails).await;
    store.join(again, &joining(), 4).await.unwrap_err();
    let present = store.present_runtimes(10).await.unwrap();
    assert_eq!(present[0].identity_key, own.identity_key);
    let unused = store.list_join_tokens(&account("default"), 4, 10).await;
    assert_eq!(unused.unwrap().len(), 1);
}

#[tokio::test]
async fn a_database_and_its_folder_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let root = tempfile::tempdir().unwrap();
    let folder = DataFolder::open(&root.path().join("data")).unwrap();
    let file = folder.database();
    let store = SqlStore::open(&DatabaseArgs::default(), &file)
        .await
        .unwrap();
    assert_eq!(mode(&root.path().join("data")), 0o700);
    for entry in std::fs::read_dir(root.path().join("data")).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
    store.close().await;
}
