use super::*;
use crate::{
    application::{ObjectName, Scope},
    cleanup,
    fixture::resource::{put, rollout},
    history::retention::RetentionRules,
    quota::{Owner, Quotas, Usage},
};

fn owner() -> Owner {
    (account("default"), "rt-one".parse().unwrap())
}

async fn usage(store: &dyn Store) -> Usage {
    store.reads().usage(&owner()).await.unwrap()
}

#[tokio::test]
async fn usage_counts_live_objects_and_what_they_take_of_one_runtime() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        assert_eq!(usage(store).await, Usage::default());
        report(store, live("u1", "web", at(1, 1, 1))).await;
        let one = usage(store).await;
        assert_eq!((one.objects, one.events), (1, 0));
        assert!(one.bytes > 0);
        put(store, rollout("r1", "web", at(2, 1, 2), None)).await;
        let two = usage(store).await;
        assert_eq!(two.objects, 2);
        assert!(two.bytes > one.bytes);
        let theirs = Scope {
            runtime: "rt-two".parse().unwrap(),
            ..scope()
        };
        let theirs = Change {
            scope: Arc::new(theirs),
            ..live("u2", "other", at(1, 1, 1))
        };
        report(store, theirs).await;
        assert_eq!(usage(store).await, two);
        report(store, gone("u1", "web", at(3, 1, 3))).await;
        assert_eq!(usage(store).await.objects, 1);
    }
}

#[tokio::test]
async fn usage_has_the_manifests_that_the_runtime_sent_first() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let content = "some manifest";
        let digest = Digest::of(content.as_bytes());
        let theirs = (account("default"), "rt-two".parse().unwrap());
        write(
            store,
            Write::Manifest(theirs.clone(), digest, content.into()),
        )
        .await;
        write(store, Write::Manifest(owner(), digest, content.into())).await;
        assert_eq!(usage(store).await.bytes, 0);
        assert!(store.reads().usage(&theirs).await.unwrap().bytes > 0);
    }
}

#[tokio::test]
async fn object_is_held_by_its_uid_or_its_name_while_it_lives() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let is_held = async |uid: &str, name: &str| {
            let object = ObjectName {
                namespace: "argocd".into(),
                name: name.into(),
            };
            let (scope, uid) = (scope(), Uid::from(uid));
            store.reads().is_held(&scope, &uid, &object).await.unwrap()
        };
        assert!(!is_held("u1", "web").await);
        report(store, live("u1", "web", at(1, 1, 1))).await;
        assert!(is_held("u1", "web").await);
        assert!(is_held("u1", "renamed").await);
        assert!(is_held("u2", "web").await, "it replaces the former one");
        assert!(!is_held("u2", "other").await);
        report(store, gone("u1", "web", at(2, 1, 2))).await;
        assert!(!is_held("u1", "web").await);
    }
}

#[tokio::test]
async fn history_beyond_the_quota_loses_its_oldest_states_and_no_last_one() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        for number in 1..=20 {
            report(store, live("u1", "web", at(number, 1, number))).await;
        }
        report(store, live("u2", "api", at(21, 1, 21))).await;
        let quotas = Quotas {
            history_per_runtime: 5,
            ..Quotas::DEFAULT
        };
        let excess = store.reads().history_excess(5).await.unwrap();
        assert!(excess.iter().any(|excess| excess.owner == owner()));
        let everything = RetentionRules::new(0, 0, 0);
        cleanup::cut_histories(store, quotas, everything)
            .await
            .unwrap();
        assert!(store.reads().history_excess(20).await.unwrap().is_empty());
        assert_eq!(names(store).await, listed(&[("api", 21), ("web", 20)]));
    }
}
