use std::sync::Arc;

use proptest::test_runner::{Config, TestRunner};

use super::{Outcome, Span, Store, Write, sqlite::OpenError, sqlite::Sqlite};
use crate::{
    application::{Change, Filter, Health, Rest, State, Sync, Uid, View},
    digest::Digest,
    fixture::{Bench, account, at, gone, keep, live, report, scope, scope_of, soon, state, write},
    order::Continuity,
};

const ALL: Span = Span {
    after: 0,
    to: u64::MAX,
};

async fn names(store: &dyn Store) -> Vec<(String, u64)> {
    let all = Filter::default();
    let page = store
        .list(&account("default"), &all, View::Basic, None, 100)
        .await
        .unwrap();
    let records = page.items.into_iter();
    records
        .map(|record| (record.key.name, record.resource_version))
        .collect()
}

async fn told(store: &dyn Store, after: u64) -> Vec<(u64, String, bool)> {
    let span = Span { after, ..ALL };
    let all = Filter::default();
    let page = store
        .changed(&account("default"), &all, View::Basic, span, 100)
        .await
        .unwrap();
    let records = page.items.into_iter();
    records
        .map(|record| {
            (
                record.change,
                record.uid.to_string(),
                record.life == crate::order::Life::Live,
            )
        })
        .collect()
}

fn listed(names: &[(&str, u64)]) -> Vec<(String, u64)> {
    names
        .iter()
        .map(|(name, version)| ((*name).to_owned(), *version))
        .collect()
}

