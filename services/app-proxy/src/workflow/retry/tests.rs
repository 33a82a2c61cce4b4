use super::*;

const NOW: &str = "2026-01-02T00:00:00Z";
const THEN: &str = "2026-01-01T00:00:00Z";

fn node(id: &str, kind: &str, phase: &str, boundary: &str, children: &[&str]) -> Value {
    let name = if id == "w" {
        "w".to_owned()
    } else {
        format!("w.{id}")
    };
    json!({
        "id": id, "name": name, "displayName": id, "type": kind, "phase": phase, "boundaryID": boundary,
        "children": children, "outboundNodes": children, "templateName": id, "message": "said",
        "startedAt": THEN, "finishedAt": THEN,
    })
}

fn of(nodes: impl IntoIterator<Item = Value>) -> Value {
    let nodes = nodes.into_iter();
    let nodes: Nodes = nodes
        .map(|node| (text(&node, "/id").to_owned(), node))
        .collect();
    json!({
        "metadata": {"name": "w", "namespace": "default", "labels": {
            "workflows.argoproj.io/completed": "true", "workflows.argoproj.io/phase": "Failed",
            "workflows.argoproj.io/workflow-archiving-status": "Archived", "own": "1"}},
        "spec": {"entrypoint": "w", "shutdown": "Stop", "activeDeadlineSeconds": 0},
        "status": {
            "phase": "Failed", "message": "child failed", "startedAt": THEN, "finishedAt": THEN, "nodes": nodes,
            "conditions": [{"type": "PodRunning", "status": "False"}, {"type": "Completed", "status": "True"}],
        },
    })
}

/// A DAG `w` of `a`, which succeeded, `b` after it, which failed in its steps, and `c` after that, which was never begun.
fn workflow() -> Value {
    of([
        node("w", "DAG", "Failed", "", &["a"]),
        node("a", "Pod", "Succeeded", "w", &["b"]),
        node("b", "Steps", "Failed", "w", &["b0"]),
        node("b0", "StepGroup", "Succeeded", "b", &["b0x"]),
        node("b0x", "Pod", "Succeeded", "b", &["b1"]),
        node("b1", "StepGroup", "Failed", "b", &["b1x", "b1y"]),
        node("b1x", "Pod", "Failed", "b", &["c"]),
        node("b1y", "Pod", "Succeeded", "b", &["c"]),
        node("c", "Pod", "Omitted", "w", &[]),
    ])
}

fn choosing(field: &str, wanted: FieldMatch) -> RetrySelection {
    RetrySelection {
        chosen: vec![(field.to_owned(), wanted)],
        ..RetrySelection::default()
    }
}

fn is(text: &str) -> FieldMatch {
    FieldMatch::Is(text.to_owned())
}

/// What is removed, and each node that is left with the first letter of its phase.
fn seen(workflow: &Value, again: &RetrySelection) -> (String, String) {
    let begun = begun(workflow, again, NOW).unwrap();
    let nodes = begun.workflow["status"]["nodes"].as_object().unwrap();
    let phase = |(id, node): (&String, &Value)| format!("{id}={}", &text(node, "/phase")[..1]);
    let removed: Vec<_> = begun.removed.into_keys().collect();
    let left: Vec<_> = nodes.iter().map(phase).collect();
    (removed.join(" "), left.join(" "))
}

fn check(workflow: &Value, again: &RetrySelection, removed: &str, left: &str) {
    let (gone, kept) = seen(workflow, again);
    assert_eq!((&*gone, &*kept), (removed, left));
}

#[test]
fn what_failed_is_as_if_it_had_never_been_and_what_succeeded_is_carried_over() {
    let none = RetrySelection::default();
    let left = "a=S b=R b0=S b0x=S b1=R b1y=S w=R";
    check(&workflow(), &none, "b1x c", left);
    let begun = begun(&workflow(), &none, NOW).unwrap();
    assert_eq!(begun.removed["b1x"], "w.b1x");
    let nodes = &begun.workflow["status"]["nodes"];
    for list in ["children", "outboundNodes"] {
        assert_eq!(nodes["b1"][list], json!(["b1y"]));
        assert_eq!(nodes["b1y"][list], json!([]));
    }
    assert_eq!(nodes["b1"]["startedAt"], NOW);
    assert!(nodes["b1"].get("message").is_none() && nodes["b1"].get("finishedAt").is_none());
    assert_eq!(nodes["a"], workflow()["status"]["nodes"]["a"]);
}

