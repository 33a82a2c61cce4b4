//! Events, of two accounts.

use super::*;
use crate::{
    application::Visible,
    event::{EventFilter, EventPage, EventPlace, EventsOf, MOST_OF_ACCOUNT, MOST_OF_OBJECT},
    fixture::{
        live_in,
        resource::{event, scope_for, submit_event},
        visible,
    },
};

fn of_object(name: &str) -> EventFilter {
    EventFilter {
        visible: Visible::everything(),
        of: EventsOf::Object {
            kind: String::new(),
            namespace: "shop".to_owned(),
            name: name.to_owned(),
        },
        ..EventFilter::default()
    }
}

fn of_application(name: &str) -> EventFilter {
    EventFilter {
        of: EventsOf::Application {
            namespace: String::new(),
            name: name.to_owned(),
        },
        ..of_object("")
    }
}

fn of_all(kind: &str, namespace: &str) -> EventFilter {
    EventFilter {
        of: EventsOf::All {
            kind: kind.to_owned(),
            namespace: namespace.to_owned(),
        },
        ..of_object("")
    }
}

async fn listed(store: &dyn Store, filter: &EventFilter) -> Vec<String> {
    texts(&page(store, filter, None, 100).await)
}

async fn page(
    store: &dyn Store,
    filter: &EventFilter,
    after: Option<EventPlace>,
    limit: usize,
) -> EventPage {
    let account = account("default");
    let asked = store.reads().list_events(&account, filter, after, limit);
    asked.await.unwrap()
}

fn texts(page: &EventPage) -> Vec<String> {
    let texts = page.items.iter().map(|event| event.content.to_vec());
    texts.map(|text| String::from_utf8(text).unwrap()).collect()
}

#[tokio::test]
async fn newest_event_is_first_and_future_clocks_are_clamped() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        submit_event(store, event("first", "web", at(1, 1, 1), None, 1_000)).await;
        submit_event(store, event("ahead", "web", at(2, 1, 2), None, i64::MAX)).await;
        submit_event(store, event("second", "web", at(3, 1, 3), None, 2_000)).await;
        submit_event(store, event("other", "api", at(4, 1, 4), None, 3_000)).await;
        let told = listed(store, &of_object("web")).await;
        assert_eq!(told, ["ahead", "second", "first"]);
        let ahead = page(store, &of_object("web"), None, 1).await;
        assert!(ahead.items[0].last_seen < i64::MAX);
    }
}

#[tokio::test]
async fn event_pages_have_no_gap_among_equal_times() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        // More are out of scope than one page looks at.
        for number in 0..7_u64 {
            let of = if number == 1 { "app" } else { "other" };
            let happened = event(
                &format!("e{number}"),
                &format!("o{number}"),
                at(number + 1, 1, 1),
                Some(of),
                1_000,
            );
            submit_event(store, happened).await;
        }
        report(store, live_in("a1", "app", at(1, 1, 1), "shop", &[])).await;
        report(store, live_in("a2", "other", at(2, 1, 1), "bank", &[])).await;
        for (rules, expected) in [
            (
                r#"[{"projects":["bank"]}]"#,
                &["e6", "e5", "e4", "e3", "e2", "e0"][..],
            ),
            (r#"[{"projects":["shop"]}]"#, &["e1"]),
        ] {
            for limit in 1..4 {
                let mut found = Vec::new();
                for of in ["other", "app"] {
                    let filter = EventFilter {
                        visible: visible(rules),
                        ..of_application(of)
                    };
                    found.extend(read_by_pages(store, &filter, limit).await);
                }
                assert_eq!(found, expected, "{rules} {limit}");
            }
        }
    }
}

async fn read_by_pages(store: &dyn Store, filter: &EventFilter, limit: usize) -> Vec<String> {
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = page(store, filter, after, limit).await;
        assert!(page.items.len() <= limit);
        found.extend(texts(&page));
        after = page.looked;
        let Some(place) = after else { return found };
        for (of, expected) in [("default", Some(place)), ("other", None)] {
            let account = account(of);
            let known = store.reads().event_place(&account, place.number);
            assert_eq!(known.await.unwrap(), expected);
        }
    }
}

