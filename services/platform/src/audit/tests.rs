use super::*;
use crate::store::memory::MemoryStore;

fn account() -> AccountId {
    "default".parse().unwrap()
}

fn end(message: &str) -> End {
    End::new(2, Outcome::Succeeded, 0, message.to_owned())
}

#[test]
fn long_texts_are_cut_between_characters() {
    let intent = Intent {
        target: format!("x{}", "ä".repeat(200)),
        ..Intent::default()
    };
    let record = AuditRecord::allowed(account(), intent, 1);
    assert_eq!(record.intent.target.len(), 255);
    assert_eq!(end(&"m".repeat(5000)).message.len(), 1024);
}

#[tokio::test]
async fn entries_of_many_callers_are_durable_when_they_are_answered() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let (log, writer) = open();
    let calls = async {
        let records: Vec<_> = (0..500)
            .map(|_| AuditRecord::allowed(account(), Intent::default(), 1))
            .collect();
        let opened = records
            .iter()
            .map(|record| log.write(Entry::Open(Box::new(record.clone()))));
        for written in futures::future::join_all(opened).await {
            assert_eq!(written.unwrap(), Written::Done);
        }
        drop(log);
    };
    futures::join!(calls, writer.run(Arc::clone(&store)));
    assert_eq!(
        store
            .list_audit(&account(), None, 1000)
            .await
            .unwrap()
            .len(),
        500
    );
}

#[tokio::test]
async fn after_the_writers_end_nothing_is_promised() {
    let (log, writer) = open();
    drop(writer);
    let record = AuditRecord::allowed(account(), Intent::default(), 1);
    let written = log.write(Entry::Open(Box::new(record))).await;
    assert!(matches!(written, Err(AuditError::Stopping)));
}
