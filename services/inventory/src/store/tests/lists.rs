//! What every store lists and counts, held against the domain's own words for each application.

use super::{
    scope::{paged, place, records, scopes, texts},
    *,
};
use crate::{
    application::{
        Facets, Facts, Field, Filter, Key, LabelSelector, ObjectName, Record, Sort, Source,
        Summary, Text, Visible,
    },
    fixture::{live_in, visible},
};

/// Applications of an account; another account has some of the same names with other states.
struct Shop {
    whole: Vec<Record>,
}

const PLACES: [(&str, &str, &str); 4] = [
    ("east", "argocd", "in-cluster"),
    ("east", "team-a", "in-cluster"),
    ("west", "team-b", "in-cluster"),
    ("west", "argocd", "spoke"),
];

async fn filled(store: &dyn Store) -> Shop {
    for number in 0..24_u64 {
        report(store, application("default", number)).await;
        if number.is_multiple_of(2) {
            report(store, application("other", number + 100)).await;
        }
    }
    // Some change, one leaves, and one comes back with other labels.
    for number in [3_u64, 9, 15] {
        let mut change = application("default", number);
        change.position = at(number + 50, 1, number + 50);
        change.state.as_mut().unwrap().summary.health = Health::Degraded;
        report(store, change).await;
    }
    let mut gone = application("default", 4);
    (gone.state, gone.position) = (None, at(60, 1, 60));
    report(store, gone).await;
    let mut back = application("default", 5);
    (back.state, back.position) = (None, at(61, 1, 61));
    report(store, back).await;
    let mut back = application("default", 5);
    back.position = at(62, 1, 62);
    let labels = [("team".to_owned(), "back".to_owned())].into();
    back.state.as_mut().unwrap().summary.traits.labels = Arc::new(labels);
    report(store, back).await;
    let whole = records(store, &with_labels(), 100).await;
    assert_eq!(whole.len(), 23);
    Shop { whole }
}

