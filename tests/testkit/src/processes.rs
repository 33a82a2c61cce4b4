//! One process per part, wired by flags alone: a platform and one runtime, whose parts are killed and started again where they were.
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

/// The exit code of what may be tried again as it is.
const LATER: i32 = 5;

/// A platform with one runtime, `east`, each part a process.
pub struct Processes {
    /// A folder for each part of the platform, `runtime` and `platform/admin.key` among what is in it.
    pub folder: TempDir,
    /// In the order in which they were started.
    pub parts: Vec<PartProcess>,
    address: String,
}

/// The cluster and the Argo CD of the runtime.
#[derive(Clone, Debug)]
pub struct Reached {
    /// YAML.
    pub kubeconfig: String,
    /// Of Argo CD's REST API.
    pub argocd_url: String,
    /// What that takes.
    pub argocd_token: String,
    /// Whatever else is to be said of that Argo CD.
    pub argocd_flags: Vec<String>,
}

/// How the platform reaches into the runtime.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// By the connection that the runtime has dialled.
    #[default]
    Tunnel,
    /// By the URL of its router, over TLS; there is no tunnel at all.
    Ingress,
}

/// What parts are started with beside what wires them.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// Variables of every part.
    pub environment: &'a [(&'a str, &'a str)],
    /// Variables of the part `platform` alone.
    pub platform: &'a [(&'a str, &'a str)],
    /// Variables of the part `app-proxy` alone.
    pub app_proxy: &'a [(&'a str, &'a str)],
    pub access: Access,
    /// What users may do in the runtime.
    pub allow: &'a str,
    /// What runs; the program that was built beside the test where it is not said.
    pub programs: Programs<'a>,
}

/// Of what version each side is.
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
    /// Starts everything and waits until all of it listens.
    ///
    /// # Panics
    /// When a part does not start.
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

    /// A part by the end of its name, for example `app-proxy` or `runtime/request-router`.
    ///
    /// # Panics
    /// When there is none, or several.
    pub fn part(&mut self, name: &str) -> &mut PartProcess {
        let mut found = self.parts.iter_mut().filter(|it| it.name.ends_with(name));
        let part = found.next().unwrap_or_else(|| panic!("no part {name}"));
        assert!(found.next().is_none(), "{name} is the name of several");
        part
    }

    /// What all parts have said, for a test that fails.
    pub fn logs(&self) -> String {
        let all = self.parts.iter().map(|part| part.child.lines().join("\n"));
        all.collect::<Vec<_>>().join("\n\n")
    }

    /// Where people and browsers reach it.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Runs a command as the admin.
    pub fn cli(&self, arguments: &[&str]) -> Finished {
        self.cli_in(arguments, &[])
    }

    /// Runs a command as the admin, with variables of its own.
    pub fn cli_in(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Finished {
        let mut command = self.command_of(arguments);
        run(command.envs(environment.iter().copied()))
    }

    /// Runs a command with another key.
    pub fn cli_with(&self, arguments: &[&str], key_file: &str) -> Finished {
        run(&mut self.command(arguments, key_file))
    }

    /// A command of the admin, for a test that starts it itself.
    pub fn command_of(&self, arguments: &[&str]) -> Command {
        let key = self.folder.path().join("platform/admin.key");
        self.command(arguments, &key.display().to_string())
    }

    fn command(&self, arguments: &[&str], key_file: &str) -> Command {
        let contexts = self.folder.path().join("contexts.json");
        let mut command = Command::new(binary());
        command.args(arguments).env("CAUSEWAY_CONFIG", contexts);
        // Not by flags: a command may have words of its own at its end.
        command.env("CAUSEWAY_ADDRESS", &self.address);
        command.env("CAUSEWAY_API_KEY_FILE", key_file);
        command
    }
}

/// The platform's parts, its router the last.
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

/// Joins the runtime; gives its id.
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
    // The tunnel server may not have its certificates yet; the same token is good for another time.
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
