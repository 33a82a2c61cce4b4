use super::*;
use crate::audit::{End, Intent, Outcome, Verdict};

over_each_store!(
    the_first_outcome_stays,
    a_row_that_is_not_there_has_no_outcome,
    rows_are_paged_newest_first_within_their_account,
    rows_without_an_outcome_are_closed_as_unknown_in_time,
    all_that_a_row_says_is_read_back,
);

fn record(of: &str, at: i64) -> AuditRecord {
    let intent = Intent {
        subject: "user:admin".to_owned(),
        method: "/a/B".to_owned(),
        runtime: "edge".to_owned(),
        target: "applications/argocd/guestbook".to_owned(),
        request_id: "id".to_owned(),
        trace_id: "trace".to_owned(),
        source_address: "10.0.0.1".to_owned(),
    };
    AuditRecord::allowed(account(of), intent, at)
}

fn open(record: &AuditRecord) -> Entry {
    Entry::Open(Box::new(record.clone()))
}

fn close(record: &AuditRecord, end: &End) -> Entry {
    let (audit_id, end) = (record.audit_id, end.clone());
    Entry::Close { audit_id, end }
}

async fn the_first_outcome_stays(subject: &Subject) {
    let row = record("default", 1);
    let first = End::new(2, Outcome::Unknown, 14, "gone".to_owned());
    let second = End::new(3, Outcome::Succeeded, 0, String::new());
    let entries = vec![open(&row), close(&row, &first), close(&row, &second)];
    let written = subject.store.write_audit(entries).await.unwrap();
    assert_eq!(written, [Written::Done, Written::Done, Written::Kept]);
    let later = subject
        .store
        .write_audit(vec![close(&row, &second)])
        .await
        .unwrap();
    assert_eq!(later, [Written::Kept]);
    let rows = subject
        .store
        .list_audit(&account("default"), None, 10)
        .await
        .unwrap();
    assert_eq!(rows[0].end, Some(first));
}

async fn a_row_that_is_not_there_has_no_outcome(subject: &Subject) {
    let end = End::new(2, Outcome::Failed, 7, String::new());
    let entries = vec![close(&record("default", 1), &end)];
    assert_eq!(
        subject.store.write_audit(entries).await.unwrap(),
        [Written::NoRow]
    );
}

async fn rows_are_paged_newest_first_within_their_account(subject: &Subject) {
    let rows: Vec<AuditRecord> = (0..5).map(|at| record("default", at)).collect();
    let entries = rows.iter().map(open).chain([open(&record("other", 9))]);
    subject.store.write_audit(entries.collect()).await.unwrap();
    let page = subject
        .store
        .list_audit(&account("default"), None, 3)
        .await
        .unwrap();
    assert_eq!(page, [rows[4].clone(), rows[3].clone(), rows[2].clone()]);
    let rest = subject
        .store
        .list_audit(&account("default"), Some(page[2].audit_id), 3)
        .await
        .unwrap();
    assert_eq!(rest, [rows[1].clone(), rows[0].clone()]);
    assert_eq!(
        subject
            .store
            .list_audit(&account("other"), None, 10)
            .await
            .unwrap()
            .len(),
        1
    );
}

async fn rows_without_an_outcome_are_closed_as_unknown_in_time(subject: &Subject) {
    let (old, young, ended) = (
        record("default", 1),
        record("default", 10),
        record("default", 1),
    );
    let end = End::new(2, Outcome::Succeeded, 0, String::new());
    let entries = vec![open(&old), open(&young), open(&ended), close(&ended, &end)];
    subject.store.write_audit(entries).await.unwrap();
    assert_eq!(subject.store.close_stale_audit(10, 99).await.unwrap(), 1);
    let rows = subject
        .store
        .list_audit(&account("default"), None, 10)
        .await
        .unwrap();
    let stale = rows
        .iter()
        .find(|row| row.audit_id == old.audit_id)
        .unwrap()
        .end
        .clone()
        .unwrap();
    assert_eq!((stale.outcome, stale.ended_at), (Outcome::Unknown, 99));
    assert_eq!(rows.iter().filter(|row| row.end.is_none()).count(), 1);
}

async fn all_that_a_row_says_is_read_back(subject: &Subject) {
    let allowed = record("default", 1);
    let end = End::new(5, Outcome::Failed, 7, "no".to_owned());
    let denied = AuditRecord::denied(account("default"), allowed.intent.clone(), end);
    assert_eq!(denied.verdict, Verdict::Denied);
    subject
        .store
        .write_audit(vec![open(&allowed), open(&denied)])
        .await
        .unwrap();
    let rows = subject
        .store
        .list_audit(&account("default"), None, 10)
        .await
        .unwrap();
    assert_eq!(rows, [denied, allowed]);
}
