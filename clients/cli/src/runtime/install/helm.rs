//! The program helm.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use anyhow::{Context as _, bail};
use serde_json::Value;

use super::ChartArgs;
use crate::output;

/// The oldest that the charts take.
const OLDEST: (u32, u32) = (3, 14);

pub(super) struct Helm {
    program: PathBuf,
    namespace: String,
    kubeconfig: Option<PathBuf>,
    context: Option<String>,
}

impl Helm {
    /// The program, if it is there and new enough.
    pub(super) fn find(program: &Path, namespace: &str) -> anyhow::Result<Self> {
        let asked = Command::new(program)
            .args(["version", "--template", "{{.Version}}"])
            .output();
        let asked = asked.with_context(|| {
            format!("{} cannot be run: install Helm (https://helm.sh), name it with --helm, or see what it would be given by --print helm", program.display())
        })?;
        let text = String::from_utf8_lossy(&asked.stdout);
        let mut numbers = text
            .trim()
            .trim_start_matches('v')
            .split('.')
            .map(str::parse::<u32>);
        match (numbers.next(), numbers.next()) {
            (Some(Ok(major)), Some(Ok(minor))) if (major, minor) >= OLDEST => {}
            _ => bail!(
                "{} is Helm '{}': 3.14 or newer is needed",
                program.display(),
                text.trim()
            ),
        }
        Ok(Self {
            program: program.to_owned(),
            namespace: namespace.to_owned(),
            kubeconfig: None,
            context: None,
        })
    }

    pub(super) fn on(self, kubeconfig: Option<PathBuf>, context: Option<String>) -> Self {
        Self {
            kubeconfig,
            context,
            ..self
        }
    }

    pub(super) fn namespace(&self) -> &str {
        &self.namespace
    }

    pub(super) fn kube(&self) -> causeway_argocd::KubeArgs {
        causeway_argocd::KubeArgs {
            kubeconfig: self.kubeconfig.clone(),
            context: self.context.clone(),
        }
    }

    /// Installs a chart with values, or changes what is installed where there are none and waits so long until that is done.
    pub(super) async fn install(
        &self,
        release: &str,
        chart: &ChartArgs,
        values: Option<&Value>,
        wait: Duration,
    ) -> anyhow::Result<()> {
        let mut command = self.command("upgrade");
        command.args([release, chart.reference()]);
        match values {
            // On the command line everybody on this machine could read the token.
            Some(_) => command.args(["--install", "--create-namespace", "--values", "-"]),
            None => command.arg("--reset-then-reuse-values"),
        };
        if values.is_none() && !wait.is_zero() {
            let limit = format!("{}s", wait.as_secs().max(1));
            command.args(["--wait", "--timeout", &limit]);
        }
        if let Some(version) = &chart.chart_version {
            command.args(["--version", version]);
        }
        for file in &chart.files {
            command.arg("--values").arg(file);
        }
        for set in &chart.set {
            command.args(["--set", set]);
        }
        let input = values.map(Value::to_string).unwrap_or_default();
        self.run(command, input).await
    }

    /// Takes a release out.
    pub(super) async fn uninstall(&self, release: &str) -> anyhow::Result<()> {
        let mut command = self.command("uninstall");
        command.args([release, "--wait", "--ignore-not-found"]);
        self.run(command, String::new()).await
    }

    fn command(&self, verb: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.args([verb, "--namespace", &self.namespace]);
        if let Some(file) = &self.kubeconfig {
            command.arg("--kubeconfig").arg(file);
        }
        if let Some(context) = &self.context {
            command.args(["--kube-context", context]);
        }
        command
    }

    async fn run(&self, command: Command, input: String) -> anyhow::Result<()> {
        let done = tokio::task::spawn_blocking(move || finished(command, &input)).await?;
        let told = done.with_context(|| self.program.display().to_string())?;
        for line in told.lines().filter(|line| !line.is_empty()) {
            output::note(format!("  helm: {line}"));
        }
        Ok(())
    }
}

/// Runs it with an input to its end, and gives what it printed.
fn finished(mut command: Command, input: &str) -> anyhow::Result<String> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // One that fails before it reads says why.
        let _ = stdin.write_all(input.as_bytes());
    }
    let done = child.wait_with_output()?;
    if !done.status.success() {
        bail!(
            "it failed:\n{}",
            String::from_utf8_lossy(&done.stderr).trim()
        );
    }
    let printed = String::from_utf8_lossy(&done.stdout).into_owned();
    // The notes of the chart say what is done here.
    let end = printed.find("\nNOTES:").unwrap_or(printed.len());
    Ok(printed[..end].to_owned())
}