#[tokio::test]
async fn event_is_listed_once_in_its_last_state_after_its_cluster_deletes_it() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        submit_event(store, event("e", "web", at(5, 1, 1), None, 1_000)).await;
        let late = submit_event(store, event("e", "web", at(4, 1, 2), None, 9_000)).await;
        assert_eq!(late, Outcome::Superseded);
        submit_event(store, event("e", "web", at(6, 1, 3), None, 2_000)).await;
        let scope = scope_for("events");
        assert_eq!(
            store
                .reads()
                .list_held(&scope, None, 10)
                .await
                .unwrap()
                .len(),
            1
        );
        let ended = Change {
            state: None,
            ..event("e", "web", at(7, 1, 4), None, 0)
        };
        assert_eq!(submit_event(store, ended).await, Outcome::Stored);
        assert_eq!(store.reads().list_held(&scope, None, 10).await.unwrap(), []);
        assert_eq!(listed(store, &of_object("web")).await, ["e"]);
        // Of one that was never told of nothing is kept.
        let unknown = Change {
            state: None,
            ..event("never", "web", at(8, 1, 5), None, 0)
        };
        assert_eq!(submit_event(store, unknown).await, Outcome::Stored);
        assert_eq!(listed(store, &of_object("web")).await, ["e"]);
    }
}

#[tokio::test]
async fn oldest_events_of_an_object_and_an_account_are_pruned() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        for number in 0..6_u64 {
            let uid = format!("e{number}");
            let when = i64::try_from(number).unwrap() * 1_000;
            submit_event(store, event(&uid, "web", at(number + 1, 1, 1), None, when)).await;
        }
        let told = listed(store, &of_object("web")).await;
        assert_eq!(told, ["e5", "e4", "e3"]);
        assert_eq!(told.len(), MOST_OF_OBJECT);
        for number in 0..20_u64 {
            let (uid, of) = (format!("o{number}"), format!("o{number}"));
            submit_event(store, event(&uid, &of, at(number + 10, 1, 1), None, 5)).await;
        }
        let scope = scope_for("events");
        let held = store.reads().list_held(&scope, None, 100).await.unwrap();
        assert_eq!(held.len(), MOST_OF_ACCOUNT);
        assert_eq!(listed(store, &of_object("web")).await, [""; 0]);
        assert_eq!(listed(store, &of_object("o19")).await, ["o19"]);
    }
}

#[tokio::test]
async fn events_are_collected_after_a_day() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        submit_event(store, event("e", "web", at(5, 1, 1), None, 1_000)).await;
        forget(store, keep(3600)).await;
        assert_eq!(listed(store, &of_object("web")).await, ["e"]);
        forget(store, keep(0)).await;
        assert_eq!(listed(store, &of_object("web")).await, [""; 0]);
    }
}