#[test]
fn the_workflow_is_one_that_runs() {
    let mut ended = workflow();
    ended["status"]["storedWorkflowTemplateSpec"] = ended["spec"].clone();
    ended["status"]["persistentVolumeClaims"] = json!([{"name": "work"}]);
    let again = RetrySelection {
        parameters: vec![("size".to_owned(), "2".to_owned())],
        ..RetrySelection::default()
    };
    let begun = begun(&ended, &again, NOW).unwrap().workflow;
    let labels = json!({"workflows.argoproj.io/phase": "Running", "own": "1"});
    assert_eq!(begun["metadata"]["labels"], labels);
    let arguments = json!({"parameters": [{"name": "size", "value": "2"}]});
    let spec = json!({"entrypoint": "w", "arguments": arguments});
    assert_eq!(begun["spec"], spec);
    let status = &begun["status"];
    assert_eq!(status["storedWorkflowTemplateSpec"], spec);
    assert_eq!(
        (&status["phase"], &status["startedAt"]),
        (&json!("Running"), &json!(NOW))
    );
    for field in ["message", "finishedAt", "persistentVolumeClaims"] {
        assert!(status.get(field).is_none(), "{field}");
    }
    let conditions = json!([{"type": "PodRunning", "status": "False"}, {"type": "Completed", "status": "False"}]);
    assert_eq!(status["conditions"], conditions);
}

#[test]
fn what_is_chosen_begins_again_with_all_after_it() {
    let all = ("b b0 b0x b1 b1x b1y c", "w=R");
    let of_a = format!("a {}", all.0);
    for (field, wanted) in [("displayName", "a"), ("templateName", "a"), ("id", "a")] {
        check(&workflow(), &choosing(field, is(wanted)), &of_a, all.1);
    }
    let left = "a=S b=R b0=S b0x=S b1=R w=R";
    let chosen = choosing("name", is("w.b1y"));
    check(&workflow(), &chosen, "b1x b1y c", left);
    let left = "a=S b=R b0=S b0x=S b1=R b1y=S w=R";
    let chosen = choosing("displayName", is("never"));
    check(&workflow(), &chosen, "b1x c", left);
    let chosen = choosing("phase", FieldMatch::IsNot("Failed".to_owned()));
    check(&workflow(), &chosen, &of_a, all.1);
    let mut named = workflow();
    let parameters = json!([{"name": "size", "value": "2"}, {"name": "loud", "value": true}]);
    named["status"]["nodes"]["b1y"]["inputs"] = json!({"parameters": parameters});
    named["status"]["phase"] = json!("Succeeded");
    let left = "a=S b=R b0=S b0x=S b1=R w=R";
    for (field, wanted) in [
        ("inputs.parameters.size.value", "2"),
        ("inputs.parameters.loud.value", "true"),
    ] {
        check(&named, &choosing(field, is(wanted)), "b1x b1y c", left);
    }
}

#[test]
fn a_step_that_was_tried_again_and_again_is_tried_anew() {
    let attempt = |id: &str| {
        let mut node = node(id, "Pod", "Failed", "w", &[]);
        node["nodeFlag"] = json!({"retried": true});
        node
    };
    let tried = of([
        node("w", "DAG", "Failed", "", &["r"]),
        node("r", "Retry", "Failed", "w", &["r0", "r1"]),
        attempt("r0"),
        attempt("r1"),
    ]);
    check(&tried, &RetrySelection::default(), "r0 r1", "r=R w=R");
    let mut succeeded = tried.clone();
    succeeded["status"]["nodes"]["r"]["phase"] = json!("Succeeded");
    succeeded["status"]["nodes"]["r1"]["phase"] = json!("Succeeded");
    let refused = begun(&succeeded, &RetrySelection::default(), NOW).unwrap_err();
    assert_eq!(refused, WorkflowRefusal::NoStep);
}

#[test]
fn what_a_workflow_went_on_after_is_left_alone() {
    let went_on = of([
        node("w", "Steps", "Failed", "", &["w0"]),
        node("w0", "StepGroup", "Succeeded", "w", &["a"]),
        node("a", "Pod", "Failed", "w", &["w1"]),
        node("w1", "StepGroup", "Succeeded", "w", &["b"]),
        node("b", "Pod", "Succeeded", "w", &["w2"]),
        node("w2", "StepGroup", "Failed", "w", &["c"]),
        node("c", "Suspend", "Failed", "w", &[]),
    ]);
    let left = "a=F b=S w=R w0=S w1=S w2=R";
    check(&went_on, &RetrySelection::default(), "c", left);
}

