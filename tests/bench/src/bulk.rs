//! One command for many applications: how soon all are accepted, beside the same requests straight to Argo CD's API.

use std::{io::Write as _, path::PathBuf, process::Command, time::Duration};

use anyhow::{Context as _, ensure};
use causeway_client::Peer;
use causeway_proto::inventory::v1::{
    ApplicationFilter, ListApplicationsRequest,
    application_service_client::ApplicationServiceClient,
};
use causeway_sandbox::{Sandbox, SandboxOptions};
use causeway_testkit::{Mesh, wait_until};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::{figure::middle, place::beside, tunnel::runtime};

const PATIENCE: Duration = Duration::from_secs(600);
const REPOSITORY: &str = "bulk";
const LABEL: &str = "bulk=yes";
const MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\ndata: {a: '1'}\n";

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Rounds; each figure is the median
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Applications
    #[arg(long, default_value_t = 200)]
    applications: usize,
    /// Calls side by side, as 'app sync --parallel' says it
    #[arg(long, default_value_t = 16)]
    parallel: usize,
    /// The program to measure; the one beside this one if not given
    #[arg(long)]
    binary: Option<PathBuf>,
}

impl Default for Args {
    fn default() -> Self {
        Self {
            rounds: 5,
            applications: 200,
            parallel: 16,
            binary: None,
        }
    }
}

/// Seconds.
#[derive(Default)]
struct Rounds {
    direct: Vec<f64>,
    sync: Vec<f64>,
    refresh: Vec<f64>,
    ratio: Vec<f64>,
}

struct World<'a> {
    args: &'a Args,
    mesh: Mesh,
    binary: PathBuf,
    key: PathBuf,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let rounds = runtime(2)?.block_on(measure(args))?;
    let number = args.applications;
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "| what | s | goal |\n|---|---|---|\n\
         | {number} syncs straight to Argo CD's API, {} side by side | {:.2} | |\n\
         | `causeway app sync -l {LABEL} --async --yes`, {number} accepted | {:.2} | 2 or less |\n\
         | of that, how often as long as straight | {:.2} | |\n\
         | `causeway app refresh -l {LABEL} --yes`, {number} accepted | {:.2} | 2 or less |",
        args.parallel,
        middle(&rounds.direct),
        middle(&rounds.sync),
        middle(&rounds.ratio),
        middle(&rounds.refresh),
    )?;
    Ok(())
}

async fn measure(args: &Args) -> anyhow::Result<Rounds> {
    let binary = match &args.binary {
        Some(binary) => binary.clone(),
        None => beside("causeway")?,
    };
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let key = mesh.folder().join("bulk.key");
    std::fs::write(&key, mesh.admin_key())?;
    let world = World {
        args,
        mesh,
        binary,
        key,
    };
    world.fill().await?;
    let mut rounds = Rounds::default();
    for _ in 0..args.rounds.max(1) {
        let direct = world.direct().await?;
        world.idle().await;
        let sync = world.command(&["sync", "--async"])?;
        world.idle().await;
        rounds.direct.push(direct);
        rounds.sync.push(sync);
        rounds.ratio.push(sync / direct);
        rounds.refresh.push(world.command(&["refresh"])?);
        world.idle().await;
    }
    world.mesh.stop().await;
    Ok(rounds)
}

fn name(number: usize) -> String {
    format!("bulk-{number}")
}

impl World<'_> {
    /// Makes the applications and waits until the platform knows all of them.
    async fn fill(&self) -> anyhow::Result<()> {
        let sandbox = self.mesh.sandbox();
        let files = [("app/map.yaml", MAP)];
        sandbox.push(REPOSITORY, &files, "One map").await?;
        for number in 0..self.args.applications {
            let object = application(sandbox, &name(number));
            let written = sandbox.kube().write_raw("applications.argoproj.io", object);
            written.context("the cluster takes no applications")?;
        }
        let user = self.mesh.user();
        let number = self.args.applications;
        wait_until(
            "the applications on the platform",
            PATIENCE,
            async || match known(&user).await {
                Ok(known) if known == number => Ok(()),
                other => Err(format!("{other:?}")),
            },
        )
        .await;
        Ok(())
    }

    /// Asks Argo CD itself for each sync.
    async fn direct(&self) -> anyhow::Result<f64> {
        let sandbox = self.mesh.sandbox();
        let (url, token) = (sandbox.argocd_url(), sandbox.argocd_token());
        let client = reqwest::Client::builder().no_proxy().build()?;
        let begun = Instant::now();
        let calls = (0..self.args.applications).map(|number| {
            let url = format!("{url}/api/v1/applications/{}/sync", name(number));
            client.post(url).bearer_auth(token).json(&json!({})).send()
        });
        let mut calls = stream::iter(calls).buffer_unordered(self.args.parallel);
        while let Some(answer) = calls.try_next().await? {
            answer.error_for_status()?;
        }
        Ok(begun.elapsed().as_secs_f64())
    }

    /// Runs a command on all of them.
    fn command(&self, words: &[&str]) -> anyhow::Result<f64> {
        let parallel = self.args.parallel.to_string();
        let mut command = Command::new(&self.binary);
        command.arg("app").args(words);
        command.args(["-l", LABEL, "--yes", "--parallel", &parallel]);
        command.args(["--address", &self.mesh.router.url(), "--api-key-file"]);
        command.arg(&self.key);
        let begun = Instant::now();
        let output = tokio::task::block_in_place(|| command.output())?;
        let took = begun.elapsed().as_secs_f64();
        let said = String::from_utf8_lossy(&output.stderr);
        let number = self.args.applications;
        let all = said.contains(&format!("{number} of {number}"));
        ensure!(output.status.success() && all, "{command:?}: {said}");
        Ok(took)
    }

    /// Waits until no operation is under way.
    async fn idle(&self) {
        wait_until("no operations", PATIENCE, async || {
            let truth = self.mesh.sandbox().kube().snapshot();
            let busy = (0..self.args.applications).filter(|number| {
                let found = truth.find("Application", "argocd", &name(*number));
                found.is_none_or(|found| is_busy(&found.object))
            });
            match busy.count() {
                0 => Ok(()),
                number => Err(format!("{number} are busy")),
            }
        })
        .await;
    }
}

fn is_busy(application: &Value) -> bool {
    let ended = application["status"]["operationState"]["finishedAt"].is_string();
    !application["operation"].is_null() || !ended
}

fn application(sandbox: &Sandbox, name: &str) -> Value {
    json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"namespace": "argocd", "name": name, "labels": {"bulk": "yes"}},
        "spec": {
            "project": "default",
            "source": {"repoURL": sandbox.git_url(REPOSITORY), "path": "app", "targetRevision": "main"},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": name},
            "syncPolicy": {"syncOptions": ["CreateNamespace=true"]},
        },
    })
}

/// How many of them the platform knows as compared.
async fn known(user: &Peer) -> anyhow::Result<usize> {
    let request = ListApplicationsRequest {
        page_size: 500,
        filter: Some(ApplicationFilter {
            label_selector: LABEL.to_owned(),
            ..ApplicationFilter::default()
        }),
        ..ListApplicationsRequest::default()
    };
    let listed = ApplicationServiceClient::new(user.clone())
        .list_applications(request)
        .await?;
    let known = listed.into_inner().applications.into_iter();
    let compared = known.filter(|it| it.status.as_ref().is_some_and(|it| it.sync.is_some()));
    Ok(compared.count())
}
