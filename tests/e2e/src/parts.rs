//! One process per part, wired by flags alone.

use std::{path::Path, process::Command};

use causeway_sandbox::{Demo, Sandbox, SandboxOptions};
use causeway_testkit::{Child, Finished, Reached, binary, reserved_address, run, wait_until};

use crate::program::{READY, SOON};

/// The cluster and the Argo CD of a sandbox.
pub(crate) fn reached(sandbox: &Sandbox) -> Reached {
    Reached {
        kubeconfig: sandbox.kubeconfig(),
        argocd_url: sandbox.argocd_url(),
        argocd_token: sandbox.argocd_token().to_owned(),
        argocd_flags: Vec::new(),
    }
}

/// The parts of the platform and of one runtime, each a process.
pub(crate) struct Mesh {
    pub(crate) folder: tempfile::TempDir,
    address: String,
    pub(crate) parts: Vec<Part>,
}

pub(crate) struct Part {
    pub(crate) child: Child,
    address: String,
}

/// What parts are started with beside what wires them.
#[derive(Clone, Copy, Default)]
pub(crate) struct Setting<'a> {
    /// Variables of every part.
    pub(crate) environment: &'a [(&'a str, &'a str)],
    /// Variables of the part `platform` alone.
    pub(crate) platform: &'a [(&'a str, &'a str)],
    /// Variables of the part `app-proxy` alone.
    pub(crate) app_proxy: &'a [(&'a str, &'a str)],
}

impl Mesh {
    pub(crate) fn start(sandbox: &Sandbox, setting: Setting<'_>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (mut parts, address) = platform(folder.path(), setting);
        join(folder.path(), &address);
        parts.extend(runtime(folder.path(), sandbox, setting));
        Self {
            folder,
            address,
            parts,
        }
    }

    /// What all parts have said, for a test that fails.
    pub(crate) fn logs(&self) -> String {
        let all = self.parts.iter().map(|part| part.child.lines().join("\n"));
        all.collect::<Vec<_>>().join("\n\n")
    }

    /// Where people and browsers reach it.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    pub(crate) fn cli(&self, arguments: &[&str]) -> Finished {
        let key = self.folder.path().join("platform/admin.key");
        self.cli_with(arguments, &key.display().to_string())
    }

    pub(crate) fn cli_with(&self, arguments: &[&str], key_file: &str) -> Finished {
        run(&mut self.cli_command(arguments, key_file))
    }

    /// The same in an environment.
    pub(crate) fn cli_in(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Finished {
        let key = self.folder.path().join("platform/admin.key");
        let mut command = self.cli_command(arguments, &key.display().to_string());
        run(command.envs(environment.iter().copied()))
    }

    fn cli_command(&self, arguments: &[&str], key_file: &str) -> Command {
        let contexts = self.folder.path().join("contexts.json");
        let mut command = Command::new(binary());
        command.args(arguments).env("CAUSEWAY_CONFIG", contexts);
        command.args(["--address", &self.address, "--api-key-file", key_file]);
        command
    }
}

fn platform(folder: &Path, setting: Setting<'_>) -> (Vec<Part>, String) {
    let tunnel = reserved_address().to_string();
    let data = |name: &str| folder.join(name).display().to_string();
    let tunnel_url = format!("wss://{tunnel}/tunnel/v1");
    let ca = data("tunnel-server/ca.pem");
    let platform = setting.start(
        "platform",
        &[
            "--data",
            &data("platform"),
            "--tunnel-url",
            &tunnel_url,
            "--tunnel-ca",
            &ca,
        ],
    );
    let key = data("platform/keys/parts.pem");
    let peer = [
        "--platform-url",
        &platform.address,
        "--part-issuer-key",
        &key,
    ];
    let inventory = setting.start(
        "inventory",
        &[&peer[..], &["--data", &data("inventory")]].concat(),
    );
    let tunnel_data = data("tunnel-server");
    let own = ["--data", &tunnel_data, "--tunnel-listen", &tunnel];
    let tunnel_server = setting.start("tunnel-server", &[&peer[..], &own].concat());
    let upstreams = [
        format!("--upstream=platform={}", platform.address),
        format!("--upstream=inventory={}", inventory.address),
        format!("--upstream=tunnel-server={}", tunnel_server.address),
    ];
    let upstreams = upstreams.each_ref().map(String::as_str);
    let router = setting.start(
        "request-router",
        &[&peer[..], &["--side", "platform"], &upstreams].concat(),
    );
    let address = router.address.clone();
    (vec![platform, inventory, tunnel_server, router], address)
}

