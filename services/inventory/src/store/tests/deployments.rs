use super::*;
use crate::{
    application::{Key, LabelSelector, Text, Visible},
    deployment::{DeploymentCounts, DeploymentFilter, Deployments, Ended, Period, Phase},
    fixture::{NEIGHBOUR, live_in, visible},
    order::Position,
};

fn ended(started_at: i64, phase: Phase) -> Ended {
    Ended {
        started_at,
        mark: format!("deployment {started_at}"),
        phase,
        content: format!("at {started_at}").into(),
        commit: bytes::Bytes::new(),
    }
}

fn with(change: Change, operations: Vec<Ended>) -> Change {
    Change {
        operations,
        ..change
    }
}

fn everything() -> DeploymentFilter {
    DeploymentFilter {
        of: all(),
        ..DeploymentFilter::default()
    }
}

async fn page(
    store: &dyn Store,
    sought: &DeploymentFilter,
    after: Option<u64>,
    limit: usize,
) -> Option<Deployments> {
    let reads = store.reads();
    let account = account("default");
    let page = reads.list_deployments(&account, sought, after, limit).await;
    page.unwrap()
}

/// All that is sought, page by page.
async fn found(store: &dyn Store, sought: &DeploymentFilter) -> Vec<(String, i64)> {
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = page(store, sought, after, 2).await.unwrap();
        assert!(page.items.len() <= 2);
        let items = page.items.into_iter();
        found.extend(items.map(|it| (it.key.name, it.ended.started_at)));
        match page.next {
            Some(next) => after = Some(next),
            None => return found,
        }
    }
}

fn starts(found: &[(String, i64)]) -> Vec<i64> {
    found.iter().map(|(_, started_at)| *started_at).collect()
}

#[tokio::test]
async fn operation_of_a_superseded_report_is_recorded() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let beside = |epoch, started_at| {
            let place = at(Position::BESIDE, epoch, 1);
            let state = live_in("u1", "web", place, "shop", &[]);
            with(state, vec![ended(started_at, Phase::Succeeded)])
        };
        assert_eq!(report(store, beside(2, 10)).await, Outcome::Superseded);
        assert_eq!(names(store).await, listed(&[]));
        let of_shop = DeploymentFilter {
            of: Filter {
                project: "shop".into(),
                ..all()
            },
            ..everything()
        };
        assert_eq!(starts(&found(store, &of_shop).await), [10]);
        report(store, live("u1", "web", at(5, 1, 1))).await;
        assert_eq!(report(store, beside(3, 20)).await, Outcome::Superseded);
        assert_eq!(names(store).await, listed(&[("web", 5)]));
        assert_eq!(starts(&found(store, &everything()).await), [20, 10]);
    }
}

#[tokio::test]
async fn ended_operation_is_recorded_exactly_once() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let (one, two) = (ended(10, Phase::Succeeded), ended(20, Phase::Failed));
        let first = with(live("u1", "web", at(5, 1, 1)), vec![one.clone()]);
        assert_eq!(report(store, first.clone()).await, Outcome::Stored);
        assert_eq!(report(store, first).await, Outcome::Superseded);
        let older = with(
            live("u1", "web", at(3, 1, 2)),
            vec![two.clone(), one.clone()],
        );
        assert_eq!(report(store, older).await, Outcome::Superseded);
        assert_eq!(starts(&found(store, &everything()).await), [20, 10]);
        let last = with(
            gone("u1", "web", at(6, 1, 3)),
            vec![ended(30, Phase::Error)],
        );
        report(store, last).await;
        assert_eq!(starts(&found(store, &everything()).await), [30, 20, 10]);
        // Another object of the same name has operations of its own.
        report(store, with(live("u2", "web", at(7, 1, 4)), vec![one])).await;
        assert_eq!(starts(&found(store, &everything()).await), [30, 20, 10, 10]);
    }
}

