//! Waiting for a workflow that was just begun again, while what its runtime reported last is its earlier end.

use causeway_sandbox::{Sandbox, SandboxOptions};
use causeway_testkit::{Child, Processes, Setting, wait_until_blocking};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::{crashes::define, parts::reached, program::SOON};

fn nightly(phase: &str) -> Value {
    let node = json!({
        "id": "nightly", "name": "nightly", "displayName": "nightly", "type": "Pod", "phase": phase,
        "templateName": "main",
    });
    json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {
            "name": "nightly",
            "namespace": "default",
            "labels": {"workflows.argoproj.io/completed": "true"},
        },
        "spec": {
            "entrypoint": "main",
            "templates": [{"name": "main", "container": {"image": "busybox"}}],
        },
        "status": {
            "phase": phase,
            "startedAt": "2026-01-31T12:00:00Z",
            "finishedAt": "2026-01-31T12:01:00Z",
            "nodes": {"nightly": node},
        },
    })
}

#[test]
fn wait_ignores_the_end_before_a_retry() {
    let runtime = Runtime::new().unwrap();
    let sandbox = runtime.block_on(Sandbox::start(SandboxOptions::in_memory()));
    let sandbox = sandbox.unwrap();
    define(&sandbox);
    let setting = Setting {
        allow: "read,workflow",
        ..Setting::default()
    };
    let mut processes = Processes::start(&reached(&sandbox), setting);
    let write = |phase: &str| {
        let written = sandbox
            .kube()
            .write_raw("workflows.argoproj.io", nightly(phase));
        assert!(written.is_some(), "{phase}");
    };
    write("Failed");
    wait_until_blocking("the report of its end", SOON, || {
        let got = processes.cli(&["workflow", "list", "--no-headers"]);
        let text = format!("{}{}", got.stdout, got.stderr);
        text.contains("Failed").then_some(()).ok_or(text)
    });
    let waited = processes.cli(&["workflow", "wait", "nightly"]);
    assert_eq!((waited.code(), waited.stdout.trim()), (3, "Failed"));

    // From here on its runtime reports nothing.
    let reporter = processes.part("resource-event-reporter").child.id();
    let reporter = Pid::from_raw(i32::try_from(reporter).unwrap()).unwrap();
    kill_process(reporter, Signal::STOP).unwrap();
    let begun = processes.cli(&["workflow", "retry", "nightly"]);
    assert_eq!(begun.expect_success(), "workflow 'nightly' begins again\n");
    let mut wait = Child::start(&mut processes.command_of(&["workflow", "wait", "nightly"]));
    wait.wait_for_line("the earlier end, which is none", SOON, |line| {
        line.contains("it was Failed before").then_some(())
    });
    kill_process(reporter, Signal::CONT).unwrap();
    wait.wait_for_line("the report of the retry", SOON, |line| {
        line.starts_with("Running").then_some(())
    });
    write("Succeeded");
    assert_eq!(wait.wait(SOON).code(), Some(0), "{:?}", wait.lines());
}