/// Everything, by a scope that reads labels.
fn with_labels() -> Filter {
    Filter::within(visible(r#"[{"namespaces":["argocd","team-*"]}]"#))
}

fn application(tenant: &str, number: u64) -> Change {
    let (runtime, namespace, cluster) = PLACES[usize::try_from(number % 4).unwrap()];
    let team = ["a", "b", "c"][usize::try_from(number % 3).unwrap()];
    let tier = if number.is_multiple_of(11) {
        "gold"
    } else {
        "iron"
    };
    let project = ["shop", "bank"][usize::try_from(number / 2 % 2).unwrap()];
    let name = format!(
        "{}-{:02}",
        ["web", "api", "job"][usize::try_from(number / 4 % 3).unwrap()],
        number % 7
    );
    let labels: &[(&str, &str)] = match number % 5 {
        0 => &[("team", team)],
        1 => &[],
        _ => &[("team", team), ("tier", tier)],
    };
    let mut change = live_in(
        &format!("u{number}"),
        &name,
        at(number + 1, 1, number + 1),
        project,
        labels,
    );
    let summary = &mut change.state.as_mut().unwrap().summary;
    summary.sync = Sync::from_code(i64::try_from(number % 4).unwrap());
    summary.health = Health::from_code(i64::try_from(number % 7).unwrap());
    summary.source = Source::from_code(i64::try_from(number % 3).unwrap());
    let mut scope = scope_of(tenant);
    scope.runtime = format!("rt-{runtime}").parse().unwrap();
    scope.cluster = crate::application::ClusterName::from(cluster);
    Change {
        scope: Arc::new(scope),
        runtime_name: runtime.parse().unwrap(),
        object: ObjectName {
            namespace: namespace.into(),
            ..change.object
        },
        ..change
    }
}

impl Shop {
    fn matching(&self, filter: &Filter) -> Vec<&Record> {
        let matches = |record: &&Record| filter.matches(&record.facts());
        let mut found: Vec<&Record> = self.whole.iter().filter(matches).collect();
        found.sort_by_key(|record| filter.sort.place_of(record));
        found
    }

    async fn check(&self, store: &dyn Store, filter: &Filter) {
        let found = self.matching(filter);
        let expected: Vec<String> = found.iter().map(|record| place(record)).collect();
        for limit in [2, 50] {
            let listed = paged(store, filter, limit).await;
            assert_eq!(listed, expected, "{filter:?} by {limit}");
        }
        for most in [1, 3, 100] {
            let told = facets(store, filter, most).await;
            let applications = found.iter().map(|it| it.facts());
            let expected = Facets::of(applications, &Field::STORED, most);
            assert_eq!(told, expected, "{filter:?}, at most {most}");
        }
    }
}

async fn facets(store: &dyn Store, filter: &Filter, most: usize) -> Facets {
    let account = account("default");
    let facets = store
        .reads()
        .count_facets(&account, filter, &Field::STORED, most);
    facets.await.unwrap()
}

fn filters() -> impl Strategy<Value = Filter> {
    let one = |of: &'static [&'static str]| {
        prop::option::weighted(0.15, prop::sample::select(of))
            .prop_map(|text| text.unwrap_or_default().to_owned())
    };
    let place = (
        one(&["east", "west", "none"]),
        one(&["in-cluster", "spoke"]),
        one(&["argocd", "team-a"]),
        one(&["web-00", "api-05"]),
        one(&["shop", "bank"]),
    );
    let codes = |most: i64| prop::collection::vec(0..most, 0..3);
    let state = (codes(4), codes(7), codes(4));
    let selectors = [
        "",
        "",
        "team=a",
        "tier=gold",
        "team in (a,c),tier!=gold",
        "!tier",
        "tier,team notin (a,b)",
        "team=back",
        "team in (a,b),tier in (gold,iron)",
        "none",
    ];
    let search = (
        prop::sample::select(selectors.to_vec()),
        texts(&["web", "Shop", "a?i", "-0", "team", "o*1", "%", "[", "_"]),
        0..7_usize,
        prop_oneof![
            2 => Just(None),
            1 => scopes().prop_map(Some),
        ],
    );
    (place, state, search).prop_map(|(place, state, search)| {
        let (runtime, cluster, namespace, name, project) = place;
        let (selector, words, sort, scope) = search;
        let sorts = [
            Sort::Runtime,
            Sort::Name,
            Sort::Namespace,
            Sort::Project,
            Sort::Sync,
            Sort::Health,
            Sort::Changed,
        ];
        let sparse = |codes: Vec<i64>| if codes.len() == 1 { codes } else { Vec::new() };
        Filter {
            visible: scope.map_or_else(Visible::everything, |scope| Visible::new(&scope)),
            runtime,
            cluster,
            namespace,
            name,
            project,
            sync: state.0.into_iter().map(Sync::from_code).collect(),
            health: state.1.into_iter().map(Health::from_code).collect(),
            source: sparse(state.2).into_iter().map(Source::from_code).collect(),
            labels: selector.parse().unwrap(),
            text: Text::new(&words.join(" ")),
            sort: sorts[sort],
            ..Filter::default()
        }
    })
}

#[tokio::test]
async fn s_45_lists_and_counts_equal_the_filter_applied_to_each_application() {
    let mut runner = TestRunner::new(Config::with_cases(1));
    let mut cases = Vec::new();
    for _ in 0..120 {
        cases.push(filters().new_tree(&mut runner).unwrap().current());
    }
    for bench in Bench::all().await {
        let store = &*bench.store;
        let shop = filled(store).await;
        for filter in &cases {
            shop.check(store, filter).await;
        }
    }
}

#[tokio::test]
async fn pages_of_any_size_keep_the_sort_order() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let shop = filled(store).await;
        for sort in [
            Sort::Runtime,
            Sort::Name,
            Sort::Namespace,
            Sort::Project,
            Sort::Sync,
            Sort::Health,
            Sort::Changed,
        ] {
            let filter = Filter { sort, ..all() };
            shop.check(store, &filter).await;
            let filter = Filter {
                labels: "team in (a,b)".parse().unwrap(),
                sort,
                ..all()
            };
            shop.check(store, &filter).await;
        }
        let broken = Filter {
            sort: Sort::Health,
            ..all()
        };
        let listed = records(store, &broken, 3).await;
        let ranks: Vec<Health> = listed.iter().map(|it| it.summary.health).collect();
        assert_eq!(ranks[..4], [Health::Degraded; 4]);
    }
}

#[tokio::test]
async fn counts_cover_only_the_account_and_the_scope() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        filled(store).await;
        let told = facets(store, &all(), 100).await;
        assert_eq!(told.total, 23);
        let nothing = facets(store, &Filter::default(), 100).await;
        assert_eq!(nothing.total, 0);
        assert!(nothing.facets.iter().all(|it| it.values.is_empty()));
        let of_shop = Filter::within(visible(r#"[{"projects":["shop"]}]"#));
        let told = facets(store, &of_shop, 100).await;
        let projects = &told.facets[3];
        assert_eq!(projects.values, [("shop".to_owned(), told.total)]);
        let other = account("other");
        let theirs = store.reads().count_facets(&other, &of_shop, &[], 1);
        assert!(theirs.await.unwrap().total < told.total);
    }
}

#[test]
fn text_search_matches_name_namespace_and_project() {
    let key = Key {
        runtime_name: "east".to_owned(),
        namespace: "team-a".to_owned(),
        name: "web-shop".to_owned(),
        cluster: "spoke".to_owned(),
        runtime: "rt".to_owned(),
    };
    let summary: Summary = state("x").summary;
    for (text, expected) in [
        ("", true),
        ("web", true),
        ("WEB", true),
        ("web team", true),
        ("default", true),
        ("w*shop", true),
        ("we?", true),
        ("east", false),
        ("web none", false),
    ] {
        let filter = Filter {
            text: Text::new(text),
            ..all()
        };
        let facts = Facts::new(&key, &summary, 0);
        assert_eq!(filter.matches(&facts), expected, "{text}");
    }
    let selected = Filter {
        labels: "a".parse::<LabelSelector>().unwrap(),
        ..all()
    };
    assert!(!selected.matches(&Facts::new(&key, &summary, 0)));
}
