//! The reason for all of it: a commit, seen and acted on from the other side.

use serde_json::Value;

use crate::program::{SOON, Up};
use causeway_testkit::{Child, wait_until_blocking};

/// Runs for two seconds before a sync: states of a few milliseconds may be overtaken on their way by later ones.
const HOOK: &str = "---
apiVersion: v1
kind: Pod
metadata:
  name: migrate
  annotations: {argocd.argoproj.io/hook: PreSync}
spec:
  restartPolicy: Never
  containers: [{name: migrate, image: registry.example.com/migrate}]
";

#[test]
fn a_pushed_commit_is_seen_with_its_author_and_acted_on_through_the_tunnel() {
    let up = Up::start();
    up.wait_for_health("guestbook", "HEALTHY");
    let mut watch = Child::start(&mut up.cli_command(&["app", "watch", "guestbook"]));
    watch.wait_for_line("the first state", SOON, |line| {
        line.contains("guestbook").then_some(())
    });

    let sha = up.push(
        "guestbook/deployment.yaml",
        |text| text.replace("replicas: 2", "replicas: 3") + HOOK,
        "Three of them",
    );
    let application = up.wait_for("guestbook", "at the new commit", |application| {
        let status = &application["status"];
        status["sync"]["status"] == "SYNC_STATUS_SYNCED"
            && status["sync"]["revisions"][0] == sha.as_str()
    });
    let commit = &application["status"]["commit"];
    assert_eq!(commit["sha"], sha.as_str(), "{commit}");
    assert!(
        commit["author"].as_str().unwrap().starts_with("Ada"),
        "{commit}"
    );
    assert!(
        commit["message"]
            .as_str()
            .unwrap()
            .starts_with("Three of them"),
        "{commit}"
    );
    up.wait_for_health("guestbook", "HEALTHY");

    let short = &sha[..7];
    for step in ["Synced", "Healthy"] {
        watch.wait_for_line(step, SOON, |line| {
            (line.contains(step) && line.contains(short)).then_some(())
        });
    }
    let lines = watch.lines().join("\n");
    // The rollout may be over before it is told of: only the newest state of an application is on its way.
    assert!(lines.contains("Syncing"), "no Syncing in:\n{lines}");
    assert!(lines.contains("Ada: Three of them"), "{lines}");

    let synced = up.cli(&["app", "sync", "guestbook"]);
    assert!(synced.status.success(), "{synced:?}");
    assert!(synced.stdout.contains("guestbook: Succeeded"), "{synced:?}");
    let history = up.cli(&["app", "history", "guestbook"]).expect_success();
    assert!(
        history.contains(short) && history.contains("Three of them"),
        "{history}"
    );
    what_it_was_is_shown(&up, short);
}

/// The commit is in the timeline, and the state before it is still shown and compared.
fn what_it_was_is_shown(up: &Up, short: &str) {
    let timeline = up.cli(&["app", "timeline", "guestbook"]).expect_success();
    let deployed = |line: &str| line.contains("deployment") && line.contains("Three of them");
    assert!(timeline.lines().any(deployed), "{timeline}");
    let document = [
        "app",
        "timeline",
        "guestbook",
        "--limit",
        "1000",
        "-o",
        "json",
    ];
    let document = up.cli(&document).expect_success();
    let document: Value = serde_json::from_str(&document).unwrap();
    let events = document["events"].as_array().unwrap();
    assert!(events.iter().any(|it| it["deployment"].is_object()));
    let old = |state: &&Value| {
        let revision = state["revisions"][0].as_str().unwrap_or_default();
        !revision.starts_with(short)
    };
    let mut states = events.iter().filter_map(|it| it.get("state"));
    let before = states.find(old).unwrap();
    let before = before["receivedAt"].as_str().unwrap();
    let then = ["app", "get", "guestbook", "--at", before, "-o", "json"];
    let then = up.cli(&then).expect_success();
    let then: Value = serde_json::from_str(&then).unwrap();
    assert_eq!(then["receivedAt"], before, "{then}");
    let diff = up.cli(&["app", "diff", "guestbook", "--from", before]);
    assert_eq!(diff.status.code(), Some(3), "{diff:?}");
    for line in ["-  replicas: 2", "+  replicas: 3", "@@ "] {
        assert!(
            diff.stdout.lines().any(|it| it.starts_with(line)),
            "{}",
            diff.stdout
        );
    }
    let unknown = up.cli(&["app", "diff", "nosuch", "--from", before]);
    assert!(!matches!(unknown.status.code(), Some(0 | 3)), "{unknown:?}");
    let same = up.cli(&["app", "diff", "guestbook", "--from", before, "--to", before]);
    assert!(same.status.success() && same.stdout.is_empty(), "{same:?}");
    let early = up.cli(&["app", "get", "guestbook", "--at", "2001-01-01T00:00:00Z"]);
    assert!(
        early.stderr.contains("what is known begins at"),
        "{early:?}"
    );
}

#[test]
fn demo_applications_have_their_expected_states() {
    let up = Up::start();
    up.wait_for_health("guestbook", "HEALTHY");
    up.wait_for_health("platform-apps", "HEALTHY");
    let broken = up.wait_for("broken", "visibly broken", |application| {
        let status = &application["status"];
        let phase = &status["operation"]["phase"];
        status["health"]["status"] == "HEALTH_STATUS_DEGRADED" || phase == "OPERATION_PHASE_FAILED"
    });
    assert_eq!(broken["name"], "broken");
    wait_until_blocking("a child in the list", SOON, || {
        let listed = up.cli(&["app", "list", "-o", "json"]).expect_success();
        let all: Value = serde_json::from_str(&listed).unwrap();
        let mut all = all["applications"].as_array().unwrap().iter();
        let child = all.any(|it| it["status"]["parent"]["name"] == "platform-apps");
        child.then_some(()).ok_or(listed)
    });
}

#[test]
fn the_same_sync_request_twice_has_one_effect() {
    let up = Up::start();
    up.wait_for_health("guestbook", "HEALTHY");
    let id = "0194b4a6-63f2-7d25-9a3c-5ad0f1d1a001";
    let first = up
        .cli(&["app", "sync", "guestbook", "--request-id", id, "-o", "json"])
        .expect_success();
    let again = up
        .cli(&["app", "sync", "guestbook", "--request-id", id, "-o", "json"])
        .expect_success();
    let (first, again): (Value, Value) = (
        serde_json::from_str(&first).unwrap(),
        serde_json::from_str(&again).unwrap(),
    );
    assert_eq!(first["startedAt"], again["startedAt"]);
    assert_eq!(first["requestId"], id);
}
