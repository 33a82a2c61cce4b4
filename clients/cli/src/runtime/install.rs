//! `causeway runtime install`, `upgrade` and `uninstall`: by Helm, from the answers to a few questions to a runtime that is online.

mod chart;
mod given;
mod helm;
mod print;
mod remove;
mod values;
mod wait;

use std::{io::IsTerminal as _, path::PathBuf, time::Duration};

use anyhow::{Context as _, bail};
use causeway_proto::ids::RuntimeName;

pub(crate) use self::chart::ExportChartArgs;
pub(super) use self::remove::UninstallArgs;
use self::{helm::Helm, values::InstallChoices, wait::IngressMode};
use crate::{
    connection::Connection,
    output::{self, Format},
    preflight::{self, Access, Finding, InstallationArgs, Joining, Token},
    prompt,
};

/// Install a runtime beside an Argo CD, by Helm, and wait until it is online
///
/// On a terminal it asks for flags that are missing. It checks the cluster (as 'causeway preflight' does), makes
/// the join token, has Helm install the chart, shows how the parts come up, and ends with the runtime online, or with the reason why
/// it is not. With --print it changes nothing and prints what would install it.
#[derive(clap::Args, Debug)]
pub(crate) struct InstallArgs {
    /// The name of the runtime; asked for if not given
    #[arg(value_name = "NAME")]
    name: Option<RuntimeName>,
    #[command(flatten)]
    chart: ChartArgs,
    #[command(flatten)]
    chosen: ChosenArgs,
    #[command(flatten)]
    install: InstallationArgs,
    /// Print what installs it, instead of doing so
    #[arg(long, value_enum, value_name = "AS")]
    print: Option<print::PrintFormat>,
    #[command(flatten)]
    how: HowArgs,
}

/// Bring a runtime to another version of the chart, or to other values, and wait until it is online
///
/// What was chosen at the installation stays, but for what --values and --set say.
#[derive(clap::Args, Debug)]
pub(crate) struct UpgradeArgs {
    /// The name of the runtime
    #[arg(value_name = "NAME")]
    name: RuntimeName,
    #[command(flatten)]
    chart: ChartArgs,
    /// The namespace that it is in
    #[arg(short, long, value_name = "NAMESPACE", default_value = "causeway")]
    namespace: String,
    #[command(flatten)]
    cluster: ClusterArgs,
    #[command(flatten)]
    how: HowArgs,
}

/// Which chart, and which release of it.
#[derive(clap::Args, Debug, Clone, Default)]
pub(crate) struct ChartArgs {
    /// The chart: a folder, an archive, or oci://REGISTRY/causeway-runtime; the one of this binary if not given
    #[arg(long, env = "CAUSEWAY_RUNTIME_CHART", value_name = "CHART")]
    chart: Option<String>,
    /// The version of a chart from a registry
    #[arg(long, value_name = "VERSION")]
    chart_version: Option<String>,
    /// The name of the Helm release; that of the runtime if not given
    #[arg(long, value_name = "NAME")]
    release: Option<String>,
    /// A file with further values of the chart; may be repeated
    #[arg(long = "values", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// A further value of the chart, as for helm; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    set: Vec<String>,
}

/// The cluster of a release that is there.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct ClusterArgs {
    /// The kubeconfig of the cluster
    #[arg(long, env = "CAUSEWAY_KUBECONFIG", value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// The context of the kubeconfig to use instead of its current one
    #[arg(long, env = "CAUSEWAY_KUBE_CONTEXT", value_name = "NAME")]
    kube_context: Option<String>,
}

/// What an installation chooses beside what is looked at before it.
#[derive(clap::Args, Debug, Clone, Default)]
pub(crate) struct ChosenArgs {
    /// The platform's address as the runtime reaches it; the one of this command if not given
    #[arg(long, env = "CAUSEWAY_PLATFORM_URL", value_name = "URL")]
    platform_url: Option<String>,
    /// Two pods of every part on different nodes
    #[arg(long)]
    high_availability: bool,
    /// For --access ingress or http-route: the host name by which callers reach the runtime
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    /// For --access ingress: the Secret with the certificate of the host
    #[arg(long, value_name = "SECRET")]
    tls_secret: Option<String>,
    /// For --access url: where callers reach the runtime
    #[arg(long, value_name = "URL")]
    access_url: Option<String>,
    /// A Secret in the runtime's namespace with the certificates, under ca.crt, that vouch for the platform
    #[arg(long, value_name = "SECRET")]
    ca_secret: Option<String>,
    /// The HTTP proxy that leads out of the cluster
    #[arg(long, value_name = "URL")]
    proxy: Option<String>,
    /// A Secret in the runtime's namespace with a token of Argo CD, under token
    #[arg(long, value_name = "SECRET")]
    argocd_token_secret: Option<String>,
}

