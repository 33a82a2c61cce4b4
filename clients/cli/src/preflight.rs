//! `causeway preflight`: whether a runtime can be installed here, before it is.

mod access;
mod finding;
mod git;
mod kube;
mod platform;
mod rights;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use causeway_argocd::KubeArgs;
use causeway_proto::ids::RuntimeName;
use futures::{
    FutureExt as _,
    future::{BoxFuture, join_all},
};
use serde_json::json;
use tokio::time::{Instant, sleep, timeout};

pub(crate) use self::finding::Finding;
use self::{finding::Verdict, kube::Kube};
use crate::{
    failure::No,
    output::{self, Cell, Format, OutputArgs, Progress, Table},
};

/// Whether a runtime can be installed in a cluster: what is missing, why that matters and what to do about it
///
/// Checks the cluster as the current user, the platform from this machine, and changes nothing. Exit code 0 where a runtime can be
/// installed, also where something is worth a look, and 1 where it cannot.
#[derive(clap::Args, Debug)]
pub(crate) struct PreflightArgs {
    /// The platform's address, as the runtime reaches it
    #[arg(long, env = "CAUSEWAY_PLATFORM_URL", value_name = "URL")]
    platform_url: Option<String>,
    /// A file with the join token; it is looked at, and not used up
    #[arg(long, env = "CAUSEWAY_JOIN_TOKEN_FILE", value_name = "FILE")]
    join_token_file: Option<PathBuf>,
    /// A file that is there once the runtime has joined, such as runtime.json in its folder; then no join token is looked at
    #[arg(long, value_name = "FILE")]
    joined: Option<PathBuf>,
    /// The name that the runtime is to have
    #[arg(long, value_name = "NAME")]
    name: Option<RuntimeName>,
    #[command(flatten)]
    install: InstallationArgs,
    /// Leave a check out, by its name in the table; may be repeated
    #[arg(long = "skip", value_name = "CHECK", value_parser = CHECKS)]
    skip: Vec<String>,
    /// How long each check may take
    #[arg(long, value_name = "TIME", default_value = "15s")]
    within: humantime::Duration,
    /// Look again for so long, as long as something is missing
    #[arg(long, value_name = "TIME", default_value = "0s")]
    patience: humantime::Duration,
    #[command(flatten)]
    output: OutputArgs,
}

/// What is to be installed, and where.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct InstallationArgs {
    /// A file with the certificates, as PEM, that vouch for the platform
    #[arg(long, env = "CAUSEWAY_PLATFORM_CA_FILE", value_name = "FILE")]
    pub(crate) platform_ca_file: Option<PathBuf>,
    /// The kubeconfig of the cluster
    #[arg(long, env = "CAUSEWAY_KUBECONFIG", value_name = "FILE")]
    pub(crate) kubeconfig: Option<PathBuf>,
    /// The context of the kubeconfig to use instead of its current one
    #[arg(long, env = "CAUSEWAY_KUBE_CONTEXT", value_name = "NAME")]
    pub(crate) kube_context: Option<String>,
    /// The namespace that the runtime is to be in
    #[arg(short, long, value_name = "NAMESPACE", default_value = "causeway")]
    pub(crate) namespace: String,
    /// See and act in these namespaces and that of Argo CD alone, by Roles there; may be repeated. Without it in all of the cluster
    #[arg(long = "scope-namespace", value_name = "NAMESPACE")]
    pub(crate) scope_namespaces: Vec<String>,
    /// The namespace of Argo CD; found by its labels if not given
    #[arg(long, env = "CAUSEWAY_ARGOCD_NAMESPACE", value_name = "NAMESPACE")]
    pub(crate) argocd_namespace: Option<String>,
    /// An Argo CD is installed together with the runtime, so none has to be there
    #[arg(long)]
    pub(crate) new_argocd: bool,
    /// How calls come in
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Access::Tunnel)]
    pub(crate) access: Access,
    /// For --access ingress: the class of the controller; the cluster's default if not given
    #[arg(long, value_name = "NAME")]
    pub(crate) ingress_class: Option<String>,
    /// For --access http-route: the Gateway that the route is attached to
    #[arg(long, value_name = "NAMESPACE/NAME")]
    pub(crate) gateway: Option<String>,
    /// What users may do in this runtime, with commas between, as --allow of app-proxy
    #[arg(
        long,
        value_name = "WHAT",
        default_value = "read,sync,refresh",
        value_delimiter = ','
    )]
    pub(crate) allow: Vec<String>,
    /// A Git repository that Argo CD reads, to be reached from here too; may be repeated. Without it those of the cluster's applications
    #[arg(long = "git-url", value_name = "URL")]
    pub(crate) git_urls: Vec<String>,
}

/// How calls come into a runtime.
#[derive(clap::ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// The runtime dials out, and no port is open
    Tunnel,
    /// By an Ingress
    Ingress,
    /// By an HTTPRoute of the Gateway API
    HttpRoute,
    /// By an address that leads to the runtime already
    Url,
}

