//! Actions that Argo CD has for resources: listed, run once, and told as unknown where nobody can tell.

use std::time::Duration;

use causeway_app_proxy::ResourceHandler;
use causeway_argocd::ArgocdArgs;
use causeway_proto::{
    error::v1::Reason,
    proxy::v1::{
        self as pb, application_action_service_server::ApplicationActionService as _,
        resource_action_service_server::ResourceActionService as _,
    },
};
use causeway_testkit::wait_until;
use serde_json::{Value, json};
use tonic::{Code, Status};

use crate::{
    resources::of_project,
    stage::{ALL, Stage, by, by_admin, new_id, refused, sync},
};

const PATIENCE: Duration = Duration::from_secs(120);
const DEPLOYMENT: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d, namespace: default}\nspec:\n  selector: {matchLabels: {a: d}}\n  template:\n    metadata: {labels: {a: d}}\n    spec: {containers: [{name: main, image: 'nginx:1'}]}\n";

/// With an application `deployed` of one Deployment `d`.
async fn stage() -> Stage {
    let stage = Stage::set().await;
    let pushed = stage
        .sandbox
        .push("apps", &[("deployed/d.yaml", DEPLOYMENT)], "second")
        .await;
    pushed.unwrap();
    let spec = json!({
        "project": "default",
        "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
        "source": {"repoURL": stage.sandbox.git_url("apps"), "path": "deployed", "targetRevision": "main"},
    });
    stage.write("deployed", &json!({"spec": spec}));
    let id = new_id();
    stage
        .by_api()
        .sync_application(by_admin(sync("deployed", &id)))
        .await
        .unwrap();
    stage.ended("deployed", &id).await;
    stage
}

fn order() -> pb::RunResourceActionRequest {
    pb::RunResourceActionRequest {
        runtime: "local".to_owned(),
        group: "apps".to_owned(),
        kind: "Deployment".to_owned(),
        namespace: "default".to_owned(),
        name: "d".to_owned(),
        request_id: new_id(),
        action: "restart".to_owned(),
        ..pb::RunResourceActionRequest::default()
    }
}

async fn run(
    handler: &ResourceHandler,
    order: &pb::RunResourceActionRequest,
) -> Result<bool, Status> {
    let ran = handler.run_resource_action(by_admin(order.clone())).await?;
    Ok(ran.into_inner().repeated_request)
}

fn deployment(stage: &Stage) -> Value {
    let truth = stage.sandbox.kube().snapshot();
    truth
        .find("Deployment", "default", "d")
        .unwrap()
        .object
        .clone()
}

fn generation(stage: &Stage) -> u64 {
    deployment(stage)["metadata"]["generation"]
        .as_u64()
        .unwrap()
}

#[tokio::test]
async fn the_actions_of_a_resource_are_those_that_argo_cd_has() {
    let stage = stage().await;
    let request = pb::ListResourceActionsRequest {
        group: "apps".to_owned(),
        kind: "Deployment".to_owned(),
        namespace: "default".to_owned(),
        name: "d".to_owned(),
        ..pb::ListResourceActionsRequest::default()
    };
    let found = stage
        .resources()
        .list_resource_actions(by_admin(request.clone()))
        .await;
    let found = found.unwrap().into_inner().actions;
    let names: Vec<_> = found.iter().map(|it| (&*it.name, it.disabled)).collect();
    assert_eq!(
        names,
        [
            ("pause", false),
            ("restart", false),
            ("resume", true),
            ("scale", false)
        ]
    );
    let mut asked = request.clone();
    asked.page_size = 3;
    let (mut paged, mut sizes) = (Vec::new(), Vec::new());
    loop {
        let page = stage.resources();
        let page = page.list_resource_actions(by_admin(asked.clone())).await;
        let page = page.unwrap().into_inner();
        sizes.push(page.actions.len());
        paged.extend(page.actions);
        if page.next_page_token.is_empty() {
            break;
        }
        asked.page_token = page.next_page_token;
    }
    assert_eq!((paged, sizes), (found, vec![3, 1]));
    asked.name = "e".to_owned();
    let foreign = stage.resources();
    let foreign = foreign.list_resource_actions(by_admin(asked)).await;
    let foreign = foreign.map(drop).unwrap_err();
    refused(
        &foreign,
        Code::InvalidArgument,
        Reason::FieldInvalid,
        "page_token",
    );
    let hidden = stage.resources();
    let hidden = hidden
        .list_resource_actions(by(of_project("shop"), request))
        .await;
    let hidden = hidden.map(drop).unwrap_err();
    refused(
        &hidden,
        Code::NotFound,
        Reason::ResourceUnknown,
        "there is no Deployment",
    );
}

