//! One process per part, configured by flags: a platform and one runtime, whose parts can be killed and restarted.
#![expect(
    clippy::unwrap_used,
    reason = "only tests call this, and it documents its panics"
)]

mod part;
mod runtime;

use std::{path::Path, process::Command, time::Duration};

use tempfile::TempDir;

pub use self::part::PartProcess;
use self::part::Serve;
use crate::{Finished, binary, reserved_address, run, wait_until_blocking};

/// Exit code of errors that may be retried.
const LATER: i32 = 5;

/// A platform with one runtime, `east`, with one process per part.
pub struct Processes {
    /// Contains a folder for each part of the platform, `runtime` and `platform/admin.key`.
    pub folder: TempDir,
    /// In the order of their start.
    pub parts: Vec<PartProcess>,
    address: String,
}

/// Cluster and Argo CD of the runtime.
#[derive(Clone, Debug)]
pub struct Reached {
    /// YAML.
    pub kubeconfig: String,
    /// Of Argo CD's REST API.
    pub argocd_url: String,
    /// What that takes.
    pub argocd_token: String,
    /// Further flags for that Argo CD.
    pub argocd_flags: Vec<String>,
}

/// Connection from the platform to the runtime.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Tunnel that the runtime dials.
    #[default]
    Tunnel,
    /// URL of its router over TLS, without a tunnel.
    Ingress,
}

/// Settings of the parts in addition to their connections.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// Environment variables of every part.
    pub environment: &'a [(&'a str, &'a str)],
    /// Environment variables of the part `platform`.
    pub platform: &'a [(&'a str, &'a str)],
    /// Environment variables of the part `app-proxy`.
    pub app_proxy: &'a [(&'a str, &'a str)],
    pub access: Access,
    /// Actions that users may perform in the runtime.
    pub allow: &'a str,
    /// Programs to run; default: the one built with the test.
    pub programs: Programs<'a>,
}

/// Version of each side.
#[derive(Clone, Copy, Debug, Default)]
pub struct Programs<'a> {
    pub platform: Option<&'a Path>,
    pub runtime: Option<&'a Path>,
}

impl Default for Setting<'_> {
    fn default() -> Self {
        Self {
            environment: &[],
            platform: &[],
            app_proxy: &[],
            access: Access::Tunnel,
            allow: "read,sync,refresh,rollout",
            programs: Programs::default(),
        }
    }
}

impl Processes {
    /// Starts all parts and waits until they listen.
    ///
    /// # Panics
    /// A part does not start.
    pub fn start(reached: &Reached, setting: Setting<'_>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let serve = Serve { setting };
        let mut parts = platform(folder.path(), serve);
        let router = parts.last_mut().unwrap();
        let address = router.url();
        let id = join(folder.path(), &address, serve);
        let started = runtime::start(folder.path(), reached, serve);
        if let Some(url) = started.url {
            router.kill();
            let authority = runtime::authority(folder.path()).ca_file();
            router.start_again_with(&[
                format!("--runtime-url={id}={url}"),
                format!("--runtime-ca={}", authority.display()),
            ]);
        }
        parts.extend(started.parts);
        Self {
            folder,
            parts,
            address,
        }
    }

    /// Returns a part by the end of its name, for example `app-proxy` or `runtime/request-router`.
    ///
    /// # Panics
    /// There is none, or several.
    pub fn part(&mut self, name: &str) -> &mut PartProcess {
        let mut found = self.parts.iter_mut().filter(|it| it.name.ends_with(name));
        let part = found.next().unwrap_or_else(|| panic!("no part {name}"));
        assert!(found.next().is_none(), "{name} is the name of several");
        part
    }

    /// Returns the logs of all parts, for a failing test.
    pub fn logs(&self) -> String {
        let all = self.parts.iter().map(|part| part.child.lines().join("\n"));
        all.collect::<Vec<_>>().join("\n\n")
    }

