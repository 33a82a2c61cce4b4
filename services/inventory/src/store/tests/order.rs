use super::*;

#[tokio::test]
async fn an_older_state_never_replaces_a_newer_one() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        assert_eq!(
            report(store, live("u1", "web", at(7, 1, 1))).await,
            Outcome::Stored
        );
        assert_eq!(
            report(store, live("u1", "web", at(6, 9, 9))).await,
            Outcome::Superseded
        );
        assert_eq!(
            report(store, live("u1", "web", at(7, 1, 1))).await,
            Outcome::Superseded
        );
        assert_eq!(names(store).await, listed(&[("web", 7)]));
        assert_eq!(list_changes(store, 0).await.len(), 1);
    }
}

#[tokio::test]
async fn deleted_object_stays_deleted_and_a_new_uid_is_a_new_object() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        report(store, live("u1", "web", at(1, 1, 1))).await;
        assert_eq!(
            report(store, gone("u1", "web", at(5, 1, 2))).await,
            Outcome::Stored
        );
        assert_eq!(
            report(store, live("u1", "web", at(4, 2, 1))).await,
            Outcome::Superseded
        );
        assert!(names(store).await.is_empty());
        report(store, live("u2", "web", at(6, 1, 3))).await;
        assert_eq!(names(store).await, listed(&[("web", 6)]));
        let told = list_changes(store, 0).await;
        assert_eq!(told, [(2, "u1".into(), false), (3, "u2".into(), true)]);
    }
}

#[tokio::test]
async fn early_deletion_rejects_its_object_without_a_change() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        report(store, gone("u1", "web", at(5, 1, 1))).await;
        assert_eq!(
            report(store, live("u1", "web", at(4, 1, 2))).await,
            Outcome::Superseded
        );
        assert!(list_changes(store, 0).await.is_empty());
    }
}

#[tokio::test]
async fn new_object_displaces_a_namesake_whose_deletion_was_lost() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        report(store, live("u1", "web", at(1, 1, 1))).await;
        report(store, live("u2", "web", at(9, 1, 2))).await;
        assert_eq!(
            report(store, live("u1", "web", at(3, 1, 3))).await,
            Outcome::Stored
        );
        assert_eq!(
            report(store, gone("u1", "web", at(8, 1, 4))).await,
            Outcome::Stored
        );
        assert_eq!(names(store).await, listed(&[("web", 9)]));
        let told = list_changes(store, 0).await;
        assert_eq!(told, [(2, "u1".into(), false), (3, "u2".into(), true)]);
    }
}

#[tokio::test]
async fn held_state_has_the_bytes_of_its_digest() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let reads = store.reads();
        let (ours, uid) = (scope(), Uid::from("u1"));
        let mut root = Digest::of(b"");
        assert_eq!(reads.held_state(&ours, &uid, &root).await.unwrap(), None);
        for version in 1..=2 {
            let change = live("u1", "web", at(version, 1, version));
            let wanted = change.state.clone().unwrap();
            report(store, change).await;
            let former = std::mem::replace(&mut root, wanted.root_digest);
            if former != root {
                let held = reads.held_state(&ours, &uid, &former).await;
                assert_eq!(held.unwrap(), None, "it was another state");
            }
            let held = reads.held_state(&ours, &uid, &root).await.unwrap().unwrap();
            assert_eq!((Digest::of(&held), held), (root, wanted.canonical));
        }
        let elsewhere = scope_of("other");
        let held = reads.held_state(&elsewhere, &uid, &root).await;
        assert_eq!(held.unwrap(), None);
        report(store, gone("u1", "web", at(3, 1, 3))).await;
        assert_eq!(reads.held_state(&ours, &uid, &root).await.unwrap(), None);
        let displaced = live("u2", "web", at(4, 1, 4));
        let root = displaced.state.clone().unwrap().root_digest;
        report(store, displaced).await;
        report(store, live("u3", "web", at(5, 1, 5))).await;
        let displaced = Uid::from("u2");
        let held = reads.held_state(&ours, &displaced, &root).await;
        assert_eq!(held.unwrap(), None);
    }
}

#[tokio::test]
async fn restored_cluster_may_report_older_versions() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        report(store, live("u1", "web", at(90, 1, 1))).await;
        let restored = Change {
            continuity: Continuity::Restored,
            ..live("u1", "web", at(10, 2, 1))
        };
        assert_eq!(report(store, restored).await, Outcome::Stored);
        assert_eq!(names(store).await, listed(&[("web", 10)]));
    }
}

#[tokio::test]
async fn reports_from_before_a_restore_replace_nothing_reported_since() {
    use crate::fixture::joining;
    for bench in Bench::all().await {
        let store = &*bench.store;
        let join = async |joining| {
            let joined = store.memberships().join(&joining).await.unwrap();
            joined.unwrap().epoch
        };
        let before = join(joining(1)).await;
        report(store, live("u1", "web", at(900, before, 1))).await;
        let again = crate::report::membership::Joining {
            continuity: Continuity::Restored,
            ..joining(2)
        };
        let epoch = join(again).await;
        let restored = Change {
            continuity: Continuity::Restored,
            ..live("u1", "web", at(100, epoch, 1))
        };
        assert_eq!(report(store, restored).await, Outcome::Stored);
        let late = live("u1", "web", at(901, before, 2));
        assert_eq!(report(store, late).await, Outcome::Superseded);
        let unknown = live("u2", "api", at(902, before, 3));
        assert_eq!(report(store, unknown).await, Outcome::Superseded);
        assert_eq!(names(store).await, listed(&[("web", 100)]));
        // Another cluster was not put back, and streams that came since count.
        let mut elsewhere = live("u1", "web", at(901, before, 2));
        elsewhere.scope = Arc::new(scope_of("other"));
        assert_eq!(report(store, elsewhere).await, Outcome::Stored);
        let next = join(joining(3)).await;
        let change = live("u1", "web", at(101, next, 1));
        assert_eq!(report(store, change).await, Outcome::Stored);
    }
}

