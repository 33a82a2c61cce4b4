//! `causeway up` on a cluster, as a user runs it.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use causeway_cluster::ArgocdInstance;
use causeway_testkit::{Child, Finished, binary, reserved_address, run, wait_until_blocking};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

pub(crate) const SOON: Duration = Duration::from_secs(180);

/// A running `causeway up`.
pub(crate) struct Trial {
    folder: TempDir,
    child: Child,
}

impl Trial {
    /// Starts on free ports with an empty folder and waits until it says that it is ready.
    pub(crate) fn start(flags: &[String]) -> Self {
        Self::start_with(flags, &[])
    }

    /// The same with settings for its parts, as their environment variables.
    pub(crate) fn start_with(flags: &[String], settings: &[(&str, String)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let settings = settings.iter().map(|(name, value)| (name, value));
        let mut child = Child::start(command(folder.path(), flags).envs(settings));
        child.wait_for_line("the trial", SOON, |line| {
            line.contains("Causeway is ready").then_some(())
        });
        Self { folder, child }
    }

    /// Runs one that ends by itself.
    pub(crate) fn refused(flags: &[String]) -> Finished {
        let folder = tempfile::tempdir().unwrap();
        run(&mut command(folder.path(), flags))
    }

    pub(crate) fn cli(&self, arguments: &[&str]) -> Finished {
        run(&mut self.command(arguments))
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command
            .args(arguments)
            .env("CAUSEWAY_CONFIG", contexts(self.folder.path()));
        command
    }

    /// The file of its contexts.
    pub(crate) fn contexts(&self) -> PathBuf {
        contexts(self.folder.path())
    }

    /// Stops it in its tracks, as a machine that sleeps does.
    pub(crate) fn pause(&self) {
        self.signal(Signal::STOP);
    }

    pub(crate) fn resume(&self) {
        self.signal(Signal::CONT);
    }

    fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.child.id()).unwrap();
        kill_process(Pid::from_raw(id).unwrap(), signal).unwrap();
    }

    /// What it has said, for tests that fail.
    pub(crate) fn lines(&self) -> String {
        self.child.lines().join("\n")
    }

    /// Waits until it has said these words.
    pub(crate) fn wait_for_words(&self, words: &str) {
        wait_until_blocking(words, SOON, || match self.lines() {
            lines if lines.contains(words) => Ok(()),
            lines => Err(lines),
        });
    }

    /// Waits until an application is not there any more.
    pub(crate) fn wait_for_deletion(&self, name: &str) {
        wait_until_blocking("the deletion", SOON, || match self.application(name) {
            Ok(application) => Err(application.to_string()),
            Err(error) if error.contains("no application") => Ok(()),
            Err(error) => Err(error),
        });
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
            if wanted(&application["status"]) {
                Ok(application)
            } else {
                Err(format!("{application}\n{}", self.lines()))
            }
        })
    }

    /// Waits until it is Synced at a commit, and Healthy.
    pub(crate) fn wait_for_commit(&self, name: &str, revision: &str) -> Value {
        self.wait_for(name, "Synced at the commit and Healthy", |status| {
            status["sync"]["status"] == "SYNC_STATUS_SYNCED"
                && status["sync"]["revisions"][0] == revision
                && status["health"]["status"] == "HEALTH_STATUS_HEALTHY"
        })
    }
}

/// `--kubeconfig` and no more: Argo CD is reached by its Applications.
pub(crate) fn cluster_only(kubeconfig: &Path) -> Vec<String> {
    vec!["--kubeconfig".to_owned(), kubeconfig.display().to_string()]
}

/// All flags for an Argo CD with its token.
pub(crate) fn with_token(kubeconfig: &Path, argocd: &ArgocdInstance) -> Vec<String> {
    let mut flags = cluster_only(kubeconfig);
    let token = argocd.admin_token_file.display().to_string();
    let own = [
        ("--argocd-namespace", argocd.namespace.clone()),
        ("--argocd-server", argocd.url.to_string()),
        ("--argocd-token-file", token),
    ];
    for (name, value) in own {
        flags.extend([name.to_owned(), value]);
    }
    if let Some(authority) = &argocd.ca_file {
        flags.extend([
            "--argocd-ca-file".to_owned(),
            authority.display().to_string(),
        ]);
    }
    flags
}

/// The one line that says what is wrong.
pub(crate) fn the_error(finished: &Finished) -> String {
    assert_ne!(finished.code(), 0, "{finished:?}");
    let all = finished.stderr.lines();
    let errors: Vec<_> = all.filter(|line| line.starts_with("error:")).collect();
    assert_eq!(errors.len(), 1, "{finished:?}");
    assert!(!finished.stderr.contains("panicked"), "{finished:?}");
    errors[0].to_owned()
}

fn contexts(folder: &Path) -> PathBuf {
    folder.join("contexts.json")
}

fn command(folder: &Path, flags: &[String]) -> Command {
    let mut command = Command::new(binary());
    command.arg("up").arg("--data").arg(folder.join("data"));
    command.arg("--config").arg(contexts(folder));
    command.args([
        "--listen",
        "127.0.0.1:0",
        "--tunnel-listen",
        &reserved_address().to_string(),
    ]);
    command.args(flags);
    command
}
