//! Finds argocd-server: by its Service from inside the cluster, by a forwarded port of one of its pods from outside.

use k8s_openapi::api::core::v1::{Pod, Service};
use kube::{Api, api::ListParams};
use reqwest::Url;

use crate::{
    ArgocdError, Cluster,
    cluster::Place,
    error::root_cause,
    forward::{Forward, Target},
};

const LABEL: &str = "app.kubernetes.io/name=argocd-server";
const POD_PORT: u16 = 8080;

/// A way to argocd-server. A forwarded port is open as long as this lives.
pub(crate) struct Found {
    pub(crate) url: Url,
    _forward: Option<Forward>,
}

impl Found {
    pub(crate) fn at(url: Url) -> Self {
        Self {
            url,
            _forward: None,
        }
    }
}

pub(crate) async fn find(cluster: &Cluster, namespace: &str) -> Result<Found, ArgocdError> {
    match cluster.place() {
        Place::Inside => find_service(cluster, namespace).await.map(Found::at),
        Place::Outside => forward(cluster, namespace).await,
    }
}

async fn find_service(cluster: &Cluster, namespace: &str) -> Result<Url, ArgocdError> {
    let services: Api<Service> = Api::namespaced(cluster.client(), namespace);
    let listed = services.list(&ListParams::default().labels(LABEL)).await;
    let listed = listed.map_err(|error| undiscovered(&root_cause(&error)))?;
    let named = |service: &Service| Some((service.metadata.name.clone()?, https_port(service)?));
    let (name, port) = listed.iter().find_map(named).ok_or_else(|| {
        undiscovered(&format!(
            "namespace {namespace} has no Service labelled {LABEL}"
        ))
    })?;
    let text = format!("https://{name}.{namespace}.svc:{port}");
    Url::parse(&text).map_err(|error| undiscovered(&error.to_string()))
}

fn https_port(service: &Service) -> Option<i32> {
    let ports = service.spec.as_ref()?.ports.as_ref()?;
    let secure = ports
        .iter()
        .find(|port| port.name.as_deref() == Some("https") || port.port == 443);
    secure.or_else(|| ports.first()).map(|port| port.port)
}

async fn forward(cluster: &Cluster, namespace: &str) -> Result<Found, ArgocdError> {
    let pods: Api<Pod> = Api::namespaced(cluster.client(), namespace);
    let listed = pods.list(&ListParams::default().labels(LABEL)).await;
    let listed = listed.map_err(|error| undiscovered(&root_cause(&error)))?;
    let pod = listed.iter().find(|pod| is_running(pod)).ok_or_else(|| {
        undiscovered(&format!(
            "namespace {namespace} has no running pod labelled {LABEL}"
        ))
    })?;
    let target = Target {
        pods,
        pod: pod.metadata.name.clone().unwrap_or_default(),
        port: POD_PORT,
    };
    let forward = Forward::open(target).await;
    let forward = forward.map_err(|error| undiscovered(&error.to_string()))?;
    let text = format!("https://localhost:{}", forward.address().port());
    let url = Url::parse(&text).map_err(|error| undiscovered(&error.to_string()))?;
    Ok(Found {
        url,
        _forward: Some(forward),
    })
}

fn is_running(pod: &Pod) -> bool {
    let phase = pod
        .status
        .as_ref()
        .and_then(|status| status.phase.as_deref());
    phase == Some("Running") && pod.metadata.deletion_timestamp.is_none()
}

fn undiscovered(cause: &str) -> ArgocdError {
    ArgocdError::Undiscovered {
        cause: cause.to_owned(),
    }
}
