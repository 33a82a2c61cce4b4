//! One cluster with two Argo CDs for all tests of this process; each test takes names of its own.

use std::{
    path::PathBuf,
    sync::{LazyLock, OnceLock},
};

use causeway_cluster::{ArgocdInstance, ArgocdOptions, Cluster, Options, Scheme};
use causeway_sandbox::git::Commit;
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject},
    core::GroupVersionKind,
};
use tokio::runtime::Runtime;

use crate::stage::is_possible;

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());
static CLUSTER: OnceLock<Cluster> = OnceLock::new();

/// The cluster, from threads that run no async code.
pub(crate) struct Shared {
    pub(crate) cluster: &'static Cluster,
}

/// Started by the first who needs it; it ends with the process.
pub(crate) fn shared() -> Option<Shared> {
    if !is_possible() {
        return None;
    }
    let start = || RUNTIME.block_on(Cluster::simulated(two_argocds())).unwrap();
    let cluster = CLUSTER.get_or_init(start);
    RUNTIME.block_on(cluster.check()).unwrap();
    Some(Shared { cluster })
}

/// One as it is installed; and one in another namespace, with TLS and paths that begin with another word.
fn two_argocds() -> Options {
    let other = ArgocdOptions {
        namespace: "gitops".to_owned(),
        root_path: Some("/deploy/argo".to_owned()),
        scheme: Scheme::Https,
        ..ArgocdOptions::default()
    };
    Options {
        argocds: vec![ArgocdOptions::default(), other],
        ..Options::default()
    }
}

impl Shared {
    pub(crate) fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        RUNTIME.block_on(future)
    }

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
        self.block_on(async {
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

    /// Objects of a kind of Argo's in a namespace.
    pub(crate) fn api(&self, kind: &str, namespace: &str) -> Api<DynamicObject> {
        let kind = GroupVersionKind::gvk("argoproj.io", "v1alpha1", kind);
        let resource = ApiResource::from_gvk(&kind);
        Api::namespaced_with(self.client(), namespace, &resource)
    }
}
