use std::pin::Pin;

use futures::StreamExt as _;

use super::*;
use crate::{
    application::Visible,
    fixture::{
        Bench, account, at, gone, live_in, report,
        resource::{every, put, rollout, rollout_gone},
        soon, visible,
    },
};

type Steps = Pin<Box<dyn Stream<Item = Result<ResourceStep, WatchError>> + Send>>;

fn shop() -> ResourceFilter {
    ResourceFilter::within(visible(r#"[{"projects":["shop"]}]"#))
}

fn from(bench: &Bench, filter: ResourceFilter, cursor: Option<Cursor>) -> Steps {
    let asked = ResourceWatch {
        account: account("default"),
        filter,
        view: View::Basic,
        cursor,
    };
    Box::pin(bench.inventory().watch_resources(asked))
}

/// Reads steps until these were told, and gives the last cursor.
async fn expect(steps: &mut Steps, told: &[&str]) -> Option<Cursor> {
    let mut cursor = None;
    for expected in told {
        let step = soon(steps.next()).await.unwrap().unwrap();
        cursor = step.cursor;
        let text = match step.event {
            ResourceEvent::Updated(record) => {
                format!("{}@{}", record.key.name, record.resource_version)
            }
            ResourceEvent::Gone(key) => format!("{} gone", key.name),
            ResourceEvent::CaughtUp => "caught up".to_owned(),
            ResourceEvent::Bookmark => "bookmark".to_owned(),
        };
        assert_eq!(text, *expected);
    }
    cursor
}

#[tokio::test]
async fn a_watch_tells_what_there_is_and_then_each_change() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        put(store, rollout("u1", "web", at(1, 1, 1), None)).await;
        let mut steps = from(&bench, every(), None);
        expect(&mut steps, &["web@1", "caught up"]).await;
        put(store, rollout("u2", "api", at(2, 1, 2), None)).await;
        expect(&mut steps, &["api@2"]).await;
        put(store, rollout_gone("u1", "web", at(3, 1, 3))).await;
        expect(&mut steps, &["web gone"]).await;
    }
}

#[tokio::test]
async fn a_watch_goes_on_after_its_cursor_without_a_gap_or_a_repeat() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        put(store, rollout("u1", "web", at(1, 1, 1), None)).await;
        let mut steps = from(&bench, every(), None);
        let cursor = expect(&mut steps, &["web@1", "caught up"]).await;
        drop(steps);
        put(store, rollout("u2", "api", at(2, 1, 2), None)).await;
        put(store, rollout_gone("u1", "web", at(3, 1, 3))).await;
        let mut steps = from(&bench, every(), cursor);
        let cursor = expect(&mut steps, &["api@2"]).await;
        let mut steps = from(&bench, every(), cursor);
        expect(&mut steps, &["web gone", "caught up"]).await;
        let mut strangers = from(&bench, shop(), cursor);
        let refused = soon(strangers.next()).await.unwrap();
        assert!(matches!(refused, Err(WatchError::ScopeChanged)));
    }
}

#[tokio::test]
async fn n_70_what_belongs_to_an_application_leaves_and_enters_the_scope_with_it() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        report(store, live_in("a1", "app", at(1, 1, 1), "shop", &[])).await;
        put(store, rollout("u1", "web", at(2, 1, 1), Some("app"))).await;
        put(store, rollout("u2", "none", at(3, 1, 2), None)).await;
        let mut steps = from(&bench, shop(), None);
        expect(&mut steps, &["web@2", "caught up"]).await;
        report(store, live_in("a1", "app", at(4, 1, 2), "bank", &[])).await;
        expect(&mut steps, &["web gone"]).await;
        report(store, live_in("a1", "app", at(5, 1, 3), "shop", &[])).await;
        expect(&mut steps, &["web@2"]).await;
        report(store, gone("a1", "app", at(6, 1, 4))).await;
        let cursor = expect(&mut steps, &["web gone"]).await;
        // What was never in scope is not told of, whatever becomes of it.
        put(store, rollout("u2", "none", at(7, 1, 3), None)).await;
        put(store, rollout_gone("u2", "none", at(8, 1, 4))).await;
        put(store, rollout("u3", "last", at(9, 1, 5), Some("app"))).await;
        report(store, live_in("a2", "app", at(10, 1, 5), "shop", &[])).await;
        let mut steps = from(&bench, shop(), cursor);
        let mut told = Vec::new();
        while told.len() < 2 {
            let step = soon(steps.next()).await.unwrap().unwrap();
            if let ResourceEvent::Updated(record) = step.event {
                told.push(record.key.name);
            }
        }
        told.sort_unstable();
        assert_eq!(told, ["last", "web"]);
    }
}

#[tokio::test]
async fn nobody_hears_of_another_account() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        put(store, rollout("u1", "web", at(1, 1, 1), None)).await;
        let asked = ResourceWatch {
            account: account("third"),
            filter: ResourceFilter::within(Visible::everything()),
            view: View::Full,
            cursor: None,
        };
        let mut steps: Steps = Box::pin(bench.inventory().watch_resources(asked));
        expect(&mut steps, &["caught up"]).await;
    }
}
