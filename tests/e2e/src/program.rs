//! `causeway up` with everything of its own: ports, data, contexts.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use causeway_testkit::{Child, Finished, binary, reserved_address, run, wait_until_blocking};
use serde_json::Value;
use tempfile::TempDir;

const READY: Duration = Duration::from_secs(180);
pub(crate) const SOON: Duration = Duration::from_secs(120);

const LISTENERS: [&str; 5] = [
    "--listen",
    "--tunnel-listen",
    "--kube-listen",
    "--git-listen",
    "--argocd-listen",
];

/// A running `causeway up`.
pub(crate) struct Up {
    pub(crate) folder: TempDir,
    pub(crate) child: Child,
    pub(crate) address: String,
    /// Empty on a cluster of somebody else.
    pub(crate) git: String,
}

impl Up {
    /// Starts on free ports with an empty folder and waits until it says that it is ready.
    pub(crate) fn start() -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), &[])
    }

    /// Starts in a folder that may have been used before.
    pub(crate) fn start_in(folder: TempDir, environment: &[(&str, &str)]) -> Self {
        let mut command = up_command(folder.path());
        command.envs(environment.iter().copied());
        Self::start_command(folder, command)
    }

    /// Starts on a cluster that is there; `flags` say which.
    pub(crate) fn start_on(flags: &[String]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut command = up_command(folder.path());
        command.args(flags);
        Self::start_command(folder, command)
    }

    /// The same with an admin port, whose address it gives.
    pub(crate) fn start_measured(flags: &[String]) -> (Self, String) {
        let admin = ["--admin-listen", "127.0.0.1:0", "--log", "info"].map(str::to_owned);
        let mut up = Self::start_on(&[flags, &admin].concat());
        let address = up.child.wait_for_line("the admin port", SOON, |line| {
            let rest = line.split_once("admin server listens")?.1;
            let address = rest.split_once("address=")?.1;
            address.split_whitespace().next().map(str::to_owned)
        });
        (up, address)
    }

    fn start_command(folder: TempDir, mut command: Command) -> Self {
        let mut child = Child::start(&mut command);
        let address = child.wait_for_line("the address", READY, |line| value(line, "address"));
        child.wait_for_line("the last line", READY, |line| {
            line.starts_with("Ctrl-C").then_some(())
        });
        let lines = child.lines();
        let git = lines.iter().find_map(|line| value(line, "demo Git"));
        let git = git.unwrap_or_default();
        Self {
            folder,
            child,
            address,
            git,
        }
    }

    /// Kills it as `kill -9` does and hands its folder on.
    pub(crate) fn kill(mut self) -> TempDir {
        self.child.kill();
        self.folder
    }

    pub(crate) fn cli(&self, arguments: &[&str]) -> Finished {
        run(&mut self.cli_command(arguments))
    }

    pub(crate) fn cli_command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command
            .args(arguments)
            .env("CAUSEWAY_CONFIG", self.contexts());
        command
    }

    pub(crate) fn contexts(&self) -> PathBuf {
        self.folder.path().join("contexts.json")
    }

    pub(crate) fn kubeconfig(&self) -> PathBuf {
        self.folder.path().join("data/kubeconfig")
    }

    pub(crate) fn api_key(&self) -> String {
        let file = self.folder.path().join("data/platform/admin.key");
        std::fs::read_to_string(file).unwrap().trim().to_owned()
    }

    /// An application as the command line shows it to programs.
    pub(crate) fn application(&self, name: &str) -> Result<Value, String> {
        let finished = self.cli(&["app", "get", name, "-o", "json"]);
        if !finished.status.success() {
            return Err(finished.stderr);
        }
        serde_json::from_str(&finished.stdout).map_err(|error| error.to_string())
    }

    /// Waits until an application is as wanted and returns it.
    pub(crate) fn wait_for(
        &self,
        name: &str,
        what: &str,
        wanted: impl Fn(&Value) -> bool,
    ) -> Value {
        wait_until_blocking(&format!("{name} {what}"), SOON, || {
            let application = self.application(name)?;
            if wanted(&application) {
                Ok(application)
            } else {
                Err(application.to_string())
            }
        })
    }

    pub(crate) fn wait_for_health(&self, name: &str, health: &str) -> Value {
        let wanted = format!("HEALTH_STATUS_{health}");
        self.wait_for(name, health, |application| {
            application["status"]["health"]["status"] == wanted.as_str()
        })
    }

    /// Changes a file of the demo repository through a clone, commits and pushes; returns the commit's hash.
    pub(crate) fn push(
        &self,
        file: &str,
        change: impl Fn(&str) -> String,
        message: &str,
    ) -> String {
        let clone = self.folder.path().join("clone");
        if !clone.exists() {
            git(
                self.folder.path(),
                &["clone", "--quiet", &self.git, "clone"],
            );
        }
        git(&clone, &["pull", "--quiet"]);
        let path = clone.join(file);
        let before = std::fs::read_to_string(&path).unwrap();
        let after = change(&before);
        assert_ne!(before, after, "{file} stays the same");
        std::fs::write(&path, after).unwrap();
        git(
            &clone,
            &["commit", "--quiet", "--all", "--message", message],
        );
        git(&clone, &["push", "--quiet"]);
        git(&clone, &["rev-parse", "HEAD"]).trim().to_owned()
    }
}

pub(crate) fn up_command(folder: &Path) -> Command {
    up_command_on(folder, &folder.join("data"))
}

/// With data that may be another one's.
pub(crate) fn up_command_on(folder: &Path, data: &Path) -> Command {
    let mut command = Command::new(binary());
    command.arg("up").arg("--data").arg(data);
    command.arg("--config").arg(folder.join("contexts.json"));
    for (listener, address) in LISTENERS.iter().zip(addresses(folder)) {
        command.args([listener, address.as_str()]);
    }
    command
}

/// What `/metrics` of an admin port says of a metric: the sum over its labels.
pub(crate) async fn metric(admin: &str, name: &str) -> Option<f64> {
    let answer = reqwest::get(format!("http://{admin}/metrics")).await;
    let text = answer.unwrap().text().await.unwrap();
    let of_metric = |line: &&str| {
        let rest = line.strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with(['{', ' ']))
    };
    let values = text.lines().filter(of_metric);
    let values = values.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
    values.reduce(|sum, value| sum + value)
}

/// Where the sandbox's Argo CD of a folder listens.
pub(crate) fn argocd_url(folder: &Path) -> String {
    format!("http://{}", addresses(folder)[4])
}

/// Addresses, the same ones each time for a folder: a clone's remote and a runtime's record outlive a restart.
fn addresses(folder: &Path) -> Vec<String> {
    let file = folder.join("addresses");
    if let Ok(text) = std::fs::read_to_string(&file) {
        return text.lines().map(str::to_owned).collect();
    }
    let addresses = LISTENERS.map(|_| reserved_address().to_string());
    std::fs::write(&file, addresses.join("\n")).unwrap();
    addresses.to_vec()
}

pub(crate) fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command
        .current_dir(folder)
        .args(arguments)
        .env("GIT_CONFIG_NOSYSTEM", "1");
    command
        .env("GIT_AUTHOR_NAME", "Ada")
        .env("GIT_AUTHOR_EMAIL", "ada@example.org");
    command
        .env("GIT_COMMITTER_NAME", "Ada")
        .env("GIT_COMMITTER_EMAIL", "ada@example.org");
    run(&mut command).expect_success()
}

/// What stands behind a name in the rows that `up` prints.
fn value(line: &str, name: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix(name)?;
    rest.starts_with("  ").then(|| rest.trim().to_owned())
}