#[tokio::test]
async fn an_operation_waits_with_its_report_for_manifests() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let needed = Digest::of(b"needed");
        let mut change = with(
            live("u1", "web", at(1, 1, 1)),
            vec![ended(10, Phase::Failed)],
        );
        change.state.as_mut().unwrap().manifests = vec![needed];
        let missing = Outcome::Missing(vec![needed]);
        assert_eq!(report(store, change.clone()).await, missing);
        assert!(found(store, &everything()).await.is_empty());
        let manifest = Write::Manifest(
            (account("default"), "rt-one".parse().unwrap()),
            needed,
            "needed".into(),
        );
        write(store, manifest).await;
        assert_eq!(report(store, change).await, Outcome::Stored);
        assert_eq!(starts(&found(store, &everything()).await), [10]);
    }
}

#[tokio::test]
async fn operations_of_one_second_are_distinct_by_annotation() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let mut other = ended(10, Phase::Failed);
        other.mark = "ended 10 a-request".to_owned();
        let both = vec![ended(10, Phase::Succeeded), other];
        report(store, with(live("u1", "web", at(1, 1, 1)), both)).await;
        assert_eq!(starts(&found(store, &everything()).await), [10, 10]);
    }
}

#[tokio::test]
async fn only_a_missing_commit_is_added_later() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let told = |sequence: u64, phase: Phase, commit: &'static str| {
            let operation = Ended {
                commit: commit.into(),
                ..ended(10, phase)
            };
            with(live("u1", "web", at(1, 1, sequence)), vec![operation])
        };
        report(store, told(1, Phase::Succeeded, "")).await;
        report(store, told(2, Phase::Failed, "one")).await;
        report(store, told(3, Phase::Failed, "two")).await;
        report(store, told(4, Phase::Failed, "")).await;
        let page = page(store, &everything(), None, 10).await.unwrap();
        let [kept] = &page.items[..] else {
            panic!("it is recorded once: {page:?}");
        };
        assert_eq!(kept.ended.phase, Phase::Succeeded);
        assert_eq!(kept.ended.commit, "one");
    }
}

async fn filled(store: &dyn Store) {
    let mut number = 0;
    for (name, project, team) in [
        ("web", "shop", "a"),
        ("api", "shop", "b"),
        ("pay", "bank", "a"),
    ] {
        for phase in [Phase::Succeeded, Phase::Failed] {
            number += 1;
            let position = at(number, 1, number);
            let change = live_in(name, name, position, project, &[("team", team)]);
            let started_at = i64::try_from(number).unwrap() * 10;
            report(store, with(change, vec![ended(started_at, phase)])).await;
        }
    }
}

#[tokio::test]
async fn deployment_lists_match_filter_and_scope() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        filled(store).await;
        // The applications go, and what is recorded of them stays what it was.
        report(store, gone("web", "web", at(90, 1, 90))).await;
        let of = |change: &dyn Fn(&mut DeploymentFilter)| {
            let mut sought = everything();
            change(&mut sought);
            sought
        };
        let labels = "team=a".parse::<LabelSelector>().unwrap();
        for (sought, wanted) in [
            (everything(), &[60, 50, 40, 30, 20, 10][..]),
            (of(&|it| it.phases = vec![Phase::Failed]), &[60, 40, 20]),
            (of(&|it| it.of.name = "web".into()), &[20, 10]),
            (of(&|it| it.of.project = "shop".into()), &[40, 30, 20, 10]),
            (of(&|it| it.of.runtime = "west".into()), &[]),
            (of(&|it| it.of.labels = labels.clone()), &[60, 50, 20, 10]),
            (of(&|it| it.of.text = Text::new("ap")), &[40, 30]),
            (
                of(&|it| (it.from, it.before) = (Some(20), Some(40))),
                &[30, 20],
            ),
            (
                of(&|it| it.of.visible = visible(r#"[{"projects":["bank"]}]"#)),
                &[60, 50],
            ),
            (
                of(&|it| it.of.visible = visible(r#"[{"labels":{"team":"b"}}]"#)),
                &[40, 30],
            ),
            (
                of(&|it| it.of.visible = visible(r#"[{"names":["w*"]}]"#)),
                &[20, 10],
            ),
            (of(&|it| it.of.visible = Visible::default()), &[]),
        ] {
            assert_eq!(starts(&found(store, &sought).await), wanted, "{sought:?}");
        }
    }
}

#[tokio::test]
async fn deployments_belong_to_their_account() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        filled(store).await;
        let reads = store.reads();
        let of = async |name: &str| {
            let (account, sought) = (account(name), everything());
            let page = reads.list_deployments(&account, &sought, None, 100).await;
            page.unwrap().unwrap().items
        };
        let theirs = of(NEIGHBOUR).await;
        assert_eq!(theirs.len(), 6, "the neighbour has the same");
        let own = found(store, &everything()).await;
        assert_eq!(own.len(), 6);
        for number in theirs.iter().map(|it| it.number) {
            let after = page_after(store, number).await;
            assert!(after.is_none(), "a number of the neighbour is none of ours");
        }
        assert!(of("nobody").await.is_empty());
    }
}

async fn page_after(store: &dyn Store, number: u64) -> Option<Deployments> {
    page(store, &everything(), Some(number), 10).await
}

#[tokio::test]
async fn collecting_deployments_expires_their_page_tokens() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        filled(store).await;
        let first = page(store, &everything(), None, 2).await.unwrap();
        let next = first.next.unwrap();
        forget(store, keep(3600)).await;
        assert!(page_after(store, next).await.is_some());
        forget(store, keep(0)).await;
        assert!(found(store, &everything()).await.is_empty());
        assert_eq!(page_after(store, next).await, None);
    }
}

