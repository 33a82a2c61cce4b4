use causeway_proto::inventory::v1 as pb;

use super::tree_lines;

fn resource(kind: &str, uid: &str, parent: &str) -> pb::Resource {
    pb::Resource {
        kind: kind.to_owned(),
        name: "web".to_owned(),
        uid: uid.to_owned(),
        parent_uids: (!parent.is_empty())
            .then(|| parent.to_owned())
            .into_iter()
            .collect(),
        ..Default::default()
    }
}

#[test]
fn resources_stand_under_their_owners() {
    let resources = [
        resource("Pod", "3", "2"),
        resource("Service", "4", ""),
        resource("ReplicaSet", "2", "1"),
        resource("Deployment", "1", ""),
    ];
    let lines: Vec<_> = tree_lines(&resources)
        .iter()
        .map(|(prefix, it)| format!("{prefix}{}", it.kind))
        .collect();
    assert_eq!(
        lines,
        [
            "├─ Deployment",
            "│  └─ ReplicaSet",
            "│     └─ Pod",
            "└─ Service"
        ]
    );
}

#[test]
fn a_resource_with_an_absent_owner_stands_at_the_root() {
    let resources = [resource("Pod", "3", "gone"), resource("ConfigMap", "", "")];
    assert_eq!(tree_lines(&resources).len(), 2);
}

#[test]
fn an_ownership_cycle_ends() {
    let resources = [
        resource("A", "1", "2"),
        resource("B", "2", "1"),
        resource("C", "3", "3"),
    ];
    assert_eq!(tree_lines(&resources).len(), 1);
}
