use super::*;

#[test]
fn kinds_are_read_as_they_are_written() {
    for text in [
        "applications.argoproj.io",
        "rollouts.argoproj.io",
        "replicasets.apps",
        "pods",
        "events",
    ] {
        let kind: ObjectKind = text.parse().unwrap();
        assert_eq!(kind.as_str(), text);
    }
    assert_eq!("events".parse(), Ok(ObjectKind::Event));
    let kind: ResourceKind = "rollouts.argoproj.io".parse().unwrap();
    assert_eq!(kind.group(), "argoproj.io");
    assert_eq!("pods".parse::<ResourceKind>().unwrap().group(), "");
}

#[test]
fn what_names_no_kind_is_refused() {
    let long = format!("{}.io", "a.".repeat(200));
    for text in [
        "",
        ".",
        "rollouts.",
        ".apps",
        "Rollout",
        "rollouts/argoproj.io",
        "rollouts argoproj.io",
        "-a.apps",
        "events.events.k8s.io",
        long.as_str(),
    ] {
        let refused: Result<ObjectKind, _> = text.parse();
        assert_eq!(refused, Err(UnknownKind), "{text}");
    }
    let refused: Result<ResourceKind, _> = "applications.argoproj.io".parse();
    assert_eq!(refused, Err(UnknownKind));
}
