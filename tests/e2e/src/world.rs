//! Applications of a mesh's clusters, and what is told of them.

use std::collections::BTreeMap;

use causeway_client::Peer;
use causeway_proto::inventory::v1::{
    ApplicationFilter, ListApplicationsRequest,
    application_service_client::ApplicationServiceClient,
};
use causeway_sandbox::Sandbox;
use causeway_testkit::wait_until;
use kube::{
    Api,
    api::{ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, PostParams},
    core::GroupVersionKind,
};
use serde_json::json;

use crate::program::SOON;

/// Uid and resource version by name.
pub(crate) type Names = BTreeMap<String, (String, u64)>;

fn applications(sandbox: &Sandbox) -> Api<DynamicObject> {
    let kind = GroupVersionKind::gvk("argoproj.io", "v1alpha1", "Application");
    let resource = ApiResource::from_gvk(&kind);
    Api::namespaced_with(sandbox.kube().client(), "argocd", &resource)
}

const SETTINGS: &str =
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  color: blue\n";

/// Gives an application something to sync.
pub(crate) async fn publish(sandbox: &Sandbox, name: &str) {
    let file = format!("{name}/settings.yaml");
    let files = [(file.as_str(), SETTINGS)];
    sandbox.push("apps", &files, "Add settings").await.unwrap();
}

pub(crate) async fn create(sandbox: &Sandbox, name: &str) {
    let object: DynamicObject = serde_json::from_value(json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name, "namespace": "argocd"},
        "spec": {
            "project": "default",
            "source": {"repoURL": sandbox.git_url("apps"), "path": name, "targetRevision": "main"},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
        },
    }))
    .unwrap();
    let (api, params) = (applications(sandbox), PostParams::default());
    api.create(&params, &object).await.unwrap();
}

pub(crate) async fn label(sandbox: &Sandbox, name: &str) {
    let patch = Patch::Merge(json!({"metadata": {"labels": {"changed": "later"}}}));
    let (api, params) = (applications(sandbox), PatchParams::default());
    api.patch(name, &params, &patch).await.unwrap();
}

pub(crate) async fn delete(sandbox: &Sandbox, name: &str) {
    let (api, params) = (applications(sandbox), DeleteParams::default());
    api.delete(name, &params).await.unwrap();
}

/// What a user is told of a runtime's applications.
pub(crate) async fn told(user: &Peer, runtime: &str) -> Result<Names, tonic::Status> {
    let request = ListApplicationsRequest {
        filter: Some(ApplicationFilter {
            runtime: runtime.to_owned(),
            ..ApplicationFilter::default()
        }),
        page_size: 100,
        ..ListApplicationsRequest::default()
    };
    let mut applications = ApplicationServiceClient::new(user.clone());
    let listed = applications.list_applications(request).await?;
    let listed = listed.into_inner().applications.into_iter();
    Ok(listed
        .map(|it| (it.name, (it.uid, it.resource_version)))
        .collect())
}

/// Waits until a user is told exactly what is in a runtime's cluster.
pub(crate) async fn until_told(user: &Peer, runtime: &str, sandbox: &Sandbox) -> Names {
    wait_until("the list is the truth", SOON, async || {
        let told = told(user, runtime).await;
        let told = told.map_err(|status| status.to_string())?;
        let truth = sandbox.kube().snapshot();
        let truth = truth.objects.iter().filter(|it| it.kind == "Application");
        let truth: Names = truth
            .map(|it| (it.name.clone(), (it.uid.clone(), it.resource_version)))
            .collect();
        if told == truth {
            Ok(told)
        } else {
            Err(format!("told {told:?}\ntruth {truth:?}"))
        }
    })
    .await
}
