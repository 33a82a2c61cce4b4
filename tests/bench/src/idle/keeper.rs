//! The two that give keys to parts in other pods. Here parts have theirs from files, and nobody reads what these write.

use std::{fs, process::Command};

use causeway_sandbox::Sandbox;
use causeway_testkit::{Child, Processes, binary, wait_until_blocking};
use serde_json::json;

use super::{ENVIRONMENT, PATIENCE};

const PLATFORM: [&str; 3] = ["inventory", "tunnel-server", "request-router"];
const RUNTIME: [&str; 6] = [
    "app-proxy",
    "source-server",
    "request-router",
    "tunnel-client",
    "application-event-reporter",
    "resource-event-reporter",
];

/// One of them, and what it is called in the table.
pub(super) struct Keeper {
    pub(super) name: &'static str,
    pub(super) child: Child,
}

/// Starts both, as the charts do, and waits until every key is made.
pub(super) fn start(sandbox: &Sandbox, processes: &Processes) -> anyhow::Result<[Keeper; 2]> {
    let folder = processes.folder.path();
    let kubeconfig = folder.join("keeper.kubeconfig");
    fs::write(&kubeconfig, sandbox.kubeconfig())?;
    let issuer = folder.join("platform/keys/parts.pem");
    let runtime = folder.join("runtime");
    let keep = |name: &'static str, flag: String, parts: &[&str]| {
        let side = name.split('/').next().unwrap_or_default();
        let mut command = Command::new(binary());
        command.args(["key", "keep", "--admin-listen=127.0.0.1:0", &flag]);
        command.arg("--kubeconfig").arg(&kubeconfig);
        command.envs(ENVIRONMENT);
        for part in parts {
            let secret = format!("{side}-{part}-key");
            let metadata = json!({"name": secret, "namespace": "default"});
            let secret_object = json!({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": "Opaque"});
            sandbox.kube().write_raw("secrets", secret_object);
            command.arg(format!("--secret={part}={secret}"));
        }
        let child = Child::start(&mut command);
        wait_until_blocking("a key for each part", PATIENCE, || {
            let lines = child.lines();
            let made = lines.iter().filter(|line| line.contains("has a new key"));
            if made.count() == parts.len() {
                Ok(())
            } else {
                Err(lines.join("\n"))
            }
        });
        Keeper { name, child }
    };
    Ok([
        keep(
            "platform/key-keeper",
            format!("--issuer-key={}", issuer.display()),
            &PLATFORM,
        ),
        keep(
            "runtime/key-keeper",
            format!("--runtime-folder={}", runtime.display()),
            &RUNTIME,
        ),
    ])
}
