//! Applications that an ApplicationSet generates.

use serde_json::json;

use crate::{
    application::{Demo, automated},
    clusters::shared,
    trial::{Trial, with_token},
};

#[test]
fn the_applications_of_an_application_set_are_seen_and_follow_it() {
    let Some(shared) = shared() else { return };
    let demo = Demo {
        shared: &shared,
        name: "generated",
        namespace: "argocd",
    };
    let revision = demo.scale(1, "One of them");
    shared.create(json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "metadata": {"name": "generated", "namespace": "argocd"},
        "spec": {
            "generators": [{"list": {"elements": [{"stage": "first"}, {"stage": "second"}]}}],
            "template": {
                "metadata": {"name": "generated-{{stage}}"},
                "spec": {
                    "project": "default",
                    "source": {
                        "repoURL": shared.cluster.git().url("generated"),
                        "path": "app",
                        "targetRevision": "main",
                    },
                    "destination": {
                        "server": "https://kubernetes.default.svc",
                        "namespace": "generated-{{stage}}",
                    },
                    "syncPolicy": automated(),
                },
            },
        },
    }));
    let trial = Trial::start(&with_token(&shared.kubeconfig(), shared.plain()));
    for name in ["generated-first", "generated-second"] {
        trial.wait_for_commit(name, &revision);
    }
    let only_first = json!([{"list": {"elements": [{"stage": "first"}]}}]);
    let change = json!({"spec": {"generators": only_first}});
    shared.merge("ApplicationSet", "generated", &change);
    trial.wait_for_deletion("generated-second");
    trial.wait_for_commit("generated-first", &revision);
}
