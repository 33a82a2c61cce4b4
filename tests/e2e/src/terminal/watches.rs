//! Lists of events, which go on by asking again and again.

use causeway_testkit::Child;

use super::up;
use crate::program::{SOON, Up};

/// A list that goes on until its end here.
fn watched(up: &Up, words: &[&str]) -> Child {
    Child::start(&mut up.cli_command(&[words, &["--watch"]].concat()))
}

fn line_with(child: &mut Child, texts: &[&str]) {
    let all = |line: &str| texts.iter().all(|it| line.contains(it)).then_some(());
    child.wait_for_line(&texts.join(" "), SOON, all);
}

#[test]
fn events_are_listed_and_followed() {
    let up = up();
    let mut events = watched(&up, &["event", "list", "--namespace", "argocd"]);
    let sha = up.push(
        "guestbook/deployment.yaml",
        |text| text.replace("replicas: 2", "replicas: 3"),
        "Three of them",
    );
    up.cli(&["app", "sync", "guestbook"]).expect_success();
    line_with(&mut events, &["LAST SEEN", "REASON", "NAMESPACE"]);
    line_with(
        &mut events,
        &["Application/guestbook", "local", &sha, "succeeded"],
    );
    let all = up.cli(&["event", "list", "-o", "json"]).expect_success();
    assert!(all.contains("guestbook"), "{all}");
    let none = up.cli(&["event", "list", "--namespace", "nowhere"]);
    assert!(none.stdout.is_empty(), "{}", none.stdout);
}
