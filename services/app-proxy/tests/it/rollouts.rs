//! Verbs on rollouts: for whoever may act on their application, once whatever breaks in between, and for nobody else.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use causeway_app_proxy::RolloutHandler;
use causeway_assertion::Scope;
use causeway_proto::{
    error::v1::Reason,
    proxy::v1::{self as pb, rollout_action_service_server::RolloutActionService as _},
};
use futures::future::join_all;
use serde_json::{Value, json};
use tonic::{Code, Status};

use crate::stage::{ALL, Stage, by_admin, by_user, new_id, refused};

const ROLLOUTS: &str = "rollouts.argoproj.io";

fn shop() -> Scope {
    serde_json::from_str(r#"{"role":"operator","rules":[{"projects":["shop"]}]}"#).unwrap()
}

/// A rollout that waits at its pause, and the application that it belongs to, which Argo CD leaves alone.
fn waiting(stage: &Stage, name: &str, project: &str) {
    stage.define("Rollout", "rollouts");
    let rollout = json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Rollout",
        "metadata": {"namespace": "default", "name": name, "annotations": belongs_to(name)},
        "spec": {
            "strategy": {"canary": {"steps": [{"setWeight": 20}, {"pause": {}}]}},
            "template": {"spec": {"containers": [{"name": "main", "image": "main:1"}]}},
        },
        "status": {
            "currentPodHash": "new", "stableRS": "old", "currentStepIndex": 1, "controllerPause": true,
            "pauseConditions": [{"reason": "CanaryPauseStep", "startTime": "2026-01-01T00:00:00Z"}],
        },
    });
    stage.sandbox.kube().write_raw(ROLLOUTS, rollout).unwrap();
    let spec = json!({
        "project": project,
        "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
        "source": {"repoURL": stage.sandbox.git_url("apps"), "path": "web", "targetRevision": "main"},
    });
    let metadata = json!({"namespace": "default", "name": name});
    stage.write(name, &json!({"metadata": metadata, "spec": spec}));
}

/// What Argo CD writes on it.
fn belongs_to(name: &str) -> Value {
    let id = format!("default_{name}:argoproj.io/Rollout:default/{name}");
    json!({"argocd.argoproj.io/tracking-id": id, "argocd.argoproj.io/hook": "PostSync"})
}

fn live(stage: &Stage, name: &str) -> Value {
    let truth = stage.sandbox.kube().snapshot();
    truth
        .find("Rollout", "default", name)
        .unwrap()
        .object
        .clone()
}

fn promote(name: &str, id: &str) -> pb::PromoteRolloutRequest {
    pb::PromoteRolloutRequest {
        runtime: "local".to_owned(),
        namespace: "default".to_owned(),
        name: name.to_owned(),
        request_id: id.to_owned(),
        full: false,
    }
}

fn abort(name: &str, id: &str) -> pb::AbortRolloutRequest {
    let it = promote(name, id);
    pb::AbortRolloutRequest {
        runtime: it.runtime,
        namespace: it.namespace,
        name: it.name,
        request_id: it.request_id,
    }
}

async fn promoted(
    handler: &RolloutHandler,
    name: &str,
    id: &str,
) -> Result<pb::RolloutOutcome, Status> {
    let answer = handler.promote_rollout(by_admin(promote(name, id))).await?;
    Ok(answer.into_inner().outcome.unwrap())
}

/// What the controller does with a promoted pause: it goes on to the next step, where it waits again.
fn go_on(stage: &Stage, name: &str) {
    let mut rollout = live(stage, name);
    rollout["status"]["currentStepIndex"] = json!(2);
    rollout["status"]["pauseConditions"] =
        json!([{"reason": "CanaryPauseStep", "startTime": "2026-01-01T00:05:00Z"}]);
    stage.sandbox.kube().write_raw(ROLLOUTS, rollout).unwrap();
}

fn waits(stage: &Stage, name: &str) -> bool {
    live(stage, name)["status"]["pauseConditions"].is_array()
}

