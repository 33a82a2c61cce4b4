//! The API server's own audit log, of the ServiceAccounts of some namespaces.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::{error::ClusterError, folder::Folder};

const POLICY: &str = "audit-policy.yaml";
/// Who reads it wants it whole: no file of a test becomes so large.
const MEBIBYTES: u32 = 10_000;

/// Path of the log.
pub(crate) fn log(folder: &Path) -> PathBuf {
    folder.join("log/audit.log")
}

/// Audit flags of kube-apiserver, none without an audit. Events are written before the response.
pub(crate) fn flags(folder: &Folder, namespaces: &[String]) -> Result<Vec<String>, ClusterError> {
    if namespaces.is_empty() {
        return Ok(Vec::new());
    }
    let path = folder.path().join(POLICY);
    let written = std::fs::write(&path, policy(namespaces));
    written.map_err(|source| ClusterError::Folder {
        path: path.clone(),
        source,
    })?;
    Ok(vec![
        format!("--audit-policy-file={}", path.display()),
        format!("--audit-log-path={}", log(folder.path()).display()),
        format!("--audit-log-maxsize={MEBIBYTES}"),
        "--audit-log-mode=blocking".to_owned(),
    ])
}

/// YAML that is JSON: who, what, on what, and what came of it, without bodies.
fn policy(namespaces: &[String]) -> String {
    let groups: Vec<_> = namespaces
        .iter()
        .map(|namespace| format!("system:serviceaccounts:{namespace}"))
        .collect();
    let policy = json!({
        "apiVersion": "audit.k8s.io/v1",
        "kind": "Policy",
        "omitStages": ["RequestReceived"],
        "rules": [{"level": "Metadata", "userGroups": groups}, {"level": "None"}],
    });
    policy.to_string()
}
