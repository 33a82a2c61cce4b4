//! What a cluster says when it does not do something may quote what it was given, and is told without the secrets in it.

use causeway_argocd::ArgocdArgs;
use causeway_proto::proxy::v1::{
    self as pb, application_action_service_server::ApplicationActionService as _,
    log_service_server::LogService as _,
    resource_action_service_server::ResourceActionService as _,
    rollout_action_service_server::RolloutActionService as _,
    workflow_action_service_server::WorkflowActionService as _,
};
use http::Method;
use kube::client::Body;
use serde_json::json;
use tonic::{Code, Status};

use crate::{
    resources::of_project,
    stage::{ALL, Stage, by, by_admin, new_id, refresh},
};

const CANARY: &str = "c4n4ry-q00ted";

/// Where calls about objects go.
const OBJECTS: &str = "/namespaces/";

/// A way to the cluster that answers every call there by this method with this code, and quotes a credential.
fn quoting(
    cluster: &kube::Client,
    (method, there): (&Method, &'static str),
    code: u16,
) -> kube::Client {
    let (inner, method) = (cluster.clone(), method.clone());
    let service = tower::service_fn(move |request: http::Request<Body>| {
        let named = request.uri().path().contains(there) && request.method() == method;
        let inner = inner.clone();
        async move {
            if !named {
                return inner.send(request).await;
            }
            let status = json!({
                "apiVersion": "v1", "kind": "Status", "metadata": {}, "status": "Failure",
                "reason": "Odd", "code": code, "message": format!("a webhook says: --password={CANARY}"),
            });
            let answer = http::Response::builder().status(code);
            Ok(answer
                .body(Body::from(status.to_string().into_bytes()))
                .unwrap())
        }
    });
    kube::Client::new(service, "default")
}

fn quotes_nothing(status: &Status) {
    let said = status.message();
    assert!(
        said.contains("a webhook says") && !said.contains(CANARY),
        "{said}"
    );
}

fn map(name: &str) -> pb::GetLiveResourceRequest {
    pb::GetLiveResourceRequest {
        runtime: "local".to_owned(),
        kind: "ConfigMap".to_owned(),
        namespace: "default".to_owned(),
        name: name.to_owned(),
        ..pb::GetLiveResourceRequest::default()
    }
}

fn promote() -> pb::PromoteRolloutRequest {
    pb::PromoteRolloutRequest {
        runtime: "local".to_owned(),
        namespace: "default".to_owned(),
        name: "any".to_owned(),
        request_id: new_id(),
        full: false,
    }
}

#[tokio::test]
async fn what_the_cluster_says_of_a_call_that_it_refuses_is_told_without_secrets() {
    let stage = Stage::set().await;
    stage.define("Rollout", "rollouts");
    stage.define("Workflow", "workflows");
    let (none, cluster) = (ArgocdArgs::default(), stage.sandbox.kube().client());
    let denied = quoting(&cluster, (&Method::PATCH, OBJECTS), 403);
    let actions = Stage::handler_on(denied, ALL, &none);
    let written = actions.refresh_application(by_admin(refresh("web", &new_id())));
    quotes_nothing(&written.await.unwrap_err());
    for code in [403, 500, 503] {
        let client = || quoting(&cluster, (&Method::GET, OBJECTS), code);
        let actions = Stage::handler_on(client(), ALL, &none);
        let read = actions.refresh_application(by_admin(refresh("web", &new_id())));
        quotes_nothing(&read.await.unwrap_err());
        let resources = Stage::resources_on(client(), ALL, &none);
        let read = resources.get_live_resource(by_admin(map("any"))).await;
        quotes_nothing(&read.unwrap_err());
        let rollouts = Stage::rollouts_on(client(), ALL);
        let read = rollouts.promote_rollout(by_admin(promote())).await;
        quotes_nothing(&read.unwrap_err());
        let request = pb::StopWorkflowRequest {
            runtime: "local".to_owned(),
            namespace: "default".to_owned(),
            name: "any".to_owned(),
            request_id: new_id(),
        };
        let workflows = Stage::workflows_on(client(), ALL);
        let read = workflows.stop_workflow(by_admin(request)).await;
        quotes_nothing(&read.unwrap_err());
        let request = pb::StreamLogsRequest {
            runtime: "local".to_owned(),
            kind: "Pod".to_owned(),
            namespace: "default".to_owned(),
            name: "any".to_owned(),
            ..pb::StreamLogsRequest::default()
        };
        let logs = Stage::logs_on(client(), ALL, &none);
        let read = logs.handler.stream_logs(by_admin(request)).await;
        quotes_nothing(&read.map(drop).unwrap_err());
    }
}

#[tokio::test]
async fn what_goes_wrong_above_a_hidden_object_does_not_tell_that_it_is_there() {
    let stage = Stage::set().await;
    let mark = json!({"argocd.argoproj.io/tracking-id": "argocd_web:/ConfigMap:default/hidden"});
    let hidden = json!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"namespace": "default", "name": "hidden", "annotations": mark}});
    let kube = stage.sandbox.kube();
    kube.write_raw("configmaps", hidden).unwrap();
    let broken = quoting(&kube.client(), (&Method::GET, "/applications/"), 500);
    let resources = Stage::resources_on(broken, ALL, &ArgocdArgs::default());
    for name in ["hidden", "never"] {
        let read = by(of_project("shop"), map(name));
        let told = resources.get_live_resource(read).await.unwrap_err();
        assert_eq!(told.code(), Code::NotFound, "{name}: {told}");
    }
    let all = resources.get_live_resource(by_admin(map("hidden"))).await;
    assert_eq!(all.unwrap_err().code(), Code::Unavailable);
}
