//! Operations ended and rolled back, applications deleted: what each does, and what it refuses.

use causeway_app_proxy::Handler;
use causeway_assertion::Scope;
use causeway_proto::{
    error::v1::Reason,
    proxy::v1::{self as pb, application_action_service_server::ApplicationActionService as _},
};
use serde_json::{Value, json};
use tonic::Code;

use crate::stage::{
    Stage, by, by_admin, by_user, delete, new_id, refused, rollback, sync, terminate,
};

async fn synced(handler: &Handler, name: &str) -> String {
    let id = new_id();
    let order = crate::stage::next_second(sync(name, &id)).await;
    handler.sync_application(order).await.unwrap();
    id
}

/// With two deployments of `web`, of values 1 and 2.
async fn deployed_twice(stage: &Stage, handler: &Handler) {
    let id = synced(handler, "web").await;
    stage.ended("web", &id).await;
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\ndata: {a: '2'}\n";
    let files = [("web/a.yaml", map)];
    let pushed = stage.sandbox.push("apps", &files, "second").await;
    pushed.unwrap();
    let id = synced(handler, "web").await;
    stage.ended("web", &id).await;
    stage.idle("web").await;
}

fn value(stage: &Stage) -> Value {
    let truth = stage.sandbox.kube().snapshot();
    let map = truth.find("ConfigMap", "default", "a").unwrap();
    map.object["data"]["a"].clone()
}

async fn rolls_back(stage: &Stage, handler: Handler) {
    deployed_twice(stage, &handler).await;
    assert_eq!(value(stage), "2");
    let id = new_id();
    let order = || by_admin(rollback("web", &id));
    let answer = handler.rollback_application(order()).await.unwrap();
    assert!(!answer.into_inner().repeated_request);
    let ended = stage.ended("web", &id).await;
    assert_eq!(ended["status"]["operationState"]["phase"], "Succeeded");
    assert_eq!(value(stage), "1");
    let again = handler.rollback_application(order()).await.unwrap();
    assert!(again.into_inner().repeated_request);
    assert_eq!(stage.deployments("web"), 3);
}

#[tokio::test]
async fn a_rollback_brings_back_what_was_deployed_by_either_way() {
    let stage = Stage::set().await;
    rolls_back(&stage, stage.by_patch()).await;
    let stage = Stage::set().await;
    rolls_back(&stage, stage.by_api()).await;
}

#[tokio::test]
async fn a_rollback_that_argo_cd_would_undo_is_refused_with_what_to_do() {
    let stage = Stage::set().await;
    let handler = stage.by_patch();
    deployed_twice(&stage, &handler).await;
    let unknown = pb::RollbackApplicationRequest {
        history_id: Some(7),
        ..rollback("web", &new_id())
    };
    let refusal = handler.rollback_application(by_admin(unknown)).await;
    let (code, reason) = (Code::FailedPrecondition, Reason::PreconditionFailed);
    refused(&refusal.unwrap_err(), code, reason, "it has 0 to 1");
    let mut spec = stage.live("web")["spec"].clone();
    spec["syncPolicy"] = json!({"automated": {}});
    stage.patch("web", &json!({"spec": spec})).await;
    let refusal = handler.rollback_application(by_admin(rollback("web", &new_id())));
    refused(
        &refusal.await.unwrap_err(),
        code,
        reason,
        "revert the commit",
    );
}

async fn ends(stage: &Stage, handler: Handler) {
    stage.hold("held").await;
    let idle = handler.terminate_operation(by_admin(terminate("held", &new_id())));
    let refusal = idle.await.unwrap_err();
    let (code, reason) = (Code::FailedPrecondition, Reason::PreconditionFailed);
    refused(&refusal, code, reason, "no operation is under way");
    let started = synced(&handler, "held").await;
    stage.held("held", &started).await;
    let answer = handler.terminate_operation(by_admin(terminate("held", &new_id())));
    assert!(!answer.await.unwrap().into_inner().repeated_request);
    let ended = stage.ended("held", &started).await;
    let state = &ended["status"]["operationState"];
    assert_eq!(state["phase"], "Failed", "{state}");
    assert_eq!(state["message"], "Operation terminated", "{state}");
}