#[tokio::test]
async fn an_action_takes_what_argo_cd_has_for_it() {
    let stage = stage().await;
    let scale = |replicas: &str| {
        let mut order = order();
        order.action = "scale".to_owned();
        let replicas = ("replicas".to_owned(), replicas.to_owned());
        order.parameters.extend([replicas]);
        order
    };
    run(&stage.resources(), &scale("3")).await.unwrap();
    assert_eq!(deployment(&stage)["spec"]["replicas"], 3);
    // Argo CD has changed nothing, so that what came of it is known.
    let precondition = Code::FailedPrecondition;
    for _ in 0..2 {
        let wrong = run(&stage.resources(), &scale("many")).await.unwrap_err();
        refused(
            &wrong,
            precondition,
            Reason::PreconditionFailed,
            "many; 'causeway app actions list'",
        );
    }
    let mut unknown = order();
    unknown.action = "explode".to_owned();
    for _ in 0..2 {
        let unknown = run(&stage.resources(), &unknown).await.unwrap_err();
        refused(
            &unknown,
            precondition,
            Reason::PreconditionFailed,
            "explode Deployment default/d",
        );
    }
    assert_eq!(deployment(&stage)["spec"]["replicas"], 3);
}

#[tokio::test]
async fn an_action_is_run_once_whoever_is_asked_again() {
    let stage = stage().await;
    let order = order();
    let before = generation(&stage);
    assert!(!run(&stage.resources(), &order).await.unwrap());
    let after = generation(&stage);
    assert_eq!(after, before + 1);
    for _ in 0..3 {
        assert!(run(&stage.resources(), &order).await.unwrap());
    }
    assert_eq!(generation(&stage), after);
    let mut other = order.clone();
    other.action = "pause".to_owned();
    let reused = run(&stage.resources(), &other).await.unwrap_err();
    refused(
        &reused,
        Code::InvalidArgument,
        Reason::FieldInvalid,
        "another request",
    );
    assert_eq!(generation(&stage), after);
}

#[tokio::test]
async fn an_action_that_was_taken_up_and_not_told_has_an_unknown_outcome() {
    let stage = stage().await;
    let order = order();
    run(&stage.resources(), &order).await.unwrap();
    // As a process leaves it that ends while Argo CD is asked.
    let name = "causeway.dev/resource-action-requests";
    let mut live = stage.live("deployed");
    let text = live["metadata"]["annotations"][name].as_str().unwrap();
    live["metadata"]["annotations"][name] = text.replace("done", "begun").into();
    stage
        .sandbox
        .kube()
        .write_raw("applications.argoproj.io", live)
        .unwrap();
    let after = generation(&stage);
    let unsure = run(&stage.resources(), &order).await.unwrap_err();
    refused(
        &unsure,
        Code::Unavailable,
        Reason::OutcomeUnknown,
        "causeway resource live",
    );
    assert_eq!(generation(&stage), after);
}

#[tokio::test]
async fn what_argo_cd_does_not_take_may_be_asked_for_again() {
    let stage = stage().await;
    let order = order();
    let file = stage.token_file("wrong");
    let wrong = ArgocdArgs {
        argocd_server: Some(stage.sandbox.argocd_url().parse().unwrap()),
        argocd_token_file: Some(file),
        ..ArgocdArgs::default()
    };
    let handler = Stage::resources_on(stage.sandbox.kube().client(), ALL, &wrong);
    let refusal = run(&handler, &order).await.unwrap_err();
    assert_eq!(refusal.code(), Code::FailedPrecondition, "{refusal}");
    wait_until("it is run", PATIENCE, async || {
        run(&stage.resources(), &order)
            .await
            .map_err(|status| status.to_string())
    })
    .await;
    let annotations = &deployment(&stage)["spec"]["template"]["metadata"]["annotations"];
    assert!(annotations["kubectl.kubernetes.io/restartedAt"].is_string());
}

#[tokio::test]
async fn actions_need_the_runtimes_own_permission_and_an_application() {
    let stage = stage().await;
    let reads = Stage::resources_on(stage.sandbox.kube().client(), "read", &stage.argocd());
    let denied = run(&reads, &order()).await.unwrap_err();
    let (code, reason) = (Code::PermissionDenied, Reason::RuntimePolicy);
    refused(&denied, code, reason, "--allow resource-action");
    let mut alone = deployment(&stage);
    alone["metadata"] = json!({"namespace": "default", "name": "alone"});
    stage
        .sandbox
        .kube()
        .write_raw("deployments.apps", alone)
        .unwrap();
    let mut order = order();
    order.name = "alone".to_owned();
    let nobodys = run(&stage.resources(), &order).await.unwrap_err();
    let (code, reason) = (Code::FailedPrecondition, Reason::PreconditionFailed);
    refused(&nobodys, code, reason, "belongs to no application");
}
