//! Resources beside applications, of two accounts.

use super::*;
use crate::{
    application::Visible,
    fixture::{
        live_in,
        resource::{every, put, rollout, rollout_gone, scope_for},
        visible,
    },
    resource::{ResourceFilter, ResourcePage, ResourceRecord},
};

const SHOP: &str = r#"[{"projects":["shop"]}]"#;

async fn page(
    store: &dyn Store,
    filter: &ResourceFilter,
    after: Option<&crate::resource::ResourceKey>,
    limit: usize,
) -> ResourcePage {
    let account = account("default");
    let page = store
        .reads()
        .list_resources(&account, filter, View::Full, after, limit);
    page.await.unwrap()
}

/// The records of all pages.
async fn records(store: &dyn Store, filter: &ResourceFilter, limit: usize) -> Vec<ResourceRecord> {
    let (mut records, mut after) = (Vec::new(), None);
    for _ in 0..100 {
        let page = page(store, filter, after.as_ref(), limit).await;
        assert!(page.items.len() <= limit);
        records.extend(page.items);
        let Some((key, change)) = page.looked else {
            return records;
        };
        let account = account("default");
        let found = store.reads().resource_key(&account, change);
        assert_eq!(found.await.unwrap().as_ref(), Some(&key));
        after = Some(key);
    }
    panic!("the pages have no end");
}

/// How many there are, also while they change.
pub(super) async fn count(store: &dyn Store, filter: &ResourceFilter) -> usize {
    let (mut count, mut after) = (0, None);
    loop {
        let page = page(store, filter, after.as_ref(), 100).await;
        count += page.items.len();
        let Some((key, _)) = page.looked else {
            return count;
        };
        after = Some(key);
    }
}

async fn listed(store: &dyn Store, filter: &ResourceFilter) -> Vec<(String, u64)> {
    let records = records(store, filter, 2).await.into_iter();
    records
        .map(|record| (record.key.name, record.resource_version))
        .collect()
}

async fn names(store: &dyn Store, filter: &ResourceFilter) -> Vec<String> {
    let listed = listed(store, filter).await.into_iter();
    listed.map(|(name, _)| name).collect()
}

async fn changed(store: &dyn Store, after: u64) -> Vec<(String, bool)> {
    let span = ChangeRange { after, ..ALL };
    let (filter, account) = (every(), account("default"));
    let asked = store
        .reads()
        .changed_resources(&account, &filter, View::Basic, span, 100);
    let records = asked.await.unwrap().items.into_iter();
    records
        .map(|record| {
            (
                record.uid.to_string(),
                record.life == crate::order::ObjectLife::Live,
            )
        })
        .collect()
}

async fn latest(store: &dyn Store) -> u64 {
    let account = account("default");
    store.reads().change_bounds(&account).await.unwrap().latest
}

#[tokio::test]
async fn older_state_of_a_resource_never_replaces_a_newer_one() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let outcome = put(store, rollout("u1", "web", at(5, 1, 1), None)).await;
        assert_eq!(outcome, Outcome::Stored);
        let outcome = put(store, rollout("u1", "web", at(4, 2, 1), None)).await;
        assert_eq!(outcome, Outcome::Superseded);
        put(store, rollout("u1", "web", at(7, 1, 2), None)).await;
        assert_eq!(listed(store, &every()).await, [("web".to_owned(), 7)]);
        let record = records(store, &every(), 2).await.remove(0);
        assert_eq!(record.kind, "Rollout");
        assert_eq!(record.key.resource, "rollouts.argoproj.io");
        assert!(record.detail.starts_with(b"all of u1"));
    }
}

#[tokio::test]
async fn deleted_resource_stays_deleted_and_keeps_its_kind() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        put(store, rollout("u1", "web", at(5, 1, 1), None)).await;
        let before = latest(store).await;
        put(store, rollout_gone("u1", "web", at(6, 1, 2))).await;
        let outcome = put(store, rollout("u1", "web", at(5, 2, 3), None)).await;
        assert_eq!(outcome, Outcome::Superseded);
        assert_eq!(names(store, &every()).await, [""; 0]);
        let rollouts = ResourceFilter {
            kind: "Rollout".to_owned(),
            ..every()
        };
        let (span, account) = (
            ChangeRange {
                after: before,
                ..ALL
            },
            account("default"),
        );
        let told = store
            .reads()
            .changed_resources(&account, &rollouts, View::Basic, span, 10);
        let told = told.await.unwrap().items;
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].life, crate::order::ObjectLife::Gone);
    }
}

#[tokio::test]
async fn recreated_resource_takes_over_the_name() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        put(store, rollout("u1", "web", at(5, 1, 1), None)).await;
        let before = latest(store).await;
        put(store, rollout("u2", "web", at(9, 1, 2), None)).await;
        assert_eq!(listed(store, &every()).await, [("web".to_owned(), 9)]);
        let told = changed(store, before).await;
        assert_eq!(told, [("u1".to_owned(), false), ("u2".to_owned(), true)]);
    }
}

