//! The two targets: the sandbox, and a real Argo CD with a Git server in this process.

use std::net::Ipv4Addr;

use causeway_sandbox::{
    Sandbox, SandboxOptions,
    git::{Commit, GitOptions, GitServer},
};
use kube::{
    Client,
    config::{KubeConfigOptions, Kubeconfig},
};
use serde_json::Value;
use tempfile::TempDir;

use super::cluster::{self, Real};
use crate::differences;

/// An Argo CD with its cluster and Git server.
pub(crate) struct World {
    pub(crate) client: Client,
    /// Argo CD's own namespace
    pub(crate) namespace: String,
    /// user of the token
    pub(crate) user: &'static str,
    repositories: Repositories,
    http: reqwest::Client,
    url: String,
    token: String,
}

enum Repositories {
    Sandbox(Box<Sandbox>),
    Beside { git: GitServer, _folder: TempDir },
}

/// Response of the REST API.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

/// Runs a behaviour on a sandbox of its own.
pub(crate) fn on_sandbox(behaviour: impl AsyncFnOnce(&World)) {
    runtime().block_on(async {
        let world = World::sandbox().await;
        behaviour(&world).await;
    });
}

/// Runs a behaviour on the real Argo CD that all behaviours of this process share.
pub(crate) fn on_real(behaviour: impl AsyncFnOnce(&World)) {
    let real = cluster::shared();
    runtime().block_on(async {
        let world = World::real(real).await;
        behaviour(&world).await;
    });
}

fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(2).enable_all().build().unwrap()
}

impl World {
    async fn sandbox() -> Self {
        // As beside the real one: only the behaviours themselves end pods.
        let options = SandboxOptions {
            pod_run: None,
            rollouts: causeway_sandbox::Rollouts::Still,
            ..SandboxOptions::in_memory()
        };
        let sandbox = Sandbox::start(options).await.unwrap();
        Self {
            client: sandbox.kube().client(),
            namespace: "argocd".to_owned(),
            user: "admin",
            http: reqwest::Client::new(),
            url: sandbox.argocd_url(),
            token: sandbox.argocd_token().to_owned(),
            repositories: Repositories::Sandbox(Box::new(sandbox)),
        }
    }

    async fn real(real: &Real) -> Self {
        let kubeconfig = Kubeconfig::read_from(&real.kubeconfig).unwrap();
        let options = KubeConfigOptions::default();
        let config = kube::Config::from_custom_kubeconfig(kubeconfig, &options)
            .await
            .unwrap();
        let folder = tempfile::tempdir().unwrap();
        let options = GitOptions {
            listen: (Ipv4Addr::LOCALHOST, 0).into(),
            folder: folder.path().to_owned(),
        };
        Self {
            client: Client::try_from(config).unwrap(),
            namespace: "argocd".to_owned(),
            user: "causeway",
            http: reqwest::Client::new(),
            url: real.url.clone(),
            token: real.token.clone(),
            repositories: Repositories::Beside {
                git: GitServer::start(options).await.unwrap(),
                _folder: folder,
            },
        }
    }

    fn git(&self) -> &GitServer {
        match &self.repositories {
            Repositories::Sandbox(sandbox) => sandbox.git(),
            Repositories::Beside { git, .. } => git,
        }
    }

    pub(crate) fn is_real(&self) -> bool {
        matches!(self.repositories, Repositories::Beside { .. })
    }

    /// True for the sandbox where `DIFFERENCES.md` has this row.
    pub(crate) fn differs(&self, row: &str) -> bool {
        assert!(
            differences::rows().contains(&row),
            "DIFFERENCES.md has no row {row}"
        );
        !self.is_real()
    }

    pub(crate) fn repository_url(&self, name: &str) -> String {
        self.git().url(name)
    }

    pub(crate) async fn make_repository(&self, name: &str) {
        self.git().create(name).await.unwrap();
    }

    pub(crate) async fn commit(&self, repository: &str, commit: &Commit) -> String {
        self.git()
            .commit(repository, commit)
            .await
            .unwrap()
            .to_string()
    }

    /// Sends a request to the REST API; `path` starts after `/api/v1/`.
    pub(crate) async fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        self.ask_as(Some(&self.token), method, path, body).await
    }

    pub(crate) async fn ask_as(
        &self,
        token: Option<&str>,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Answer {
        let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
        let mut request = self
            .http
            .request(method, format!("{}/api/v1/{path}", self.url));
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        // argocd-server takes no change without this, not even one without a body
        request = request.header("content-type", "application/json");
        if let Some(body) = body {
            request = request.json(body);
        }
        let answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        let text = answer.text().await.unwrap();
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        Answer { status, body }
    }
}