/// How it is done.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct HowArgs {
    /// Ask nothing
    #[arg(short, long)]
    yes: bool,
    /// Do not look first whether all is there, neither from here nor by the chart's own Job, whose value preflight.enabled stays false in later upgrades until --set preflight.enabled=true
    #[arg(long)]
    skip_preflight: bool,
    /// How long to wait until the runtime is online; 0s not to wait
    #[arg(long, value_name = "TIME", default_value = "5m")]
    wait: humantime::Duration,
    /// The program helm
    #[arg(
        long,
        env = "CAUSEWAY_HELM",
        value_name = "FILE",
        default_value = "helm"
    )]
    helm: PathBuf,
}

/// How long each check before an installation may take.
const CHECKED_WITHIN: Duration = Duration::from_secs(15);

impl InstallArgs {
    pub(super) async fn run(
        mut self,
        connection: &Connection,
        format: Format,
    ) -> anyhow::Result<()> {
        let name = self.questions()?;
        let platform = self.chosen.platform_url.clone();
        let platform = platform.unwrap_or_else(|| connection.address().to_owned());
        let answers = InstallChoices {
            name: &name,
            platform: &platform,
            chosen: &self.chosen,
            install: &self.install,
            preflight: !self.how.skip_preflight,
        };
        let release = self.chart.release.clone();
        let release = release.unwrap_or_else(|| name.to_string());
        if let Some(shape) = self.print {
            return print::print(shape, &answers, &self.chart, &release);
        }
        let helm = Helm::find(&self.how.helm, &self.install.namespace)?;
        let helm = helm.on(
            self.install.kubeconfig.clone(),
            self.install.kube_context.clone(),
        );
        if !self.how.skip_preflight {
            self.preflight(&name, &platform, format).await?;
        }
        if !self.how.yes && std::io::stdin().is_terminal() {
            let place = format!("{release} in the namespace {}", self.install.namespace);
            if !prompt::confirm(&format!("Install the runtime {name} as {place}?"))? {
                bail!("nothing was installed");
            }
        }
        let token = super::token::join_token(connection, &name).await?;
        let mut values = answers.values()?;
        values["joinToken"] = serde_json::json!({"value": token});
        let wait: Duration = self.how.wait.into();
        let chart = self.chart.readable()?;
        helm.install(&release, &chart.args, Some(&values), wait)
            .await?;
        let way = match self.install.access {
            Access::Tunnel => IngressMode::Tunnel,
            Access::Ingress | Access::HttpRoute | Access::Url => IngressMode::Direct,
        };
        wait::until_online(connection, &helm, (&name, &release), wait, way).await?;
        self.set_runtime_details(connection, &name).await
    }

    /// What is left to do where the platform has to dial the runtime.
    async fn set_runtime_details(
        &self,
        connection: &Connection,
        name: &RuntimeName,
    ) -> anyhow::Result<()> {
        let url = match (self.install.access, &self.chosen) {
            (Access::Tunnel, _) => return Ok(()),
            (Access::Url, chosen) => chosen.access_url.clone().unwrap_or_default(),
            (_, chosen) => format!("https://{}", chosen.host.as_deref().unwrap_or_default()),
        };
        let known = super::list::list_all(connection).await?.runtimes;
        // Without a wait it may not have joined yet.
        if let Some(runtime) = known.iter().find(|it| it.name == name.as_str()) {
            let entry = format!("{{id: {}, url: {url}}}", runtime.runtime_id);
            output::note(format!(
                "The platform acts in it once its own chart has this in runtimes.urls: {entry}"
            ));
        }
        Ok(())
    }

