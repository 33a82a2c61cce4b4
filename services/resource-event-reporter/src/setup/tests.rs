use std::{fs, time::Duration};

use causeway_sandbox::{KubeApi, KubeOptions};
use causeway_shell::Notices;

use crate::ManagedCluster;

#[tokio::test]
async fn managed_cluster_is_retried_until_its_kubeconfig_is_usable() {
    causeway_shell::install_crypto();
    let api = KubeApi::start(KubeOptions::in_memory()).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let managed = ManagedCluster {
        name: "west".to_owned(),
        kubeconfig: folder.path().join("west.kubeconfig"),
    };
    let notices = Notices::default();
    let (mut lines, file) = (notices.watch(), managed.kubeconfig.clone());
    let opening = managed.wait_until_usable(&notices, Duration::from_millis(10));
    let mending = async {
        for broken in [None, Some("no: [kubeconfig")] {
            if let Some(text) = broken {
                fs::write(&file, text).unwrap();
            }
            lines.changed().await.unwrap();
            let reported = format!("{:?}", *lines.borrow_and_update());
            assert!(
                reported.contains("managed cluster west is not watched"),
                "{reported}"
            );
        }
        fs::write(&file, api.kubeconfig()).unwrap();
    };
    let (cluster, ()) = tokio::join!(opening, mending);
    assert!(
        cluster.url().starts_with("https://127.0.0.1"),
        "{}",
        cluster.url()
    );
    assert!(notices.watch().borrow().is_empty());
}
