//! Registers a cluster with another cluster's Argo CD: a Secret, as `argocd cluster add` writes it.

use std::path::Path;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use kube::config::Kubeconfig;
use serde_json::{Value, json};

use crate::error::ClusterError;

/// The Secret for the cluster of an administrator's kubeconfig.
pub(crate) fn secret(
    namespace: &str,
    name: &str,
    kubeconfig: &Path,
) -> Result<Value, ClusterError> {
    let unusable = |cause: String| ClusterError::Kubeconfig {
        path: kubeconfig.to_owned(),
        cause,
    };
    let read = Kubeconfig::read_from(kubeconfig).map(serde_json::to_value);
    let read = read.map_err(|error| unusable(error.to_string()))?;
    let read = read.map_err(|error| unusable(error.to_string()))?;
    let (cluster, user) = (&read["clusters"][0]["cluster"], &read["users"][0]["user"]);
    let config = json!({
        "bearerToken": user["token"],
        "tlsClientConfig": {
            "caData": cluster["certificate-authority-data"],
            "certData": user["client-certificate-data"],
            "keyData": user["client-key-data"],
        },
    });
    let data = [
        ("name", name.to_owned()),
        (
            "server",
            cluster["server"].as_str().unwrap_or_default().to_owned(),
        ),
        ("config", config.to_string()),
    ];
    let data: serde_json::Map<_, _> = data
        .into_iter()
        .map(|(name, value)| (name.to_owned(), STANDARD.encode(value).into()))
        .collect();
    Ok(json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "Opaque",
        "metadata": {
            "name": format!("cluster-{name}"),
            "namespace": namespace,
            "labels": {"argocd.argoproj.io/secret-type": "cluster"},
        },
        "data": data,
    }))
}
