//! Tests of the SQLite file.

use causeway_database::OpenError;

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
