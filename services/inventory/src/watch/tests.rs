mod filter;
mod scope;

use std::pin::Pin;

use futures::StreamExt as _;

use super::*;
use crate::{
    application::Health,
    fixture::{Bench, account, all, at, forget, gone, keep, live, report, soon},
};

type Steps = Pin<Box<dyn Stream<Item = Result<Step, WatchError>> + Send>>;

fn from(bench: &Bench, filter: Filter, cursor: Option<Cursor>) -> Steps {
    let request = Watch {
        account: account("default"),
        filter,
        view: View::Basic,
        cursor,
    };
    Box::pin(watch(bench.inventory(), request))
}

async fn next(steps: &mut Steps) -> Step {
    soon(steps.next()).await.unwrap().unwrap()
}

fn told(step: &Step) -> String {
    match &step.event {
        Event::Updated(record) => format!("{}@{}", record.key.name, record.resource_version),
        Event::Gone(key) => format!("{} gone", key.name),
        Event::CaughtUp => "caught up".into(),
        Event::Bookmark => "bookmark".into(),
    }
}

async fn expect(steps: &mut Steps, expected: &[&str]) -> Option<Cursor> {
    let mut cursor = None;
    for expected in expected {
        let step = next(steps).await;
        assert_eq!(told(&step), *expected);
        cursor = step.cursor;
    }
    cursor
}

#[tokio::test]
async fn the_state_comes_first_then_each_change() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        report(store, live("u1", "web", at(1, 1, 1))).await;
        report(store, live("u2", "api", at(2, 1, 2))).await;
        let mut steps = from(&bench, all(), None);
        assert_eq!(expect(&mut steps, &["api@2", "web@1"]).await, None);
        assert!(expect(&mut steps, &["caught up"]).await.is_some());
        report(store, live("u1", "web", at(3, 1, 3))).await;
        expect(&mut steps, &["web@3"]).await;
        report(store, gone("u2", "api", at(4, 1, 4))).await;
        expect(&mut steps, &["api gone"]).await;
    }
}

#[tokio::test]
async fn a_cursor_goes_on_without_a_gap() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        report(store, live("u1", "web", at(1, 1, 1))).await;
        report(store, live("u2", "api", at(2, 1, 2))).await;
        let mut steps = from(&bench, all(), None);
        let cursor = expect(&mut steps, &["api@2", "web@1", "caught up"]).await;
        drop(steps);
        report(store, gone("u1", "web", at(3, 1, 3))).await;
        report(store, live("u3", "new", at(4, 1, 4))).await;
        report(store, live("u3", "new", at(5, 1, 5))).await;
        let mut steps = from(&bench, all(), cursor);
        expect(&mut steps, &["web gone", "new@5", "caught up"]).await;
    }
}

#[tokio::test]
async fn an_application_that_no_longer_matches_is_told_as_gone() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let healthy = Filter {
            health: vec![Health::Healthy],
            ..all()
        };
        let mut steps = from(&bench, healthy, None);
        expect(&mut steps, &["caught up"]).await;
        report(store, live("u1", "web", at(1, 1, 1))).await;
        expect(&mut steps, &["web@1"]).await;
        let mut broken = live("u1", "web", at(2, 1, 2));
        broken.state.as_mut().unwrap().summary.health = Health::Degraded;
        report(store, broken).await;
        expect(&mut steps, &["web gone"]).await;
    }
}

#[tokio::test]
async fn a_filter_by_place_hides_other_places() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let web = Filter {
            name: "web".into(),
            ..all()
        };
        let mut steps = from(&bench, web, None);
        expect(&mut steps, &["caught up"]).await;
        report(store, live("u2", "api", at(1, 1, 1))).await;
        report(store, live("u1", "web", at(2, 1, 2))).await;
        expect(&mut steps, &["web@2"]).await;
    }
}

#[tokio::test]
async fn a_cursor_from_before_what_is_kept_is_told_to_begin_again() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        report(store, live("u1", "web", at(1, 1, 1))).await;
        let mut steps = from(&bench, all(), None);
        let cursor = expect(&mut steps, &["web@1", "caught up"]).await.unwrap();
        report(store, gone("u1", "web", at(2, 1, 2))).await;
        forget(store, keep(0)).await;
        let of_another_store = Cursor {
            incarnation: !cursor.incarnation,
            ..cursor
        };
        let of_the_future = Cursor {
            change: 99,
            ..cursor
        };
        for cursor in [cursor, of_another_store, of_the_future] {
            let mut steps = from(&bench, all(), Some(cursor));
            let end = soon(steps.next()).await.unwrap();
            assert!(matches!(end, Err(WatchError::CursorExpired)));
            assert!(steps.next().await.is_none());
        }
    }
}

