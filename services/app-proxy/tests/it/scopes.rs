//! What is there for whom: two teams on one runtime, and a runtime that allows less than the platform.

use std::sync::{Arc, Mutex};

use causeway_app_proxy::Handler;
use causeway_argocd::ArgocdArgs;
use causeway_assertion::Scope;
use causeway_proto::{
    error::v1::Reason,
    proxy::v1::{self as pb, application_action_service_server::ApplicationActionService as _},
};
use serde_json::json;
use tonic::{Code, Status};

use crate::stage::{
    ALL, Stage, by_user, delete, new_id, refresh as refresh_once, refused, rollback, sync,
    terminate,
};

fn scope(rules: &str) -> Scope {
    serde_json::from_str(&format!(r#"{{"role":"operator","rules":{rules}}}"#)).unwrap()
}

fn shop() -> Scope {
    scope(r#"[{"projects":["shop"]}]"#)
}

fn live(name: &str) -> pb::GetLiveApplicationRequest {
    pb::GetLiveApplicationRequest {
        runtime: "local".to_owned(),
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
    }
}

fn refresh(name: &str) -> pb::RefreshApplicationRequest {
    refresh_once(name, &new_id())
}

fn set(name: &str) -> pb::SetApplicationSourceRequest {
    pb::SetApplicationSourceRequest {
        runtime: "local".to_owned(),
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
        request_id: new_id(),
        target_revision: "main".to_owned(),
        ..pb::SetApplicationSourceRequest::default()
    }
}

/// An application of a project that Argo CD leaves alone, since it has no such project.
fn of_project(stage: &Stage, name: &str, project: &str) {
    let spec = json!({
        "project": project,
        "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
        "source": {"repoURL": stage.sandbox.git_url("apps"), "path": "web", "targetRevision": "main"},
    });
    stage.write(name, &json!({"spec": spec}));
}

/// Every call, with what it was answered.
async fn answers(handler: &Handler, user: &str, scope: &Scope, name: &str) -> [Status; 7] {
    fn by<T>(user: &str, scope: &Scope, message: T) -> tonic::Request<T> {
        by_user(user, scope.clone(), message)
    }
    let id = new_id;
    let read = handler.get_live_application(by(user, scope, live(name)));
    let synced = handler.sync_application(by(user, scope, sync(name, &id())));
    let refreshed = handler.refresh_application(by(user, scope, refresh(name)));
    let ended = handler.terminate_operation(by(user, scope, terminate(name, &id())));
    let rolled_back = handler.rollback_application(by(user, scope, rollback(name, &id())));
    let deleted = handler.delete_application(by(user, scope, delete(name, &id(), "")));
    let set = handler.set_application_source(by(user, scope, set(name)));
    [
        set.await.map(drop).unwrap_err(),
        read.await.map(drop).unwrap_err(),
        synced.await.map(drop).unwrap_err(),
        refreshed.await.map(drop).unwrap_err(),
        ended.await.map(drop).unwrap_err(),
        rolled_back.await.map(drop).unwrap_err(),
        deleted.await.map(drop).unwrap_err(),
    ]
}

/// What the client of the cluster was asked, without names.
type RequestIdentity = Arc<Mutex<Vec<String>>>;

fn recorded(client: &kube::Client) -> (kube::Client, RequestIdentity) {
    let asked = RequestIdentity::default();
    let (inner, told) = (client.clone(), asked.clone());
    let service = tower::service_fn(move |request: http::Request<kube::client::Body>| {
        let path = request.uri().path();
        let kind = if path.ends_with("/applications") {
            "list"
        } else {
            "get"
        };
        told.lock()
            .unwrap()
            .push(format!("{} {kind}", request.method()));
        let inner = inner.clone();
        async move { inner.send(request).await }
    });
    (kube::Client::new(service, "default"), asked)
}

#[tokio::test]
async fn n_33_s_57_an_absent_a_foreign_and_a_forbidden_application_get_one_answer_by_the_same_calls()
 {
    let stage = Stage::set().await;
    of_project(&stage, "mine", "shop");
    let (client, asked) = recorded(&stage.sandbox.kube().client());
    let handler = Stage::handler_on(client, ALL, &ArgocdArgs::default());
    for pair in 0..20 {
        let there = format!("app-{pair}-there");
        let gone = format!("app-{pair}-never");
        of_project(&stage, &there, "bank");
        let mut told = Vec::new();
        for name in [&there, &gone] {
            let answers = answers(&handler, "ada", &shop(), name).await;
            let calls = std::mem::take(&mut *asked.lock().unwrap());
            let texts = answers.map(|status| {
                refused(&status, Code::NotFound, Reason::ApplicationUnknown, name);
                let details = String::from_utf8_lossy(status.details()).into_owned();
                let text = status.message().replace(name, "NAME");
                (text, details.replace(name, "NAME"))
            });
            told.push((texts, calls));
        }
        assert_eq!(told[0], told[1]);
        assert_eq!(told[0].1.len(), 14, "{:?}", told[0].1);
    }
}

#[tokio::test]
async fn n_33_near_names_are_those_that_the_caller_may_see() {
    let stage = Stage::set().await;
    of_project(&stage, "checkout", "shop");
    of_project(&stage, "checkout-secret", "bank");
    let handler = stage.by_patch();
    for (scope, allowed, near) in [
        (shop(), true, "argocd/checkout?"),
        (
            scope(r#"[{"projects":["bank"]}]"#),
            true,
            "argocd/checkout-secret?",
        ),
        (scope(r#"[{"projects":["none"]}]"#), false, "app list"),
    ] {
        for status in answers(&handler, "ada", &scope, "checkout-s").await {
            refused(&status, Code::NotFound, Reason::ApplicationUnknown, near);
            assert_eq!(
                status.message().contains("did you mean"),
                allowed,
                "{status}"
            );
            assert!(!status.message().contains(" or "), "{status}");
        }
    }
}

#[tokio::test]
async fn s_32_a_caller_acts_on_what_is_in_scope_and_changes_nothing_else() {
    let stage = Stage::set().await;
    of_project(&stage, "mine", "shop");
    of_project(&stage, "theirs", "bank");
    let handler = stage.by_patch();
    let read = handler.get_live_application(by_user("ada", shop(), live("mine")));
    let read = read.await.unwrap().into_inner();
    assert!(String::from_utf8_lossy(&read.manifest).contains("\"shop\""));
    answers(&handler, "ada", &shop(), "theirs").await;
    let theirs = stage.live("theirs");
    assert!(theirs["operation"].is_null() && theirs["metadata"]["annotations"].is_null());
    // What left the scope while it was used is out of reach at once.
    of_project(&stage, "mine", "bank");
    answers(&handler, "ada", &shop(), "mine").await;
}

#[tokio::test]
async fn s_32_the_list_of_the_runtime_holds_for_subjects_methods_and_selectors() {
    let stage = Stage::set().await;
    of_project(&stage, "mine", "shop");
    of_project(&stage, "theirs", "bank");
    let everything = Scope::everything("admin");
    let handler = stage.handler(
        "read:project=shop,refresh:project=shop:user=ada",
        &ArgocdArgs::default(),
    );
    let refreshed =
        handler.refresh_application(by_user("ada", everything.clone(), refresh("mine")));
    refreshed.await.unwrap();
    let denied = handler.refresh_application(by_user("bob", everything.clone(), refresh("mine")));
    let denied = denied.await.unwrap_err();
    let (code, reason) = (Code::PermissionDenied, Reason::RuntimePolicy);
    refused(&denied, code, reason, "does not allow bob to refresh");
    let denied =
        handler.sync_application(by_user("ada", everything.clone(), sync("mine", &new_id())));
    refused(&denied.await.unwrap_err(), code, reason, "--allow sync");
    // A key of the platform that says everything does not even learn what else there is.
    for name in ["theirs", "never"] {
        let hidden = handler.refresh_application(by_user("ada", everything.clone(), refresh(name)));
        let hidden = hidden.await.unwrap_err();
        let text = format!("there is no application argocd/{name}; 'causeway app list'");
        refused(&hidden, Code::NotFound, Reason::ApplicationUnknown, &text);
    }
}

#[tokio::test]
async fn s_43_a_broken_application_is_told_of_to_those_alone_who_may_touch_all() {
    let stage = Stage::set().await;
    let spec = json!({"project": "shop", "source": {"path": 5}});
    stage.write("broken", &json!({"spec": spec}));
    let limited = stage.handler("read:name=*", &ArgocdArgs::default());
    for (handler, scope, code) in [
        (
            stage.by_patch(),
            Scope::everything("admin"),
            Code::FailedPrecondition,
        ),
        (stage.by_patch(), shop(), Code::NotFound),
        (limited, Scope::everything("admin"), Code::NotFound),
    ] {
        let read = handler.get_live_application(by_user("ada", scope, live("broken")));
        assert_eq!(read.await.unwrap_err().code(), code);
    }
}
