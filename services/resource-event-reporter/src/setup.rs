//! From flags to the clusters that are watched.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use anyhow::ensure;
use causeway_argocd::{Cluster, KubeArgs};
use causeway_client::{RuntimeIdentity, RuntimePart};
use causeway_reporting::Kind;
use causeway_shell::{
    Access, ReadyHandle, Shell,
    assertion::{Recipient, StaticKeys, Verifier},
};

use crate::{
    Args, PART,
    watch::{self, Home, Told, Watch},
};

/// After this time a kind is asked for again that a cluster does not have.
const ABSENCE: Duration = Duration::from_secs(60);

/// The runtime's own cluster and those that it manages. It is ready without these: they may be far away.
pub(crate) async fn watches(
    args: &Args,
    part: &RuntimePart,
    shell: &Shell,
) -> anyhow::Result<Vec<Watch>> {
    let told = Told {
        inventory: part.platform(),
        instance: shell.instance().to_owned(),
        version: shell.version().to_owned(),
        meter: shell.meter(),
        notices: shell.notices().clone(),
    };
    let redactor = args.redaction.redactor(&part.redaction_secret()?)?;
    let kinds = kinds(args);
    let watch = |cluster, name: &str, home: &str, ready| Watch {
        cluster,
        name: name.to_owned(),
        kinds: kinds.clone(),
        namespaces: args.watch_namespaces.clone(),
        home: Home {
            cluster: home.to_owned(),
            argocd_namespace: args.argocd_namespace.clone(),
        },
        redactor: redactor.clone(),
        told: told.clone(),
        absence: ABSENCE,
        ready,
    };
    let own = Cluster::open(&args.kube).await?;
    let mut watches = vec![watch(own, &args.cluster, "", ready(shell))];
    let mut names = BTreeSet::from([args.cluster.as_str()]);
    for managed in &args.managed_clusters {
        let name = managed.name.as_str();
        ensure!(
            names.insert(name),
            "--managed-cluster names {name} twice, or as --cluster does"
        );
        let kube = KubeArgs {
            kubeconfig: Some(managed.kubeconfig.clone()),
            context: None,
        };
        let cluster = Cluster::open(&kube).await?;
        watches.push(watch(cluster, name, &args.cluster, Vec::new()));
    }
    Ok(watches)
}

/// Nobody calls this part: only what is open to all is served.
pub(crate) fn access(identity: &RuntimeIdentity) -> anyhow::Result<Access> {
    let (account, runtime) = (identity.account.clone(), identity.runtime_id.clone());
    let recipient = Recipient::runtime(account, runtime, PART.parse()?);
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