#[tokio::test]
async fn an_older_state_never_replaces_a_newer_one() {
    for bench in Bench::both().await {
        let store = &*bench.store;
        assert_eq!(
            report(store, live("u1", "web", at(7, 1, 1))).await,
            Outcome::Kept
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
        assert_eq!(told(store, 0).await.len(), 1);
    }
}

#[tokio::test]
async fn what_is_gone_stays_gone_and_a_new_uid_is_a_new_object() {
    for bench in Bench::both().await {
        let store = &*bench.store;
        report(store, live("u1", "web", at(1, 1, 1))).await;
        assert_eq!(
            report(store, gone("u1", "web", at(5, 1, 2))).await,
            Outcome::Kept
        );
        assert_eq!(
            report(store, live("u1", "web", at(4, 2, 1))).await,
            Outcome::Superseded
        );
        assert!(names(store).await.is_empty());
        report(store, live("u2", "web", at(6, 1, 3))).await;
        assert_eq!(names(store).await, listed(&[("web", 6)]));
        let told = told(store, 0).await;
        assert_eq!(told, [(2, "u1".into(), false), (3, "u2".into(), true)]);
    }
}

#[tokio::test]
async fn a_deletion_that_comes_first_keeps_its_object_out_and_is_not_told() {
    for bench in Bench::both().await {
        let store = &*bench.store;
        report(store, gone("u1", "web", at(5, 1, 1))).await;
        assert_eq!(
            report(store, live("u1", "web", at(4, 1, 2))).await,
            Outcome::Superseded
        );
        assert!(told(store, 0).await.is_empty());
    }
}

#[tokio::test]
async fn a_new_object_displaces_its_namesake_whose_deletion_was_lost() {
    for bench in Bench::both().await {
        let store = &*bench.store;
        report(store, live("u1", "web", at(1, 1, 1))).await;
        report(store, live("u2", "web", at(9, 1, 2))).await;
        assert_eq!(
            report(store, live("u1", "web", at(3, 1, 3))).await,
            Outcome::Kept
        );
        assert_eq!(
            report(store, gone("u1", "web", at(8, 1, 4))).await,
            Outcome::Kept
        );
        assert_eq!(names(store).await, listed(&[("web", 9)]));
        let told = told(store, 0).await;
        assert_eq!(told, [(2, "u1".into(), false), (3, "u2".into(), true)]);
    }
}

#[tokio::test]
async fn a_restored_cluster_may_go_back() {
    for bench in Bench::both().await {
        let store = &*bench.store;
        report(store, live("u1", "web", at(90, 1, 1))).await;
        let restored = Change {
            continuity: Continuity::Restored,
            ..live("u1", "web", at(10, 2, 1))
        };
        assert_eq!(report(store, restored).await, Outcome::Kept);
        assert_eq!(names(store).await, listed(&[("web", 10)]));
    }
}

#[tokio::test]
async fn a_report_waits_for_its_manifests() {
    for bench in Bench::both().await {
        let store = &*bench.store;
        let (one, two) = (Digest::of(b"one"), Digest::of(b"two"));
        let needing = || Change {
            state: Some(State {
                manifests: vec![one, two],
                ..state("x")
            }),
            ..live("u1", "web", at(1, 1, 1))
        };
        let mine = account("default");
        write(store, Write::Manifest(mine.clone(), one, "one".into())).await;
        assert_eq!(report(store, needing()).await, Outcome::Missing(vec![two]));
        assert!(names(store).await.is_empty());
        // Another account's copy is none of ours.
        write(store, Write::Manifest(account("other"), two, "two".into())).await;
        assert_eq!(report(store, needing()).await, Outcome::Missing(vec![two]));
        write(store, Write::Manifest(mine.clone(), two, "two".into())).await;
        assert_eq!(report(store, needing()).await, Outcome::Kept);
        let content = store.manifest(&mine, &two).await.unwrap();
        assert_eq!(content.as_deref(), Some(&b"two"[..]));
        assert_eq!(
            store.manifest(&mine, &Digest::of(b"three")).await.unwrap(),
            None
        );
    }
}

#[tokio::test]
async fn accounts_do_not_see_each_other() {
    for bench in Bench::both().await {
        let store = &*bench.store;
        let theirs = Change {
            scope: Arc::new(scope_of("other")),
            ..live("u1", "web", at(1, 1, 1))
        };
        report(store, theirs).await;
        assert!(names(store).await.is_empty());
        assert!(told(store, 0).await.is_empty());
        assert!(
            store
                .keys(&account("default"), 10)
                .await
                .unwrap()
                .is_empty()
        );
        assert!(store.held(&scope(), None, 10).await.unwrap().is_empty());
        assert_eq!(store.extent(&account("default")).await.unwrap().latest, 0);
        assert_eq!(store.extent(&account("other")).await.unwrap().latest, 1);
    }
}

#[tokio::test]
async fn epochs_rise_for_each_scope() {
    for bench in Bench::both().await {
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
async fn pages_go_on_where_the_last_one_ended() {
    for bench in Bench::both().await {
        let store = &*bench.store;
        for number in 0..7 {
            let (uid, name) = (format!("u{number}"), format!("app-{}", 6 - number));
            report(store, live(&uid, &name, at(number + 1, 1, number + 1))).await;
        }
        let mut seen = Vec::new();
        let mut after = None;
        loop {
            let all = Filter::default();
            let page = store
                .list(&account("default"), &all, View::Full, after.as_ref(), 3)
                .await
                .unwrap();
            seen.extend(page.items.iter().map(|record| record.key.name.clone()));
            after = page.items.last().map(|record| record.key.clone());
            if page.rest == Rest::End {
                break;
            }
        }
        let expected: Vec<String> = (0..7).map(|number| format!("app-{number}")).collect();
        assert_eq!(seen, expected);
        let held = store
            .held(&scope(), Some(&Uid::from("u4")), 10)
            .await
            .unwrap();
        assert_eq!(held.len(), 2);
        assert_eq!(
            held[0].root_digest,
            live("u5", "app-1", at(6, 1, 6)).state.unwrap().root_digest
        );
    }
}

#[tokio::test]
async fn filters_match_place_and_state() {
    for bench in Bench::both().await {
        let store = &*bench.store;
        report(store, live("u1", "web", at(1, 1, 1))).await;
        let mut broken = live("u2", "api", at(2, 1, 2));
        let state = broken.state.as_mut().unwrap();
        state.summary.health = Health::Degraded;
        state.summary.sync = Sync::OutOfSync;
        report(store, broken).await;
        let check = async |filter: Filter| {
            let page = store
                .list(&account("default"), &filter, View::Basic, None, 10)
                .await
                .unwrap();
            page.items
                .into_iter()
                .map(|record| record.key.name)
                .collect::<Vec<_>>()
        };
        let none = Filter::default;
        assert_eq!(
            check(Filter {
                name: "web".into(),
                ..none()
            })
            .await,
            ["web"]
        );
        assert_eq!(
            check(Filter {
                health: vec![Health::Degraded, Health::Missing],
                ..none()
            })
            .await,
            ["api"]
        );
        assert_eq!(
            check(Filter {
                sync: vec![Sync::Synced],
                ..none()
            })
            .await,
            ["web"]
        );
        assert_eq!(
            check(Filter {
                project: "default".into(),
                ..none()
            })
            .await,
            ["api", "web"]
        );
        assert_eq!(
            check(Filter {
                runtime: "other".into(),
                ..none()
            })
            .await,
            [""; 0]
        );
        assert_eq!(
            check(Filter {
                cluster: "in-cluster".into(),
                namespace: "argocd".into(),
                ..none()
            })
            .await,
            ["api", "web"]
        );
    }
}

#[tokio::test]
async fn the_basic_view_leaves_the_details_out() {
    for bench in Bench::both().await {
        let store = &*bench.store;
        report(store, live("u1", "web", at(1, 1, 1))).await;
        let check = async |view| {
            let all = Filter::default();
            let page = store
                .list(&account("default"), &all, view, None, 10)
                .await
                .unwrap();
            page.items[0].detail.is_empty()
        };
        assert!(check(View::Basic).await);
        assert!(!check(View::Full).await);
    }
}

#[tokio::test]
async fn forgetting_old_deletions_moves_the_edge_of_what_can_be_asked() {
    for bench in Bench::both().await {
        let store = &*bench.store;
        report(store, live("u1", "web", at(1, 1, 1))).await;
        report(store, gone("u1", "web", at(2, 1, 2))).await;
        report(store, live("u2", "api", at(3, 1, 3))).await;
        assert_eq!(
            write(store, Write::Forget(keep(3600))).await,
            Outcome::Forgotten {
                objects: 0,
                manifests: 0
            }
        );
        assert_eq!(
            write(store, Write::Forget(keep(0))).await,
            Outcome::Forgotten {
                objects: 1,
                manifests: 0
            }
        );
        let extent = store.extent(&account("default")).await.unwrap();
        assert_eq!((extent.latest, extent.forgotten), (3, 2));
        assert_eq!(told(store, 0).await, [(3, "u2".into(), true)]);
    }
}

#[tokio::test]
async fn manifests_that_no_live_object_names_are_forgotten_and_wanted_again() {
    for bench in Bench::both().await {
        let store = &*bench.store;
        let (one, two) = (Digest::of(b"one"), Digest::of(b"two"));
        for (digest, content) in [(one, "one"), (two, "two")] {
            write(
                store,
                Write::Manifest(account("default"), digest, content.into()),
            )
            .await;
        }
        let naming = |sequence, manifests| Change {
            state: Some(State {
                manifests,
                ..state("x")
            }),
            ..live("u1", "web", at(sequence, 1, sequence))
        };
        assert_eq!(
            report(store, naming(1, vec![one, two])).await,
            Outcome::Kept
        );
        let forgotten = |manifests| Outcome::Forgotten {
            objects: 0,
            manifests,
        };
        assert_eq!(write(store, Write::Forget(keep(0))).await, forgotten(0));
        assert_eq!(report(store, naming(2, vec![two])).await, Outcome::Kept);
        assert_eq!(write(store, Write::Forget(keep(3600))).await, forgotten(0));
        assert_eq!(write(store, Write::Forget(keep(0))).await, forgotten(1));
        assert_eq!(
            report(store, naming(3, vec![one, two])).await,
            Outcome::Missing(vec![one])
        );
        let content = store.manifest(&account("default"), &two).await.unwrap();
        assert_eq!(content.as_deref(), Some(&b"two"[..]));
    }
}

#[tokio::test]
async fn commits_are_told() {
    for bench in Bench::both().await {
        let mut commits = bench.store.commits().watch(&account("default"));
        report(&*bench.store, live("u1", "web", at(1, 1, 1))).await;
        soon(commits.changed()).await.unwrap();
        assert_eq!(*commits.borrow(), 1);
    }
}

#[tokio::test]
async fn what_was_answered_is_there_after_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let mut incarnation = None;
    for round in 1..=3_u64 {
        let mut bench = Bench::open(folder.path()).await;
        let store = &*bench.store;
        assert_eq!(
            *incarnation.get_or_insert(store.incarnation()),
            store.incarnation()
        );
        assert_eq!(
            write(store, Write::Epoch(scope())).await,
            Outcome::Epoch(round)
        );
        report(store, live("u1", "web", at(round, 1, round))).await;
        report(
            store,
            live(
                &format!("u1{round}"),
                &format!("a{round}"),
                at(round, 1, round),
            ),
        )
        .await;
        assert_eq!(
            names(store).await.len(),
            usize::try_from(round).unwrap() + 1
        );
        assert_eq!(
            store.extent(&account("default")).await.unwrap().latest,
            round * 2
        );
        // As a crash does: nothing is closed, the writer just stops.
        bench.tasks.abort_all();
    }
}

#[tokio::test]
async fn a_folder_in_use_is_refused_in_one_line() {
    let bench = Bench::sqlite().await;
    let folder = bench.folder.as_ref().unwrap().path();
    let refused = Sqlite::open(folder).await.err().unwrap();
    assert!(matches!(refused, OpenError::Locked(_)));
    assert!(refused.to_string().contains("is in use by another process"));
    assert!(!refused.to_string().contains('\n'));
}

#[tokio::test]
async fn a_newer_schema_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    drop(Bench::open(folder.path()).await);
    let path = folder.path().join("inventory.db");
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path);
    let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
    sqlx::raw_sql("PRAGMA user_version = 99")
        .execute(&pool)
        .await
        .unwrap();
    pool.close().await;
    let refused = Sqlite::open(folder.path()).await.err().unwrap();
    assert!(matches!(
        refused,
        OpenError::Newer {
            found: 99,
            known: 1,
            ..
        }
    ));
}

