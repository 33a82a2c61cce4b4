//! A watcher with a filter: what leaves it is gone, what enters is there; and so on another replica.

use causeway_testkit::Postgres;

use super::*;
use crate::{
    application::Text,
    fixture::{live_in, visible},
};

fn labelled(selector: &str, rules: &str) -> Filter {
    Filter {
        labels: selector.parse().unwrap(),
        ..Filter::within(visible(rules))
    }
}

/// Leaves and enters a filter within a scope, told of at `there` what is reported at `here`.
async fn check(here: &Bench, there: &Bench) {
    let store = &*here.store;
    let shop = r#"[{"projects":["shop"]}]"#;
    let put = async |uid: &str, version: u64, project: &str, team: &str| {
        let change = live_in(
            uid,
            uid,
            at(version, 1, version),
            project,
            &[("team", team)],
        );
        report(store, change).await;
    };
    put("web", 1, "shop", "a").await;
    put("api", 2, "shop", "b").await;
    put("vault", 3, "bank", "a").await;
    let mut steps = from(there, labelled("team in (a,c)", shop), None);
    expect(&mut steps, &["web@1", "caught up"]).await;
    put("web", 4, "shop", "b").await;
    expect(&mut steps, &["web gone"]).await;
    put("api", 5, "shop", "c").await;
    expect(&mut steps, &["api@5"]).await;
    // Out of scope all the time, whatever its labels are.
    put("vault", 6, "bank", "c").await;
    put("vault", 7, "bank", "b").await;
    put("web", 8, "shop", "a").await;
    expect(&mut steps, &["web@8"]).await;
    put("web", 9, "bank", "a").await;
    expect(&mut steps, &["web gone"]).await;
    put("api", 10, "shop", "").await;
    let cursor = expect(&mut steps, &["api gone"]).await;
    drop(steps);
    put("web", 11, "shop", "c").await;
    put("api", 12, "shop", "a").await;
    let mut steps = from(there, labelled("team in (a,c)", shop), cursor);
    expect(&mut steps, &["web@11", "api@12", "caught up"]).await;
}

#[tokio::test]
async fn n_70_what_leaves_a_filter_by_labels_is_gone_and_what_enters_is_there() {
    for bench in Bench::all().await {
        check(&bench, &bench).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn n_70_so_it_is_on_another_replica() {
    let Some(server) = Postgres::shared() else {
        return;
    };
    let url = server.database();
    let (here, there) = (Bench::replica(&url).await, Bench::replica(&url).await);
    let (shell, _stop) = causeway_shell::Shell::for_test("inventory");
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(crate::replica_sync::follow(there.store.clone(), shell));
    check(&here, &there).await;
}

#[tokio::test]
async fn what_leaves_a_filter_by_words_is_gone() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        let words = Filter {
            text: Text::new("shop"),
            ..all()
        };
        let mut steps = from(&bench, words, None);
        expect(&mut steps, &["caught up"]).await;
        report(store, live_in("u1", "web", at(1, 1, 1), "shop", &[])).await;
        expect(&mut steps, &["web@1"]).await;
        report(store, live_in("u1", "web", at(2, 1, 2), "bank", &[])).await;
        expect(&mut steps, &["web gone"]).await;
    }
}
