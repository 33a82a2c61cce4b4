//! The reporter as it would be if nothing were redacted, to show that the search for secrets finds them.

use std::sync::Arc;

use causeway_application_event_reporter::{Applications, Args, PART, Source};
use causeway_argocd::{Cluster, redact::Redactor};
use causeway_client::{Jitter, Peer, PeerUrl};
use causeway_reporting::{
    Metrics, ObjectEvents, ReportedKind as _, Reporter, Setup,
    kube::{WatchPolicy, Watcher},
    object::WatchScope,
};
use causeway_shell::Shell;
use futures::future::BoxFuture;
use tokio::{
    net::TcpListener,
    sync::{Notify, mpsc},
};

pub(super) fn serve(
    args: Args,
    _listener: TcpListener,
    shell: Shell,
) -> BoxFuture<'static, anyhow::Result<()>> {
    Box::pin(async move {
        let part = args.reporter.runtime.part(PART)?;
        let source = PeerUrl::parse(&args.source_server.unwrap_or_default(), None)?;
        let kind = Applications::new(Redactor::transparent());
        let (events_tx, events) = mpsc::channel(256);
        let relist = Arc::new(Notify::new());
        let watcher = Watcher {
            cluster: Cluster::open(&args.reporter.kube).await?,
            kind: kind.clone(),
            scope: WatchScope::All,
            events: events_tx,
            relist: Arc::clone(&relist),
            policy: WatchPolicy::default(),
        };
        let setup = Setup {
            inventory: part.platform(),
            source: Some(Source::new(
                Peer::new(&source, part.credential()),
                Redactor::transparent(),
            )),
            metrics: Metrics::new(&shell.meter(), &kind.kind().name(), &args.reporter.cluster),
            kind,
            cluster: args.reporter.cluster,
            scopes: vec![WatchScope::All],
            store_identity: String::new(),
            instance: shell.instance().to_owned(),
            version: shell.version().to_owned(),
            ready: Some(shell.ready_handle("applications")),
            notices: shell.notices().clone(),
            jitter: Jitter::default(),
        };
        let relist = vec![relist];
        let reporter = Reporter::new(setup, ObjectEvents { events, relist });
        let watching = watcher.run();
        let stop = shell.shutdown().requested();
        tokio::select! {
            () = watching => {}
            () = reporter.run(stop) => {}
        }
        Ok(())
    })
}
