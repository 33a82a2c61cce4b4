//! Short ways to say what tests do with a mesh.

use std::{collections::BTreeMap, time::Duration};

use causeway_proto::inventory::v1::{
    Application, ApplicationFilter, ApplicationView, ListApplicationsRequest,
    application_service_client::ApplicationServiceClient,
};
use causeway_sandbox::Sandbox;
use causeway_testkit::{Mesh, wait_until};
use kube::{
    Api,
    api::{ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, PostParams},
    core::GroupVersionKind,
};
use serde_json::{Value, json};
use tonic::Status;

pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// Uid and resource version by namespace and name.
pub(crate) type Names = BTreeMap<(String, String), (String, u64)>;

pub(crate) fn applications(sandbox: &Sandbox) -> Api<DynamicObject> {
    let kind = GroupVersionKind::gvk("argoproj.io", "v1alpha1", "Application");
    let resource = ApiResource::from_gvk(&kind);
    Api::namespaced_with(sandbox.kube().client(), "argocd", &resource)
}

/// An Application without status, of a repository that need not be there.
pub(crate) fn application(sandbox: &Sandbox, name: &str) -> Value {
    json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name, "namespace": "argocd"},
        "spec": {
            "project": "default",
            "source": {"repoURL": sandbox.git_url("apps"), "path": name, "targetRevision": "main"},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
        },
    })
}

/// Creates; tried again where the cluster refuses for the moment.
pub(crate) async fn create(sandbox: &Sandbox, object: &Value) {
    let object: DynamicObject = serde_json::from_value(object.clone()).unwrap();
    let api = applications(sandbox);
    again("create", async || {
        api.create(&PostParams::default(), &object).await
    })
    .await;
}

pub(crate) async fn change(sandbox: &Sandbox, name: &str, patch: &Value) {
    let api = applications(sandbox);
    again("change", async || {
        api.patch(name, &PatchParams::default(), &Patch::Merge(patch))
            .await
    })
    .await;
}

pub(crate) async fn delete(sandbox: &Sandbox, name: &str) {
    let api = applications(sandbox);
    again("delete", async || {
        api.delete(name, &DeleteParams::default()).await
    })
    .await;
}

async fn again<T>(what: &str, call: impl AsyncFn() -> Result<T, kube::Error>) {
    wait_until(what, PATIENCE, async || {
        call().await.map(drop).map_err(|error| error.to_string())
    })
    .await;
}

/// All pages of the list of a runtime.
pub(crate) async fn list(mesh: &Mesh, runtime: &str) -> Result<Vec<Application>, Status> {
    list_by(&mut mesh.applications(), runtime).await
}

pub(crate) async fn list_by(
    client: &mut ApplicationServiceClient<causeway_client::Peer>,
    runtime: &str,
) -> Result<Vec<Application>, Status> {
    let mut request = ListApplicationsRequest {
        filter: Some(ApplicationFilter {
            runtime: runtime.to_owned(),
            ..ApplicationFilter::default()
        }),
        view: ApplicationView::Full.into(),
        page_size: 7,
        ..ListApplicationsRequest::default()
    };
    let mut all = Vec::new();
    loop {
        let page = client
            .list_applications(request.clone())
            .await?
            .into_inner();
        all.extend(page.applications);
        if page.next_page_token.is_empty() {
            return Ok(all);
        }
        request.page_token = page.next_page_token;
    }
}

pub(crate) fn told(applications: &[Application]) -> Names {
    let entry = |it: &Application| {
        let name = (it.namespace.clone(), it.name.clone());
        (name, (it.uid.clone(), it.resource_version))
    };
    applications.iter().map(entry).collect()
}

pub(crate) fn truth(sandbox: &Sandbox) -> Names {
    let truth = sandbox.kube().snapshot();
    let applications = truth.objects.iter().filter(|it| it.kind == "Application");
    let named = applications.map(|it| {
        let name = (it.namespace.clone(), it.name.clone());
        (name, (it.uid.clone(), it.resource_version))
    });
    named.collect()
}

/// Waits until the platform tells exactly what the cluster of `east` holds.
pub(crate) async fn until_told(mesh: &Mesh) -> Names {
    wait_until("the list is the truth", PATIENCE, async || {
        let told = list(mesh, "east").await;
        let told = told.map_err(|status| status.to_string())?;
        let (told, truth) = (told_once(&told)?, truth(mesh.sandbox()));
        if told == truth {
            Ok(told)
        } else {
            Err(difference(&told, &truth))
        }
    })
    .await
}

fn told_once(applications: &[Application]) -> Result<Names, String> {
    let names = told(applications);
    if names.len() == applications.len() {
        Ok(names)
    } else {
        Err("an application is listed twice".to_owned())
    }
}

fn difference(told: &Names, truth: &Names) -> String {
    let ghosts: Vec<_> = told
        .iter()
        .filter(|(name, _)| !truth.contains_key(name))
        .collect();
    let missing: Vec<_> = truth
        .iter()
        .filter(|it| told.get(it.0) != Some(it.1))
        .collect();
    format!("ghosts {ghosts:?}, missing or old {missing:?}")
}