#[tokio::test]
async fn deployment_keeps_the_key_of_its_application() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        filled(store).await;
        let page = page(store, &everything(), None, 1).await.unwrap();
        let key = Key {
            runtime_name: "edge".to_owned(),
            namespace: "argocd".to_owned(),
            name: "pay".to_owned(),
            cluster: "in-cluster".to_owned(),
            runtime: "rt-one".to_owned(),
        };
        let first = &page.items[0];
        assert_eq!((&first.key, first.uid.as_str()), (&key, "pay"));
        assert_eq!(&*first.traits.project, "bank");
    }
}

#[tokio::test]
async fn operations_are_counted_by_the_interval_of_their_start() {
    use Phase::{Error, Failed, Succeeded};
    let counts = |succeeded, failed| DeploymentCounts { succeeded, failed };
    for bench in Bench::all().await {
        let store = &*bench.store;
        let shop = live_in("u1", "web", at(1, 1, 1), "shop", &[("team", "a")]);
        let bank = live_in("u2", "bank", at(2, 1, 2), "bank", &[]);
        let told = [
            (9, Succeeded),
            (10, Succeeded),
            (14, Failed),
            (19, Error),
            (20, Succeeded),
        ];
        let told = told.map(|(start, phase)| ended(start, phase));
        report(store, with(shop, told.to_vec())).await;
        report(store, with(bank, vec![ended(15, Succeeded)])).await;
        let count = async |of: Filter| {
            let sought = DeploymentFilter {
                of,
                ..DeploymentFilter::default()
            };
            let period = Period {
                from: 10,
                length: 10,
                intervals: 2,
            };
            let account = account("default");
            let counted = store.reads().count_deployments(&account, &sought, period);
            counted.await.unwrap()
        };
        assert_eq!(count(all()).await, [counts(1, 1), counts(1, 1)]);
        for of in [
            Filter {
                project: "shop".into(),
                ..all()
            },
            Filter {
                labels: "team=a".parse::<LabelSelector>().unwrap(),
                ..all()
            },
            Filter {
                name: "web".into(),
                ..all()
            },
            Filter::within(visible(r#"[{"projects":["shop"]}]"#)),
            Filter::within(visible(r#"[{"names":["web"]}]"#)),
        ] {
            assert_eq!(count(of).await, [counts(1, 1), counts(0, 1)]);
        }
        let none = Filter::within(Visible::default());
        assert_eq!(count(none).await, [counts(0, 0), counts(0, 0)]);
    }
}
