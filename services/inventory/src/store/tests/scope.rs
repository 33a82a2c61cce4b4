use super::*;
use crate::{
    application::{Filter, Page, Place, Record, Visible},
    fixture::{live_in, visible},
};

/// Applications of two accounts that only their places and projects tell apart.
async fn filled(store: &dyn Store) {
    let mut number = 0;
    for tenant in ["default", "other"] {
        for (runtime, namespace, project, team) in [
            ("east", "argocd", "shop", "a"),
            ("east", "team-a", "shop", "b"),
            ("east", "team-a", "bank", "a"),
            ("west", "team-b", "bank", "A"),
            ("west", "argocd", "Shop", "b"),
        ] {
            number += 1;
            let (uid, name) = (
                format!("u{number}"),
                format!("{project}-{team}").to_lowercase(),
            );
            let change = live_in(
                &uid,
                &name,
                at(number, 1, number),
                project,
                &[("team", team)],
            );
            let mut scope = scope_of(tenant);
            scope.runtime = format!("rt-{runtime}").parse().unwrap();
            let change = Change {
                scope: Arc::new(scope),
                runtime_name: runtime.parse().unwrap(),
                object: crate::application::ObjectName {
                    namespace: namespace.into(),
                    ..change.object
                },
                ..change
            };
            report(store, change).await;
        }
    }
}

pub(super) fn place(record: &Record) -> String {
    let key = &record.key;
    format!("{}/{}/{}", key.runtime_name, key.namespace, key.name)
}

pub(super) async fn page(
    store: &dyn Store,
    filter: &Filter,
    after: Option<&Place>,
    limit: usize,
) -> Page<Record> {
    let account = account("default");
    let page = store
        .reads()
        .list_applications(&account, filter, View::Basic, after, limit);
    page.await.unwrap()
}

/// All pages, and where they end.
async fn listed_by(store: &dyn Store, visible: &Visible, limit: usize) -> Vec<String> {
    paged(store, &Filter::within(visible.clone()), limit).await
}

/// The places of all pages.
pub(super) async fn paged(store: &dyn Store, filter: &Filter, limit: usize) -> Vec<String> {
    let records = records(store, filter, limit).await;
    records.iter().map(place).collect()
}

/// The records of all pages.
pub(super) async fn records(store: &dyn Store, filter: &Filter, limit: usize) -> Vec<Record> {
    let (mut records, mut after) = (Vec::new(), None);
    for _ in 0..100 {
        let page = page(store, filter, after.as_ref(), limit).await;
        assert!(page.items.len() <= limit);
        records.extend(page.items.iter().cloned());
        after = match page.rest {
            NextPage::End => return records,
            NextPage::More => page.items.last().map(|record| filter.sort.place_of(record)),
            NextPage::ScanPosition(looked) => {
                let account = account("default");
                let found = store.reads().place_of(&account, filter.sort, looked.change);
                assert_eq!(found.await.unwrap().as_ref(), Some(&looked.place));
                Some(looked.place)
            }
        };
    }
    panic!("the pages have no end");
}