#[tokio::test]
async fn a_promotion_that_is_asked_for_eight_times_at_once_is_of_one_pause() {
    let stage = Stage::set().await;
    waiting(&stage, "canary", "shop");
    let (one, other, id) = (stage.rollouts(ALL), stage.rollouts(ALL), new_id());
    let handlers = (0..8).map(|number| if number % 2 == 0 { &one } else { &other });
    let answers = join_all(handlers.map(|handler| promoted(handler, "canary", &id))).await;
    let fresh = answers
        .iter()
        .filter(|it| !it.as_ref().unwrap().repeated_request);
    assert_eq!(fresh.count(), 1);
    assert!(!waits(&stage, "canary"));
    go_on(&stage, "canary");
    let again = promoted(&stage.rollouts(ALL), "canary", &id).await.unwrap();
    assert!(again.repeated_request && !again.unchanged);
    assert!(waits(&stage, "canary"), "the next pause is another one");
    assert!(
        !promoted(&one, "canary", &new_id())
            .await
            .unwrap()
            .repeated_request
    );
    assert!(!waits(&stage, "canary"));
}

/// A client whose connection breaks at one of its writes: just before it arrives, or just after it was done.
fn broken_at(client: &kube::Client, write: usize, arrives: bool) -> kube::Client {
    let (inner, writes) = (client.clone(), Arc::new(AtomicUsize::new(0)));
    let service = tower::service_fn(move |request: http::Request<kube::client::Body>| {
        let counts = request.method() == "PATCH";
        let breaks = counts && writes.fetch_add(1, Ordering::SeqCst) == write;
        let inner = inner.clone();
        async move {
            if breaks && arrives {
                inner.send(request).await?;
            } else if !breaks {
                return inner.send(request).await;
            }
            Err(kube::Error::Service("the connection broke".into()))
        }
    });
    kube::Client::new(service, "default")
}

#[tokio::test]
async fn a_promotion_that_breaks_at_any_of_its_writes_is_of_one_pause_when_it_is_asked_for_again() {
    let stage = Stage::set().await;
    for write in 0..3 {
        for arrives in [false, true] {
            let (name, id) = (format!("at-{write}-{arrives}"), new_id());
            waiting(&stage, &name, "shop");
            let client = broken_at(&stage.sandbox.kube().client(), write, arrives);
            let broken = promoted(&Stage::rollouts_on(client, ALL), &name, &id).await;
            assert_eq!(broken.unwrap_err().code(), Code::Unavailable, "{name}");
            // Where the status had been changed, the controller has seen it.
            let was_done = !waits(&stage, &name);
            assert_eq!(was_done, write > 1 || (write == 1 && arrives), "{name}");
            if was_done {
                go_on(&stage, &name);
            }
            let again = promoted(&stage.rollouts(ALL), &name, &id).await.unwrap();
            assert_eq!(again.repeated_request, write > 0 || arrives, "{name}");
            assert_eq!(
                waits(&stage, &name),
                was_done,
                "{name}: one pause and no other"
            );
        }
    }
}

#[tokio::test]
async fn a_process_that_forgets_its_requests_would_promote_twice() {
    let stage = Stage::set().await;
    waiting(&stage, "canary", "shop");
    let (handler, id) = (stage.rollouts(ALL), new_id());
    promoted(&handler, "canary", &id).await.unwrap();
    go_on(&stage, "canary");
    // The twin of the tests above, broken on purpose: without its note the object says nothing of the request.
    let mut rollout = live(&stage, "canary");
    rollout["metadata"]["annotations"] = belongs_to("canary");
    stage.sandbox.kube().write_raw(ROLLOUTS, rollout).unwrap();
    let again = promoted(&handler, "canary", &id).await.unwrap();
    assert!(!again.repeated_request && !waits(&stage, "canary"));
}