    /// Returns the public address.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Runs a command as the admin.
    pub fn cli(&self, arguments: &[&str]) -> Finished {
        self.cli_in(arguments, &[])
    }

    /// Runs a command as the admin with environment variables.
    pub fn cli_in(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Finished {
        let mut command = self.command_of(arguments);
        run(command.envs(environment.iter().copied()))
    }

    /// Runs a command with another key.
    pub fn cli_with(&self, arguments: &[&str], key_file: &str) -> Finished {
        run(&mut self.command(arguments, key_file))
    }

    /// Returns a command of the admin that the test starts itself.
    pub fn command_of(&self, arguments: &[&str]) -> Command {
        let key = self.folder.path().join("platform/admin.key");
        self.command(arguments, &key.display().to_string())
    }

    fn command(&self, arguments: &[&str], key_file: &str) -> Command {
        let contexts = self.folder.path().join("contexts.json");
        let mut command = Command::new(binary());
        command.args(arguments).env("CAUSEWAY_CONFIG", contexts);
        // Not by flags, because a command may take arbitrary words at its end.
        command.env("CAUSEWAY_ADDRESS", &self.address);
        command.env("CAUSEWAY_API_KEY_FILE", key_file);
        command
    }
}

/// Starts the parts of the platform, the router last.
fn platform(folder: &Path, serve: Serve<'_>) -> Vec<PartProcess> {
    let data = |name: &str| format!("--data={}", folder.join(name).display());
    let tunnel = reserved_address();
    let ca = folder.join("tunnel-server/ca.pem");
    let by_tunnel = serve.setting.access == Access::Tunnel;
    let told = [
        format!("--tunnel-url=wss://{tunnel}/tunnel/v1"),
        format!("--tunnel-ca={}", ca.display()),
    ];
    let told = told.into_iter().filter(|_| by_tunnel);
    let platform = serve.part("platform/platform", told.chain([data("platform")]));
    let key = folder.join("platform/keys/parts.pem");
    let peer = [
        format!("--platform-url={}", platform.url()),
        format!("--part-issuer-key={}", key.display()),
    ];
    let own = peer.clone().into_iter().chain([data("inventory")]);
    let mut parts = vec![platform, serve.part("platform/inventory", own)];
    if by_tunnel {
        let own = [data("tunnel-server"), format!("--tunnel-listen={tunnel}")];
        let own = peer.clone().into_iter().chain(own);
        parts.push(serve.part("platform/tunnel-server", own));
    }
    let upstreams = parts.iter().map(PartProcess::upstream);
    let own = upstreams.chain(peer).chain(["--side=platform".to_owned()]);
    let router = serve.part("platform/request-router", own);
    parts.push(router);
    parts
}

/// Joins the runtime and returns its id.
fn join(folder: &Path, address: &str, serve: Serve<'_>) -> String {
    let key = folder.join("platform/admin.key");
    let mut token = Command::new(binary());
    token.args(["runtime", "token", "east", "--address", address]);
    let token = run(token.arg("--api-key-file").arg(key));
    let file = folder.join("token");
    std::fs::write(&file, token.expect_success()).unwrap();
    let mut join = Command::new(serve.program("runtime/"));
    join.args(["join", "--platform-url", address, "--join-token-file"]);
    join.arg(file)
        .arg("--runtime-folder")
        .arg(folder.join("runtime"));
    // The tunnel server may have no certificates yet; the same token is valid for a retry.
    let said = wait_until_blocking("the runtime joins", Duration::from_secs(60), || {
        let joined = run(&mut join);
        match joined.code() {
            LATER => Err(joined.stderr),
            _ => Ok(joined.expect_success()),
        }
    });
    let id = said
        .split_once('(')
        .and_then(|(_, rest)| rest.split_once(')'));
    id.unwrap_or_else(|| panic!("no id in {said}")).0.to_owned()
}
