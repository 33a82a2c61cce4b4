use std::{collections::BTreeMap, pin::Pin, time::Duration};

use futures::{Stream, StreamExt as _};
use tokio::time::Instant;

use super::*;
use crate::{
    application::{FacetQuery, Field, Filter, Health, View},
    fixture::{
        Bench, account, all, application::report_numbered, at, forget, gone, keep, live, live_in,
        report, soon, visible,
    },
    inventory::{List, PageStart},
    watch::{Cursor, Event, WatchError},
};

type Steps = Pin<Box<dyn Stream<Item = Result<ViewStep, WatchError>> + Send>>;

fn viewed(id: &str, filter: Filter, cursor: Option<Cursor>) -> WatchedView {
    WatchedView {
        id: id.to_owned(),
        filter,
        view: View::Row,
        cursor,
        query: FacetQuery {
            fields: vec![Field::Health],
            most: 20,
            own_condition_left_out: true,
            ..FacetQuery::default()
        },
    }
}

fn from(bench: &Bench, views: Vec<WatchedView>) -> Steps {
    Box::pin(watch(bench.inventory(), account("default"), views))
}

async fn next(steps: &mut Steps) -> ViewStep {
    soon(steps.next()).await.unwrap().unwrap()
}

fn told(step: &ViewStep) -> Vec<String> {
    let events = step.events.iter();
    events
        .map(|event| match event {
            Event::Updated(record) => format!("{}@{}", record.key.name, record.resource_version),
            Event::Gone(key) => format!("{} gone", key.name),
            Event::CaughtUp | Event::Bookmark => "bookmark".to_owned(),
        })
        .collect()
}

fn broken() -> Filter {
    Filter {
        health: vec![Health::Degraded],
        ..all()
    }
}

#[tokio::test]
async fn views_of_one_stream_tell_their_own_changes_totals_and_counts() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        report(store, live("u1", "web", at(1, 1, 1))).await;
        let mut steps = from(
            &bench,
            vec![viewed("all", all(), None), viewed("broken", broken(), None)],
        );
        for (id, total) in [("all", 1), ("broken", 0)] {
            let step = next(&mut steps).await;
            assert_eq!((&*step.id, step.total, told(&step).len()), (id, total, 0));
            // Without its own condition: the healthy one is counted by both.
            let health = &step.facets.unwrap().facets[0];
            assert_eq!(health.values, [("Healthy".to_owned(), 1)]);
        }
        let mut change = live("u1", "web", at(2, 1, 2));
        change.state.as_mut().unwrap().summary.health = Health::Degraded;
        report(store, change).await;
        for (id, total) in [("all", 1), ("broken", 1)] {
            let step = next(&mut steps).await;
            assert_eq!((&*step.id, step.total), (id, total));
            assert_eq!(told(&step), ["web@2"]);
            assert!(step.facets.is_some());
        }
        report(store, gone("u1", "web", at(3, 1, 3))).await;
        for id in ["all", "broken"] {
            let step = next(&mut steps).await;
            assert_eq!((&*step.id, step.total), (id, 0));
            assert_eq!(told(&step), ["web gone"]);
        }
    }
}

/// Names and versions of all that is there, and where a watch goes on.
async fn listed(bench: &Bench) -> (BTreeMap<String, u64>, Cursor) {
    let filter = all();
    let list = List {
        filter: &filter,
        view: View::Row,
        start: PageStart::Offset(0),
        limit: 1_000,
    };
    let listed = bench.inventory().list(&account("default"), list).await;
    let listed = listed.unwrap();
    let items = listed.page.items.into_iter();
    let names = items.map(|record| (record.key.name, record.resource_version));
    (names.collect(), listed.cursor)
}