#[tokio::test]
async fn an_operation_is_ended_by_either_way() {
    let stage = Stage::set().await;
    ends(&stage, stage.by_patch()).await;
    let stage = Stage::set().await;
    ends(&stage, stage.by_api()).await;
}

async fn deletes(stage: &Stage, handler: &Handler, cascade: pb::DeletionCascade, stays: bool) {
    let started = synced(handler, "web").await;
    stage.ended("web", &started).await;
    let request = pb::DeleteApplicationRequest {
        cascade: cascade.into(),
        ..delete("web", &new_id(), "")
    };
    let answer = handler.delete_application(by_admin(request.clone())).await;
    let uid = answer.unwrap().into_inner().uid;
    stage.gone("web").await;
    let truth = stage.sandbox.kube().snapshot();
    assert_eq!(truth.find("ConfigMap", "default", "a").is_some(), stays);
    let again = handler.delete_application(by_admin(request)).await;
    assert_eq!(again.unwrap_err().code(), Code::NotFound);
    let known = delete("web", &new_id(), &uid);
    let again = handler.delete_application(by_admin(known)).await.unwrap();
    assert!(again.into_inner().repeated_request);
}

#[tokio::test]
async fn a_deletion_takes_the_resources_along_or_leaves_them() {
    for (cascade, stays) in [
        (pb::DeletionCascade::Unspecified, false),
        (pb::DeletionCascade::Background, false),
        (pb::DeletionCascade::Orphan, true),
    ] {
        let stage = Stage::set().await;
        deletes(&stage, &stage.by_patch(), cascade, stays).await;
    }
    let stage = Stage::set().await;
    deletes(
        &stage,
        &stage.by_api(),
        pb::DeletionCascade::Foreground,
        false,
    )
    .await;
}

#[tokio::test]
async fn a_deletion_touches_no_other_object_of_that_name_and_nothing_out_of_scope() {
    let stage = Stage::set().await;
    let handler = stage.by_patch();
    let other = handler.delete_application(by_admin(delete("web", &new_id(), "another")));
    assert!(other.await.unwrap().into_inner().repeated_request);
    let uid = stage.live("web")["metadata"]["uid"].clone();
    let uid = uid.as_str().unwrap();
    let hidden = Scope::default();
    let hidden = handler.delete_application(by(hidden, delete("web", &new_id(), uid)));
    // As of one that has gone.
    assert!(hidden.await.unwrap().into_inner().repeated_request);
    assert!(stage.live("web")["metadata"]["deletionTimestamp"].is_null());
    assert!(stage.live("web")["metadata"]["annotations"].is_null());
}

#[tokio::test]
async fn an_id_is_good_for_one_request_whichever_it_is() {
    let stage = Stage::set().await;
    let id = new_id();
    let handler = stage.by_patch();
    handler
        .sync_application(by_admin(sync("web", &id)))
        .await
        .unwrap();
    stage.ended("web", &id).await;
    // Another process has nothing but the object.
    let handler = stage.by_patch();
    let pruned = pb::SyncApplicationRequest {
        prune: true,
        ..sync("web", &id)
    };
    let pruned = handler.sync_application(by_admin(pruned)).await.map(drop);
    let refreshed = handler.refresh_application(by_admin(crate::stage::refresh("web", &id)));
    let rolled_back = handler.rollback_application(by_admin(rollback("web", &id)));
    for answer in [
        pruned,
        refreshed.await.map(drop),
        rolled_back.await.map(drop),
    ] {
        let (code, reason) = (Code::InvalidArgument, Reason::FieldInvalid);
        refused(
            &answer.unwrap_err(),
            code,
            reason,
            "was used for another request",
        );
    }
}