#[tokio::test]
async fn whether_an_abort_was_done_before_another_revision_came_is_told_as_unknown() {
    let stage = Stage::set().await;
    waiting(&stage, "canary", "shop");
    let client = broken_at(&stage.sandbox.kube().client(), 1, true);
    let (id, broken) = (new_id(), Stage::rollouts_on(client, ALL));
    let lost = broken.abort_rollout(by_admin(abort("canary", &id))).await;
    assert_eq!(lost.unwrap_err().code(), Code::Unavailable);
    let mut rollout = live(&stage, "canary");
    rollout["status"] = json!({"currentPodHash": "newer", "stableRS": "old"});
    stage.sandbox.kube().write_raw(ROLLOUTS, rollout).unwrap();
    let again = stage
        .rollouts(ALL)
        .abort_rollout(by_admin(abort("canary", &id)))
        .await;
    let words = "causeway rollout get canary";
    refused(
        &again.unwrap_err(),
        Code::Unknown,
        Reason::OutcomeUnknown,
        words,
    );
    assert!(live(&stage, "canary")["status"]["abort"].is_null());
}

#[tokio::test]
async fn a_request_id_stands_for_one_verb_of_one_rollout() {
    let stage = Stage::set().await;
    waiting(&stage, "canary", "shop");
    let (handler, id) = (stage.rollouts(ALL), new_id());
    promoted(&handler, "canary", &id).await.unwrap();
    let reused = handler.abort_rollout(by_admin(abort("canary", &id))).await;
    let code = Code::InvalidArgument;
    refused(
        &reused.unwrap_err(),
        code,
        Reason::FieldInvalid,
        "request_id",
    );
    assert!(live(&stage, "canary")["status"]["abort"].is_null());
}

#[tokio::test]
async fn a_rollout_of_another_team_is_as_if_it_were_not_there() {
    let stage = Stage::set().await;
    waiting(&stage, "mine", "shop");
    waiting(&stage, "theirs", "bank");
    let handler = stage.rollouts(ALL);
    let ask = |request| handler.promote_rollout(by_user("ada", shop(), request));
    for name in ["theirs", "never"] {
        let hidden = ask(promote(name, &new_id())).await.unwrap_err();
        let (code, reason) = (Code::NotFound, Reason::ResourceUnknown);
        refused(&hidden, code, reason, &format!("default/{name}"));
    }
    assert!(waits(&stage, "theirs"));
    let theirs = &live(&stage, "theirs")["metadata"]["annotations"];
    assert_eq!(*theirs, belongs_to("theirs"));
    ask(promote("mine", &new_id())).await.unwrap();
    assert!(!waits(&stage, "mine"));
}

#[tokio::test]
async fn what_the_runtime_does_not_allow_is_told_with_the_flag() {
    let stage = Stage::set().await;
    waiting(&stage, "canary", "shop");
    let denied = promoted(&stage.rollouts("read,sync,refresh"), "canary", &new_id()).await;
    let (code, reason) = (Code::PermissionDenied, Reason::RuntimePolicy);
    refused(&denied.unwrap_err(), code, reason, "--allow rollout");
    assert!(waits(&stage, "canary"));
}

#[tokio::test]
async fn an_image_that_git_owns_is_changed_with_a_word_about_it() {
    let stage = Stage::set().await;
    waiting(&stage, "canary", "shop");
    let handler = stage.rollouts(ALL);
    let it = promote("canary", &new_id());
    let request = |container: &str| pb::SetRolloutImageRequest {
        runtime: it.runtime.clone(),
        namespace: it.namespace.clone(),
        name: it.name.clone(),
        request_id: new_id(),
        container: container.to_owned(),
        image: "main:2".to_owned(),
    };
    let wrong = handler.set_rollout_image(by_admin(request("mian"))).await;
    let code = Code::FailedPrecondition;
    refused(
        &wrong.unwrap_err(),
        code,
        Reason::PreconditionFailed,
        "main",
    );
    let answer = handler.set_rollout_image(by_admin(request("main"))).await;
    let outcome = answer.unwrap().into_inner().outcome.unwrap();
    assert!(outcome.note.contains("change Git"), "{}", outcome.note);
    let spec = live(&stage, "canary")["spec"]["template"]["spec"].clone();
    assert_eq!(spec["containers"][0]["image"], "main:2");
    let same = handler.set_rollout_image(by_admin(request("main"))).await;
    assert!(same.unwrap().into_inner().outcome.unwrap().unchanged);
}
