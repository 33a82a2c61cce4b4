//! Builds watchers and the reporter setup from command-line options.

use std::sync::Arc;

use anyhow::Context as _;
use causeway_argocd::{Cluster, application::Application, redact::Redactor};
use causeway_assertion::{ExpectedAudience, StaticKeys, Verifier};
use causeway_client::{Jitter, Peer, PeerUrl, RuntimeIdentity, RuntimePart};
use causeway_reporting::{
    Metrics, ObjectEvents, ReportedKind as _, Setup,
    kube::{self, WatchPolicy, Watcher},
    object::WatchScope,
};
use causeway_shell::{Access, Shell};
use tokio::sync::{Notify, mpsc};

use crate::{Applications, Args, PART, Source};

const EVENTS: usize = 256;

/// Parts of a reporter and its watchers.
pub(crate) struct Watched {
    pub(crate) watchers: Vec<Watcher<Applications>>,
    pub(crate) setup: Setup<Applications>,
    pub(crate) objects: ObjectEvents<Application>,
}

pub(crate) async fn watched(
    args: &Args,
    part: &RuntimePart,
    shell: &Shell,
) -> anyhow::Result<Watched> {
    let own = &args.reporter;
    let cluster = Cluster::open(&own.kube).await?;
    let redactor = own.redaction.redactor(&part.redaction_secret()?)?;
    let kind = Applications::new(redactor.clone()).of(args.argocd_namespaces.clone());
    let (events_tx, events) = mpsc::channel(EVENTS);
    let scopes = WatchScope::from_namespaces(&own.watch_namespaces);
    let watcher = |scope: &WatchScope| Watcher {
        cluster: cluster.clone(),
        kind: kind.clone(),
        scope: scope.clone(),
        events: events_tx.clone(),
        relist: Arc::new(Notify::new()),
        policy: WatchPolicy::default(),
    };
    let watchers: Vec<_> = scopes.iter().map(watcher).collect();
    let relist = watchers.iter().map(|watcher| Arc::clone(&watcher.relist));
    let objects = ObjectEvents {
        events,
        relist: relist.collect(),
    };
    let metrics = Metrics::new(&shell.meter(), &kind.kind().name(), &own.cluster);
    let setup = Setup {
        inventory: part.platform(),
        source: source(args, part, redactor)?,
        kind,
        cluster: own.cluster.clone(),
        scopes,
        store_identity: kube::store_identity(&cluster).await,
        instance: shell.instance().to_owned(),
        version: shell.version().to_owned(),
        ready: Some(shell.ready_handle("applications")),
        metrics,
        notices: shell.notices().clone(),
        jitter: Jitter::default(),
    };
    Ok(Watched {
        watchers,
        setup,
        objects,
    })
}

/// Access table of a part without callers: only public services are served.
pub(crate) fn access(identity: &RuntimeIdentity) -> anyhow::Result<Access> {
    let (account, runtime) = (identity.account.clone(), identity.runtime_id.clone());
    let recipient = ExpectedAudience::runtime(account, runtime, PART.parse()?);
    let nobody = Verifier::new(Arc::new(StaticKeys::new([])), recipient);
    Ok(Access::from_contract(nobody))
}

fn source(args: &Args, part: &RuntimePart, redactor: Redactor) -> anyhow::Result<Option<Source>> {
    let Some(url) = &args.source_server else {
        tracing::warn!("without --source-server no manifests, trees and commits are reported");
        return Ok(None);
    };
    let url = PeerUrl::parse(url, None).context("--source-server")?;
    let peer = Peer::new(&url, part.credential());
    Ok(Some(Source::new(peer, redactor)))
}
