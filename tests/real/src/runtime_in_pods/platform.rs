//! The parts of the platform as processes of this machine, at an address that pods reach.

use std::{
    net::Ipv4Addr,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use causeway_testkit::{Child, Finished, binary, reserved_address_on, run};
use serde_json::Value;

const READY: Duration = Duration::from_secs(180);

pub(crate) struct Platform {
    folder: tempfile::TempDir,
    address: String,
    /// Of its routers.
    flags: Vec<String>,
    parts: Vec<Child>,
}

impl Platform {
    pub(crate) fn start(host: Ipv4Addr) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = |name: &str| folder.path().join(name).display().to_string();
        let free = reserved_address_on(host);
        let tunnel = format!("--tunnel-listen={free}");
        let names = format!("--tunnel-names={host}");
        let url = format!("--tunnel-url=wss://{free}/tunnel/v1");
        let authority = format!("--tunnel-ca={}", data("tunnel-server/ca.pem"));
        let own = |name: &str| format!("--data={}", data(name));
        let (platform, platform_url) = serve("platform", &[&own("platform"), &url, &authority]);
        let peer = [
            format!("--platform-url={platform_url}"),
            format!("--part-issuer-key={}", data("platform/keys/parts.pem")),
        ];
        let [at, key] = peer.each_ref().map(String::as_str);
        let (inventory, inventory_url) = serve("inventory", &[at, key, &own("inventory")]);
        let flags = [at, key, &own("tunnel-server"), &tunnel, &names];
        let (tunnel_server, tunnel_url) = serve("tunnel-server", &flags);
        let flags = [
            "--side=platform".to_owned(),
            "--tls-terminated-in-front".to_owned(),
            format!("--listen={host}:0"),
            at.to_owned(),
            key.to_owned(),
            format!("--upstream=platform={platform_url}"),
            format!("--upstream=inventory={inventory_url}"),
            format!("--upstream=tunnel-server={tunnel_url}"),
        ];
        let words = flags.each_ref().map(String::as_str);
        let (router, address) = serve("request-router", &words);
        Self {
            folder,
            address,
            flags: flags.to_vec(),
            parts: vec![platform, inventory, tunnel_server, router],
        }
    }

    /// Starts one more router, which dials a runtime at this URL; commands ask that one from now on.
    pub(crate) fn dial(&mut self, runtime: &str, url: &str, authority: &Path) {
        let listed = self
            .cli(&["runtime", "list", "-o", "json"])
            .expect_success();
        let listed: Value = serde_json::from_str(&listed).unwrap();
        let mut all = listed["runtimes"].as_array().into_iter().flatten();
        let known = all.find(|it| it["name"] == runtime).expect("it has joined");
        let id = known["runtimeId"].as_str().unwrap();
        let own = [
            format!("--runtime-url={id}={url}"),
            format!("--runtime-ca={}", authority.display()),
        ];
        let flags: Vec<_> = self.flags.iter().chain(&own).map(String::as_str).collect();
        let (router, address) = serve("request-router", &flags);
        self.parts.push(router);
        self.address = address;
    }

    /// A folder beside those of its parts.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Joins a runtime; its keys are in the folder.
    pub(crate) fn join(&self, name: &str) -> PathBuf {
        let token = self.cli(&["runtime", "token", name]).expect_success();
        let (file, folder) = (
            self.folder.path().join("token"),
            self.folder.path().join(name),
        );
        std::fs::write(&file, token).unwrap();
        let mut join = Command::new(binary());
        join.args(["join", "--platform-url", &self.address, "--join-token-file"]);
        join.arg(file).arg("--runtime-folder").arg(&folder);
        run(&mut join).expect_success();
        folder
    }

    /// Of its router.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    pub(crate) fn cli(&self, arguments: &[&str]) -> Finished {
        run(&mut self.command(arguments))
    }

    /// A command may have words of its own at its end, so that what is said of the platform is not there.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let key = self.folder.path().join("platform/admin.key");
        let mut command = Command::new(binary());
        command.args(arguments);
        command.env("CAUSEWAY_ADDRESS", &self.address);
        command.env("CAUSEWAY_API_KEY_FILE", key);
        command
    }
}

/// Starts a part and waits until it listens; with its address.
fn serve(name: &str, flags: &[&str]) -> (Child, String) {
    let mut command = Command::new(binary());
    let mut child = Child::start(command.args(["serve", name]).args(flags));
    // The tunnel server has two listeners, and a loop of its own for both.
    let said = match name {
        "tunnel-server" => "listening",
        _ => "listens",
    };
    let address = child.wait_for_line(name, READY, |line| {
        let rest = line.split("address=").nth(1)?;
        line.contains(said)
            .then(|| rest.split_whitespace().next().map(str::to_owned))?
    });
    (child, format!("http://{address}"))
}
