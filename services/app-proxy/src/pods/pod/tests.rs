use serde_json::json;

use super::*;

fn pod() -> Value {
    json!({
        "metadata": {"namespace": "default", "name": "web", "uid": "u"},
        "spec": {
            "initContainers": [{"name": "setup"}],
            "containers": [{"name": "main"}, {"name": "proxy"}],
        },
        "status": {
            "phase": "Running",
            "initContainerStatuses": [{"name": "setup", "state": {"terminated": {"exitCode": 0}}}],
            "containerStatuses": [
                {"name": "proxy", "restartCount": 2, "state": {"waiting": {"reason": "CrashLoopBackOff"}},
                    "lastState": {"terminated": {"exitCode": 1}}},
                {"name": "main", "restartCount": 0, "state": {"waiting": {"reason": "ContainerCreating"}}},
            ],
        },
    })
}

fn names(pod: &Pod, which: &Containers) -> Vec<String> {
    pod.meant(which).map(|it| it.name.clone()).collect()
}

#[test]
fn the_default_container_is_the_annotated_one_or_the_first() {
    let mut object = pod();
    assert_eq!(names(&Pod::read(&object), &Containers::Default), ["main"]);
    object["metadata"]["annotations"] = json!({DEFAULT: "proxy"});
    assert_eq!(names(&Pod::read(&object), &Containers::Default), ["proxy"]);
    object["metadata"]["annotations"] = json!({DEFAULT: "never"});
    assert_eq!(names(&Pod::read(&object), &Containers::Default), ["main"]);
}

#[test]
fn containers_are_chosen_by_name_or_all() {
    let pod = Pod::read(&pod());
    let named = |name: &str| names(&pod, &Containers::Named(name.to_owned()));
    assert_eq!(named("setup"), ["setup"]);
    assert_eq!(named("never"), Vec::<String>::new());
    assert_eq!(names(&pod, &Containers::All), ["setup", "main", "proxy"]);
}

#[test]
fn a_container_can_be_read_once_it_has_run() {
    let pod = Pod::read(&pod());
    let readiness: Vec<_> = pod
        .containers
        .iter()
        .map(|it| it.readiness.clone())
        .collect();
    let waiting = Readiness::Waiting("ContainerCreating".to_owned());
    assert_eq!(
        readiness,
        [Readiness::Readable, waiting, Readiness::Readable]
    );
    let runs: Vec<_> = pod
        .containers
        .iter()
        .map(|it| (it.run, it.has_previous))
        .collect();
    assert_eq!(runs, [(0, false), (0, false), (2, true)]);
    assert!(!pod.is_over);
}

#[test]
fn an_object_that_is_no_pod_has_no_containers() {
    for odd in [json!({}), json!(5), json!({"spec": {"containers": "x"}})] {
        assert_eq!(Pod::read(&odd).containers, []);
    }
}
