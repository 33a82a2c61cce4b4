use serde_json::{Value, json};

use super::{Changes, Verb, WorkflowRefusal, named, of_schedule, of_template, resubmitted};
use crate::merge::applied;

const NOW: &str = "2026-01-01T00:00:00Z";

fn running() -> Value {
    json!({
        "metadata": {
            "name": "build-x7", "generateName": "build-", "namespace": "ci", "uid": "u",
            "labels": {"team": "a", "workflows.argoproj.io/phase": "Running", "workflows.argoproj.io/creator": "ada"},
            "annotations": {"note": "kept"},
        },
        "spec": {
            "entrypoint": "main", "suspend": true, "shutdown": "Stop", "activeDeadlineSeconds": 0,
            "arguments": {"parameters": [{"name": "branch", "value": "main"}, {"name": "depth", "value": "1"}]},
        },
        "status": {"phase": "Running", "nodes": {
            "one": {"type": "Suspend", "phase": "Running"},
            "two": {"type": "Suspend", "phase": "Succeeded"},
            "pod": {"type": "Pod", "phase": "Running"},
        }},
    })
}

fn plan(verb: Verb, workflow: &Value) -> Result<Value, WorkflowRefusal> {
    verb.plan(workflow, "ada", NOW)
}

#[test]
fn the_verbs_write_what_argo_writes() {
    let stop = json!({"spec": {"shutdown": "Stop"}});
    assert_eq!(plan(Verb::Stop, &running()), Ok(stop));
    let terminate = json!({"spec": {"shutdown": "Terminate"}});
    assert_eq!(plan(Verb::Terminate, &running()), Ok(terminate));
    let suspend = json!({"spec": {"suspend": true}});
    assert_eq!(plan(Verb::Suspend, &running()), Ok(suspend));
    let ended = json!({"status": {"phase": "Failed"}});
    for verb in [Verb::Stop, Verb::Terminate, Verb::Suspend] {
        assert_eq!(plan(verb, &ended), Err(WorkflowRefusal::Ended));
    }
}

#[test]
fn what_is_resumed_goes_on_at_each_step_that_waits_and_at_no_other() {
    let patch = plan(Verb::Resume, &running()).unwrap();
    let resumed = applied(&running(), &patch);
    assert_eq!(resumed.pointer("/spec/suspend"), None);
    let one = &resumed["status"]["nodes"]["one"];
    let wanted = json!({"type": "Suspend", "phase": "Succeeded", "message": "Resumed by: ada", "finishedAt": NOW});
    assert_eq!(*one, wanted);
    assert_eq!(patch["status"]["nodes"].as_object().unwrap().len(), 1);
}

#[test]
fn a_step_that_waits_for_a_value_takes_its_default_or_is_refused() {
    let mut workflow = running();
    let supplied = |more: Value| {
        let from = applied(&json!({"supplied": {}}), &more);
        json!({"parameters": [{"name": "approve", "valueFrom": from}, {"name": "set", "value": "1"}]})
    };
    workflow["status"]["nodes"]["one"]["outputs"] = supplied(json!({"default": "yes"}));
    let patch = plan(Verb::Resume, &workflow).unwrap();
    let outputs = &patch["status"]["nodes"]["one"]["outputs"]["parameters"];
    let wanted = json!([{"name": "approve", "value": "yes"}, {"name": "set", "value": "1"}]);
    assert_eq!(*outputs, wanted);
    workflow["status"]["nodes"]["one"]["outputs"] = supplied(json!({}));
    let refused = WorkflowRefusal::NoValue("approve".to_owned());
    assert_eq!(plan(Verb::Resume, &workflow), Err(refused));
}

#[test]
fn nodes_that_are_elsewhere_are_not_guessed() {
    for field in ["compressedNodes", "offloadNodeStatusVersion"] {
        let mut workflow = running();
        workflow["status"][field] = json!("x");
        let resumed = plan(Verb::Resume, &workflow);
        assert_eq!(resumed, Err(WorkflowRefusal::Packed));
    }
}

#[test]
fn a_resubmitted_workflow_has_the_spec_and_says_where_it_comes_from() {
    let changes = Changes {
        parameters: vec![("branch".to_owned(), "fix".to_owned())],
        entrypoint: None,
    };
    let made = named(resubmitted(&running(), &changes), "0123456789abcdef");
    assert_eq!(made["metadata"]["name"], "build-01234567");
    assert_eq!(made["metadata"]["annotations"], json!({"note": "kept"}));
    let labels =
        json!({"team": "a", "workflows.argoproj.io/resubmitted-from-workflow": "build-x7"});
    assert_eq!(made["metadata"]["labels"], labels);
    let wanted = json!({
        "entrypoint": "main", "suspend": true,
        "arguments": {"parameters": [{"name": "branch", "value": "fix"}, {"name": "depth", "value": "1"}]},
    });
    assert_eq!(made["spec"], wanted);
    assert_eq!(made.get("status"), None);
}

#[test]
fn a_template_is_referred_to_and_a_schedule_is_copied() {
    let template = json!({"metadata": {"name": "build"}, "spec": {"secret": 1}});
    let changes = Changes {
        parameters: Vec::new(),
        entrypoint: Some("fast".to_owned()),
    };
    let made = of_template(&template, &changes);
    let wanted = json!({"workflowTemplateRef": {"name": "build"}, "entrypoint": "fast"});
    assert_eq!(made["spec"], wanted);
    let schedule = json!({
        "metadata": {"name": "nightly", "uid": "u"},
        "spec": {"workflowSpec": {"entrypoint": "main"}, "workflowMetadata": {"labels": {"team": "a"}}},
    });
    let made = of_schedule(&schedule, &Changes::default(), NOW);
    assert_eq!(made["spec"], json!({"entrypoint": "main"}));
    assert_eq!(made["metadata"]["labels"]["team"], "a");
    assert_eq!(made["metadata"]["ownerReferences"][0]["uid"], "u");
}

#[test]
fn what_contradicts_its_schema_is_no_panic() {
    for odd in [
        json!(null),
        json!({"spec": [], "status": {"nodes": [1]}, "metadata": 5}),
    ] {
        for verb in [Verb::Stop, Verb::Resume] {
            drop(plan(verb, &odd));
        }
        named(resubmitted(&odd, &Changes::default()), "0123456789abcdef");
        named(
            of_schedule(&odd, &Changes::default(), NOW),
            "0123456789abcdef",
        );
    }
    let long = json!({"metadata": {"name": "ü".repeat(300)}});
    let made = named(of_template(&long, &Changes::default()), "0123456789abcdef");
    assert_eq!(
        made["metadata"]["name"].as_str().unwrap().chars().count(),
        62
    );
}
