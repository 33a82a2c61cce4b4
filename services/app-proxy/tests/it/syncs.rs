//! A request acts once, whichever way it is carried out and however often it comes.

use causeway_app_proxy::Handler;
use causeway_proto::proxy::v1::{
    self as pb, application_action_service_server::ApplicationActionService as _,
};
use futures::future::join_all;
use serde_json::{Value, json};

use crate::stage::{Stage, by_admin, new_id, sync};

async fn syncs_once(stage: &Stage, handler: Handler, restarted: Handler) -> Value {
    let id = new_id();
    let calls = (0..8).map(|_| handler.sync_application(by_admin(sync("web", &id))));
    let answers = join_all(calls)
        .await
        .into_iter()
        .map(|answer| answer.unwrap().into_inner());
    let answers: Vec<pb::SyncApplicationResponse> = answers.collect();
    assert_eq!(
        answers
            .iter()
            .filter(|answer| !answer.repeated_request)
            .count(),
        1
    );
    assert!(
        answers
            .iter()
            .all(|answer| answer.request_id == id && answer.accepted_at.is_some())
    );
    let ended = stage.ended("web", &id).await;
    let deployed = stage.deployments("web");
    // A new process has no memory but the object's.
    let again = restarted.sync_application(by_admin(sync("web", &id))).await;
    assert!(again.unwrap().into_inner().repeated_request);
    assert_eq!(stage.deployments("web"), deployed);
    assert_eq!(deployed, 1);
    ended
}

#[tokio::test]
async fn a_request_by_the_api_syncs_once() {
    let stage = Stage::set().await;
    let ended = syncs_once(&stage, stage.by_api(), stage.by_api()).await;
    let info = ended["status"]["operationState"]["operation"]["info"].to_string();
    assert!(info.contains("user:admin"), "{info}");
    assert_eq!(ended["status"]["operationState"]["phase"], "Succeeded");
}

#[tokio::test]
async fn a_request_by_the_object_syncs_once_and_names_the_user() {
    let stage = Stage::set().await;
    let ended = syncs_once(&stage, stage.by_patch(), stage.by_patch()).await;
    let operation = &ended["status"]["operationState"]["operation"];
    assert_eq!(operation["initiatedBy"]["username"], "admin");
}

#[tokio::test]
async fn a_second_request_is_another_sync() {
    let stage = Stage::set().await;
    let handler = stage.by_api();
    for _ in 0..2 {
        let id = new_id();
        let answer = handler.sync_application(by_admin(sync("web", &id))).await;
        assert!(!answer.unwrap().into_inner().repeated_request);
        stage.ended("web", &id).await;
    }
}

#[tokio::test]
async fn a_refresh_leaves_its_mark_and_gives_its_version() {
    let stage = Stage::set().await;
    let before = stage.live("web")["status"]["reconciledAt"].clone();
    let request = pb::RefreshApplicationRequest {
        namespace: "argocd".to_owned(),
        name: "web".to_owned(),
        request_id: new_id(),
        kind: pb::RefreshKind::Hard.into(),
        ..pb::RefreshApplicationRequest::default()
    };
    let answer = stage
        .by_patch()
        .refresh_application(by_admin(request))
        .await;
    assert!(answer.unwrap().into_inner().resource_version > 0);
    stage
        .wait("web", "the mark is taken away", |app| {
            app["metadata"]["annotations"]["argocd.argoproj.io/refresh"].is_null()
        })
        .await;
    assert!(before.is_string());
}

#[tokio::test]
async fn the_live_object_is_shown_without_secrets() {
    let stage = Stage::set().await;
    let canary = "c4n4ry-l1v3";
    let source = json!({"helm": {"parameters": [{"name": "db.password", "value": canary}]}});
    stage.write(
        "secretive",
        &json!({"spec": {"project": "default", "source": source}}),
    );
    let request = pb::GetLiveApplicationRequest {
        namespace: "argocd".to_owned(),
        name: "secretive".to_owned(),
        ..pb::GetLiveApplicationRequest::default()
    };
    let answer = stage
        .by_patch()
        .get_live_application(by_admin(request))
        .await;
    let live = answer.unwrap().into_inner();
    let object: Value = serde_json::from_slice(&live.manifest).unwrap();
    assert_eq!(object["metadata"]["name"], "secretive");
    assert!(!object.to_string().contains(canary), "{object}");
    assert!(object["metadata"]["managedFields"].is_null());
}
