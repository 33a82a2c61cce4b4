//! Discovers argocd-server: through its Service inside the cluster, through a forwarded pod port outside.

use k8s_openapi::api::core::v1::{Pod, Service};
use kube::{Api, api::ListParams};
use reqwest::Url;

use crate::{
    ArgocdError, Cluster,
    connect::Location,
    error::root_cause,
    port_forward::{PortForward, Target},
};

const LABEL: &str = "app.kubernetes.io/name=argocd-server";
const POD_PORT: u16 = 8080;

/// Address of argocd-server. Dropping it closes the forwarded port.
pub(crate) struct ServerRoute {
    pub(crate) url: Url,
    _forward: Option<PortForward>,
}

impl ServerRoute {
    pub(crate) fn from_url(url: Url) -> Self {
        Self {
            url,
            _forward: None,
        }
    }
}

pub(crate) async fn find(cluster: &Cluster, namespace: &str) -> Result<ServerRoute, ArgocdError> {
    match cluster.location() {
        Location::Inside => find_service(cluster, namespace)
            .await
            .map(ServerRoute::from_url),
        Location::Outside => forward(cluster, namespace).await,
    }
}

async fn find_service(cluster: &Cluster, namespace: &str) -> Result<Url, ArgocdError> {
    let services: Api<Service> = Api::namespaced(cluster.client(), namespace);
    let listed = services.list(&ListParams::default().labels(LABEL)).await;
    let listed = listed.map_err(|error| not_found(&root_cause(&error)))?;
    let named = |service: &Service| Some((service.metadata.name.clone()?, https_port(service)?));
    let (name, port) = listed.iter().find_map(named).ok_or_else(|| {
        not_found(&format!(
            "namespace {namespace} has no Service labelled {LABEL}"
        ))
    })?;
    let text = format!("https://{name}.{namespace}.svc:{port}");
    Url::parse(&text).map_err(|error| not_found(&error.to_string()))
}

fn https_port(service: &Service) -> Option<i32> {
    let ports = service.spec.as_ref()?.ports.as_ref()?;
    let secure = ports
        .iter()
        .find(|port| port.name.as_deref() == Some("https") || port.port == 443);
    secure.or_else(|| ports.first()).map(|port| port.port)
}

async fn forward(cluster: &Cluster, namespace: &str) -> Result<ServerRoute, ArgocdError> {
    let pods: Api<Pod> = Api::namespaced(cluster.client(), namespace);
    let listed = pods.list(&ListParams::default().labels(LABEL)).await;
    let listed = listed.map_err(|error| not_found(&root_cause(&error)))?;
    let pod = listed.iter().find(|pod| is_running(pod)).ok_or_else(|| {
        not_found(&format!(
            "namespace {namespace} has no running pod labelled {LABEL}"
        ))
    })?;
    let target = Target {
        pods,
        pod: pod.metadata.name.clone().unwrap_or_default(),
        port: POD_PORT,
    };
    let forward = PortForward::open(target).await;
    let forward = forward.map_err(|error| not_found(&error.to_string()))?;
    let text = format!("https://localhost:{}", forward.address().port());
    let url = Url::parse(&text).map_err(|error| not_found(&error.to_string()))?;
    Ok(ServerRoute {
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

fn not_found(cause: &str) -> ArgocdError {
    ArgocdError::ServerNotFound {
        cause: cause.to_owned(),
    }
}
