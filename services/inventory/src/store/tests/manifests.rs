use std::time::Duration;

use super::*;
use crate::cleanup::GarbageAges;

#[tokio::test]
async fn a_report_waits_for_its_manifests() {
    for bench in Bench::all().await {
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
        write(
            store,
            Write::Manifest((mine.clone(), "rt-one".parse().unwrap()), one, "one".into()),
        )
        .await;
        assert_eq!(report(store, needing()).await, Outcome::Missing(vec![two]));
        assert!(names(store).await.is_empty());
        // Another account's copy is none of ours.
        write(
            store,
            Write::Manifest(
                (account("other"), "rt-one".parse().unwrap()),
                two,
                "two".into(),
            ),
        )
        .await;
        assert_eq!(report(store, needing()).await, Outcome::Missing(vec![two]));
        write(
            store,
            Write::Manifest((mine.clone(), "rt-one".parse().unwrap()), two, "two".into()),
        )
        .await;
        assert_eq!(report(store, needing()).await, Outcome::Stored);
        let content = store.reads().manifest(&mine, &two).await.unwrap();
        assert_eq!(content.as_deref(), Some(&b"two"[..]));
        assert_eq!(
            store
                .reads()
                .manifest(&mine, &Digest::of(b"three"))
                .await
                .unwrap(),
            None
        );
    }
}

#[tokio::test]
async fn stored_manifests_are_not_requested_again() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let mut manifests = Vec::new();
        for number in 0..300_u32 {
            let content = number.to_string();
            let digest = Digest::of(content.as_bytes());
            let kept = Write::Manifest(
                (account("default"), "rt-one".parse().unwrap()),
                digest,
                content.into(),
            );
            write(store, kept).await;
            manifests.push(digest);
        }
        let mut change = live("u1", "web", at(1, 1, 1));
        change.state.as_mut().unwrap().manifests = manifests;
        assert_eq!(report(store, change).await, Outcome::Stored);
    }
}

#[tokio::test]
async fn collecting_tombstones_expires_older_cursors() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        report(store, live("u1", "web", at(1, 1, 1))).await;
        report(store, gone("u1", "web", at(2, 1, 2))).await;
        report(store, live("u2", "api", at(3, 1, 3))).await;
        assert_eq!(forget(store, keep(3600)).await, (0, 0));
        assert_eq!(forget(store, keep(0)).await, (1, 0));
        let extent = store
            .reads()
            .change_bounds(&account("default"))
            .await
            .unwrap();
        assert_eq!((extent.latest, extent.forgotten), (3, 2));
        assert_eq!(list_changes(store, 0).await, [(3, "u2".into(), true)]);
    }
}

#[tokio::test]
async fn unreferenced_manifests_are_collected_and_requested_again() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let (one, two) = (Digest::of(b"one"), Digest::of(b"two"));
        for (digest, content) in [(one, "one"), (two, "two")] {
            write(
                store,
                Write::Manifest(
                    (account("default"), "rt-one".parse().unwrap()),
                    digest,
                    content.into(),
                ),
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
            Outcome::Stored
        );
        let forgotten = |manifests| (0, manifests);
        assert_eq!(forget(store, keep(0)).await, forgotten(0));
        assert_eq!(report(store, naming(2, vec![two])).await, Outcome::Stored);
        assert_eq!(forget(store, keep(3600)).await, forgotten(0));
        assert_eq!(forget(store, keep(0)).await, forgotten(1));
        assert_eq!(
            report(store, naming(3, vec![one, two])).await,
            Outcome::Missing(vec![one])
        );
        let content = store
            .reads()
            .manifest(&account("default"), &two)
            .await
            .unwrap();
        assert_eq!(content.as_deref(), Some(&b"two"[..]));
    }
}

#[tokio::test]
async fn manifest_referenced_between_two_sweeps_restarts_its_age() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let one = Digest::of(b"one");
        let mine = account("default");
        write(
            store,
            Write::Manifest((mine.clone(), "rt-one".parse().unwrap()), one, "one".into()),
        )
        .await;
        let naming = |sequence, manifests| Change {
            state: Some(State {
                manifests,
                ..state("x")
            }),
            ..live("u1", "web", at(sequence, 1, sequence))
        };
        report(store, naming(1, vec![one])).await;
        report(store, naming(2, vec![])).await;
        forget(store, keep(3600)).await;
        let begun = tokio::time::Instant::now();
        let long = Duration::from_millis(200);
        causeway_testkit::wait_until("time to pass", 100 * long, async || {
            (begun.elapsed() > long)
                .then_some(())
                .ok_or_else(String::new)
        })
        .await;
        report(store, naming(3, vec![one])).await;
        report(store, naming(4, vec![])).await;
        let short = GarbageAges {
            unused_manifests: long / 2,
            ..keep(3600)
        };
        forget(store, short).await;
        let kept = store.reads().manifest(&mine, &one).await.unwrap();
        assert_eq!(kept.as_deref(), Some(&b"one"[..]));
    }
}