#[tokio::test]
async fn a_watch_from_the_cursor_of_a_list_loses_and_repeats_no_change() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let mut version = 0;
        for (uid, seed) in (0..30).zip((1_u64..).step_by(977)) {
            version += 1;
            report_numbered(store, uid, seed, version).await;
        }
        let (mut held, cursor) = listed(&bench).await;
        for (uid, seed) in (0..40).step_by(3).zip((5_u64..).step_by(6029)) {
            version += 1;
            report_numbered(store, uid, seed, version).await;
        }
        let mut steps = from(&bench, vec![viewed("all", all(), Some(cursor))]);
        for event in next(&mut steps).await.events {
            match event {
                Event::Updated(record) => {
                    assert!(record.change > cursor.change, "it was in the list");
                    held.insert(record.key.name, record.resource_version);
                }
                Event::Gone(key) => assert!(held.remove(&key.name).is_some(), "it was told once"),
                Event::CaughtUp | Event::Bookmark => {}
            }
        }
        assert_eq!(held, listed(&bench).await.0);
        version += 1;
        report(store, live("late", "late", at(version, 1, version))).await;
        assert_eq!(told(&next(&mut steps).await), [format!("late@{version}")]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_view_is_told_at_most_four_times_a_second_and_each_change_once() {
    let bench = Bench::memory();
    let store = &*bench.store;
    let mut steps = from(&bench, vec![viewed("all", all(), None)]);
    next(&mut steps).await;
    let began = Instant::now();
    let (mut responses, mut found) = (0, Vec::new());
    for number in 1..=40_u64 {
        let name = format!("app-{number}");
        report(store, live(&name, &name, at(number, 1, number))).await;
        let due = began + Duration::from_millis(number * 25);
        while let Ok(step) = tokio::time::timeout_at(due, steps.next()).await {
            responses += 1;
            found.extend(told(&step.unwrap().unwrap()));
        }
    }
    assert!((3..=5).contains(&responses), "{responses}");
    while found.len() < 40 {
        found.extend(told(&next(&mut steps).await));
    }
    let expected: Vec<String> = (1..=40)
        .map(|number| format!("app-{number}@{number}"))
        .collect();
    assert_eq!(found, expected);
}

#[tokio::test(start_paused = true)]
async fn an_idle_view_is_told_its_cursor_and_large_batches_are_split() {
    let bench = Bench::memory();
    let store = &*bench.store;
    let cursor = listed(&bench).await.1;
    for number in 1..=450_u64 {
        let name = format!("app-{number}");
        report(store, live(&name, &name, at(number, 1, number))).await;
    }
    let mut steps = from(&bench, vec![viewed("all", all(), Some(cursor))]);
    for count in [200, 200, 50] {
        let step = next(&mut steps).await;
        assert_eq!((step.events.len(), step.total), (count, 450));
    }
    let last = Instant::now();
    let idle = next(&mut steps).await;
    assert_eq!((idle.events.len(), idle.facets, idle.total), (0, None, 450));
    assert!(
        last.elapsed() >= Duration::from_secs(14),
        "{:?}",
        last.elapsed()
    );
}

#[tokio::test]
async fn s_45_a_view_tells_and_counts_what_its_caller_may_see() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let shop = Filter::within(visible(r#"[{"projects":["shop"]}]"#));
        report(store, live_in("u1", "web", at(1, 1, 1), "shop", &[])).await;
        report(store, live_in("u2", "pay", at(2, 1, 2), "bank", &[])).await;
        let mut steps = from(&bench, vec![viewed("shop", shop.clone(), None)]);
        assert_eq!(next(&mut steps).await.total, 1);
        report(store, live_in("u2", "pay", at(3, 1, 3), "bank", &[])).await;
        report(store, live_in("u3", "new", at(4, 1, 4), "shop", &[])).await;
        let step = next(&mut steps).await;
        let mut names = told(&step);
        if names.is_empty() {
            names = told(&next(&mut steps).await);
        }
        assert_eq!(names, ["new@4"]);
        // The cursor of another scope is of no use.
        let other = viewed("shop", all(), Some(step.cursor));
        let mut steps = from(&bench, vec![other]);
        let end = soon(steps.next()).await.unwrap();
        assert!(matches!(end, Err(WatchError::ScopeChanged)));
    }
}

#[tokio::test]
async fn a_cursor_from_before_what_is_kept_ends_the_stream() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        report(store, live("u1", "web", at(1, 1, 1))).await;
        let cursor = listed(&bench).await.1;
        report(store, gone("u1", "web", at(2, 1, 2))).await;
        forget(store, keep(0)).await;
        let mut steps = from(&bench, vec![viewed("all", all(), Some(cursor))]);
        let end = soon(steps.next()).await.unwrap();
        assert!(matches!(end, Err(WatchError::CursorExpired)));
    }
}
