//! Builds the watched clusters from command-line options.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use anyhow::ensure;
use causeway_argocd::{Cluster, KubeArgs, redact::Redactor};
use causeway_assertion::{ExpectedAudience, StaticKeys, Verifier};
use causeway_client::{RuntimeIdentity, RuntimePart};
use causeway_reporting::Kind;
use causeway_shell::{Access, Notices, ReadyHandle, Shell};

use tokio::time::sleep;

use crate::{
    Applications, Args, ManagedCluster, PART,
    watch::{self, Home, ReportTarget, Watch},
};

/// Interval at which a kind that the cluster does not serve is checked again.
const ABSENCE_INTERVAL: Duration = Duration::from_secs(60);
/// Interval at which an unusable kubeconfig is read again.
const RETRY_INTERVAL: Duration = Duration::from_secs(10);
/// Cache lifetime, shorter than the interval between complete lists.
const CACHED: Duration = Duration::from_secs(300);

/// Settings shared by the watches of all clusters.
pub(crate) struct Setup {
    args: Args,
    kinds: Vec<Kind>,
    redactor: Redactor,
    target: ReportTarget,
    own: Cluster,
    applications: Applications,
}

impl Setup {
    /// # Errors
    /// A cluster name is used twice, the redaction rules are invalid, the runtime's own cluster is not known, or its kubeconfig
    /// cannot be read.
    pub(crate) async fn new(args: Args, part: &RuntimePart, shell: &Shell) -> anyhow::Result<Self> {
        let mut names = BTreeSet::from([args.reporter.cluster.as_str()]);
        for managed in &args.managed_clusters {
            let name = managed.name.as_str();
            ensure!(
                names.insert(name),
                "--managed-cluster names {name} twice, or as --cluster does"
            );
        }
        let own = Cluster::open(&args.reporter.kube).await?;
        Ok(Self {
            applications: Applications::new(
                own.client(),
                args.argocd_namespaces.clone(),
                shell.notices().clone(),
                CACHED,
            ),
            own,
            kinds: kinds(&args),
            redactor: args
                .reporter
                .redaction
                .redactor(&part.redaction_secret()?)?,
            target: ReportTarget {
                inventory: part.platform(),
                instance: shell.instance().to_owned(),
                version: shell.version().to_owned(),
                meter: shell.meter(),
                notices: shell.notices().clone(),
            },
            args,
        })
    }

    pub(crate) fn own(&self, shell: &Shell) -> Watch {
        let cluster = self.own.clone();
        self.watch(cluster, &self.args.reporter.cluster, "", ready(shell))
    }

    /// Returns the managed clusters.
    pub(crate) fn managed(&self) -> &[ManagedCluster] {
        &self.args.managed_clusters
    }

    /// Returns a managed cluster once its kubeconfig is usable. The part becomes ready without it.
    pub(crate) async fn managed_watch(&self, managed: &ManagedCluster) -> Watch {
        let cluster = managed
            .wait_until_usable(&self.target.notices, RETRY_INTERVAL)
            .await;
        self.watch(
            cluster,
            &managed.name,
            &self.args.reporter.cluster,
            Vec::new(),
        )
    }

    fn watch(&self, cluster: Cluster, name: &str, home: &str, ready: Vec<ReadyHandle>) -> Watch {
        Watch {
            cluster,
            name: name.to_owned(),
            kinds: self.kinds.clone(),
            namespaces: self.args.reporter.watch_namespaces.clone(),
            home: Home {
                cluster: home.to_owned(),
                applications: self.applications.clone(),
            },
            redactor: self.redactor.clone(),
            target: self.target.clone(),
            absence_interval: ABSENCE_INTERVAL,
            cache_lifetime: CACHED,
            ready,
        }
    }
}

impl ManagedCluster {
    /// Opens the cluster. While it is unusable, raises a notice and retries.
    async fn wait_until_usable(&self, notices: &Notices, again: Duration) -> Cluster {
        let topic = format!("managed cluster {}", self.name);
        let kube = KubeArgs {
            kubeconfig: Some(self.kubeconfig.clone()),
            context: None,
        };
        loop {
            match Cluster::open(&kube).await {
                Ok(cluster) => {
                    notices.clear(&topic);
                    return cluster;
                }
                Err(error) => {
                    let line = format!("the managed cluster {} is not watched: {error}", self.name);
                    notices.raise(topic.clone(), line);
                }
            }
            sleep(again).await;
        }
    }
}

/// Access table of a part without callers: only public services are served.
pub(crate) fn access(identity: &RuntimeIdentity) -> anyhow::Result<Access> {
    let (account, runtime) = (identity.account.clone(), identity.runtime_id.clone());
    let recipient = ExpectedAudience::runtime(account, runtime, PART.parse()?);
    let nobody = Verifier::new(Arc::new(StaticKeys::new([])), recipient);
    Ok(Access::from_contract(nobody))
}

/// Takes one readiness handle for each kind that is always reported.
fn ready(shell: &Shell) -> Vec<ReadyHandle> {
    let kinds = watch::kinds().into_iter();
    kinds.map(|_| shell.ready_handle("resources")).collect()
}

/// Returns the additional kinds, each once.
fn kinds(args: &Args) -> Vec<Kind> {
    let mut known: BTreeSet<String> = watch::kinds().iter().map(Kind::name).collect();
    let asked = args.kinds.iter();
    asked
        .filter(|kind| known.insert(kind.name()))
        .cloned()
        .collect()
}

#[cfg(test)]
mod tests;
