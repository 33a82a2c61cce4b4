//! What an operator does with an application's resources by the command line: logs, manifests, differences, actions, deletion.

use causeway_testkit::{Finished, wait_until_blocking};
use serde_json::Value;

use crate::program::{SOON, Up};

/// The Deployment of the guestbook, and its namespace.
fn deployment(up: &Up) -> (String, String) {
    let application = up.application("guestbook").unwrap();
    let resources = application["status"]["resources"].as_array().unwrap();
    let found = resources.iter().find(|it| it["kind"] == "Deployment");
    let found = found.unwrap_or_else(|| panic!("{application:#}"));
    let text = |field: &str| found[field].as_str().unwrap().to_owned();
    (text("namespace"), text("name"))
}

fn told(finished: Finished, words: &[&str]) -> String {
    let text = finished.expect_success();
    for word in words {
        assert!(text.contains(word), "'{word}' is not in\n{text}");
    }
    text
}

#[test]
fn an_operator_reads_logs_manifests_and_differences() {
    let up = Up::start();
    up.wait_for_health("guestbook", "HEALTHY");
    let (namespace, name) = deployment(&up);
    let deploy = format!("deploy/{name}");
    let logs = wait_until_blocking("the logs", SOON, || {
        let logs = up.cli(&["app", "logs", "guestbook"]);
        let there = logs.status.success() && logs.stdout.contains("simulates");
        there.then_some(logs.stdout).ok_or(logs.stderr)
    });
    assert!(logs.lines().count() > 0, "{logs}");
    told(
        up.cli(&[
            "app",
            "logs",
            "guestbook",
            "--resource",
            &deploy,
            "--prefix",
            "always",
            "--tail",
            "1",
        ]),
        &[&format!("[{name}-")],
    );
    told(
        up.cli(&[
            "resource",
            "logs",
            &deploy,
            "-n",
            &namespace,
            "--grep",
            "SIMULATES",
            "-i",
        ]),
        &["simulates"],
    );
    let none = up.cli(&[
        "resource",
        "logs",
        &deploy,
        "-n",
        &namespace,
        "--grep",
        "never written",
    ]);
    assert_eq!(none.expect_success(), "");
    let absent = up.cli(&["resource", "logs", "no-such-pod", "-n", &namespace]);
    assert_eq!(absent.status.code(), Some(4), "{}", absent.stderr);

    told(
        up.cli(&["app", "manifests", "guestbook"]),
        &["kind: Deployment", "---"],
    );
    let live = told(
        up.cli(&[
            "app",
            "manifests",
            "guestbook",
            "--source",
            "live",
            "-o",
            "json",
        ]),
        &[],
    );
    let live: Value = serde_json::from_str(&live).unwrap();
    assert!(live.as_array().is_some_and(|all| !all.is_empty()), "{live}");
    let same = up.cli(&["app", "diff", "guestbook"]);
    assert!(same.status.success(), "{}{}", same.stdout, same.stderr);
    let same = up.cli(&["app", "diff", "guestbook", "--revision", "main"]);
    assert!(same.status.success(), "{}{}", same.stdout, same.stderr);
    let other = up.cli(&["app", "diff", "guestbook", "--with", "broken", "--desired"]);
    assert_eq!(
        other.status.code(),
        Some(3),
        "{}{}",
        other.stdout,
        other.stderr
    );
}

#[test]
fn an_operator_runs_actions_on_resources_and_deletes_them() {
    let up = Up::start();
    up.wait_for_health("guestbook", "HEALTHY");
    let (namespace, name) = deployment(&up);
    let place = format!("{namespace}/{name}");
    told(
        up.cli(&["app", "actions", "list", "guestbook", "--kind", "deploy"]),
        &["restart"],
    );
    let run = [
        "app",
        "actions",
        "run",
        "guestbook",
        "restart",
        "--kind",
        "deploy",
    ];
    told(up.cli(&run), &["restart was run"]);
    told(
        up.cli(&["app", "resource", "get", "guestbook", "deploy", &name]),
        &["restartedAt"],
    );
    let uid = || {
        let live = up.cli(&["resource", "live", "deploy", &place, "-o", "json"]);
        let object: Result<Value, _> = serde_json::from_str(&live.stdout);
        object.map_or(Value::Null, |object| object["metadata"]["uid"].clone())
    };
    let before = uid();
    assert!(before.is_string(), "{before}");
    let delete = [
        "app",
        "resource",
        "delete",
        "guestbook",
        "deploy",
        &name,
        "--yes",
    ];
    let deleted = up.cli(&delete);
    told(deleted, &["deleted"]);
    // Argo CD makes another one, since the application heals itself.
    wait_until_blocking("another one in its place", SOON, || {
        let now = uid();
        (now.is_string() && now != before)
            .then_some(())
            .ok_or(now.to_string())
    });
}
