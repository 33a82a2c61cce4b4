//! Databases that accept no writes.

use std::io;

use super::*;
use crate::UnwritableError;

over_each_database!(database_in_order_is_writable);

async fn database_in_order_is_writable(subject: &Subject) {
    subject.database.check_writable().await.unwrap();
    subject.add("one").await.unwrap();
    subject.database.check_writable().await.unwrap();
    assert_eq!(subject.names().await, ["one"]);
}

#[tokio::test]
async fn database_that_refuses_writes_is_not_writable() {
    let subject = Subject::sqlite().await;
    let mut transaction = subject.database.begin().await.unwrap();
    // The connection that writes refuses to from here on.
    let refuse = query("PRAGMA query_only = 1").execute(&mut transaction);
    refuse.await.unwrap();
    drop(transaction);
    let error = subject.database.check_writable().await.unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, UnwritableError::Write(_)), "{text}");
    assert!(text.contains("cannot be written"), "{text}");
    assert_eq!(subject.names().await, Vec::<String>::new());
}

#[test]
fn full_disk_is_named_with_its_free_space() {
    let full = UnwritableError::DiskFull {
        folder: "/data/platform".into(),
        free: 5 << 20,
    };
    let text =
        "the disk of /data/platform is full (5 MiB are free): free space or enlarge the volume";
    assert_eq!(full.to_string(), text);
    let closed = UnwritableError::Write(Error::Io(io::ErrorKind::StorageFull.into()));
    assert!(closed.to_string().contains("storage space"), "{closed}");
}