const CHECKS: [&str; 10] = [
    "cluster",
    "argocd",
    "resources",
    "permissions",
    "platform",
    "clock",
    "join-token",
    "name",
    "access",
    "git",
];

/// The platform that the runtime is to join, and as what.
#[derive(Debug, Clone, Default)]
pub(crate) struct Joining {
    pub(crate) platform_url: Option<String>,
    pub(crate) token: Option<Token>,
    pub(crate) name: Option<RuntimeName>,
}

/// Where a join token is.
#[derive(Debug, Clone)]
pub(crate) enum Token {
    File(PathBuf),
    /// It is made once all is well.
    Later,
    /// The runtime has joined.
    Needless,
}

/// Between two looks.
const AGAIN: Duration = Duration::from_secs(2);

type Check<'a> = (&'static str, BoxFuture<'a, Vec<Finding>>);

impl PreflightArgs {
    pub(crate) async fn run(self) -> anyhow::Result<()> {
        let format = self.output.begin(crate::flags::arrangement());
        let joined = self.joined.as_deref().is_some_and(Path::exists);
        let token = if joined {
            Some(Token::Needless)
        } else {
            self.join_token_file.map(Token::File)
        };
        let joining = Joining {
            platform_url: self.platform_url,
            token,
            name: self.name,
        };
        let patience: Duration = self.patience.into();
        let begun = Instant::now();
        let findings = loop {
            let findings = self
                .install
                .check(&joining, &self.skip, self.within.into())
                .await;
            let failed = findings.iter().any(Finding::is_failure);
            if !failed || begun.elapsed() >= patience {
                break findings;
            }
            sleep(AGAIN).await;
        };
        print(&findings, format)?;
        if findings.iter().any(Finding::is_failure) {
            Err(No.into())
        } else {
            Ok(())
        }
    }
}

impl InstallationArgs {
    pub(crate) fn kube(&self) -> KubeArgs {
        KubeArgs {
            kubeconfig: self.kubeconfig.clone(),
            context: self.kube_context.clone(),
        }
    }

    /// Checks all at once, each in its time.
    pub(crate) async fn check(
        &self,
        joining: &Joining,
        skip: &[String],
        within: Duration,
    ) -> Vec<Finding> {
        let kube = self.kube();
        let kube = timeout(within, Kube::open(&kube)).await;
        let kube = kube.unwrap_or_else(|_| Err(finding::late("cluster", within)));
        let mut checks: Vec<Check<'_>> = Vec::new();
        let mut findings = Vec::new();
        match &kube {
            Ok(kube) => {
                findings.push(kube.finding());
                checks.push(("argocd", kube.argocd(self).boxed()));
                checks.push(("resources", kube.resources().boxed()));
                checks.push(("permissions", rights::check(kube, self).boxed()));
                checks.push(("access", access::check(kube, self).boxed()));
                checks.push(("git", git::check(Some(kube), self).boxed()));
            }
            Err(finding) => {
                findings.push(finding.clone());
                checks.push(("git", git::check(None, self).boxed()));
            }
        }
        let way = platform::Route {
            url: joining.platform_url.as_deref(),
            ca_file: self.platform_ca_file.as_deref(),
        };
        checks.push(("platform", platform::reach(way).boxed()));
        checks.push(("clock", platform::clock(way).boxed()));
        checks.push(("join-token", platform::token(way, joining).boxed()));
        let wanted = |name: &str| !skip.iter().any(|it| it == name);
        checks.retain(|(name, _)| wanted(name));
        findings.retain(|finding| wanted(finding.check));
        let progress = Progress::items("checking", checks.len());
        let progress = &progress;
        let limited = checks.into_iter().map(async |(name, check)| {
            let done = timeout(within, check).await;
            progress.advance(1);
            done.unwrap_or_else(|_| vec![finding::late(name, within)])
        });
        findings.extend(join_all(limited).await.into_iter().flatten());
        findings.retain(|finding| wanted(finding.check));
        findings.sort_by_key(|it| CHECKS.iter().position(|check| *check == it.check));
        findings
    }
}

/// Prints findings: a table, and below it what to do.
pub(crate) fn print(findings: &[Finding], format: Format) -> anyhow::Result<()> {
    if format != Format::Table {
        let installable = !findings.iter().any(Finding::is_failure);
        return output::value(
            &json!({"installable": installable, "findings": findings}),
            format,
        );
    }
    let mut columns = Table::new(&["CHECK", "RESULT", "WHAT"]);
    for finding in findings {
        columns.row(vec![
            Cell::new(finding.check),
            Cell::state(finding.verdict.word()),
            Cell::new(&finding.what),
        ]);
    }
    columns.print()?;
    for finding in findings.iter().filter(|it| it.verdict != Verdict::Ok) {
        output::line("")?;
        output::line(format!("{}: {}", finding.check, finding.what))?;
        output::line(format!("  why: {}", finding.why))?;
        output::line(format!("  do:  {}", finding.todo))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
