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

/// After this time a kind is asked for again that a cluster does not have.
const ABSENCE: Duration = Duration::from_secs(60);
/// After this time a kubeconfig is read again that cannot be used.
const AGAIN: Duration = Duration::from_secs(10);
/// Shorter than it is from one complete list to the next.
const REMEMBERED: Duration = Duration::from_secs(300);

/// What the watches of all clusters have in common.
pub(crate) struct Setup {
    args: Args,
    kinds: Vec<Kind>,
    redactor: Redactor,
    told: ReportTarget,
    /// The runtime's own cluster.
    own: Cluster,
    applications: Applications,
}

impl Setup {
    /// # Errors
    /// A name of a cluster is given twice, the rules of redaction cannot be read, it is not said which cluster is the runtime's
    /// own, or its kubeconfig cannot be read.
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
                REMEMBERED,
            ),
            own,
            kinds: kinds(&args),
            redactor: args
                .reporter
                .redaction
                .redactor(&part.redaction_secret()?)?,
            told: ReportTarget {
                inventory: part.platform(),
                instance: shell.instance().to_owned(),
                version: shell.version().to_owned(),
                meter: shell.meter(),
                notices: shell.notices().clone(),
            },
            args,
        })
    }

    /// The runtime's own cluster.
    pub(crate) fn own(&self, shell: &Shell) -> Watch {
        let cluster = self.own.clone();
        self.watch(cluster, &self.args.reporter.cluster, "", ready(shell))
    }

    /// Those that it manages.
    pub(crate) fn managed(&self) -> &[ManagedCluster] {
        &self.args.managed_clusters
    }

    /// One of them, once its kubeconfig can be used: somebody may still have to put it there. The part is ready without it.
    pub(crate) async fn managed_watch(&self, managed: &ManagedCluster) -> Watch {
        let cluster = managed.opened(&self.told.notices, AGAIN).await;
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
            told: self.told.clone(),
            absence: ABSENCE,
            remembered: REMEMBERED,
            ready,
        }
    }
}

impl ManagedCluster {
    /// The cluster; where that is not to be had, it says so and tries again after a while.
    async fn opened(&self, notices: &Notices, again: Duration) -> Cluster {
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

/// Nobody calls this part: only what is open to all is served.
pub(crate) fn access(identity: &RuntimeIdentity) -> anyhow::Result<Access> {
    let (account, runtime) = (identity.account.clone(), identity.runtime_id.clone());
    let recipient = ExpectedAudience::runtime(account, runtime, PART.parse()?);
    let nobody = Verifier::new(Arc::new(StaticKeys::new([])), recipient);
    Ok(Access::from_contract(nobody))
}

/// One for each kind that is always reported.
fn ready(shell: &Shell) -> Vec<ReadyHandle> {
    let kinds = watch::kinds().into_iter();
    kinds.map(|_| shell.ready_handle("resources")).collect()
}

/// What was asked for beside what is always reported, each once.
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