#[tokio::test]
async fn the_id_of_one_users_request_is_not_another_users_success() {
    let stage = Stage::set().await;
    let id = new_id();
    let order = sync("web", &id);
    let first = stage.by_patch().sync_application(by_admin(order)).await;
    assert!(!first.unwrap().into_inner().repeated_request);
    stage.ended("web", &id).await;
    // Another process has nothing but the object.
    let handler = stage.by_patch();
    let grace = by_user("grace", Scope::everything("admin"), sync("web", &id));
    let refusal = handler.sync_application(grace).await.unwrap_err();
    let (code, reason) = (Code::InvalidArgument, Reason::FieldInvalid);
    refused(&refusal, code, reason, "was used for another request");
    let own = handler.sync_application(by_admin(sync("web", &id))).await;
    assert!(own.unwrap().into_inner().repeated_request);
}

#[tokio::test]
async fn a_part_of_an_application_is_synced_and_tried() {
    let stage = Stage::set().await;
    let handler = stage.by_api();
    let part = |kind: &str, id: &str| pb::SyncApplicationRequest {
        resources: vec![pb::ResourceSelector {
            kind: kind.to_owned(),
            ..pb::ResourceSelector::default()
        }],
        dry_run: true,
        sync_options: vec!["ApplyOutOfSyncOnly=true".to_owned()],
        ..sync("web", id)
    };
    let nothing = handler.sync_application(by_admin(part("Secret", &new_id())));
    let (code, reason) = (Code::FailedPrecondition, Reason::PreconditionFailed);
    refused(
        &nothing.await.unwrap_err(),
        code,
        reason,
        "causeway app tree web",
    );
    let id = new_id();
    let tried = handler
        .sync_application(by_admin(part("Config*", &id)))
        .await;
    tried.unwrap();
    let ended = stage.ended("web", &id).await;
    let state = &ended["status"]["operationState"];
    assert_eq!(state["operation"]["sync"]["resources"][0]["name"], "a");
    assert_eq!(
        state["syncResult"]["resources"][0]["message"],
        "configmap/a created (dry run)"
    );
    assert_eq!(stage.deployments("web"), 0);
}

fn set(name: &str, id: &str, revision: &str) -> pb::SetApplicationSourceRequest {
    pb::SetApplicationSourceRequest {
        runtime: "local".to_owned(),
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
        request_id: id.to_owned(),
        target_revision: revision.to_owned(),
        ..pb::SetApplicationSourceRequest::default()
    }
}

#[tokio::test]
async fn a_source_is_changed_once_and_what_git_owns_by_force_alone() {
    let stage = Stage::set().await;
    let (handler, id) = (stage.by_api(), new_id());
    let tried = pb::SetApplicationSourceRequest {
        dry_run: true,
        ..set("web", &new_id(), "other")
    };
    let tried = handler.set_application_source(by_admin(tried)).await;
    assert_eq!(
        tried.unwrap().into_inner().changed_fields,
        ["spec.source.targetRevision"]
    );
    assert_eq!(
        stage.live("web")["spec"]["source"]["targetRevision"],
        "main"
    );
    for repeated in [false, true] {
        let handler = stage.by_api();
        let answer = handler
            .set_application_source(by_admin(set("web", &id, "other")))
            .await;
        assert_eq!(answer.unwrap().into_inner().repeated_request, repeated);
    }
    assert_eq!(
        stage.live("web")["spec"]["source"]["targetRevision"],
        "other"
    );
    let mark = json!({"metadata": {"annotations": {
        "argocd.argoproj.io/tracking-id": "apps:argoproj.io/Application:argocd/web",
    }}});
    stage.patch("web", &mark).await;
    let owned = handler.set_application_source(by_admin(set("web", &new_id(), "main")));
    let (code, reason) = (Code::FailedPrecondition, Reason::PreconditionFailed);
    let told = owned.await.unwrap_err();
    refused(&told, code, reason, "made by application argocd/apps");
    refused(&told, code, reason, "spec.source.targetRevision");
    let forced = pb::SetApplicationSourceRequest {
        force: true,
        ..set("web", &new_id(), "main")
    };
    handler
        .set_application_source(by_admin(forced))
        .await
        .unwrap();
    assert_eq!(
        stage.live("web")["spec"]["source"]["targetRevision"],
        "main"
    );
}