#[tokio::test]
async fn held_resources_are_separate_by_kind_and_cluster() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        put(store, rollout("u1", "web", at(5, 1, 1), None)).await;
        let mut set = rollout("u2", "web", at(6, 1, 2), None);
        set.scope = Arc::new(scope_for("replicasets.apps"));
        put(store, set).await;
        report(store, live("u3", "web", at(7, 1, 3))).await;
        for (kind, expected) in [
            ("rollouts.argoproj.io", "u1"),
            ("replicasets.apps", "u2"),
            ("applications.argoproj.io", "u3"),
        ] {
            let scope = scope_for(kind);
            let held = store.reads().list_held(&scope, None, 10).await.unwrap();
            let uids: Vec<&str> = held.iter().map(|held| held.uid.as_str()).collect();
            assert_eq!(uids, [expected], "{kind}");
            let after = Uid::from(expected);
            let rest = store
                .reads()
                .list_held(&scope, Some(&after), 10)
                .await
                .unwrap();
            assert_eq!(rest, []);
        }
        let filter = ResourceFilter {
            kind: "rollouts.argoproj.io".to_owned(),
            ..every()
        };
        assert_eq!(listed(store, &filter).await, [("web".to_owned(), 5)]);
        assert_eq!(store.reads().count_live().await.unwrap(), 6);
    }
}

/// Of the application `app` of the project `shop`, of one that nobody reported, and of none.
async fn filled(store: &dyn Store) {
    report(store, live_in("a1", "app", at(1, 1, 1), "shop", &[])).await;
    put(store, rollout("u1", "held", at(2, 1, 1), Some("app"))).await;
    put(store, rollout("u2", "none", at(3, 1, 2), None)).await;
    put(store, rollout("u3", "unknown", at(4, 1, 3), Some("other"))).await;
}