#[tokio::test]
async fn epochs_rise_for_each_scope() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        for number in 1..=3 {
            assert_eq!(
                write(store, Write::Epoch(scope())).await,
                Outcome::Epoch(number)
            );
        }
        assert_eq!(
            write(store, Write::Epoch(scope_of("other"))).await,
            Outcome::Epoch(1)
        );
    }
}

#[tokio::test]
async fn commits_notify_watchers() {
    for bench in Bench::all().await {
        let mut commits = bench.store.reads().commits().subscribe(&account("default"));
        report(&*bench.store, live("u1", "web", at(1, 1, 1))).await;
        soon(commits.changed()).await.unwrap();
        assert_eq!(*commits.borrow(), 1);
    }
}

/// Both stores are given the same reports, in the same order, and must tell the same.
#[test]
fn all_stores_agree_on_any_reports() {
    use proptest::prelude::*;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let mut runner = TestRunner::new(Config {
        cases: 24,
        failure_persistence: None,
        ..Config::default()
    });
    let one = (0..3_u8, 0..6_u64, 1..3_u64, 0..20_u64, any::<bool>());
    let checked = runner.run(&prop::collection::vec(one, 1..40), |reports| {
        runtime.block_on(async {
            let benches = Bench::all().await;
            for (uid, version, epoch, sequence, lives) in reports {
                let position = at(version + 1, epoch, sequence);
                let (uid, name) = (format!("u{uid}"), format!("n{}", uid % 2));
                let make = if lives { live } else { gone };
                let outcomes = [
                    report(&*benches[0].store, make(&uid, &name, position)).await,
                    report(&*benches[1].store, make(&uid, &name, position)).await,
                ];
                assert_eq!(outcomes[0], outcomes[1]);
            }
            assert_eq!(
                names(&*benches[0].store).await,
                names(&*benches[1].store).await
            );
            assert_eq!(
                list_changes(&*benches[0].store, 0).await,
                list_changes(&*benches[1].store, 0).await
            );
        });
        Ok(())
    });
    checked.unwrap();
}

/// Memory takes reports one after another; rows are given them all at once, so that they are written in few transactions.
#[test]
fn group_commit_equals_single_commits() {
    use proptest::prelude::*;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let mut runner = TestRunner::new(Config {
        cases: 24,
        failure_persistence: None,
        ..Config::default()
    });
    let one = (0..6_u8, 0..30_u64, 0..8_u8);
    let checked = runner.run(&prop::collection::vec(one, 1..150), |reports| {
        runtime.block_on(async {
            let mut benches = Bench::all().await.into_iter();
            let memory = benches.next().unwrap();
            for bench in benches {
                together(&*memory.store, &*bench.store, &reports).await;
            }
        });
        Ok(())
    });
    checked.unwrap();
}

async fn together(memory: &dyn Store, rows: &dyn Store, reports: &[(u8, u64, u8)]) {
    let first = memory
        .reads()
        .change_bounds(&account("default"))
        .await
        .unwrap();
    let (mut wanted, mut receipts) = (Vec::new(), Vec::new());
    for (sequence, (uid, version, kind)) in (1..).zip(reports) {
        let task = task_of((*uid, *version, *kind), sequence);
        receipts.push(rows.submit(task.clone()).await.unwrap());
        if first.latest == 0 {
            wanted.push(write(memory, task).await);
        }
    }
    let mut outcomes = Vec::new();
    for receipt in receipts {
        outcomes.push(receipt.await.unwrap());
    }
    assert!(
        wanted.is_empty() || outcomes == wanted,
        "{outcomes:?} {wanted:?}"
    );
    assert_eq!(names(rows).await, names(memory).await);
    assert_eq!(list_changes(rows, 0).await, list_changes(memory, 0).await);
    for name in ["n0", "n1", "n2"] {
        let shown = async |store| {
            let entries = history::entries(store, &account("default"), name).await;
            let shown = entries.into_iter().map(|entry| {
                let (frame, moment) = (entry.frame.is_standalone(), entry.moment.change);
                (moment, entry.resource_version, entry.root_digest, frame)
            });
            shown.collect::<Vec<_>>()
        };
        assert_eq!(shown(rows).await, shown(memory).await);
    }
}

fn task_of((uid, version, kind): (u8, u64, u8), sequence: u64) -> Write {
    let manifest = Digest::of(&[uid]);
    if kind == 0 {
        return Write::Manifest(
            (account("default"), "rt-one".parse().unwrap()),
            manifest,
            vec![uid].into(),
        );
    }
    let (uid, name) = (format!("u{uid}"), format!("n{}", uid % 3));
    let mut change = live(&uid, &name, at(version, 1, sequence));
    if let Some(state) = &mut change.state {
        match kind {
            2 => state.summary.health = Health::Degraded,
            3 => state.summary.traits.project = "other".into(),
            4 => state.manifests.push(manifest),
            5 => state.summary.sync = Sync::OutOfSync,
            _ => {}
        }
    }
    if kind == 1 {
        change.state = None;
    }
    Write::Report(Arc::new(change), None)
}
