use causeway_client::{AuditVerifier, ChainStart};

use super::*;
use crate::{
    audit::{Body, End, EndFilter, Filter, Intent, Outcome, OverdueBounds, Verdict},
    keys::ring::KeyRing,
};

over_each_store!(
    the_first_outcome_stays,
    a_row_that_is_not_there_has_no_outcome,
    rows_are_paged_newest_first_within_their_account,
    rows_without_an_outcome_are_closed_as_unknown_in_time,
    a_session_is_not_overdue_while_somebody_may_use_it,
    all_that_a_row_says_is_read_back,
    each_filter_finds_what_it_asks_for_and_no_more,
    entries_are_read_as_they_were_hashed,
    a_chain_is_sealed_only_where_it_still_ends,
    a_chain_is_cut_at_a_checkpoint_and_says_so,
);

fn record(of: &str, at: i64) -> AuditRecord {
    let intent = Intent {
        subject: "user:admin".to_owned(),
        credential: "key:one".to_owned(),
        method: "/a/B".to_owned(),
        permission: "application.sync".to_owned(),
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

fn refused(record: &AuditRecord, at: i64) -> AuditRecord {
    let end = End::new(at, Outcome::Failed, 7, "no".to_owned());
    AuditRecord::denied(record.chain.clone(), record.intent.clone(), end)
}

fn ring() -> KeyRing {
    let folder = tempfile::tempdir().unwrap();
    KeyRing::open(folder.path()).unwrap()
}

impl Subject {
    async fn audit(&self, of: &str) -> Vec<AuditRecord> {
        self.store.newest_audit(&account(of)).await
    }

    async fn page(&self, filter: Filter, before: Option<u64>, limit: u32) -> Page {
        let query = Query {
            chain: account("default").into(),
            filter,
            before,
            limit,
        };
        self.store.list_audit(&query).await.unwrap()
    }

    async fn write(&self, entries: Vec<Entry>) -> Vec<AppendResult> {
        self.store.write_audit(entries).await.unwrap()
    }

    async fn seal(&self, ring: &KeyRing, at: i64) -> Head {
        let head = self
            .store
            .audit_head(&account("default").into())
            .await
            .unwrap()
            .unwrap();
        let seal = Seal::sign(&head, at, ring).unwrap();
        self.store.seal_audit(&head, seal, at).await.unwrap();
        head
    }
}

async fn the_first_outcome_stays(subject: &Subject) {
    let row = record("default", 1);
    let first = End::new(2, Outcome::Unknown, 14, "gone".to_owned());
    let second = End::new(3, Outcome::Succeeded, 0, String::new());
    let entries = vec![open(&row), close(&row, &first), close(&row, &second)];
    let written = subject.write(entries).await;
    assert_eq!(
        written,
        [AppendResult::Done, AppendResult::Done, AppendResult::Kept]
    );
    let later = subject.write(vec![close(&row, &second)]).await;
    assert_eq!(later, [AppendResult::Kept]);
    assert_eq!(subject.audit("default").await[0].end, Some(first));
}

async fn a_row_that_is_not_there_has_no_outcome(subject: &Subject) {
    let end = End::new(2, Outcome::Failed, 7, String::new());
    let entries = vec![close(&record("default", 1), &end)];
    assert_eq!(subject.write(entries).await, [AppendResult::NoRow]);
}

async fn rows_are_paged_newest_first_within_their_account(subject: &Subject) {
    let rows: Vec<AuditRecord> = (0..5).map(|at| record("default", at)).collect();
    let entries = rows.iter().map(open).chain([open(&record("other", 9))]);
    subject.write(entries.collect()).await;
    let ids = |page: &Page| {
        page.records
            .iter()
            .map(|row| row.audit_id)
            .collect::<Vec<_>>()
    };
    let page = subject.page(Filter::default(), None, 3).await;
    assert_eq!(
        ids(&page),
        [rows[4].audit_id, rows[3].audit_id, rows[2].audit_id]
    );
    let rest = subject.page(Filter::default(), page.next, 3).await;
    assert_eq!(ids(&rest), [rows[1].audit_id, rows[0].audit_id]);
    assert_eq!(rest.next, None);
    assert_eq!(subject.audit("other").await.len(), 1);
    let foreign = account("other").into();
    let found = subject.store.find_audit(&foreign, rows[0].audit_id).await;
    assert_eq!(found.unwrap(), None);
}

async fn rows_without_an_outcome_are_closed_as_unknown_in_time(subject: &Subject) {
    let (old, ended, young) = (
        record("default", 1),
        record("default", 1),
        record("default", 10),
    );
    let end = End::new(2, Outcome::Succeeded, 0, String::new());
    let entries = vec![open(&old), open(&ended), close(&ended, &end), open(&young)];
    subject.write(entries).await;
    let overdue = OverdueBounds {
        asked_before: 10,
        session_before: 0,
    };
    let closed = subject.store.close_stale_audit(overdue, 99).await;
    assert_eq!(closed.unwrap(), 1);
    let rows = subject.audit("default").await;
    let stale = rows.iter().find(|row| row.audit_id == old.audit_id);
    let stale = stale.unwrap().end.clone().unwrap();
    assert_eq!((stale.outcome, stale.ended_at), (Outcome::Unknown, 99));
    assert_eq!(rows.iter().filter(|row| row.end.is_none()).count(), 1);
    let head = subject.store.audit_head(&account("default").into()).await;
    assert_eq!(head.unwrap().unwrap().sequence, 5);
}

async fn a_session_is_not_overdue_while_somebody_may_use_it(subject: &Subject) {
    let (mut session, call) = (record("default", 1), record("default", 1));
    session.intent.method = "/causeway.proxy.v1.ExecService/Exec".to_owned();
    subject.write(vec![open(&session), open(&call)]).await;
    let mut overdue = OverdueBounds {
        asked_before: 10,
        session_before: 1,
    };
    for (at, pending) in [(50, 1), (60, 1)] {
        subject.store.close_stale_audit(overdue, at).await.unwrap();
        let rows = subject.audit("default").await;
        let open: Vec<_> = rows.iter().filter(|row| row.end.is_none()).collect();
        assert_eq!(open.len(), pending);
        assert_eq!(open[0].audit_id, session.audit_id);
    }
    overdue.session_before = 2;
    subject.store.close_stale_audit(overdue, 99).await.unwrap();
    let rows = subject.audit("default").await;
    let ended = rows.iter().find(|row| row.audit_id == session.audit_id);
    let ended = ended.unwrap().end.clone().unwrap();
    assert_eq!((ended.outcome, ended.ended_at), (Outcome::Unknown, 99));
}

async fn all_that_a_row_says_is_read_back(subject: &Subject) {
    let mut allowed = record("default", 1);
    let mut denied = refused(&allowed, 5);
    assert_eq!(denied.verdict, Verdict::Denied);
    subject.write(vec![open(&allowed), open(&denied)]).await;
    (allowed.sequence, denied.sequence) = (1, 2);
    assert_eq!(subject.audit("default").await, [denied.clone(), allowed]);
    let found = subject
        .store
        .find_audit(&denied.chain, denied.audit_id)
        .await;
    assert_eq!(found.unwrap(), Some(denied));
}

/// Thirty calls in which each value of each filter is there some times.
async fn mixed(subject: &Subject) -> Vec<AuditRecord> {
    let mut entries = Vec::new();
    for number in 0..30_i64 {
        let mut row = record("default", number);
        row.intent.subject = format!("user:{}", number % 3);
        row.intent.method = format!("/m/{}", number % 4);
        row.intent.runtime = format!("r{}", number % 5);
        row.intent.target = format!("t{}", number % 7);
        row.intent.request_id = format!("id-{number}");
        if number % 6 == 0 {
            entries.push(open(&refused(&row, number)));
            continue;
        }
        entries.push(open(&row));
        let (outcome, code) = match number % 6 {
            1 => (Outcome::Succeeded, 0),
            2 => (Outcome::Failed, 7),
            3 => (Outcome::Failed, 9),
            4 => (Outcome::Unknown, 2),
            _ => continue,
        };
        entries.push(close(&row, &End::new(number, outcome, code, String::new())));
    }
    subject.write(entries).await;
    subject.audit("default").await
}

fn filters() -> Vec<Filter> {
    let text = |text: &str| Some(text.to_owned());
    let ends = [
        EndFilter::Pending,
        EndFilter::Denied,
        EndFilter::Outcome(Outcome::Succeeded),
        EndFilter::Outcome(Outcome::Failed),
        EndFilter::Outcome(Outcome::Unknown),
    ];
    let one = [
        Filter {
            subject: text("user:1"),
            ..Filter::default()
        },
        Filter {
            method: text("/m/2"),
            ..Filter::default()
        },
        Filter {
            runtime: text("r3"),
            ..Filter::default()
        },
        Filter {
            target: text("t4"),
            ..Filter::default()
        },
        Filter {
            request_id: text("id-17"),
            ..Filter::default()
        },
        Filter {
            since: Some(7),
            ..Filter::default()
        },
        Filter {
            until: Some(9),
            ..Filter::default()
        },
        Filter {
            since: Some(5),
            until: Some(21),
            method: text("/m/1"),
            subject: text("user:2"),
            ..Filter::default()
        },
        Filter {
            subject: text("nobody"),
            runtime: text("r1"),
            ..Filter::default()
        },
        Filter {
            since: Some(1000),
            ..Filter::default()
        },
    ];
    let with_ends = one.iter().flat_map(|filter| {
        let with = |end| Filter {
            end: Some(end),
            ..filter.clone()
        };
        ends.into_iter().map(with)
    });
    let only_ends = ends.into_iter().map(|end| Filter {
        end: Some(end),
        ..Filter::default()
    });
    with_ends.chain(only_ends).chain(one.clone()).collect()
}

async fn each_filter_finds_what_it_asks_for_and_no_more(subject: &Subject) {
    let all = mixed(subject).await;
    assert_eq!(all.len(), 30);
    for filter in filters() {
        let wanted: Vec<_> = all
            .iter()
            .filter(|row| filter.matches(row))
            .cloned()
            .collect();
        let (mut found, mut before) = (Vec::new(), None);
        loop {
            let page = subject.page(filter.clone(), before, 2).await;
            found.extend(page.records);
            before = page.next;
            if before.is_none() {
                break;
            }
        }
        assert_eq!(found, wanted, "{filter:?}");
    }
}

async fn entries_are_read_as_they_were_hashed(subject: &Subject) {
    mixed(subject).await;
    subject.seal(&ring(), 100).await;
    let chain = account("default").into();
    let entries = subject.store.read_audit(&chain, 1, 1000).await.unwrap();
    let mut head = Head::new(chain.clone());
    for entry in &entries {
        assert_eq!(head.append(entry.at, entry.body.clone()), *entry);
    }
    assert_eq!(subject.store.audit_head(&chain).await.unwrap(), Some(head));
    let tail = subject.store.read_audit(&chain, 9, 2).await.unwrap();
    assert_eq!(tail, entries[8..10]);
    assert_eq!(subject.store.audit_since(&chain, 1).await.unwrap(), 2);
    let behind = subject.store.audit_since(&chain, 101).await.unwrap();
    assert_eq!(behind, entries.len() as u64 + 1);
}

async fn a_chain_is_sealed_only_where_it_still_ends(subject: &Subject) {
    subject.write(vec![open(&record("default", 1))]).await;
    let due = |before| subject.store.unsealed_audit(3, before, 10);
    assert_eq!(due(1).await.unwrap(), []);
    assert_eq!(due(2).await.unwrap().len(), 1);
    let ring = ring();
    let old = subject.seal(&ring, 5).await;
    assert_eq!(due(i64::MAX).await.unwrap(), []);
    let late = Seal::sign(&old, 6, &ring).unwrap();
    subject.store.seal_audit(&old, late, 6).await.unwrap();
    let head = subject.store.audit_head(&old.chain).await.unwrap().unwrap();
    assert_eq!((head.sequence, head.sealed), (2, 2));
    subject
        .write((0..3).map(|at| open(&record("default", at))).collect())
        .await;
    assert_eq!(due(1).await.unwrap().len(), 1);
}

async fn a_chain_is_cut_at_a_checkpoint_and_says_so(subject: &Subject) {
    const DAY: i64 = CUT_EVERY;
    let ring = ring();
    for day in 0..6 {
        let rows: Vec<_> = (0..3).map(|n| record("default", day * DAY + n)).collect();
        let end = End::new(day * DAY + 5, Outcome::Succeeded, 0, String::new());
        let entries = rows.iter().flat_map(|row| [open(row), close(row, &end)]);
        subject.write(entries.collect()).await;
        subject.seal(&ring, day * DAY + 9).await;
    }
    let cut = async |before, now| {
        while subject.store.cut_audit(before, now).await.unwrap() == PruneProgress::More {}
    };
    cut(DAY, 6 * DAY).await;
    let chain = account("default").into();
    let head = subject.store.audit_head(&chain).await.unwrap().unwrap();
    assert_eq!(head.first, 1, "the oldest is younger than a day more");
    cut(3 * DAY, 6 * DAY).await;
    let entries = subject.store.read_audit(&chain, 0, 1000).await.unwrap();
    assert_eq!(entries[0].sequence, 21);
    assert!(
        matches!(entries[0].body, Body::Checkpoint(_)),
        "{:?}",
        entries[0]
    );
    let last = entries.last().unwrap();
    assert_eq!(
        last.body,
        Body::Retention {
            through: 20,
            before: 3 * DAY
        }
    );
    let head = subject.store.audit_head(&chain).await.unwrap().unwrap();
    assert_eq!((head.first, head.sequence), (21, last.sequence));
    assert_eq!(subject.audit("default").await.len(), 9);
    let root = *ring.root();
    let mut verifier = AuditVerifier::new("default", root, ChainStart::Whole);
    for entry in entries {
        verifier.add(&entry.into()).unwrap();
    }
    assert_eq!(verifier.end().unwrap().first, 21);
}
