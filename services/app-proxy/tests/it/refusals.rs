//! What is not done, and what is said about it.

use causeway_argocd::ArgocdArgs;
use causeway_assertion::{Scope, ScopeRule};
use causeway_proto::{
    error::v1::Reason,
    proxy::v1::{self as pb, application_action_service_server::ApplicationActionService as _},
};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    task::JoinSet,
};
use tonic::Code;

use crate::stage::{ALL, Stage, by, by_admin, new_id, refused, sync};

#[tokio::test]
async fn what_is_not_on_the_list_is_denied_with_the_flag() {
    let stage = Stage::set().await;
    let reader = stage.handler("read", &ArgocdArgs::default());
    let denied = reader
        .sync_application(by_admin(sync("web", &new_id())))
        .await
        .unwrap_err();
    refused(
        &denied,
        Code::PermissionDenied,
        Reason::RuntimePolicy,
        "--allow sync",
    );
    let refresh = pb::RefreshApplicationRequest {
        namespace: "argocd".to_owned(),
        name: "web".to_owned(),
        request_id: new_id(),
        ..pb::RefreshApplicationRequest::default()
    };
    let denied = reader
        .refresh_application(by_admin(refresh))
        .await
        .unwrap_err();
    refused(
        &denied,
        Code::PermissionDenied,
        Reason::RuntimePolicy,
        "--allow refresh",
    );
    assert!(stage.live("web")["metadata"]["annotations"].is_null());
    assert!(stage.live("web")["operation"].is_null());
}

#[tokio::test]
async fn an_unknown_application_is_answered_with_near_names() {
    let stage = Stage::set().await;
    let unknown = stage
        .by_patch()
        .sync_application(by_admin(sync("wbe", &new_id())))
        .await;
    refused(
        &unknown.unwrap_err(),
        Code::NotFound,
        Reason::ApplicationUnknown,
        "did you mean argocd/web?",
    );
}

/// A right to list everywhere is what such a runtime does not have.
#[tokio::test]
async fn near_names_are_looked_for_in_the_namespaces_of_the_runtime() {
    let stage = Stage::set().await;
    for (namespaces, words) in [
        (&["elsewhere", "argocd"][..], "did you mean argocd/web?"),
        (&["elsewhere"][..], "'causeway app list' shows all"),
    ] {
        let handler = stage.within(namespaces);
        let unknown = handler
            .sync_application(by_admin(sync("wbe", &new_id())))
            .await;
        let unknown = unknown.unwrap_err();
        refused(&unknown, Code::NotFound, Reason::ApplicationUnknown, words);
    }
}

#[tokio::test]
async fn an_application_out_of_scope_is_as_if_it_were_not_there() {
    let stage = Stage::set().await;
    let scope = Scope {
        rules: vec![ScopeRule {
            projects: vec!["other".to_owned()],
            ..ScopeRule::default()
        }],
        ..Scope::default()
    };
    let handler = stage.by_patch();
    let hidden = handler
        .sync_application(by(scope, sync("web", &new_id())))
        .await
        .unwrap_err();
    refused(
        &hidden,
        Code::NotFound,
        Reason::ApplicationUnknown,
        "there is no application argocd/web; 'causeway app list'",
    );
}

#[tokio::test]
async fn an_operation_of_somebody_else_is_named_and_left_alone() {
    let stage = Stage::set().await;
    let running = json!({
        "phase": "Running", "startedAt": "2026-01-01T00:00:00Z",
        "operation": {"initiatedBy": {"username": "alice"}, "sync": {}},
    });
    // Argo CD leaves an Application of another namespace alone, so that the operation stays as it is.
    let metadata = json!({"namespace": "default", "name": "busy"});
    stage.write(
        "busy",
        &json!({"metadata": metadata, "status": {"operationState": running}}),
    );
    let request = pb::SyncApplicationRequest {
        namespace: "default".to_owned(),
        ..sync("busy", &new_id())
    };
    let busy = stage
        .by_patch()
        .sync_application(by_admin(request))
        .await
        .unwrap_err();
    refused(
        &busy,
        Code::FailedPrecondition,
        Reason::OperationInProgress,
        "started by alice at 2026-01-01T00:00:00Z",
    );
}

