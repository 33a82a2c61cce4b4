//! Command-line options.

use std::{path::PathBuf, str::FromStr};

use causeway_reporting::{Kind, ReporterArgs};

/// Settings of the reporter.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub reporter: ReporterArgs,
    /// Namespace of Argo CD, for applications that objects name without a namespace; may be repeated
    #[arg(
        long = "argocd-namespace",
        env = "CAUSEWAY_ARGOCD_NAMESPACE",
        value_name = "NAMESPACE",
        value_delimiter = ',',
        default_value = "argocd"
    )]
    pub argocd_namespaces: Vec<String>,
    /// Additional kind to report, for example cronworkflows.argoproj.io/v1alpha1 or services/v1; may be repeated
    #[arg(
        long = "kind",
        env = "CAUSEWAY_KINDS",
        value_name = "PLURAL.GROUP/VERSION",
        value_delimiter = ',',
        value_parser = to_kind
    )]
    pub kinds: Vec<Kind>,
    /// Additional cluster to report, with a read-only kubeconfig; may be repeated. --watch-namespaces applies to it as well
    #[arg(
        long = "managed-cluster",
        env = "CAUSEWAY_MANAGED_CLUSTERS",
        value_name = "NAME=KUBECONFIG",
        value_delimiter = ','
    )]
    pub managed_clusters: Vec<ManagedCluster>,
}

/// A cluster that the runtime manages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManagedCluster {
    /// Name of the cluster on the platform.
    pub name: String,
    pub kubeconfig: PathBuf,
}

/// Invalid flag.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MalformedFlag {
    #[error("must be PLURAL.GROUP/VERSION, for example cronworkflows.argoproj.io/v1alpha1")]
    Kind,
    #[error("{0} are not reported by this flag")]
    Reserved(&'static str),
    #[error("must be NAME=KUBECONFIG, for example west=/etc/causeway/west.kubeconfig")]
    Cluster,
}

impl FromStr for ManagedCluster {
    type Err = MalformedFlag;

    fn from_str(text: &str) -> Result<Self, MalformedFlag> {
        match text.split_once('=') {
            Some((name, file)) if !name.is_empty() && !file.is_empty() => Ok(Self {
                name: name.to_owned(),
                kubeconfig: file.into(),
            }),
            Some(_) | None => Err(MalformedFlag::Cluster),
        }
    }
}

fn to_kind(text: &str) -> Result<Kind, MalformedFlag> {
    let (resource, version) = text.split_once('/').ok_or(MalformedFlag::Kind)?;
    let (plural, group) = resource.split_once('.').unwrap_or((resource, ""));
    let word = |text: &str| {
        let known = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        !text.is_empty() && text.bytes().all(known)
    };
    let group_is_right = group.is_empty() || group.split('.').all(word);
    if !word(plural) || !word(version) || !group_is_right {
        return Err(MalformedFlag::Kind);
    }
    match (plural, group) {
        ("applications", "argoproj.io") => Err(MalformedFlag::Reserved("Applications")),
        ("events", _) => Err(MalformedFlag::Reserved("events")),
        ("secrets", "") => Err(MalformedFlag::Reserved("Secrets")),
        _ => Ok(Kind::new(group, version, plural)),
    }
}

#[cfg(test)]
mod tests;
