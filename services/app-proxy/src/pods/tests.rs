use serde_json::json;

use super::*;

fn name(group: &str, kind: &str) -> ResourceName {
    ResourceName {
        group: group.to_owned(),
        kind: kind.to_owned(),
        namespace: "default".to_owned(),
        name: "web".to_owned(),
        uid: None,
    }
}

#[test]
fn pods_of_a_workload_are_listed_by_its_labels() {
    let workload = json!({"spec": {"selector": {"matchLabels": {"app": "web", "tier": "a"}}}});
    let by = |selector, group, kind| narrowed(selector, &name(group, kind), &workload);
    assert_eq!(by("", "apps", "Deployment"), "app=web,tier=a");
    assert_eq!(
        by("x in (1,2)", "batch", "Job"),
        "x in (1,2),app=web,tier=a"
    );
    assert_eq!(by("", "argoproj.io", "Rollout"), "app=web,tier=a");
    // What another kind means by its selector is not known.
    assert_eq!(by("x=1", "example.org", "Thing"), "x=1");
    let none = narrowed("", &name("apps", "Deployment"), &json!({}));
    assert_eq!(none, "");
}
