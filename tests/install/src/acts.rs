//! What users do with an application through its runtime, each verb of the command line that reaches the cluster.

use causeway_testkit::{Child, wait_until_blocking};
use serde_json::{Value, json};

use crate::{console::Console, demo::Demo, stage::SOON};

/// Syncs, reads, rolls back and restarts; the application is in good order after it.
pub(crate) fn on_application(console: &Console, demo: &Demo<'_>) {
    let name = demo.name;
    let first = demo.push(1);
    let synced = console.run(&["app", "sync", name, "--revision", &first]);
    assert!(synced.contains("Succeeded"), "{synced}");
    demo.wait_for(console, &first);
    read(console, name);

    let second = demo.push(2);
    console.run(&["app", "refresh", name]);
    console.until(&["app", "get", name], |application| {
        application["status"]["sync"]["revisions"][0] == second.as_str()
    });
    console.run(&["app", "sync", name]);
    demo.wait_for(console, &second);
    console.run(&["app", "rollback", name]);
    number_is(demo, "1");
    console.run(&["app", "sync", name]);
    demo.wait_for(console, &second);
    number_is(demo, "2");

    restart(console, name);
    demo.wait_for(console, &second);
}

/// Restarts the Deployment while its lines are followed: the new pod's come, too.
fn restart(console: &Console, name: &str) {
    let mut followed = Child::start(&mut console.command(&[
        "app",
        "logs",
        name,
        "--resource",
        &format!("deploy/{name}"),
        "--follow",
    ]));
    let said = |line: &str| line.contains("hello from").then(|| line.to_owned());
    let first = followed.wait_for_line("the line of the pod", SOON, said);
    console.run(&["app", "actions", "run", name, "restart", "--kind", "deploy"]);
    followed.wait_for_line("the line of the new pod", SOON, |line| {
        said(line).filter(|line| *line != first)
    });
}

/// What is only read, and leaves all as it is.
fn read(console: &Console, name: &str) {
    let tree = console.run(&["app", "tree", name]);
    assert!(tree.contains("Pod/"), "{tree}");
    wait_until_blocking("the line of the pod", SOON, || {
        let told = console.cli(&["app", "logs", name]);
        if told.stdout.contains("hello from") {
            Ok(())
        } else {
            Err(format!("{told:?}"))
        }
    });
    let deployed = format!("deploy/{name}");
    let pod = ["app", "exec", name, "--pod", &deployed];
    let exec = [&pod[..], &["--", "bash", "-c"]].concat();
    let said = console.run(&[&exec[..], &["echo $HOSTNAME"]].concat());
    assert!(said.starts_with(&format!("{name}-")), "{said}");
    let failed = console.cli(&[&exec[..], &["exit 42"]].concat());
    assert_eq!(failed.code(), 42, "{failed:?}");
    let live = console.run(&["app", "resource", "get", name, "deploy", name]);
    assert!(live.contains("hello from"), "{live}");
    let manifests = console.run(&["app", "manifests", name]);
    assert!(manifests.contains("number"), "{manifests}");
    let diff = console.cli(&["app", "diff", name]);
    assert!(diff.status.success(), "{diff:?}");
}

/// Updates the Rollout, and goes through what can be done with an update.
pub(crate) fn on_rollout(console: &Console, demo: &Demo<'_>) {
    let name = demo.name;
    let act = |words: &[&str]| console.run(&[&["rollout"], words].concat());
    let image = format!("main={}", crate::image::SHELL_AGAIN);
    act(&["set-image", name, &image]);
    until(demo, "the pause", |live| {
        live["status"]["pauseConditions"].is_array()
    });
    act(&["abort", name]);
    until(demo, "the abort", |live| live["status"]["abort"] == true);
    act(&["retry", name]);
    until(demo, "the pause again", |live| {
        live["status"]["pauseConditions"].is_array()
    });
    act(&["promote", name, "--full"]);
    until(demo, "the end", |live| live["status"]["phase"] == "Healthy");
    act(&["undo", name]);
    until(demo, "the way back", |live| {
        live["status"]["pauseConditions"].is_array()
    });
    act(&["promote", name, "--full"]);
    until(demo, "the former image", |live| {
        live["status"]["phase"] == "Healthy"
    });
    act(&["pause", name]);
    act(&["resume", name]);
    act(&["restart", name]);
}

fn until(demo: &Demo<'_>, what: &str, wanted: impl Fn(&Value) -> bool) {
    wait_until_blocking(what, SOON, || {
        let live = demo
            .stage
            .get(&["rollout", demo.name, "--namespace", demo.name]);
        if wanted(&live) {
            Ok(())
        } else {
            Err(live["status"].to_string())
        }
    });
}

fn number_is(demo: &Demo<'_>, number: &str) {
    wait_until_blocking("the number in the cluster", SOON, || {
        let live = demo
            .stage
            .get(&["configmap", demo.name, "--namespace", demo.name]);
        if live["data"]["number"] == number {
            Ok(())
        } else {
            Err(live.to_string())
        }
    });
}

fn gone(demo: &Demo<'_>, kind: &str) {
    wait_until_blocking("the deletion", SOON, || {
        let live = demo.stage.get(&[kind, demo.name, "--namespace", demo.name]);
        live.is_null().then_some(()).ok_or_else(|| live.to_string())
    });
}

