//! Releases of the charts, as a person makes them with Helm.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use causeway_testkit::{Finished, run, which};
use serde_json::Value;

use crate::{
    grant::{Grant, grants},
    stage::Stage,
};

/// The folder of a chart of the repository.
pub(crate) fn chart(name: &str) -> PathBuf {
    let charts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../helm");
    charts.join(name).canonicalize().unwrap()
}

/// The same as it was before it was changed last, where the history of the repository goes back so far.
pub(crate) fn former_chart(stage: &Stage, name: &str) -> Option<PathBuf> {
    let git = |words: &[&str]| {
        let mut git = Command::new("git");
        git.current_dir(chart(name)).args(words);
        run(&mut git)
    };
    let last = git(&["log", "-1", "--format=%H", "--", "."]).stdout;
    let before = format!("{}~1", last.trim());
    let place = stage.folder().join(format!("former-{name}"));
    std::fs::create_dir_all(&place).unwrap();
    let archive = place.join("chart.tar");
    let file = format!("--output={}", archive.display());
    let made = git(&["archive", &file, &before, "."]);
    if !made.status.success() {
        return None;
    }
    let mut tar = Command::new("tar");
    tar.arg("-C").arg(&place).arg("-xf").arg(&archive);
    run(&mut tar).expect_success();
    place.join("Chart.yaml").exists().then_some(place)
}

/// One installation of a chart.
pub(crate) struct Release<'a> {
    pub(crate) stage: &'a Stage,
    pub(crate) name: &'a str,
    pub(crate) namespace: &'a str,
}

impl Release<'_> {
    /// Whether a chart takes these values.
    pub(crate) fn takes(&self, chart: &Path, values: &Value) -> bool {
        let (values, chart) = (self.values(values), chart.display().to_string());
        let words = [
            "install",
            self.name,
            &chart,
            "--values",
            &values,
            "--dry-run=server",
        ];
        self.helm(&words).status.success()
    }

    pub(crate) fn install(&self, chart: &Path, values: &Value) {
        let (values, chart) = (self.values(values), chart.display().to_string());
        self.helm(&[
            "install",
            self.name,
            &chart,
            "--values",
            &values,
            "--wait",
            "--timeout=10m",
        ])
        .expect_success();
    }

    /// The command that installs it, for a test that looks on meanwhile.
    pub(crate) fn installing(&self, chart: &Path, values: &Value) -> Command {
        let (values, chart) = (self.values(values), chart.display().to_string());
        self.command(&[
            "install",
            self.name,
            &chart,
            "--values",
            &values,
            "--wait",
            "--timeout=10m",
        ])
    }

    pub(crate) fn upgrade(&self, chart: &Path, values: &Value) {
        let (values, chart) = (self.values(values), chart.display().to_string());
        self.helm(&[
            "upgrade",
            self.name,
            &chart,
            "--values",
            &values,
            "--wait",
            "--timeout=10m",
        ])
        .expect_success();
    }

    pub(crate) fn rollback(&self, revision: u32) {
        let revision = revision.to_string();
        self.helm(&["rollback", self.name, &revision, "--wait", "--timeout=10m"])
            .expect_success();
    }

    /// Runs the chart's own tests.
    pub(crate) fn test(&self) -> String {
        self.helm(&["test", self.name, "--logs", "--timeout=10m"])
            .expect_success()
    }

    pub(crate) fn uninstall(&self) {
        self.helm(&["uninstall", self.name, "--wait", "--timeout=10m"])
            .expect_success();
    }

    /// What it consists of, with what runs at its hooks.
    pub(crate) fn objects(&self) -> Vec<Value> {
        let parts = [["get", "manifest", self.name], ["get", "hooks", self.name]];
        let texts = parts.map(|words| self.helm(&words).expect_success());
        let objects = texts.iter().flat_map(|text| parse(text));
        objects.collect()
    }

    /// What its ServiceAccounts may do.
    pub(crate) fn grants(&self) -> Vec<Grant> {
        grants(self.name, self.namespace, &self.objects())
    }

    fn helm(&self, words: &[&str]) -> Finished {
        run(&mut self.command(words))
    }

    fn command(&self, words: &[&str]) -> Command {
        let helm = which("helm").expect("without Helm no chart is installed");
        let mut command = Command::new(helm);
        let home = self.stage.folder().join("helm");
        command
            .arg("--kubeconfig")
            .arg(self.stage.cluster().kubeconfig())
            .args(["--namespace", self.namespace])
            .args(words)
            .env("HELM_CACHE_HOME", home.join("cache"))
            .env("HELM_CONFIG_HOME", home.join("config"))
            .env("HELM_DATA_HOME", home.join("data"));
        command
    }

    fn values(&self, values: &Value) -> String {
        let file = format!("{}-values.json", self.name);
        let path = self.stage.write(&file, &values.to_string());
        path.display().to_string()
    }
}

fn parse(text: &str) -> Vec<Value> {
    let all: Vec<Value> = serde_saphyr::from_multiple(text).unwrap();
    all.into_iter().filter(Value::is_object).collect()
}
