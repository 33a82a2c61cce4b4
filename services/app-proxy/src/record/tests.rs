use causeway_proto::ids::RequestId;
use serde_json::{Value, json};

use super::{ANNOTATION, Entry, Progress, Record};

fn entry(id: &RequestId, progress: Progress) -> Entry {
    Entry {
        id: id.to_string(),
        asked: "a".to_owned(),
        from: "b".to_owned(),
        progress,
        at: 1,
    }
}

fn object(text: &str) -> Value {
    json!({"metadata": {"annotations": {ANNOTATION: text}}})
}

#[test]
fn what_was_written_is_read_again() {
    let (one, other) = (RequestId::generate(), RequestId::generate());
    let record = Record::default()
        .with(entry(&one, Progress::Begun))
        .with(entry(&other, Progress::Unchanged))
        .with(entry(&one, Progress::Done));
    let read = Record::of(&object(&record.text()));
    assert_eq!(read, record);
    assert_eq!(read.find(&one).unwrap().progress, Progress::Done);
    assert_eq!(read.find(&RequestId::generate()), None);
}

#[test]
fn the_last_eight_are_remembered() {
    let ids: Vec<RequestId> = (0..9).map(|_| RequestId::generate()).collect();
    let record = ids.iter().fold(Record::default(), |record, id| {
        record.with(entry(id, Progress::Done))
    });
    assert_eq!(record.find(&ids[0]), None);
    assert!(ids[1..].iter().all(|id| record.find(id).is_some()));
}

#[test]
fn what_somebody_else_wrote_there_hurts_nobody() {
    for text in ["", "no list", "[1]", &"[".repeat(100_000)] {
        assert_eq!(Record::of(&object(text)), Record::default());
    }
    assert_eq!(Record::of(&json!({"metadata": 5})), Record::default());
}

#[test]
fn what_may_have_been_forgotten_is_told_from_what_is_new() {
    let ids = (0..8).map(|_| RequestId::generate());
    let full = ids.fold(Record::default(), |record, id| {
        record.with(entry(&id, Progress::Done))
    });
    assert!(full.may_have_forgotten(0));
    assert!(!full.may_have_forgotten(1));
    assert!(!Record::default().may_have_forgotten(0));
}