fn join(folder: &Path, address: &str) {
    let key = folder.join("platform/admin.key").display().to_string();
    let token = run(Command::new(binary()).args([
        "runtime",
        "token",
        "east",
        "--address",
        address,
        "--api-key-file",
        &key,
    ]));
    let file = folder.join("token");
    std::fs::write(&file, token.expect_success()).unwrap();
    let mut join = Command::new(binary());
    join.args(["join", "--platform-url", address, "--join-token-file"])
        .arg(file);
    join.arg("--runtime-folder").arg(folder.join("runtime"));
    run(&mut join).expect_success();
}

fn runtime(folder: &Path, sandbox: &Sandbox, setting: Setting<'_>) -> Vec<Part> {
    let file = |name: &str, text: String| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let kubeconfig = file("kubeconfig", sandbox.kubeconfig());
    let token = file("argocd.token", sandbox.argocd_token().to_owned());
    let identity = folder.join("runtime").display().to_string();
    let identity = ["--runtime-folder", &identity];
    let cluster = ["--kubeconfig", &kubeconfig];
    let url = sandbox.argocd_url();
    let argocd = ["--argocd-server", &url, "--argocd-token-file", &token];
    let source = setting.start(
        "source-server",
        &[&identity[..], &cluster, &argocd].concat(),
    );
    let allow = ["--allow", "read,sync,refresh,rollout"];
    let proxy = setting.start(
        "app-proxy",
        &[&identity[..], &cluster, &argocd, &allow].concat(),
    );
    let upstreams = format!("--upstream=app-proxy={}", proxy.address);
    let router = setting.start(
        "request-router",
        &[&identity[..], &["--side", "runtime", &upstreams]].concat(),
    );
    let route = format!("router={}", router.address);
    let client = setting.start_without_listener(
        "tunnel-client",
        &[&identity[..], &["--route", &route]].concat(),
    );
    let reports = ["--source-server", &source.address];
    let reporter = setting.start(
        "application-event-reporter",
        &[&identity[..], &cluster, &reports].concat(),
    );
    let resource_reporter = setting.start(
        "resource-event-reporter",
        &[&identity[..], &cluster].concat(),
    );
    vec![source, proxy, router, client, reporter, resource_reporter]
}

impl Setting<'_> {
    fn start(self, name: &str, flags: &[&str]) -> Part {
        let mut child = Child::start(&mut self.serve(name, flags));
        let address = child.wait_for_line(name, READY, |line| {
            let rest = line.split("address=").nth(1)?;
            // The tunnel server has two listeners, and a loop of its own for both.
            let serving = if name == "tunnel-server" {
                "listening"
            } else {
                "listens"
            };
            let own = line.contains(serving) && !line.contains("admin server");
            own.then(|| rest.split_whitespace().next().map(str::to_owned))?
        });
        Part {
            child,
            address: format!("http://{address}"),
        }
    }

    fn start_without_listener(self, name: &str, flags: &[&str]) -> Part {
        Part {
            child: Child::start(&mut self.serve(name, flags)),
            address: String::new(),
        }
    }

    fn serve(self, name: &str, flags: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command.args(["serve", name]).args(flags);
        command.envs(self.environment.iter().copied());
        if name == "platform" {
            command.envs(self.platform.iter().copied());
        }
        if name == "app-proxy" {
            command.envs(self.app_proxy.iter().copied());
        }
        command
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_system_of_ten_processes_reports_and_acts() {
    let options = SandboxOptions {
        demo: Demo::Three,
        ..SandboxOptions::in_memory()
    };
    let sandbox = Sandbox::start(options).await.unwrap();
    let mesh = tokio::task::block_in_place(|| Mesh::start(&sandbox, Setting::default()));
    let status = reports_and_acts(&mesh).await;
    assert_eq!(status.lines().count(), 11, "{status}");
}

/// Waits until the runtime is listed, acts, and all parts are healthy; gives what is said of them.
pub(crate) async fn reports_and_acts(mesh: &Mesh) -> String {
    let cli = |arguments: &[&str]| tokio::task::block_in_place(|| mesh.cli(arguments));
    wait_until("guestbook in the list", SOON, async || {
        let listed = cli(&["app", "list"]);
        let there = listed.stdout.contains("guestbook") && listed.stdout.contains("east");
        if there {
            Ok(())
        } else {
            Err(format!("{listed:?}\n{}", mesh.logs()))
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