#[tokio::test]
async fn a_request_id_stands_for_one_request() {
    let stage = Stage::set().await;
    stage.write("other", &json!({}));
    let (handler, id) = (stage.by_api(), new_id());
    handler
        .sync_application(by_admin(sync("web", &id)))
        .await
        .unwrap();
    let reused = handler
        .sync_application(by_admin(sync("other", &id)))
        .await
        .unwrap_err();
    refused(
        &reused,
        Code::InvalidArgument,
        Reason::FieldInvalid,
        "request_id",
    );
}

#[tokio::test]
async fn fields_are_checked_before_anything_is_asked() {
    let stage = Stage::set().await;
    let handler = stage.by_patch();
    for (request, field) in [
        (sync("web", "not-a-uuid"), "request_id"),
        (sync("../secrets", &new_id()), "name"),
        (sync("", &new_id()), "name"),
        (
            pb::SyncApplicationRequest {
                revision: "a b".to_owned(),
                ..sync("web", &new_id())
            },
            "revision",
        ),
    ] {
        let wrong = handler
            .sync_application(by_admin(request))
            .await
            .unwrap_err();
        refused(&wrong, Code::InvalidArgument, Reason::FieldInvalid, field);
    }
}

#[tokio::test]
async fn a_token_that_is_refused_is_told_and_a_new_one_counts_at_once() {
    let stage = Stage::set().await;
    let file = stage.token_file("wrong");
    let handler = stage.handler(
        ALL,
        &ArgocdArgs {
            argocd_server: Some(stage.sandbox.argocd_url().parse().unwrap()),
            argocd_token_file: Some(file),
            ..ArgocdArgs::default()
        },
    );
    let wrong = handler
        .sync_application(by_admin(sync("web", &new_id())))
        .await
        .unwrap_err();
    refused(
        &wrong,
        Code::FailedPrecondition,
        Reason::ArgocdTokenRefused,
        "--argocd-token-file",
    );
    stage.token_file(stage.sandbox.argocd_token());
    handler
        .sync_application(by_admin(sync("web", &new_id())))
        .await
        .unwrap();
}

#[tokio::test]
async fn an_argo_cd_that_does_not_answer_is_unavailable() {
    let stage = Stage::set().await;
    let address = causeway_testkit::reserved_address();
    let handler = stage.handler(
        ALL,
        &ArgocdArgs {
            argocd_server: Some(format!("http://{address}").parse().unwrap()),
            argocd_token_file: Some(stage.token_file("any")),
            ..ArgocdArgs::default()
        },
    );
    let down = handler
        .sync_application(by_admin(sync("web", &new_id())))
        .await
        .unwrap_err();
    refused(
        &down,
        Code::Unavailable,
        Reason::ArgocdUnavailable,
        "does not answer",
    );
}

/// An Argo CD whose token may sync and do nothing else, and its address.
async fn strict() -> (JoinSet<()>, String) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = vec![0; 16 * 1024];
            let length = stream.read(&mut request).await.unwrap();
            let (status, body) = if request[..length].starts_with(b"GET ") { ("200 OK", r#"{"value":"yes"}"#) } else { ("403 Forbidden", r#"{"code":7,"message":"permission denied"}"#) };
            let length = body.len();
            let answer = format!(
                "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
            );
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    (tasks, address)
}

#[tokio::test]
async fn a_revision_that_argo_cd_denies_is_not_synced_past_it() {
    let stage = Stage::set().await;
    let (_argocd, address) = strict().await;
    let handler = stage.handler(
        ALL,
        &ArgocdArgs {
            argocd_server: Some(address.parse().unwrap()),
            argocd_token_file: Some(stage.token_file("any")),
            ..ArgocdArgs::default()
        },
    );
    let other = pb::SyncApplicationRequest {
        revision: "other".to_owned(),
        ..sync("web", &new_id())
    };
    let denied = handler.sync_application(by_admin(other)).await.unwrap_err();
    refused(
        &denied,
        Code::NotFound,
        Reason::ApplicationUnknown,
        "its token may not see it",
    );
    let live = stage.live("web");
    assert!(live["operation"].is_null() && live["status"]["operationState"].is_null());
    // To what the Application asks for it is the cluster's, where another Argo CD may have it.
    let id = new_id();
    let own = handler.sync_application(by_admin(sync("web", &id))).await;
    own.unwrap();
    stage.ended("web", &id).await;
}