#[tokio::test]
async fn s_45_every_page_has_exactly_the_visible_rows() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        filled(store).await;
        for (rules, expected) in [
            ("[]", vec![]),
            (
                r#"[{"projects":["shop"]}]"#,
                vec!["east/argocd/shop-a", "east/team-a/shop-b"],
            ),
            (
                r#"[{"projects":["bank"],"runtimes":["west"]},{"names":["shop-a"]}]"#,
                vec!["east/argocd/shop-a", "west/team-b/bank-a"],
            ),
            (
                r#"[{"namespaces":["team-?"]}]"#,
                vec![
                    "east/team-a/bank-a",
                    "east/team-a/shop-b",
                    "west/team-b/bank-a",
                ],
            ),
            (
                r#"[{"projects":["bank","shop"],"labels":{"team":"a"}}]"#,
                vec!["east/argocd/shop-a", "east/team-a/bank-a"],
            ),
            (
                r#"[{"projects":["s*"],"names":["*-b"]}]"#,
                vec!["east/team-a/shop-b"],
            ),
            (r#"[{"labels":{"team":"A"}}]"#, vec!["west/team-b/bank-a"]),
            (r#"[{"clusters":["elsewhere"]}]"#, vec![]),
            (r#"[{"products":["p"]}]"#, vec![]),
        ] {
            for limit in [1, 2, 10] {
                let found = listed_by(store, &visible(rules), limit).await;
                assert_eq!(found, expected, "{rules} by {limit}");
            }
            let (account, visible) = (account("default"), visible(rules));
            let keys = store.reads().application_keys(&account, &visible, 100);
            assert_eq!(keys.await.unwrap().len(), expected.len(), "{rules}");
        }
    }
}

#[tokio::test]
async fn globs_with_few_matches_are_looked_up() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        for (tenant, number) in ["default", "other"].into_iter().zip([0, 1_000]) {
            for number in number..number + 40 {
                report(store, far_apart(tenant, number)).await;
            }
        }
        let limit = 10;
        for rules in [
            r#"[{"namespaces":["team-*"]}]"#,
            r#"[{"namespaces":["team-?","team-none-*"],"runtimes":["e*"]}]"#,
            r#"[{"projects":["sh*"]},{"projects":["nothing-*"]}]"#,
            r#"[{"projects":["*p"]}]"#,
            r#"[{"projects":["sh?p"],"namespaces":["team-*"]}]"#,
        ] {
            let filter = Filter::within(visible(rules));
            let found = page(store, &filter, None, limit).await;
            let places: Vec<String> = found.items.iter().map(place).collect();
            let expected = ["east/team-a/app-0", "east/team-z/app-39"];
            assert_eq!(
                (places, found.rest),
                (expected.map(str::to_owned).to_vec(), NextPage::End),
                "{rules}"
            );
        }
        let nothing = Filter::within(visible(r#"[{"namespaces":["none-*"]}]"#));
        assert_eq!(page(store, &nothing, None, limit).await.rest, NextPage::End);
        let many = visible(r#"[{"namespaces":["m-*"]}]"#);
        assert_eq!(listed_by(store, &many, limit).await.len(), 38);
    }
}

/// The first and the last of forty are in namespaces and a project of their own.
fn far_apart(tenant: &str, number: u64) -> Change {
    let namespace = match number % 1_000 {
        0 => "team-a".to_owned(),
        39 => "team-z".to_owned(),
        other => format!("m-{other:02}"),
    };
    let project = if namespace.starts_with("team") {
        "shop"
    } else {
        "bank"
    };
    let (uid, name) = (format!("u{number}"), format!("app-{}", number % 1_000));
    let change = live_in(&uid, &name, at(number + 1, 1, number + 1), project, &[]);
    let mut scope = scope_of(tenant);
    scope.runtime = "rt-east".parse().unwrap();
    Change {
        scope: Arc::new(scope),
        runtime_name: "east".parse().unwrap(),
        object: crate::application::ObjectName {
            namespace: namespace.into(),
            ..change.object
        },
        ..change
    }
}

#[tokio::test]
async fn s_45_lists_equal_the_scope_applied_to_each_object() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        filled(store).await;
        let whole = page(store, &all(), None, 100).await.items;
        let mut runner = TestRunner::new(Config::with_cases(60));
        let mut cases = Vec::new();
        for _ in 0..60 {
            cases.push(scopes().new_tree(&mut runner).unwrap().current());
        }
        for scope in cases {
            let visible = Visible::new(&scope);
            let expected: Vec<String> = whole
                .iter()
                .filter(|record| holds(&scope, record))
                .map(place)
                .collect();
            let found = listed_by(store, &visible, 2).await;
            assert_eq!(found, expected, "{scope:?}");
        }
    }
}

/// By the record's own words, past everything that a store knows.
fn holds(scope: &causeway_assertion::Scope, record: &Record) -> bool {
    let project = match &*record.key.name {
        name if name.starts_with("bank") => "bank",
        _ if record.key.runtime_name == "west" => "Shop",
        _ => "shop",
    };
    let team = match (&*record.key.name, &*record.key.runtime_name) {
        ("bank-a", "west") => "A",
        (name, _) => &name[name.len() - 1..],
    };
    scope.contains(&causeway_assertion::ApplicationAttributes {
        runtime: &record.key.runtime_name,
        cluster: &record.key.cluster,
        project,
        namespace: &record.key.namespace,
        name: &record.key.name,
        labels: &[("team".to_owned(), team.to_owned())].into(),
    })
}

pub(super) fn scopes() -> impl Strategy<Value = causeway_assertion::Scope> {
    let rules = || {
        let rule = (
            texts(&["east", "west", "*t", "none"]),
            texts(&["shop", "bank", "s*", "S*", "%", "_hop"]),
            texts(&["argocd", "team-*", "team-a", "*"]),
            texts(&["shop-?", "bank-a", "*a", "shop_a"]),
            prop::option::of(prop::sample::select(&["a", "A", "b"][..])),
        );
        let rule = rule.prop_map(|(runtimes, projects, namespaces, names, team)| ScopeRule {
            runtimes,
            projects,
            namespaces,
            names,
            labels: team
                .map(|team| ("team".to_owned(), team.to_owned()))
                .into_iter()
                .collect(),
            ..ScopeRule::default()
        });
        prop::collection::vec(rule, 0..3)
    };
    (rules(), prop::option::weighted(0.3, rules())).prop_map(|(rules, limits)| {
        causeway_assertion::Scope {
            rules,
            limits,
            ..Default::default()
        }
    })
}

pub(super) fn texts(of: &'static [&'static str]) -> impl Strategy<Value = Vec<String>> {
    let one = prop::sample::select(of).prop_map(str::to_owned);
    prop::collection::vec(one, 0..3)
}

#[tokio::test]
async fn past_traits_are_kept_in_tombstones() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        for (version, project) in [(1, "shop"), (2, "shop"), (3, "bank")] {
            let change = live_in("u1", "web", at(version, 1, version), project, &[("a", "b")]);
            report(store, change).await;
        }
        report(store, gone("u1", "web", at(4, 1, 4))).await;
        let filter = all();
        let account = account("default");
        let changed = store
            .reads()
            .changed_applications(&account, &filter, View::Basic, ALL, 10);
        let record = changed.await.unwrap().items.remove(0);
        assert_eq!(&*record.summary.traits.project, "bank");
        assert_eq!(record.summary.traits.labels["a"], "b");
        let past: Vec<(u64, &str)> = record
            .past
            .iter()
            .map(|past| (past.until, &*past.traits.project))
            .collect();
        assert_eq!(past, [(3, "shop")]);
    }
}
