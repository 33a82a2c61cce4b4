//! The real API server of this process: started by the first test that needs it, ended with the process.

use std::{path::Path, sync::OnceLock};

use causeway_cluster::Cluster;
use tokio::runtime::Runtime;

/// Compaction interval, short enough for behaviours to wait for expired revisions.
const FLAGS: [&str; 1] = ["--etcd-compaction-interval=10s"];

struct Shared {
    cluster: Cluster,
    /// runtime of the cluster's tasks
    _runtime: Runtime,
}

/// Path of the administrator's kubeconfig.
///
/// # Panics
/// It cannot be started; `make cluster` builds what it needs.
pub(crate) fn kubeconfig() -> &'static Path {
    static SHARED: OnceLock<Shared> = OnceLock::new();
    SHARED.get_or_init(start).cluster.kubeconfig()
}

fn start() -> Shared {
    let runtime = super::runtime();
    let flags = FLAGS.map(str::to_owned);
    let started = std::thread::scope(|scope| {
        let start = || runtime.block_on(Cluster::minimal_with(&flags));
        scope.spawn(start).join().expect("starting does not panic")
    });
    let cluster = started.unwrap_or_else(|error| panic!("no real API server: {error}"));
    Shared {
        cluster,
        _runtime: runtime,
    }
}
