use std::{fs, io::Write as _, sync::Arc};

use serde_json::json;

use super::{
    super::object::{ObjectKey, Stored},
    FILE, Journal, Record,
};
use crate::error::SandboxError;

fn object(name: &str, revision: u64) -> Arc<Stored> {
    Arc::new(Stored::new(
        &json!({ "metadata": { "name": name, "uid": name, "resourceVersion": revision.to_string() } }),
    ))
}

fn read(folder: &std::path::Path) -> Result<Vec<Record>, SandboxError> {
    let mut records = Vec::new();
    Journal::open(folder, |record| records.push(record)).map(|_| records)
}

fn fresh(folder: &std::path::Path) -> Journal {
    let mut journal = Journal::open(folder, |_| {}).unwrap();
    journal.rewrite(7, std::iter::empty()).unwrap();
    journal
}

#[test]
fn what_was_appended_is_read_back_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = fresh(folder.path());
    journal.put("pods", &object("a", 8)).unwrap();
    journal.delete("pods", &ObjectKey::new("", "a"), 9).unwrap();
    drop(journal);
    let records = read(folder.path()).unwrap();
    assert_eq!(records[0], Record::Header { revision: 7 });
    assert_eq!(
        records[1],
        Record::Put {
            id: "pods".to_owned(),
            object: object("a", 8).value()
        }
    );
    assert_eq!(
        records[2],
        Record::Delete {
            id: "pods".to_owned(),
            key: ObjectKey::new("", "a"),
            revision: 9
        }
    );
}

#[test]
fn a_torn_last_record_is_dropped_wherever_it_is_torn() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = fresh(folder.path());
    journal.put("pods", &object("a", 8)).unwrap();
    let whole = fs::read(folder.path().join(FILE)).unwrap().len();
    journal.put("pods", &object("b", 9)).unwrap();
    drop(journal);
    let bytes = fs::read(folder.path().join(FILE)).unwrap();
    for cut in whole..bytes.len() {
        fs::write(folder.path().join(FILE), &bytes[..cut]).unwrap();
        assert_eq!(read(folder.path()).unwrap().len(), 2, "cut at {cut}");
        assert_eq!(
            fs::read(folder.path().join(FILE)).unwrap().len(),
            whole,
            "cut at {cut}"
        );
    }
}

#[test]
fn a_newer_format_and_a_damaged_record_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    drop(fresh(folder.path()));
    let mut file = fs::OpenOptions::new()
        .append(true)
        .open(folder.path().join(FILE))
        .unwrap();
    file.write_all(b"{\"put\":\n").unwrap();
    assert!(matches!(
        read(folder.path()),
        Err(SandboxError::Damaged { .. })
    ));
    fs::write(
        folder.path().join(FILE),
        "{\"causeway-sandbox\":\"objects\",\"format\":99,\"revision\":1}\n",
    )
    .unwrap();
    let error = read(folder.path()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("newer version (format 99, this one reads up to 1)"),
        "{error}"
    );
}

#[test]
fn a_folder_serves_one_sandbox_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let held = fresh(folder.path());
    assert!(matches!(
        read(folder.path()),
        Err(SandboxError::InUse { .. })
    ));
    drop(held);
    read(folder.path()).unwrap();
}