#[tokio::test]
async fn a_slow_watcher_finds_the_newest_state_only() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let mut steps = from(&bench, all(), None);
        expect(&mut steps, &["caught up"]).await;
        for version in 1..=50 {
            report(store, live("u1", "web", at(version, 1, version))).await;
        }
        expect(&mut steps, &["web@50"]).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_watcher_that_stands_still_is_cut_and_goes_on_from_the_last_step_that_it_took() {
    let bench = Bench::memory();
    let store = &*bench.store;
    let mut steps: Steps = Box::pin(handed(from(&bench, all(), None), PATIENCE));
    expect(&mut steps, &["caught up"]).await;
    for version in 1..=50 {
        let name = format!("app-{version}");
        report(store, live(&name, &name, at(version, 1, version))).await;
    }
    sleep(PATIENCE * 2).await;
    let (mut taken, mut last) = (0, None);
    let end = loop {
        match steps.next().await.unwrap() {
            Ok(step) => (taken, last) = (taken + 1, step.cursor),
            Err(end) => break end,
        }
    };
    assert!(matches!(end, WatchError::Slow(_)), "{end}");
    assert!(steps.next().await.is_none());
    assert!((1..10).contains(&taken), "{taken} steps waited");
    let mut again: Steps = Box::pin(handed(from(&bench, all(), last), PATIENCE));
    for number in taken + 1..=50 {
        expect(&mut again, &[&format!("app-{number}@{number}")]).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_watcher_that_takes_a_step_now_and_then_is_not_cut() {
    let bench = Bench::memory();
    let store = &*bench.store;
    for version in 1..=50 {
        let name = format!("app-{version:02}");
        report(store, live(&name, &name, at(version, 1, version))).await;
    }
    let mut steps: Steps = Box::pin(handed(from(&bench, all(), None), PATIENCE));
    for number in 1..=50 {
        sleep(PATIENCE * 9 / 10).await;
        expect(&mut steps, &[&format!("app-{number:02}@{number}")]).await;
    }
    expect(&mut steps, &["caught up"]).await;
}

#[tokio::test(start_paused = true)]
async fn an_idle_watch_sends_its_cursor_now_and_then() {
    let bench = Bench::memory();
    let mut steps = from(&bench, all(), None);
    expect(&mut steps, &["caught up", "bookmark"]).await;
}

#[tokio::test]
async fn a_watch_ends_when_the_inventory_stops() {
    let bench = Bench::memory();
    let inventory = bench.inventory();
    let request = Watch {
        account: account("default"),
        filter: all(),
        view: View::Basic,
        cursor: None,
    };
    let mut steps: Steps = Box::pin(watch(inventory.clone(), request));
    expect(&mut steps, &["caught up"]).await;
    inventory.stop().cancel();
    let end = soon(steps.next()).await.unwrap();
    assert!(matches!(end, Err(WatchError::Draining)));
}

#[test]
fn cursors_are_read_back() {
    let cursor = Cursor {
        incarnation: u64::MAX,
        change: 17,
        base: 16,
        stamp: 1,
    };
    assert_eq!(cursor.to_string().parse(), Ok(cursor));
    for text in [
        "",
        "-",
        "1-1",
        "x-1-1-1",
        "1--1-1",
        "1-x-1-1",
        "1-1-1-",
        "1-1-1-1-1",
    ] {
        assert_eq!(text.parse::<Cursor>(), Err(CursorError), "{text}");
    }
}

#[test]
fn only_watched_scopes_that_fell_silent_or_are_heard_again_are_read_again() {
    let scopes = |names: &[(&str, &str)]| -> ScopeNames {
        let scope = |(runtime, cluster): &(&str, &str)| {
            let id = format!("rt-{runtime}");
            ((id, (*cluster).to_owned()), (*runtime).to_owned())
        };
        names.iter().map(scope).collect()
    };
    let before = scopes(&[("east", "a"), ("east", "b"), ("west", "a")]);
    let now = scopes(&[("east", "b"), ("west", "a"), ("south", "a")]);
    let changed = |filter: &Filter| -> Vec<(String, String)> {
        let filters = changed_scopes(&before, &now, filter).into_iter();
        filters.map(|it| (it.runtime, it.cluster)).collect()
    };
    let named = |runtime: &str, cluster: &str| (runtime.to_owned(), cluster.to_owned());
    assert_eq!(
        changed(&Filter::default()),
        [named("east", "a"), named("south", "a")]
    );
    let west = Filter {
        runtime: "west".to_owned(),
        ..Filter::default()
    };
    assert_eq!(changed(&west), []);
    let cluster = Filter {
        cluster: "b".to_owned(),
        ..Filter::default()
    };
    assert_eq!(changed(&cluster), []);
    assert!(changed_scopes(&now, &now, &Filter::default()).is_empty());
}
