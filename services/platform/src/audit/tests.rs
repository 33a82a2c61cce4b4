use std::sync::Arc;

use causeway_proto::ids::AccountId;

use super::*;
use crate::{
    keys::ring::KeyRing,
    store::{AuditStore as _, Store, tests::memory::MemoryStore},
};

fn account() -> AccountId {
    "default".parse().unwrap()
}

fn end(message: &str) -> End {
    End::new(2, Outcome::Succeeded, 0, message.to_owned())
}

fn ring() -> Arc<KeyRing> {
    let folder = tempfile::tempdir().unwrap();
    Arc::new(KeyRing::open(folder.path()).unwrap())
}

fn intent() -> Entry {
    let record = AuditRecord::allowed(account(), Intent::default(), crate::platform::now());
    Entry::Open(Box::new(record))
}

#[test]
fn long_texts_are_cut_between_characters_and_hold_no_nul() {
    let intent = Intent {
        target: format!("x{}", "ä".repeat(200)),
        method: "a\0b".to_owned(),
        ..Intent::default()
    };
    let record = AuditRecord::allowed(account(), intent, 1);
    assert_eq!(record.intent.target.len(), 255);
    assert_eq!(record.intent.method, "ab");
    assert_eq!(end(&"m".repeat(5000)).message.len(), 1024);
}

#[tokio::test]
async fn entries_of_many_callers_are_durable_when_they_are_answered_and_signed_at_the_end() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let (log, writer) = open(Arc::clone(&store), ring());
    let calls = async {
        let opened = (0..500).map(|_| log.write(intent()));
        for written in futures::future::join_all(opened).await {
            assert_eq!(written.unwrap(), AppendResult::Done);
        }
        drop(log);
    };
    futures::join!(calls, writer.run());
    assert_eq!(store.newest_audit(&account()).await.len(), 500);
    let head = store.audit_head(&account().into()).await.unwrap().unwrap();
    assert_eq!(
        (head.sequence, head.sealed, head.unsealed_since),
        (501, 501, None)
    );
}

#[tokio::test]
async fn each_thousand_entries_are_signed() {
    let store = Arc::new(MemoryStore::default());
    let (log, writer) = open(Arc::clone(&store) as Arc<dyn Store>, ring());
    let calls = async {
        for _ in 0..10 {
            let opened = (0..256).map(|_| log.write(intent()));
            futures::future::join_all(opened).await;
        }
        drop(log);
    };
    futures::join!(calls, writer.run());
    let entries = store
        .read_audit(&account().into(), 1, 10_000)
        .await
        .unwrap();
    let checkpoint = |entry: &&ChainEntry| matches!(entry.body, Body::Checkpoint(_));
    let places: Vec<u64> = entries
        .iter()
        .filter(checkpoint)
        .map(|entry| entry.sequence)
        .collect();
    let mut before = 0;
    for place in &places {
        assert!(place - before <= 1_000 + 512, "{places:?}");
        before = *place;
    }
    assert!(places.len() >= 3, "{places:?}");
}

#[tokio::test]
async fn after_the_writers_end_nothing_is_promised() {
    let (log, writer) = open(Arc::new(MemoryStore::default()), ring());
    drop(writer);
    assert!(matches!(
        log.write(intent()).await,
        Err(AuditError::Stopping)
    ));
}

#[test]
fn a_seal_is_read_back_and_nothing_else_is() {
    let head = Head::new(ChainId::platform());
    let seal = Seal::sign(&head, 5, &ring()).unwrap();
    let bytes = seal.to_bytes();
    assert_eq!(Seal::from_bytes(&bytes), Some(seal));
    assert_eq!(Seal::from_bytes(&bytes[..bytes.len() - 1]), None);
    assert_eq!(Seal::from_bytes(b"anything"), None);
}
