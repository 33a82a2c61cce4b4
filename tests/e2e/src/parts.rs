//! One process per part, wired by flags alone.

use causeway_sandbox::{Demo, Sandbox, SandboxOptions};
use causeway_testkit::{Processes, Reached, Setting, wait_until};

use crate::program::SOON;

/// The cluster and the Argo CD of a sandbox.
pub(crate) fn reached(sandbox: &Sandbox) -> Reached {
    Reached {
        kubeconfig: sandbox.kubeconfig(),
        argocd_url: sandbox.argocd_url(),
        argocd_token: sandbox.argocd_token().to_owned(),
        argocd_flags: Vec::new(),
    }
}

pub(crate) fn start(sandbox: &Sandbox, setting: Setting<'_>) -> Processes {
    Processes::start(&reached(sandbox), setting)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_system_of_ten_processes_reports_and_acts() {
    let options = SandboxOptions {
        demo: Demo::Three,
        ..SandboxOptions::in_memory()
    };
    let sandbox = Sandbox::start(options).await.unwrap();
    let processes = tokio::task::block_in_place(|| start(&sandbox, Setting::default()));
    let status = reports_and_acts(&processes).await;
    assert_eq!(status.lines().count(), 11, "{status}");
}

/// Waits until the runtime is listed, acts, and all parts are healthy; gives what is said of them.
async fn reports_and_acts(processes: &Processes) -> String {
    let cli = |arguments: &[&str]| tokio::task::block_in_place(|| processes.cli(arguments));
    wait_until("guestbook in the list", SOON, async || {
        let listed = cli(&["app", "list"]);
        let there = listed.stdout.contains("guestbook") && listed.stdout.contains("east");
        if there {
            Ok(())
        } else {
            Err(format!("{listed:?}\n{}", processes.logs()))
        }
    })
    .await;
    let synced = wait_until("a sync through the tunnel", SOON, async || {
        let synced = cli(&["app", "sync", "guestbook"]);
        if synced.status.success() {
            Ok(synced)
        } else {
            Err(synced.stderr)
        }
    })
    .await;
    assert!(synced.stdout.contains("Succeeded"), "{synced:?}");
    wait_until("healthy parts", SOON, async || {
        let status = cli(&["status"]);
        if status.status.success() {
            Ok(status.stdout)
        } else {
            Err(status.stdout)
        }
    })
    .await
}
