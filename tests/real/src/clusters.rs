//! One cluster with two Argo CDs for all tests of this process; each test takes names of its own.

use std::{
    path::PathBuf,
    sync::{LazyLock, OnceLock},
};

use causeway_cluster::{
    ApplicationSets, ArgocdInstance, ArgocdOptions, Cluster, Options, Rollouts, Scheme,
};
use causeway_sandbox::git::Commit;
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, Patch, PatchParams, PostParams},
    core::GroupVersionKind,
};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::stage::{is_possible, node};

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());
static CLUSTER: OnceLock<Cluster> = OnceLock::new();

/// The cluster, from threads that run no async code.
pub(crate) struct Shared<'a> {
    pub(crate) cluster: &'a Cluster,
}

/// Started by the first who needs it; it ends with the process.
pub(crate) fn shared() -> Option<Shared<'static>> {
    if !is_possible() {
        return None;
    }
    let start = || RUNTIME.block_on(Cluster::simulated(two_argocds())).unwrap();
    let cluster = CLUSTER.get_or_init(start);
    RUNTIME.block_on(cluster.check()).unwrap();
    Some(Shared { cluster })
}

/// One with a single Argo CD that a test may break.
pub(crate) fn own() -> Option<Own> {
    if !is_possible() {
        return None;
    }
    let cluster = RUNTIME.block_on(Cluster::simulated(Options::default()));
    Some(Own(Some(cluster.unwrap())))
}

/// A real node with an Argo CD in pods, where this machine can hold one.
pub(crate) fn own_node(options: Options) -> Option<Own> {
    let cluster = RUNTIME.block_on(node(options))?;
    Some(Own(Some(cluster)))
}

/// A cluster of one test, stopped at its end.
pub(crate) struct Own(Option<Cluster>);

impl Own {
    pub(crate) fn get(&self) -> Shared<'_> {
        let cluster = self.0.as_ref().unwrap();
        Shared { cluster }
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        // A test that fails wants the logs: then the cluster is dropped as it is, and keeps them.
        if let Some(cluster) = self.0.take().filter(|_| !std::thread::panicking()) {
            RUNTIME.block_on(cluster.stop());
        }
    }
}

/// One as it is installed, with ApplicationSets; and one in another namespace, with TLS and paths that begin with another word.
fn two_argocds() -> Options {
    let plain = ArgocdOptions {
        application_sets: ApplicationSets::Present,
        ..ArgocdOptions::default()
    };
    let other = ArgocdOptions {
        namespace: "gitops".to_owned(),
        root_path: Some("/deploy/argo".to_owned()),
        scheme: Scheme::Https,
        ..ArgocdOptions::default()
    };
    Options {
        argocds: vec![plain, other],
        rollouts: Rollouts::Present,
        ..Options::default()
    }
}

/// Runs async code on the runtime that all clusters of this process live on.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    RUNTIME.block_on(future)
}

impl Shared<'_> {
    /// The Argo CD in namespace `argocd`.
    pub(crate) fn plain(&self) -> &ArgocdInstance {
        &self.cluster.argocd()[0]
    }

    /// The one in namespace `gitops`, below a root path, with TLS.
    pub(crate) fn secured(&self) -> &ArgocdInstance {
        &self.cluster.argocd()[1]
    }

    pub(crate) fn kubeconfig(&self) -> PathBuf {
        self.cluster.kubeconfig().to_owned()
    }

    /// Commits one file and gives the commit's hash; makes the repository when there is none.
    pub(crate) fn commit(&self, repository: &str, file: &str, text: &str, message: &str) -> String {
        let commit = Commit::new(message).write(file, text);
        block_on(async {
            if self.cluster.git().repository(repository).is_err() {
                self.cluster.git().create(repository).await.unwrap();
            }
            let id = self.cluster.git().commit(repository, &commit).await;
            id.unwrap().to_string()
        })
    }

    /// A client that lives as long as the cluster does.
    pub(crate) fn client(&self) -> Client {
        let _within = RUNTIME.enter();
        self.cluster.client()
    }

    /// Makes an object of a kind of Argo's.
    pub(crate) fn create(&self, object: Value) {
        let namespace = object["metadata"]["namespace"].as_str().unwrap();
        let api = self.api(object["kind"].as_str().unwrap(), namespace);
        let object: DynamicObject = serde_json::from_value(object).unwrap();
        block_on(api.create(&PostParams::default(), &object)).unwrap();
    }

    /// Merges this into an object of a kind of Argo's in namespace `argocd`.
    pub(crate) fn merge(&self, kind: &str, name: &str, change: &Value) {
        let (params, patch) = (PatchParams::default(), Patch::Merge(change));
        let api = self.api(kind, "argocd");
        block_on(api.patch(name, &params, &patch)).unwrap();
    }

    /// Objects of a kind of Argo's in a namespace.
    pub(crate) fn api(&self, kind: &str, namespace: &str) -> Api<DynamicObject> {
        let kind = GroupVersionKind::gvk("argoproj.io", "v1alpha1", kind);
        let resource = ApiResource::from_gvk(&kind);
        Api::namespaced_with(self.client(), namespace, &resource)
    }
}
