//! Secrets of a cluster never reach the platform: not its answers, not its files.

use std::{fs, path::Path};

use causeway_proto::{
    inventory::v1::{GetApplicationRequest, GetManifestRequest},
    proxy::v1::GetLiveApplicationRequest,
};
use causeway_sandbox::{Sandbox, SandboxOptions};
use causeway_testkit::{Mesh, wait_until};
use prost::Message as _;
use serde_json::{Value, json};

use crate::world::{PATIENCE, application, create};

const IN_SECRET: &str = "canary-kept-in-a-secret";
/// The same as the API server keeps it.
const IN_SECRET_ENCODED: &str = "Y2FuYXJ5LWtlcHQtaW4tYS1zZWNyZXQ=";
const IN_ANNOTATION: &str = "canary-kept-in-last-applied";
const IN_ENVIRONMENT: &str = "canary-kept-in-the-environment";
const IN_ADDRESS: &str = "canary-kept-in-the-address";
const IN_MESSAGE: &str = "canary-kept-in-a-message";
const CANARIES: [&str; 6] = [
    IN_SECRET,
    IN_SECRET_ENCODED,
    IN_ANNOTATION,
    IN_ENVIRONMENT,
    IN_ADDRESS,
    IN_MESSAGE,
];

fn last_applied() -> Value {
    let copy =
        json!({"apiVersion": "v1", "kind": "Secret", "stringData": {"password": IN_ANNOTATION}});
    json!({"kubectl.kubernetes.io/last-applied-configuration": copy.to_string()})
}

fn manifests() -> [(&'static str, String); 2] {
    let secret = json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "keys", "annotations": last_applied()},
        "stringData": {"password": IN_SECRET},
    });
    let deployment = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "shop", "annotations": last_applied()},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": {"app": "shop"}},
            "template": {
                "metadata": {"labels": {"app": "shop"}},
                "spec": {"containers": [{
                    "name": "shop",
                    "image": "shop:1",
                    "env": [{"name": "API_TOKEN", "value": IN_ENVIRONMENT}],
                }]},
            },
        },
    });
    [
        ("shop/secret.yaml", secret.to_string()),
        ("shop/deployment.yaml", deployment.to_string()),
    ]
}

async fn make_shop(sandbox: &Sandbox) {
    let files = manifests();
    let files = files.each_ref().map(|(path, text)| (*path, text.as_str()));
    sandbox.push("apps", &files, "Add the shop").await.unwrap();
    let mut shop = application(sandbox, "shop");
    shop["metadata"]["annotations"] = last_applied();
    shop["spec"]["syncPolicy"] = json!({"automated": {}});
    create(sandbox, &shop).await;
}

/// An Application of another Argo CD, with a status that the sandbox's own leaves alone.
fn make_foreign(sandbox: &Sandbox) {
    let message = format!(
        "cannot fetch https://user:{IN_MESSAGE}@git.example.com/x.git: Authorization: Bearer {IN_MESSAGE}"
    );
    let mut foreign = application(sandbox, "foreign");
    foreign["metadata"]["namespace"] = json!("default");
    foreign["metadata"]["annotations"] = last_applied();
    foreign["spec"]["source"]["repoURL"] =
        json!(format!("https://user:{IN_ADDRESS}@git.example.com/x.git"));
    foreign["status"] = json!({
        "sync": {"status": "Unknown"},
        "health": {"status": "Degraded", "message": message},
        "conditions": [{"type": "ComparisonError", "message": message}],
        "operationState": {
            "phase": "Failed",
            "message": message,
            "startedAt": "2026-01-01T00:00:00Z",
            "operation": {},
            "syncResult": {
                "revision": "",
                "source": foreign["spec"]["source"],
                "resources": [{"group": "", "version": "v1", "kind": "Secret", "namespace": "a", "name": "b", "message": message}],
            },
        },
        "history": [{
            "id": 1,
            "revision": "",
            "deployedAt": "2026-01-01T00:00:00Z",
            "source": foreign["spec"]["source"],
        }],
    });
    let written = sandbox
        .kube()
        .write_raw("applications.argoproj.io", foreign);
    assert!(written.is_some());
}

fn assert_clean(what: &str, bytes: &[u8]) {
    for canary in CANARIES {
        let found = bytes
            .windows(canary.len())
            .any(|window| window == canary.as_bytes());
        assert!(!found, "{what} holds {canary}");
    }
}

async fn get(
    mesh: &Mesh,
    namespace: &str,
    name: &str,
) -> Result<causeway_proto::inventory::v1::Application, String> {
    let request = GetApplicationRequest {
        runtime: "east".to_owned(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        ..GetApplicationRequest::default()
    };
    let answer = mesh.applications().get_application(request).await;
    let answer = answer.map_err(|status| status.to_string())?;
    Ok(answer.into_inner().application.unwrap())
}

/// All digests of live and desired manifests, in hex.
async fn digests(mesh: &Mesh) -> Vec<String> {
    wait_until("the shop's manifests are told", PATIENCE, async || {
        let shop = get(mesh, "argocd", "shop").await?;
        let resources = shop.status.unwrap_or_default().resources;
        let both = |kind: &str| {
            let it = resources.iter().find(|it| it.kind == kind);
            it.is_some_and(|it| !it.live_digest.is_empty() && !it.desired_digest.is_empty())
        };
        if !both("Secret") || !both("Deployment") {
            return Err(format!("{resources:?}"));
        }
        let all = resources
            .iter()
            .flat_map(|it| [&it.live_digest, &it.desired_digest]);
        let hex = |digest: &[u8]| digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(all.filter(|it| !it.is_empty()).map(|it| hex(it)).collect())
    })
    .await
}

async fn assert_live_is_clean(mesh: &Mesh, namespace: &str, name: &str) {
    let request = GetLiveApplicationRequest {
        runtime: "east".to_owned(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    };
    let live = mesh.actions().get_live_application(request).await.unwrap();
    assert_clean(name, &live.into_inner().manifest);
}

fn assert_files_are_clean(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).unwrap();
    let counts = entries.map(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return assert_files_are_clean(&path);
        }
        assert_clean(&path.display().to_string(), &fs::read(&path).unwrap());
        1
    });
    counts.sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_of_the_cluster_reaches_the_platform() {
    let mut mesh = Mesh::start(SandboxOptions::in_memory()).await;
    make_shop(mesh.sandbox()).await;
    make_foreign(mesh.sandbox());
    let foreign = wait_until("the other application is told", PATIENCE, async || {
        get(&mesh, "default", "foreign").await
    })
    .await;
    assert_clean("foreign", &foreign.encode_to_vec());
    let message = foreign.status.unwrap().health.unwrap().message;
    assert!(message.contains("git.example.com"), "{message}");
    for digest_hex in digests(&mesh).await {
        let request = GetManifestRequest {
            digest_hex: digest_hex.clone(),
            ..GetManifestRequest::default()
        };
        let manifest = mesh.applications().get_manifest(request).await.unwrap();
        assert_clean(&digest_hex, &manifest.into_inner().content);
    }
    let shop = get(&mesh, "argocd", "shop").await.unwrap();
    assert_clean("shop", &shop.encode_to_vec());
    assert_live_is_clean(&mesh, "argocd", "shop").await;
    assert_live_is_clean(&mesh, "default", "foreign").await;
    for part in ["platform", "inventory", "tunnel-server"] {
        assert!(assert_files_are_clean(&mesh.folder().join(part)) > 0);
    }
    mesh.inventory.stop().await;
    assert_files_are_clean(&mesh.folder().join("inventory"));
    mesh.stop().await;
}
