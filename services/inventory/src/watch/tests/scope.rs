use super::*;
use crate::{
    application::Visible,
    fixture::{live_in, visible},
};

fn shop() -> Filter {
    Filter::within(visible(
        r#"[{"projects":["shop"]},{"labels":{"team":"a"}}]"#,
    ))
}

#[tokio::test]
async fn n_70_what_leaves_the_scope_is_gone_and_what_enters_is_there() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        report(store, live_in("u1", "web", at(1, 1, 1), "shop", &[])).await;
        report(store, live_in("u2", "api", at(2, 1, 2), "bank", &[])).await;
        let mut steps = from(&bench, shop(), None);
        expect(&mut steps, &["web@1", "caught up"]).await;
        report(store, live_in("u1", "web", at(3, 1, 3), "bank", &[])).await;
        expect(&mut steps, &["web gone"]).await;
        report(
            store,
            live_in("u2", "api", at(4, 1, 4), "bank", &[("team", "a")]),
        )
        .await;
        expect(&mut steps, &["api@4"]).await;
        report(
            store,
            live_in("u2", "api", at(5, 1, 5), "bank", &[("team", "b")]),
        )
        .await;
        expect(&mut steps, &["api gone"]).await;
        report(store, live_in("u1", "web", at(6, 1, 6), "shop", &[])).await;
        expect(&mut steps, &["web@6"]).await;
        report(store, gone("u1", "web", at(7, 1, 7))).await;
        expect(&mut steps, &["web gone"]).await;
    }
}

#[tokio::test]
async fn n_70_what_was_never_in_scope_is_not_told_of_even_when_it_goes() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        report(store, live_in("u1", "secret", at(1, 1, 1), "bank", &[])).await;
        let mut steps = from(&bench, shop(), None);
        expect(&mut steps, &["caught up"]).await;
        report(
            store,
            live_in("u1", "secret", at(2, 1, 2), "bank", &[("team", "c")]),
        )
        .await;
        report(store, live_in("u1", "secret", at(3, 1, 3), "hoard", &[])).await;
        report(store, gone("u1", "secret", at(4, 1, 4))).await;
        report(store, live_in("u3", "hidden", at(5, 1, 5), "bank", &[])).await;
        report(store, gone("u3", "hidden", at(6, 1, 6))).await;
        report(store, live_in("u2", "web", at(7, 1, 7), "shop", &[])).await;
        expect(&mut steps, &["web@7"]).await;
    }
}

#[tokio::test]
async fn what_left_the_scope_while_nobody_watched_is_told_when_the_watch_goes_on() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        report(store, live_in("u1", "web", at(1, 1, 1), "shop", &[])).await;
        report(store, live_in("u2", "api", at(2, 1, 2), "bank", &[])).await;
        let mut steps = from(&bench, shop(), None);
        let cursor = expect(&mut steps, &["web@1", "caught up"]).await;
        drop(steps);
        // Twice since, so that the newest change alone does not tell that it was in scope.
        report(store, live_in("u1", "web", at(3, 1, 3), "bank", &[])).await;
        report(store, live_in("u2", "api", at(4, 1, 4), "hoard", &[])).await;
        report(store, live_in("u1", "web", at(5, 1, 5), "hoard", &[])).await;
        let mut steps = from(&bench, shop(), cursor);
        expect(&mut steps, &["web gone", "caught up"]).await;
    }
}

#[tokio::test]
async fn a_watcher_that_is_interrupted_half_way_still_hears_of_what_left() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        report(store, live_in("u1", "web", at(1, 1, 1), "shop", &[])).await;
        let mut steps = from(&bench, shop(), None);
        let cursor = expect(&mut steps, &["web@1", "caught up"]).await;
        drop(steps);
        report(store, live_in("u1", "web", at(2, 1, 2), "bank", &[])).await;
        report(store, live_in("u2", "api", at(3, 1, 3), "shop", &[])).await;
        report(store, live_in("u1", "web", at(4, 1, 4), "hoard", &[])).await;
        let mut steps = from(&bench, shop(), cursor);
        let half_way = expect(&mut steps, &["api@3"]).await;
        drop(steps);
        report(store, live_in("u1", "web", at(5, 1, 5), "bank", &[])).await;
        let mut steps = from(&bench, shop(), half_way);
        expect(&mut steps, &["web gone", "caught up"]).await;
    }
}

#[tokio::test]
async fn a_cursor_of_another_scope_or_account_is_no_way_around_this_one() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        report(store, live_in("u1", "web", at(1, 1, 1), "shop", &[])).await;
        report(store, live_in("u2", "api", at(2, 1, 2), "bank", &[])).await;
        let mut steps = from(&bench, all(), None);
        let wide = expect(&mut steps, &["api@2", "web@1", "caught up"]).await;
        let mut steps = from(&bench, shop(), None);
        let narrow = expect(&mut steps, &["web@1", "caught up"]).await;
        for (filter, cursor) in [(shop(), wide), (all(), narrow), (Filter::default(), wide)] {
            let mut steps = from(&bench, filter, cursor);
            let end = soon(steps.next()).await.unwrap();
            assert!(matches!(end, Err(WatchError::ScopeChanged)), "{end:?}");
            assert!(steps.next().await.is_none());
        }
        let request = Watch {
            account: account("other"),
            filter: all(),
            view: View::Basic,
            cursor: wide,
        };
        let mut steps: Steps = Box::pin(watch(bench.inventory(), request));
        let end = soon(steps.next()).await.unwrap();
        assert!(matches!(end, Err(WatchError::ScopeChanged)), "{end:?}");
    }
}

#[tokio::test]
async fn what_changed_too_often_to_be_remembered_begins_the_watch_again() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        report(store, live_in("u1", "web", at(1, 1, 1), "shop", &[])).await;
        let mut steps = from(&bench, shop(), None);
        let cursor = expect(&mut steps, &["web@1", "caught up"]).await;
        drop(steps);
        for version in 2..20 {
            let project = format!("p{version}");
            report(
                store,
                live_in("u1", "web", at(version, 1, version), &project, &[]),
            )
            .await;
        }
        let mut steps = from(&bench, shop(), cursor);
        let end = soon(steps.next()).await.unwrap();
        assert!(matches!(end, Err(WatchError::CursorExpired)), "{end:?}");
    }
}

#[tokio::test]
async fn without_rules_a_watch_tells_nothing() {
    let bench = Bench::memory();
    let store = &*bench.store;
    report(store, live("u1", "web", at(1, 1, 1))).await;
    let nothing = Filter::within(Visible::default());
    let mut steps = from(&bench, nothing, None);
    expect(&mut steps, &["caught up"]).await;
}