#[test]
fn containers_of_one_pod_go_together() {
    let set = of([
        node("w", "Pod", "Failed", "", &["one", "two"]),
        node("one", "Container", "Succeeded", "w", &[]),
        node("two", "Container", "Failed", "w", &[]),
    ]);
    check(&set, &RetrySelection::default(), "one two w", "");
}

#[test]
fn what_was_expanded_by_parameters_is_expanded_anew_with_others() {
    let items = of([
        node("w", "DAG", "Failed", "", &["t"]),
        node("t", "TaskGroup", "Failed", "w", &["t0", "t1"]),
        node("t0", "Pod", "Failed", "w", &[]),
        node("t1", "Pod", "Succeeded", "w", &[]),
    ]);
    check(&items, &RetrySelection::default(), "t0", "t=R t1=S w=R");
    let again = RetrySelection {
        parameters: vec![("items".to_owned(), "[3]".to_owned())],
        ..RetrySelection::default()
    };
    check(&items, &again, "t0 t1", "t=R w=R");
}

#[test]
fn a_step_after_several_is_removed_once_and_none_of_them_knows_of_it() {
    let diamond = of([
        node("w", "DAG", "Failed", "", &["a", "b"]),
        node("a", "Pod", "Succeeded", "w", &["c"]),
        node("b", "Pod", "Succeeded", "w", &["c"]),
        node("c", "Pod", "Failed", "w", &[]),
    ]);
    check(&diamond, &RetrySelection::default(), "c", "a=S b=S w=R");
    let begun = begun(&diamond, &RetrySelection::default(), NOW)
        .unwrap()
        .workflow;
    for id in ["a", "b"] {
        assert_eq!(begun["status"]["nodes"][id]["children"], json!([]));
    }
}

#[test]
fn an_exit_handler_runs_again() {
    let mut ended = workflow();
    let handler = node("onExit", "Pod", "Succeeded", "", &[]);
    ended["status"]["nodes"]["onExit"] = handler;
    let left = "a=S b=R b0=S b0x=S b1=R b1y=S w=R";
    check(&ended, &RetrySelection::default(), "b1x c onExit", left);
}

#[test]
fn what_is_not_for_it_is_left_alone() {
    let refused = |change: fn(&mut Value)| {
        let mut workflow = workflow();
        change(&mut workflow);
        begun(&workflow, &RetrySelection::default(), NOW).unwrap_err()
    };
    let running = |it: &mut Value| it["status"]["phase"] = json!("Running");
    assert_eq!(refused(running), WorkflowRefusal::NotEnded);
    let succeeded = |it: &mut Value| it["status"]["phase"] = json!("Succeeded");
    assert_eq!(refused(succeeded), WorkflowRefusal::Succeeded);
    let packed = |it: &mut Value| it["status"]["compressedNodes"] = json!("x");
    assert_eq!(refused(packed), WorkflowRefusal::Packed);
    let torn = |it: &mut Value| it["status"]["nodes"]["a"]["children"] = json!(["never"]);
    assert_eq!(refused(torn), WorkflowRefusal::Torn("never".to_owned()));
    let lost = |it: &mut Value| it["status"]["nodes"]["a"]["children"] = json!([]);
    assert_eq!(refused(lost), WorkflowRefusal::Torn("b".to_owned()));
    let none = |it: &mut Value| it["status"]["nodes"]["b1x"]["phase"] = json!("Succeeded");
    assert_eq!(refused(none), WorkflowRefusal::NoStep);
}

#[test]
fn nodes_that_are_no_tree_do_no_harm() {
    let mut odd = workflow();
    odd["status"]["nodes"]["a"]["children"] = json!(["a", "b", "w", 1]);
    odd["status"]["nodes"]["b"]["boundaryID"] = json!("b");
    odd["status"]["nodes"]["w"]["boundaryID"] = json!("never");
    begun(&odd, &choosing("displayName", is("c")), NOW).unwrap();
    let empty = json!({"metadata": {"name": "w"}, "status": {"phase": "Error"}});
    let found = begun(&empty, &RetrySelection::default(), NOW).unwrap();
    assert!(found.removed.is_empty());
    assert_eq!(found.workflow["status"]["phase"], "Running");
}