/// A cluster that knows the kinds of Argo Workflows, without its controller: what a runtime asks for is there, and stays as it is.
pub(crate) fn workflow_kinds() -> Vec<Value> {
    let kinds = ["Workflow", "WorkflowTemplate", "CronWorkflow"];
    kinds.into_iter().map(workflow_kind).collect()
}

fn workflow_kind(kind: &str) -> Value {
    let plural = format!("{}s", kind.to_lowercase());
    let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let version = json!({"name": "v1alpha1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.argoproj.io")},
        "spec": {
            "group": "argoproj.io",
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural, "singular": kind.to_lowercase()},
            "versions": [version],
        },
    })
}

/// Begins workflows, and goes through what can be done with them.
pub(crate) fn on_workflows(console: &Console, demo: &Demo<'_>, runtime: &str) {
    let namespace = demo.name;
    let spec = json!({"entrypoint": "main", "templates": [{"name": "main", "suspend": {}}]});
    let template = |kind: &str, spec: &Value| {
        json!({"apiVersion": "argoproj.io/v1alpha1", "kind": kind,
            "metadata": {"name": "wait", "namespace": namespace}, "spec": spec})
    };
    let every_year = json!({"schedule": "0 0 1 1 *", "workflowSpec": spec});
    let templates = [
        template("WorkflowTemplate", &spec),
        template("CronWorkflow", &every_year),
    ];
    demo.stage.apply(&templates);
    for from in ["workflowtemplate/wait", "cronwf/wait"] {
        let words = [
            "workflow",
            "submit",
            "--from",
            from,
            "--runtime",
            runtime,
            "-n",
            namespace,
        ];
        console.run(&words);
    }
    let live = demo.stage.list(&["workflows", "--namespace", namespace]);
    assert_eq!(live.len(), 2, "{live:?}");
    let name = live[0]["metadata"]["name"].as_str().unwrap();
    let full = format!("{runtime}/{namespace}/{name}");
    // What is done to a workflow begins with finding it among those that were reported.
    wait_until_blocking("the workflow on the platform", SOON, || {
        let got = console.cli(&["workflow", "get", &full]);
        got.status.success().then_some(()).ok_or(got.stderr)
    });
    console.run(&["workflow", "suspend", &full]);
    console.run(&["workflow", "stop", &full]);
    let stopped = demo
        .stage
        .get(&["workflow", name, "--namespace", namespace]);
    assert_eq!(stopped["spec"]["suspend"], true, "{stopped}");
    assert_eq!(stopped["spec"]["shutdown"], "Stop", "{stopped}");
    retry(console, demo, &full);
}

/// Says of a workflow that a step of it failed, as its controller would, and begins it again.
fn retry(console: &Console, demo: &Demo<'_>, full: &str) {
    let name = full.rsplit('/').next().unwrap();
    let stage = demo.stage;
    let mut workflow = stage.get(&["workflow", name, "--namespace", demo.name]);
    let node = json!({"id": "one", "name": name, "type": "Pod", "phase": "Failed"});
    workflow["status"] = json!({"phase": "Failed", "nodes": {"one": node}});
    let owner = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "name": name,
        "uid": workflow["metadata"]["uid"], "controller": true,
    });
    let pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": format!("{name}-one"), "namespace": demo.name,
            "labels": {"workflows.argoproj.io/workflow": name},
            "annotations": {"workflows.argoproj.io/node-id": "one"},
            "ownerReferences": [owner],
        },
        "spec": {"schedulerName": "none", "containers": [{"name": "main", "image": crate::image::SHELL}]},
    });
    stage.apply(&[workflow, pod]);
    console.run(&["workflow", "retry", full]);
    let words = ["workflow", name, "--namespace", demo.name];
    let again = stage.get(&words);
    assert_eq!(again["status"]["phase"], "Running", "{again}");
    let pod = format!("{name}-one");
    wait_until_blocking("the deletion of the pod", SOON, || {
        let live = stage.get(&["pod", &pod, "--namespace", demo.name]);
        live.is_null().then_some(()).ok_or_else(|| live.to_string())
    });
}

/// What users may do in a runtime that the platform dials by its URL, as if there were a tunnel.
pub(crate) fn through_the_door(console: &Console, demo: &Demo<'_>, runtime: &str) {
    let full = format!("{runtime}/{}/{}", demo.argocd, demo.name);
    let revision = demo.push(2);
    console.run(&["app", "refresh", &full]);
    let synced = console.run(&["app", "sync", &full, "--revision", &revision]);
    assert!(synced.contains("Succeeded"), "{synced}");
    number_is(demo, "2");
    let live = console.run(&["app", "resource", "get", &full, "deploy", demo.name]);
    assert!(live.contains("hello from"), "{live}");
    console.until(&["app", "get", &full], |application| {
        application["status"]["sync"]["revisions"][0] == revision.as_str()
    });
    // What its list does not have is refused there.
    let told = console.cli(&["app", "logs", &full]);
    assert!(told.stderr.contains("--allow logs"), "{told:?}");
}

/// Changes what the application is made of, and deletes it with what it deployed.
pub(crate) fn to_the_end(console: &Console, demo: &Demo<'_>) {
    console.run(&["app", "set", demo.name, "--directory-recurse"]);
    console.run(&["app", "delete", demo.name, "--wait", "--yes"]);
    gone(demo, "configmap");
}
