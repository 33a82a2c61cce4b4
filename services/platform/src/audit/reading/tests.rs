use futures::TryStreamExt as _;

use super::*;
use crate::{
    accounts::model::first_account,
    audit::{AuditRecord, Entry, Intent, Seal},
    keys::ring::KeyRing,
    store::{CUT_EVERY, PruneProgress, tests::memory::MemoryStore},
};

fn opened(at: i64) -> Entry {
    let intent = Intent {
        subject: "user:admin".to_owned(),
        credential: String::new(),
        method: "/a/B".to_owned(),
        permission: "application.sync".to_owned(),
        runtime: "edge".to_owned(),
        target: "applications/argocd/guestbook".to_owned(),
        request_id: "id".to_owned(),
        trace_id: String::new(),
        source_address: "10.0.0.1".to_owned(),
    };
    let record = AuditRecord::allowed(first_account(), intent, at);
    Entry::Open(Box::new(record))
}

async fn write(store: &MemoryStore, entries: usize, at: i64) {
    let entries = (0..entries).map(|_| opened(at)).collect();
    store.write_audit(entries).await.unwrap();
}

/// A chain of 2000 entries, a checkpoint behind them, and 600 younger ones.
async fn chain() -> (Arc<MemoryStore>, ChainId) {
    let (store, chain) = (Arc::<MemoryStore>::default(), first_account().into());
    write(&store, 2_000, 1).await;
    let folder = tempfile::tempdir().unwrap();
    let ring = KeyRing::open(folder.path()).unwrap();
    let head = store.audit_head(&chain).await.unwrap().unwrap();
    let seal = Seal::sign(&head, 10, &ring).unwrap();
    store.seal_audit(&head, seal, 10).await.unwrap();
    write(&store, 600, 2 * CUT_EVERY).await;
    (store, chain)
}

#[tokio::test]
async fn all_entries_are_read_in_their_order() {
    let (store, chain) = chain().await;
    for from in [0, 1, 500, 501, 2_601, 2_602] {
        let batches: Vec<Vec<ChainEntry>> = entries(store.clone(), chain.clone(), from)
            .try_collect()
            .await
            .unwrap();
        let read: Vec<u64> = batches.concat().iter().map(|it| it.sequence).collect();
        let expected: Vec<u64> = (from.max(1)..=2_601).collect();
        assert_eq!(read, expected);
    }
}

#[tokio::test]
async fn an_export_that_retention_cuts_under_way_says_what_is_missing() {
    let (store, chain) = chain().await;
    let mut batches = entries(store.clone(), chain, 0);
    let first = batches.try_next().await.unwrap().unwrap();
    assert_eq!(first.len(), 500);
    while store
        .cut_audit(CUT_EVERY + 100, 3 * CUT_EVERY)
        .await
        .unwrap()
        == PruneProgress::More
    {}
    let mut told = 500;
    // What was read ahead is told.
    let error = loop {
        match batches.try_next().await {
            Ok(batch) => told = batch.unwrap().last().unwrap().sequence,
            Err(error) => break error,
        }
        assert!(told < 2_000, "the gap is not told");
    };
    let ReadAuditError::Removed { from, through } = error else {
        panic!("{error}");
    };
    assert_eq!((from, through), (told + 1, 2_000));
}