    /// Asks for what is not said.
    fn questions(&mut self) -> anyhow::Result<RuntimeName> {
        let asks = !self.how.yes && self.print.is_none() && std::io::stdin().is_terminal();
        let name = match (self.name.take(), asks) {
            (Some(name), _) => name,
            (None, true) => {
                prompt::read_line("What is the runtime to be called?", "runtime")?.parse()?
            }
            (None, false) => bail!("give the name of the runtime"),
        };
        if asks {
            let namespace = &mut self.install.namespace;
            *namespace = prompt::read_line("In which namespace is it to be?", namespace)?;
            let scope = self.install.scope_namespaces.join(",");
            let scope = if scope.is_empty() {
                "all".to_owned()
            } else {
                scope
            };
            let scope = prompt::read_line(
                "Which namespaces is it to see, with commas between, or all?",
                &scope,
            )?;
            let scope = scope.split(',').map(|it| it.trim().to_owned());
            self.install.scope_namespaces =
                scope.filter(|it| it != "all" && !it.is_empty()).collect();
            let allow =
                prompt::read_line("What may users do in it?", &self.install.allow.join(","))?;
            self.install.allow = allow.split(',').map(|it| it.trim().to_owned()).collect();
        }
        self.check()?;
        Ok(name)
    }

    /// Whether the choices go together, before the chart says so.
    fn check(&self) -> anyhow::Result<()> {
        let chosen = &self.chosen;
        match self.install.access {
            Access::Ingress if chosen.host.is_none() || chosen.tls_secret.is_none() => {
                bail!("--access ingress: give --host, and --tls-secret with its certificate")
            }
            Access::HttpRoute if chosen.host.is_none() || self.install.gateway.is_none() => {
                bail!("--access http-route: give --host and --gateway NAMESPACE/NAME")
            }
            Access::Url if chosen.access_url.is_none() => {
                bail!("--access url: give --access-url, where callers reach the runtime")
            }
            Access::Tunnel | Access::Ingress | Access::HttpRoute | Access::Url => Ok(()),
        }
    }

    async fn preflight(
        &self,
        name: &RuntimeName,
        platform: &str,
        format: Format,
    ) -> anyhow::Result<()> {
        let joining = Joining {
            platform_url: Some(platform.to_owned()),
            token: Some(Token::Later),
            name: Some(name.clone()),
        };
        let findings = self.install.check(&joining, &[], CHECKED_WITHIN).await;
        preflight::print(&findings, format)?;
        if findings.iter().any(Finding::is_failure) {
            bail!("nothing was installed: do what is said above, or go on with --skip-preflight")
        } else {
            Ok(())
        }
    }
}

impl UpgradeArgs {
    pub(super) async fn run(self, connection: &Connection) -> anyhow::Result<()> {
        let known = super::list::list_all(connection).await?.runtimes;
        if !known.iter().any(|it| it.name == self.name.as_str()) {
            bail!(
                "no runtime '{}' has joined: 'causeway runtime install' makes one",
                self.name
            );
        }
        let helm = Helm::find(&self.how.helm, &self.namespace)?;
        let helm = helm.on(
            self.cluster.kubeconfig.clone(),
            self.cluster.kube_context.clone(),
        );
        let release = self.chart.release.clone();
        let release = release.unwrap_or_else(|| self.name.to_string());
        if !self.how.yes && std::io::stdin().is_terminal() {
            let what = format!("Upgrade {release} to {}?", self.described_chart());
            if !prompt::confirm(&what)? {
                bail!("nothing was upgraded");
            }
        }
        let way = wait::way(connection, &self.name).await?;
        let wait: Duration = self.how.wait.into();
        let mut chart = self.chart.readable()?;
        if self.how.skip_preflight {
            let disabled = "preflight.enabled=false".to_owned();
            chart.args.set.push(disabled);
        }
        helm.install(&release, &chart.args, None, wait).await?;
        wait::until_online(connection, &helm, (&self.name, &release), wait, way)
            .await
            .context("the chart was upgraded; 'helm rollback' puts it back")
    }

    fn described_chart(&self) -> String {
        let own = || format!("the chart of causeway {}", env!("CARGO_PKG_VERSION"));
        self.chart.chart.clone().unwrap_or_else(own)
    }
}

#[cfg(test)]
mod tests;
