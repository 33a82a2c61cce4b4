//! Demo of a new sandbox: a repository and three applications.
//!
//! Made once. What a user changes or deletes afterwards stays changed and deleted.

use serde_json::{Value, json};

use crate::{
    git::{Commit, GitServer},
    sandbox::StartError,
};

/// Initial content of a sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demo {
    None,
    /// plain YAML, an application of applications, and one that is broken on purpose
    Three,
}

/// The name of the demo's repository.
pub const REPOSITORY: &str = "demo";

const PLACE: &str = "{{REPOSITORY}}";
const FILES: [(&str, &str); 9] = [
    ("README.md", include_str!("demo/README.md")),
    (
        "guestbook/deployment.yaml",
        include_str!("demo/guestbook/deployment.yaml"),
    ),
    (
        "guestbook/service.yaml",
        include_str!("demo/guestbook/service.yaml"),
    ),
    (
        "guestbook/config.yaml",
        include_str!("demo/guestbook/config.yaml"),
    ),
    ("apps/podinfo.yaml", include_str!("demo/apps/podinfo.yaml")),
    ("apps/redis.yaml", include_str!("demo/apps/redis.yaml")),
    (
        "podinfo/podinfo.yaml",
        include_str!("demo/podinfo/podinfo.yaml"),
    ),
    ("redis/redis.yaml", include_str!("demo/redis/redis.yaml")),
    (
        "broken/deployment.yaml",
        include_str!("demo/broken/deployment.yaml"),
    ),
];

/// Makes the repository and the Applications, on a cluster of any kind that has Argo CD in this namespace. What is there already
/// stays as it is.
///
/// # Errors
/// Git or the cluster refuses.
pub async fn install(
    client: &kube::Client,
    git: &GitServer,
    namespace: &str,
) -> Result<(), StartError> {
    let url = git.url(REPOSITORY);
    let repository = git.create(REPOSITORY).await?;
    if repository.is_empty().await? {
        git.commit(REPOSITORY, &first_commit(&url)).await?;
    }
    let path = format!("/apis/argoproj.io/v1alpha1/namespaces/{namespace}/applications");
    for application in applications(namespace, &url) {
        create(client, &path, &application).await?;
    }
    Ok(())
}

/// Creates an object; one that is there already stays as it is.
pub(crate) async fn create(
    client: &kube::Client,
    path: &str,
    object: &Value,
) -> Result<(), StartError> {
    let failed = |error| StartError::Objects(Box::new(error));
    let request = http::Request::post(path)
        .header("content-type", "application/json")
        .body(object.to_string().into_bytes())
        .expect("the path and the header are fixed text");
    match client.request::<Value>(request).await {
        Ok(_) => Ok(()),
        Err(kube::Error::Api(status)) if status.code == 409 => Ok(()),
        Err(error) => Err(failed(error)),
    }
}

/// The repository's first commit; `url` is where it can be cloned from.
fn first_commit(url: &str) -> Commit {
    let commit = Commit::new("Add the demo applications");
    FILES.iter().fold(commit, |commit, (path, text)| {
        commit.write(path, text.replace(PLACE, url))
    })
}

/// The three Applications, all of them in `namespace`.
fn applications(namespace: &str, url: &str) -> Vec<Value> {
    let healed = json!({"automated": {"prune": true, "selfHeal": true}, "syncOptions": ["CreateNamespace=true"]});
    let once =
        json!({"automated": {}, "retry": {"limit": 0}, "syncOptions": ["CreateNamespace=true"]});
    vec![
        application(
            namespace,
            "guestbook",
            &source(url, "guestbook"),
            "guestbook",
            &healed,
        ),
        application(
            namespace,
            "platform-apps",
            &source(url, "apps"),
            namespace,
            &healed,
        ),
        application(namespace, "broken", &source(url, "broken"), "broken", &once),
    ]
}

fn source(url: &str, path: &str) -> Value {
    json!({"repoURL": url, "path": path, "targetRevision": "main"})
}

fn application(
    namespace: &str,
    name: &str,
    source: &Value,
    destination: &str,
    policy: &Value,
) -> Value {
    json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "finalizers": ["resources-finalizer.argocd.argoproj.io"],
        },
        "spec": {
            "project": "default",
            "source": source,
            "destination": {"server": "https://kubernetes.default.svc", "namespace": destination},
            "syncPolicy": policy,
        },
    })
}

/// The project that Applications name when they name none of their own: everything is allowed.
pub(crate) fn default_project(namespace: &str) -> Value {
    json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "AppProject",
        "metadata": {"name": "default", "namespace": namespace},
        "spec": {
            "sourceRepos": ["*"],
            "destinations": [{"namespace": "*", "server": "*"}],
            "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
        },
    })
}