#[tokio::test]
async fn s_45_events_are_in_scope_with_the_application_of_their_object() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        report(store, live_in("a1", "app", at(1, 1, 1), "shop", &[])).await;
        submit_event(store, event("held", "web", at(2, 1, 1), Some("app"), 1)).await;
        submit_event(store, event("none", "api", at(3, 1, 2), None, 2)).await;
        submit_event(
            store,
            event("unknown", "job", at(4, 1, 3), Some("other"), 3),
        )
        .await;
        for (rules, web, api, job) in [
            ("[]", 0, 0, 0),
            ("[{}]", 1, 1, 1),
            (r#"[{"projects":["shop"]}]"#, 1, 0, 0),
            (r#"[{"projects":["bank"]}]"#, 0, 0, 0),
            (r#"[{"namespaces":["shop"]}]"#, 0, 1, 1),
            (r#"[{"names":["other"]}]"#, 0, 0, 0),
        ] {
            for (name, expected) in [("web", web), ("api", api), ("job", job)] {
                let filter = EventFilter {
                    visible: visible(rules),
                    ..of_object(name)
                };
                let told = listed(store, &filter).await;
                assert_eq!(told.len(), expected, "{rules} {name}");
            }
            let filter = EventFilter {
                visible: visible(rules),
                ..of_application("app")
            };
            assert_eq!(listed(store, &filter).await.len(), web, "{rules}");
        }
        // With the application goes the right to see them.
        report(store, gone("a1", "app", at(5, 1, 4))).await;
        let filter = EventFilter {
            visible: visible(r#"[{"projects":["shop"]}]"#),
            ..of_object("web")
        };
        assert_eq!(listed(store, &filter).await, [""; 0]);
    }
}

#[tokio::test]
async fn events_are_found_by_runtime_cluster_and_kind() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        submit_event(store, event("e", "web", at(2, 1, 1), Some("app"), 1)).await;
        let edge = EventFilter {
            runtime: "edge".to_owned(),
            cluster: "in-cluster".to_owned(),
            ..of_application("app")
        };
        assert_eq!(listed(store, &edge).await, ["e"]);
        let elsewhere = EventFilter {
            cluster: "other".to_owned(),
            ..edge.clone()
        };
        assert_eq!(listed(store, &elsewhere).await, [""; 0]);
        for (kind, namespace, expected) in [
            ("Rollout", "shop", 1),
            ("Pod", "shop", 0),
            ("", "shop", 1),
            ("", "", 0),
        ] {
            let filter = EventFilter {
                of: EventsOf::Object {
                    kind: kind.to_owned(),
                    namespace: namespace.to_owned(),
                    name: "web".to_owned(),
                },
                ..edge.clone()
            };
            let told = listed(store, &filter).await;
            assert_eq!(told.len(), expected, "{kind} {namespace}");
        }
    }
}

#[tokio::test]
async fn all_visible_events_are_listed_page_by_page() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        report(store, live_in("a1", "app", at(1, 1, 1), "shop", &[])).await;
        report(store, live_in("a2", "other", at(2, 1, 1), "bank", &[])).await;
        for number in 0..7_u64 {
            let of = match number {
                0 | 3 => Some("app"),
                1 => None,
                _ => Some("other"),
            };
            let when = i64::try_from(number).unwrap() * 1_000;
            let (uid, name) = (format!("e{number}"), format!("o{number}"));
            submit_event(store, event(&uid, &name, at(number + 1, 1, 1), of, when)).await;
        }
        let all = ["e6", "e5", "e4", "e3", "e2", "e1", "e0"];
        for (rules, expected) in [
            ("[{}]", &all[..]),
            (r#"[{"projects":["shop"]}]"#, &["e3", "e0"]),
            (r#"[{"namespaces":["shop"]}]"#, &["e1"]),
            ("[]", &[]),
        ] {
            let filter = EventFilter {
                visible: visible(rules),
                ..of_all("", "")
            };
            for limit in [1, 2, 100] {
                let found = read_by_pages(store, &filter, limit).await;
                assert_eq!(found, expected, "{rules} {limit}");
            }
        }
        for (kind, namespace, count) in [
            ("", "", 7),
            ("Rollout", "shop", 7),
            ("Pod", "", 0),
            ("", "elsewhere", 0),
        ] {
            let told = listed(store, &of_all(kind, namespace)).await;
            assert_eq!(told.len(), count, "{kind} {namespace}");
        }
        let elsewhere = EventFilter {
            runtime: "other".to_owned(),
            ..of_all("", "")
        };
        assert_eq!(listed(store, &elsewhere).await, [""; 0]);
        let stranger = account("other");
        let everything = of_all("", "");
        let none = store.reads().list_events(&stranger, &everything, None, 9);
        assert_eq!(texts(&none.await.unwrap()), [""; 0]);
    }
}