#[tokio::test]
async fn writes_that_fail_are_not_answered_as_kept_and_the_next_ones_work() {
    let bench = Bench::sqlite().await;
    let path = bench.folder.as_ref().unwrap().path().join("inventory.db");
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path);
    let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
    let refuse = "CREATE TRIGGER refuse BEFORE INSERT ON application WHEN new.name = 'bad' \
                  BEGIN SELECT raise(ABORT, 'no'); END";
    sqlx::raw_sql(refuse).execute(&pool).await.unwrap();
    let store = &*bench.store;
    let submit = async |change| store.submit(Write::Report(Arc::new(change))).await.unwrap();
    let good = submit(live("u1", "web", at(1, 1, 1))).await;
    let bad = submit(live("u2", "bad", at(2, 1, 2))).await;
    let other = submit(live("u3", "api", at(3, 1, 3))).await;
    assert_eq!(good.await.unwrap(), Outcome::Kept);
    assert!(bad.await.is_err());
    assert_eq!(other.await.unwrap(), Outcome::Kept);
    assert_eq!(names(store).await, listed(&[("api", 3), ("web", 1)]));
}

/// Both stores are given the same reports, in the same order, and must tell the same.
#[test]
fn both_stores_agree_on_any_reports() {
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
            let benches = Bench::both().await;
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
                told(&*benches[0].store, 0).await,
                told(&*benches[1].store, 0).await
            );
        });
        Ok(())
    });
    checked.unwrap();
}
