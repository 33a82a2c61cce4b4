use std::os::unix::fs::PermissionsExt as _;

use super::*;
use crate::store::{ApiKeyStore as _, tests::memory::MemoryStore};

#[tokio::test]
async fn the_first_start_makes_one_admin_key_and_the_second_none() {
    let data = tempfile::tempdir().unwrap();
    let (store, file) = (MemoryStore::default(), data.path().join("made/admin.key"));
    ensure_account(&store, &file, 1).await.unwrap();
    let text = fs::read_to_string(&file).unwrap();
    let secret = Secret::parse(API_KEY_PREFIX, text.trim()).unwrap();
    let holder = store.find_holder(secret.digest()).await.unwrap().unwrap();
    assert_eq!(
        (holder.owner.roles, holder.key.user.as_str()),
        (vec![role::admin()], "admin")
    );
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );

    fs::remove_file(&file).unwrap();
    ensure_account(&store, &file, 2).await.unwrap();
    assert!(!file.exists());
    let keys = store
        .list_api_keys(&holder.key.account, None, 1000)
        .await
        .unwrap();
    assert_eq!(keys.len(), 1);
}

#[tokio::test]
async fn a_start_that_was_cut_short_takes_the_key_that_it_wrote() {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("admin.key");
    let (secret, _) = read_or_write(&file).unwrap();
    let store = MemoryStore::default();
    ensure_account(&store, &file, 1).await.unwrap();
    assert!(store.find_holder(secret.digest()).await.unwrap().is_some());
}

#[tokio::test]
async fn of_two_replicas_that_start_together_only_the_quicker_ones_file_holds_a_key() {
    let data = tempfile::tempdir().unwrap();
    let (store, file) = (MemoryStore::default(), |name| data.path().join(name));
    make_account(&store, &file("one.key"), 1).await.unwrap();
    make_account(&store, &file("other.key"), 1).await.unwrap();
    assert!(!file("other.key").exists(), "its key opens nothing");
    fs::write(file("own.key"), Secret::generate(API_KEY_PREFIX).expose()).unwrap();
    for name in ["one.key", "own.key"] {
        make_account(&store, &file(name), 1).await.unwrap();
        assert!(file(name).exists(), "{name} was there before");
    }
}

#[tokio::test]
async fn a_file_with_something_else_is_left_alone() {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("admin.key");
    fs::write(&file, "my notes").unwrap();
    let error = ensure_account(&MemoryStore::default(), &file, 1)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("--admin-key-file"), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "my notes");
}
