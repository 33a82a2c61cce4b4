use anstream::adapter::strip_str;
use causeway_proto::time::millis_to_timestamp;

use super::*;

fn node(id: &str, children: &[&str]) -> pb::WorkflowNode {
    pb::WorkflowNode {
        id: id.to_owned(),
        name: id.to_owned(),
        r#type: "Pod".to_owned(),
        phase: "Succeeded".to_owned(),
        children: children.iter().map(|&child| child.to_owned()).collect(),
        started_at: Some(millis_to_timestamp(1_000)),
        finished_at: Some(millis_to_timestamp(66_000)),
        ..pb::WorkflowNode::default()
    }
}

fn lines(nodes: &[pb::WorkflowNode]) -> Vec<String> {
    let drawn = tree_lines(nodes).into_iter();
    drawn
        .map(|(prefix, node)| format!("{prefix}{}", node.name))
        .collect()
}

#[test]
fn nodes_stand_below_their_predecessors() {
    let nodes = [
        node("b", &[]),
        node("a", &["b", "c"]),
        node("c", &["d"]),
        node("d", &[]),
    ];
    assert_eq!(lines(&nodes), ["a", "├─ b", "└─ c", "   └─ d"]);
}

#[test]
fn each_node_is_drawn_once() {
    let diamond = [
        node("a", &["b", "c"]),
        node("b", &["d"]),
        node("c", &["d", "gone"]),
        node("d", &[]),
    ];
    assert_eq!(lines(&diamond), ["a", "├─ b", "│  └─ d", "└─ c"]);
    let circle = [node("a", &["b"]), node("b", &["a"]), node("c", &["c"])];
    assert_eq!(lines(&circle), ["a", "└─ b", "c"]);
    let twice = [node("a", &["b", "b"]), node("b", &[])];
    assert_eq!(lines(&twice), ["a", "└─ b"]);
}

#[test]
fn details_show_the_state_and_omitted_nodes() {
    let workflow = pb::Workflow {
        phase: "Running".to_owned(),
        progress: "1/2".to_owned(),
        nodes: vec![node("a", &[])],
        node_count: 700,
        ..pb::Workflow::default()
    };
    let resource = pb::LiveResource {
        name: "build".to_owned(),
        kind: "Workflow".to_owned(),
        detail: Some(Detail::Workflow(workflow)),
        ..pb::LiveResource::default()
    };
    let shown = strip_str(&Workflows::details(&resource)).to_string();
    for line in [
        "State:         Running",
        "Progress:      1/2",
        "Nodes:         1 of 700 are reported",
        "a      Pod               Succeeded   1m 5s",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line}\n{shown}");
    }
    let text = Table::from_items::<Workflows>(&[resource]).text();
    assert!(strip_str(&text).to_string().contains("1/2"));
}
