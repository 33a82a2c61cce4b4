//! Parts of the cluster that fall over while Causeway looks on.

use causeway_cluster::Child;
use causeway_testkit::wait_until_blocking;
use k8s_openapi::api::core::v1::Pod;
use kube::{
    Api,
    api::{DeleteParams, Patch, PatchParams},
};
use serde_json::json;

use crate::{
    application::{Demo, automated, manual},
    clusters::{Shared, block_on, own, shared},
    trial::{SOON, Trial, the_error, with_token},
};

const NAMESPACE: &str = "argocd";

fn demo<'a>(shared: &'a Shared<'a>, name: &'a str) -> Demo<'a> {
    Demo {
        shared,
        name,
        namespace: NAMESPACE,
    }
}

/// A Pod that runs before a sync, and until somebody says that it is done.
fn hook(name: &str) -> serde_json::Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "annotations": {"argocd.argoproj.io/hook": "PreSync"},
        },
        "spec": {
            "restartPolicy": "Never",
            "containers": [{"name": "main", "image": "registry.example/hook:1"}],
        },
    })
}

/// Until KWOK has said what there is to say of it.
fn wait_for_pod(shared: &Shared<'_>, name: &str) {
    let pods: Api<Pod> = Api::namespaced(shared.client(), name);
    wait_until_blocking("the pod", SOON, || {
        let pod = block_on(pods.get(name)).map_err(|error| error.to_string())?;
        let phase = pod.status.and_then(|status| status.phase);
        match phase.as_deref() {
            Some("Running") => Ok(()),
            other => Err(format!("{other:?}")),
        }
    });
}

