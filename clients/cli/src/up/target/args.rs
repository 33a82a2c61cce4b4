//! The flags that say which cluster and which Argo CD `causeway up` works on.

use causeway_app_proxy::{Action, Entry, EntryError};
use causeway_argocd::{ArgocdArgs, KubeArgs};
use clap::Arg;

use crate::sandbox::ListenArgs;

const OWN: &str = "Your own cluster";
const TOKEN_FILE: &str = "The file with a token of Argo CD, read again at each call; without it actions go by the Application object and desired state is unknown";

#[derive(clap::Args, Debug, Clone)]
#[command(
    mut_arg("kubeconfig", |arg| of_own(arg, None).help("Work on the cluster of this kubeconfig instead of the sandbox")),
    mut_arg("context", |arg| of_own(arg, Some("kubeconfig"))),
    mut_arg("argocd_namespace", |arg| of_own(arg, Some("kubeconfig"))),
    mut_arg("argocd_server", |arg| of_own(arg, Some("kubeconfig"))),
    mut_arg("argocd_token_file", |arg| of_own(arg, Some("argocd_server")).help(TOKEN_FILE)),
    mut_arg("argocd_ca_file", |arg| of_own(arg, Some("argocd_server"))),
    mut_arg("argocd_tls_check", |arg| of_own(arg, Some("argocd_server")))
)]
pub(crate) struct TargetArgs {
    #[command(flatten)]
    pub(super) kube: KubeArgs,
    #[command(flatten)]
    pub(super) argocd: ArgocdArgs,
    #[command(flatten)]
    pub(super) sandbox: ListenArgs,
    /// What users may do in the runtime, as app-proxy reads it; everything if not given, but on the cluster of --kubeconfig no exec
    #[arg(
        long,
        env = "CAUSEWAY_ALLOW",
        value_name = "ENTRY",
        value_delimiter = ',',
        value_parser = parse_entry
    )]
    allow: Vec<String>,
    /// Repositories that users may write with integrations, as app-proxy reads it; all of the sandbox if not given
    #[arg(
        long,
        env = "CAUSEWAY_ALLOW_GIT",
        value_name = "RULE",
        value_delimiter = ','
    )]
    pub(super) allow_git: Vec<String>,
}

impl TargetArgs {
    /// The same for a runtime that runs beside another on this machine.
    pub(crate) fn apart_from_another(&self) -> Self {
        Self {
            sandbox: self.sandbox.apart_from_another(),
            ..self.clone()
        }
    }

    /// What users may do, with commas between. Commands in the containers of somebody's own cluster are for whoever asks for them.
    pub(super) fn allowed(&self) -> String {
        if !self.allow.is_empty() {
            return self.allow.join(",");
        }
        let is_own = self.kube.kubeconfig.is_some();
        let actions = Action::ALL.iter();
        let actions = actions.filter(|action| !(is_own && **action == Action::Exec));
        let actions: Vec<_> = actions.map(Action::to_string).collect();
        actions.join(",")
    }

    /// The rules for repositories; all on the host of `git_url` if none is given.
    pub(super) fn allowed_git_of(&self, git_url: &str) -> Vec<String> {
        match git_url.rsplit_once('/') {
            Some((host, _)) if self.allow_git.is_empty() => vec![format!("{host}/*")],
            Some(_) | None => self.allow_git.clone(),
        }
    }
}

fn parse_entry(text: &str) -> Result<String, EntryError> {
    text.parse::<Entry>().map(|_| text.to_owned())
}

/// A part reads these flags too; of `up` they are only where a cluster is named, and each may need another one.
fn of_own(arg: Arg, needed: Option<&'static str>) -> Arg {
    let arg = arg.help_heading(OWN);
    match needed {
        Some(needed) => arg.requires(needed),
        None => arg,
    }
}

#[cfg(test)]
mod tests;
