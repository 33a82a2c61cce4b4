//! The real Argo CD of this process: started by the first test that needs it, ended with the process.

use std::{path::PathBuf, sync::OnceLock, thread, time::Duration};

use causeway_cluster::{ArgocdOptions, Cluster, Options};
use tokio::sync::oneshot;

/// Access that a behaviour needs.
pub(super) struct Real {
    pub(super) kubeconfig: PathBuf,
    pub(super) url: String,
    pub(super) token: String,
}

/// # Panics
/// The cluster cannot be started; the message says why and where its logs are.
pub(super) fn shared() -> &'static Real {
    static SHARED: OnceLock<Real> = OnceLock::new();
    SHARED.get_or_init(|| {
        let (started, real) = oneshot::channel();
        // a runtime of its own, since that of the first test ends with the first test
        thread::spawn(move || {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            runtime.block_on(async {
                let cluster = Cluster::simulated(options()).await;
                let cluster = cluster.unwrap_or_else(|error| panic!("{error}"));
                let argocd = cluster.argocd().first().unwrap();
                let token = std::fs::read_to_string(&argocd.admin_token_file).unwrap();
                let real = Real {
                    kubeconfig: cluster.kubeconfig().to_owned(),
                    url: argocd.url.as_str().trim_end_matches('/').to_owned(),
                    token: token.trim().to_owned(),
                };
                let _ = started.send(real);
                std::future::pending::<()>().await;
            });
        });
        real.blocking_recv().expect("the cluster starts")
    })
}

/// It reads Git only on a refresh, so that nothing happens by the clock.
fn options() -> Options {
    let argocd = ArgocdOptions {
        poll: Duration::from_hours(1),
        ..ArgocdOptions::default()
    };
    Options {
        argocds: vec![argocd],
        ..Options::default()
    }
}
