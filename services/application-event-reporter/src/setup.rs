//! From flags to what works: the cluster's watchers and the reporter's setup.

use std::{sync::Arc, time::Duration};

use anyhow::Context as _;
use causeway_argocd::{Cluster, redact::Redactor};
use causeway_client::{Jitter, Peer, PeerUrl, RuntimeIdentity, RuntimePart};
use causeway_shell::{
    Access, Shell,
    assertion::{Recipient, StaticKeys, Verifier},
};
use k8s_openapi::api::core::v1::Namespace;
use kube::Api;
use tokio::sync::{Notify, mpsc};

use crate::{
    Args, Metrics, PART,
    kube::{Patience, Watcher},
    object::WatchScope,
    reporter::{ObjectEvents, Setup},
};

const EVENTS: usize = 256;
const IDENTITY_WITHIN: Duration = Duration::from_secs(5);

/// What a reporter and its watchers need.
pub(crate) struct Watched {
    pub(crate) watchers: Vec<Watcher>,
    pub(crate) setup: Setup,
    pub(crate) objects: ObjectEvents,
}

pub(crate) async fn watched(
    args: &Args,
    part: &RuntimePart,
    shell: &Shell,
) -> anyhow::Result<Watched> {
    let cluster = Cluster::open(&args.kube).await?;
    let redactor = Redactor::new(&part.redaction_secret()?);
    let (events_tx, events) = mpsc::channel(EVENTS);
    let scopes = scopes(args);
    let watcher = |scope: &WatchScope| Watcher {
        cluster: cluster.clone(),
        scope: scope.clone(),
        redactor: redactor.clone(),
        events: events_tx.clone(),
        relist: Arc::new(Notify::new()),
        patience: Patience::default(),
    };
    let watchers: Vec<Watcher> = scopes.iter().map(watcher).collect();
    let relist = watchers.iter().map(|watcher| Arc::clone(&watcher.relist));
    let objects = ObjectEvents {
        events,
        relist: relist.collect(),
    };
    let setup = Setup {
        inventory: part.platform(),
        source: source(args, part)?,
        cluster: args.cluster.clone(),
        scopes,
        store_identity: store_identity(&cluster).await,
        instance: shell.instance().to_owned(),
        version: shell.version().to_owned(),
        redactor,
        ready: Some(shell.ready_handle("applications")),
        metrics: Metrics::new(&shell.meter()),
        notices: shell.notices().clone(),
        jitter: Jitter::default(),
    };
    Ok(Watched {
        watchers,
        setup,
        objects,
    })
}

/// Nobody calls this part: only what is open to all is served.
pub(crate) fn access(identity: &RuntimeIdentity) -> anyhow::Result<Access> {
    let (account, runtime) = (identity.account.clone(), identity.runtime_id.clone());
    let recipient = Recipient::runtime(account, runtime, PART.parse()?);
    let nobody = Verifier::new(Arc::new(StaticKeys::new([])), recipient);
    Ok(Access::from_contract(nobody))
}

fn scopes(args: &Args) -> Vec<WatchScope> {
    let named = args
        .watch_namespaces
        .iter()
        .cloned()
        .map(WatchScope::Namespace);
    let named: Vec<WatchScope> = named.collect();
    match named.is_empty() {
        true => vec![WatchScope::All],
        false => named,
    }
}

fn source(args: &Args, part: &RuntimePart) -> anyhow::Result<Option<Peer>> {
    let Some(url) = &args.source_server else {
        tracing::warn!("without --source-server no manifests, trees and commits are reported");
        return Ok(None);
    };
    let url = PeerUrl::parse(url, None).context("--source-server")?;
    Ok(Some(Peer::new(&url, part.credential())))
}

/// The uid of the namespace kube-system; empty where it may not be read.
async fn store_identity(cluster: &Cluster) -> String {
    let namespaces: Api<Namespace> = Api::all(cluster.client());
    let read = tokio::time::timeout(IDENTITY_WITHIN, namespaces.get("kube-system")).await;
    let namespace = read.ok().and_then(Result::ok);
    namespace
        .and_then(|namespace| namespace.metadata.uid)
        .unwrap_or_default()
}