#[tokio::test]
async fn s_45_resource_is_in_scope_with_its_application_or_by_its_location() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        filled(store).await;
        let all: &[&str] = &["held", "none", "unknown"];
        for (rules, expected) in [
            ("[]", &[][..]),
            ("[{}]", all),
            (SHOP, &["held"]),
            (r#"[{"names":["app"]}]"#, &["held"]),
            (r#"[{"names":["a?p"],"projects":["bank"]}]"#, &[]),
            (r#"[{"runtimes":["edge"]}]"#, all),
            (r#"[{"runtimes":["other"]}]"#, &[]),
            // The namespace is that of the application, and where there is none that of the resource.
            (r#"[{"namespaces":["argocd"]}]"#, &["held"]),
            (r#"[{"namespaces":["shop"]}]"#, &["none", "unknown"]),
            (r#"[{"labels":{"team":"a"}}]"#, &[]),
        ] {
            let filter = ResourceFilter::within(visible(rules));
            assert_eq!(names(store, &filter).await, expected, "{rules}");
        }
    }
}

#[tokio::test]
async fn s_45_resources_follow_their_application_in_and_out_of_scope() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let shop = ResourceFilter::within(visible(SHOP));
        put(store, rollout("u1", "web", at(2, 1, 1), Some("app"))).await;
        assert_eq!(names(store, &shop).await, [""; 0]);
        let mut before = latest(store).await;
        for (change, expected) in [
            (live_in("a1", "app", at(3, 1, 1), "shop", &[]), vec!["web"]),
            (live_in("a1", "app", at(4, 1, 2), "bank", &[]), vec![]),
            (live_in("a1", "app", at(5, 1, 3), "shop", &[]), vec!["web"]),
            (gone("a1", "app", at(6, 1, 4)), vec![]),
            (live_in("a2", "app", at(7, 1, 5), "shop", &[]), vec!["web"]),
            (live_in("a3", "app", at(8, 1, 6), "bank", &[]), vec![]),
        ] {
            report(store, change).await;
            assert_eq!(names(store, &shop).await, expected);
            let told = changed(store, before).await;
            assert_eq!(told, [("u1".to_owned(), true)]);
            before = latest(store).await;
        }
        // What changes nothing for it is not told.
        report(store, live_in("a3", "app", at(9, 1, 7), "bank", &[])).await;
        assert_eq!(changed(store, before).await, []);
    }
}

#[tokio::test]
async fn propagation_to_many_resources_continues_in_later_transactions() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        report(store, live_in("a1", "app", at(1, 1, 1), "bank", &[])).await;
        for number in 0..35_u64 {
            let name = format!("r{number:02}");
            let change = rollout(&name, &name, at(number + 2, 1, number), Some("app"));
            put(store, change).await;
        }
        let before = latest(store).await;
        let shop = ResourceFilter::within(visible(SHOP));
        let bank = ResourceFilter::within(visible(r#"[{"projects":["bank"]}]"#));
        report(store, live_in("a1", "app", at(50, 1, 2), "mall", &[])).await;
        report(store, live_in("a1", "app", at(51, 1, 3), "shop", &[])).await;
        causeway_testkit::wait_until("all to be told", crate::fixture::LONG, async || {
            let found = (count(store, &shop).await, count(store, &bank).await);
            (found == (35, 0)).then_some(()).ok_or(format!("{found:?}"))
        })
        .await;
        let told = changed(store, before).await;
        assert_eq!(told.len(), 35);
    }
}

#[tokio::test]
async fn resource_pages_have_each_visible_row_once() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        report(store, live_in("a1", "app", at(1, 1, 1), "shop", &[])).await;
        for number in 0..20_u64 {
            let application = (number % 7 == 3).then_some("app");
            let name = format!("r{number:02}");
            let change = rollout(&name, &name, at(number + 2, 1, number), application);
            put(store, change).await;
        }
        for limit in [1, 2, 100] {
            let shop = ResourceFilter::within(visible(SHOP));
            let found = records(store, &shop, limit).await;
            let found: Vec<&str> = found.iter().map(|record| &*record.key.name).collect();
            assert_eq!(found, ["r03", "r10", "r17"]);
            assert_eq!(records(store, &every(), limit).await.len(), 20);
        }
    }
}

type Narrow = fn(&mut ResourceFilter);

#[tokio::test]
async fn resource_filters_match() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        filled(store).await;
        let mut sick = rollout("u4", "sick", at(9, 1, 4), Some("app"));
        let state = sick.state.as_mut().unwrap();
        state.health = Health::Degraded;
        state.labels = Arc::new([("team".to_owned(), "a".to_owned())].into());
        put(store, sick).await;
        let found: [(Narrow, &[&str]); 12] = [
            (|it| it.application = "app".into(), &["held", "sick"]),
            (|it| it.application = "other".into(), &[]),
            (
                |it| it.application_namespace = "argocd".into(),
                &["held", "sick"],
            ),
            (|it| it.health = vec![Health::Degraded], &["sick"]),
            (|it| it.health = vec![Health::Missing], &[]),
            (|it| it.labels = "team in (a,b)".parse().unwrap(), &["sick"]),
            (|it| it.name = "none".into(), &["none"]),
            (|it| it.namespace = "bank".into(), &[]),
            (|it| it.cluster = "other".into(), &[]),
            (
                |it| it.runtime = "edge".into(),
                &["held", "none", "sick", "unknown"],
            ),
            (|it| it.kind = "ReplicaSet".into(), &[]),
            (|it| it.visible = Visible::default(), &[]),
        ];
        for (narrow, expected) in found {
            let mut filter = every();
            narrow(&mut filter);
            assert_eq!(names(store, &filter).await, expected, "{filter:?}");
        }
    }
}

#[tokio::test]
async fn manifest_of_a_resource_is_requested_once_and_kept_while_referenced() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let (tenant, content): (_, &[u8]) = (account("default"), b"{}");
        let digest = Digest::of(content);
        let mut change = rollout("u1", "web", at(5, 1, 1), None);
        change.state.as_mut().unwrap().manifest = Some(digest);
        let missing = put(store, change.clone()).await;
        assert_eq!(missing, Outcome::Missing(vec![digest]));
        assert_eq!(names(store, &every()).await, [""; 0]);
        let content = bytes::Bytes::from_static(content);
        write(
            store,
            Write::Manifest(
                (account("default"), "rt-one".parse().unwrap()),
                digest,
                content,
            ),
        )
        .await;
        assert_eq!(put(store, change).await, Outcome::Stored);
        forget(store, keep(0)).await;
        let kept = store.reads().manifest(&tenant, &digest);
        assert!(kept.await.unwrap().is_some());
        put(store, rollout_gone("u1", "web", at(6, 1, 2))).await;
        forget(store, keep(0)).await;
        let kept = store.reads().manifest(&tenant, &digest);
        assert_eq!(kept.await.unwrap(), None);
    }
}

#[tokio::test]
async fn collecting_resources_expires_older_cursors() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        put(store, rollout("u1", "web", at(5, 1, 1), None)).await;
        put(store, rollout_gone("u1", "web", at(6, 1, 2))).await;
        let gone = latest(store).await;
        forget(store, keep(3600)).await;
        assert_eq!(changed(store, 0).await.len(), 1);
        forget(store, keep(0)).await;
        assert_eq!(changed(store, 0).await, []);
        let extent = store
            .reads()
            .change_bounds(&account("default"))
            .await
            .unwrap();
        assert_eq!(extent.forgotten, gone);
    }
}