/// Says that a pod has done its work, in the place of a kubelet. A controller that had not yet written down that it made the pod
/// makes it again, so one that is not there is none of a test's business.
fn finish(shared: &Shared<'_>, name: &str) {
    let pods: Api<Pod> = Api::namespaced(shared.client(), name);
    let ended = json!({"terminated": {"exitCode": 0, "reason": "Completed"}});
    let patch = json!({"status": {
        "phase": "Succeeded",
        "containerStatuses": [{
            "name": "main",
            "image": "registry.example/hook:1",
            "imageID": "",
            "ready": false,
            "restartCount": 0,
            "state": ended,
        }],
    }});
    let (params, patch) = (PatchParams::default(), Patch::Merge(&patch));
    match block_on(pods.patch_status(name, &params, &patch)) {
        Ok(_) => {}
        Err(kube::Error::Api(status)) if status.code == 404 => {}
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn changes_missed_beyond_the_watch_history_are_recovered() {
    let Some(own) = own() else { return };
    let shared = own.get();
    let (gone, kept) = (demo(&shared, "gone"), demo(&shared, "kept"));
    gone.make(&manual());
    let first = kept.make(&automated());
    let trial = Trial::start(&with_token(&shared.kubeconfig(), shared.plain()));
    trial.wait_for("gone", "there", |status| {
        !status["sync"]["status"].is_null()
    });
    trial.wait_for_commit("kept", &first);

    trial.pause();
    let applications = shared.api("Application", NAMESPACE);
    block_on(applications.delete("gone", &DeleteParams::default())).unwrap();
    let new = demo(&shared, "new").make(&automated());
    block_on(shared.cluster.compact()).unwrap();
    block_on(shared.cluster.restart(Child::ApiServer)).unwrap();
    trial.resume();

    trial.wait_for_commit("new", &new);
    trial.wait_for_deletion("gone");
    let second = kept.scale(2, "Two of them");
    trial.cli(&["app", "refresh", "kept"]).expect_success();
    trial.wait_for_commit("kept", &second);
}

#[test]
fn an_api_server_that_crashes_under_load_costs_no_state() {
    let Some(own) = own() else { return };
    let shared = own.get();
    let names: Vec<_> = (0..12).map(|number| format!("load-{number}")).collect();
    let demos: Vec<_> = names.iter().map(|name| demo(&shared, name)).collect();
    demos[..8]
        .iter()
        .for_each(|demo| drop(demo.make(&automated())));
    let trial = Trial::start(&with_token(&shared.kubeconfig(), shared.plain()));
    trial.wait_for("load-0", "there", |status| {
        !status["sync"]["status"].is_null()
    });
    for _ in 0..2 {
        block_on(shared.cluster.kill(Child::ApiServer)).unwrap();
        block_on(shared.cluster.restart(Child::ApiServer)).unwrap();
    }
    demos[8..]
        .iter()
        .for_each(|demo| drop(demo.make(&automated())));
    let wanted: Vec<_> = demos
        .iter()
        .map(|demo| demo.scale(2, "Two of them"))
        .collect();
    for name in &names {
        wait_until_blocking("a refresh", SOON, || {
            let refreshed = trial.cli(&["app", "refresh", name]);
            if refreshed.status.success() {
                Ok(())
            } else {
                Err(refreshed.stderr)
            }
        });
    }
    for (name, revision) in names.iter().zip(&wanted) {
        trial.wait_for_commit(name, revision);
    }
    block_on(shared.cluster.check()).unwrap();
}

#[test]
fn a_sync_goes_on_when_its_controller_crashes_in_the_middle() {
    let Some(own) = own() else { return };
    let shared = own.get();
    let demo = demo(&shared, "hooked");
    demo.commit(&hook("hooked"), "A hook");
    let revision = demo.make(&manual());
    let trial = Trial::start(&with_token(&shared.kubeconfig(), shared.plain()));
    trial.wait_for("hooked", "OutOfSync", |status| {
        status["sync"]["status"] == "SYNC_STATUS_OUT_OF_SYNC"
    });
    trial
        .cli(&["app", "sync", "hooked", "--async"])
        .expect_success();
    let runs =
        |status: &serde_json::Value| status["operation"]["phase"] == "OPERATION_PHASE_RUNNING";
    trial.wait_for("hooked", "Running", runs);
    wait_for_pod(&shared, "hooked");
    block_on(shared.cluster.kill(Child::ApplicationController(0))).unwrap();
    assert!(runs(&trial.application("hooked").unwrap()["status"]));
    let error = the_error(&trial.cli(&["app", "sync", "hooked"]));
    assert!(error.contains("another operation is under way"), "{error}");
    block_on(shared.cluster.restart(Child::ApplicationController(0))).unwrap();
    trial.wait_for("hooked", "Succeeded", |status| {
        finish(&shared, "hooked");
        status["operation"]["phase"] == "OPERATION_PHASE_SUCCEEDED"
    });
    trial.wait_for_commit("hooked", &revision);
}

#[test]
fn rejected_token_is_named_and_replaced_without_restart() {
    let Some(shared) = shared() else { return };
    let demo = demo(&shared, "renewed");
    let revision = demo.make(&manual());
    let mut argocd = shared.plain().clone();
    let good = std::fs::read(&argocd.admin_token_file).unwrap();
    let token = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(token.path(), &good).unwrap();
    argocd.admin_token_file = token.path().to_owned();
    let trial = Trial::start(&with_token(&shared.kubeconfig(), &argocd));
    trial.wait_for("renewed", "there", |status| {
        !status["sync"]["status"].is_null()
    });
    std::fs::write(token.path(), "eyJhbGciOiJIUzI1NiJ9.e30.AAAA").unwrap();
    let error = the_error(&trial.cli(&["app", "sync", "renewed"]));
    assert!(error.contains("--argocd-token-file"), "{error}");
    std::fs::write(token.path(), &good).unwrap();
    let synced = trial.cli(&["app", "sync", "renewed"]).expect_success();
    assert!(synced.contains("renewed: Succeeded"), "{synced}");
    trial.wait_for_commit("renewed", &revision);
}
