//! The part `event-source`: receives webhooks of Git providers, verifies them, and hands each to its subscribers. Owns the secrets
//! of webhook routes and the promise that a webhook that was answered has its effect. Never believes more of a webhook than that
//! something changed, and never lets a header choose the provider.

mod config;
mod convert;
mod deliver;
mod delivery;
mod event;
mod grpc;
mod index;
mod kube;
mod receive;
mod refresh;
mod repository;
mod route;
mod signature;
mod spool;

use std::sync::Arc;

use causeway_argocd::Cluster;
use causeway_client::announce;
use causeway_proto::webhook::v1::{
    webhook_receiver_service_server::WebhookReceiverServiceServer,
    webhook_service_server::WebhookServiceServer,
};
use causeway_shell::{Access, Shell};
use futures::future::BoxFuture;
use tokio::net::TcpListener;

pub use config::{AllowedAction, Args};
pub use event::{Event, ReadWebhook, Reference, read};
pub use repository::Repository;
pub use route::{Provider, Route, RouteError, RouteName, Secrets, SecretsError};
pub use signature::{Headers, NotVerified, Trust, Verification, sign};

use self::{
    delivery::Subscriber,
    grpc::{ReceiverHandler, WebhookHandler},
    kube::Applications,
    receive::Receiver,
    refresh::Refresh,
    route::Routes,
    spool::Spool,
};

/// The part's name.
pub const PART: &str = "event-source";
/// Messages hold at most 64 KiB of a body and the headers.
const LARGEST_MESSAGE: usize = 256 << 10;

/// Serves until the shell drains.
pub fn serve(
    args: Args,
    listener: TcpListener,
    shell: Shell,
) -> BoxFuture<'static, anyhow::Result<()>> {
    Box::pin(async move {
        let part = args.runtime.part(PART)?;
        let routes = Routes::open(args.webhook_routes, args.webhook_secrets.as_deref())?;
        let subscribers = vec![Subscriber::ArgocdRefresh];
        let (spool, writer) = Spool::open(&args.data, args.spool_bytes, subscribers)?;
        shell.tasks().spawn_essential("spool", writer.run());
        let applications = Applications::new(Cluster::open(&args.kube).await?);
        let ready = shell.ready_handle("applications");
        let watching = applications
            .clone()
            .watch(args.watch_namespaces, ready, shell.shutdown());
        shell.tasks().spawn_essential("applications", watching);
        let refresh = Refresh::new(applications);
        let delivering = deliver::run(spool.clone(), refresh, shell.shutdown());
        shell.tasks().spawn_essential("argocd-refresh", delivering);
        announce(&shell, part.platform());
        let server = shell.server(Access::from_contract(part.verifier()?));
        let receiver = Arc::new(Receiver::new(routes, spool.clone()));
        let own = WebhookHandler::new(
            Arc::clone(&receiver),
            spool,
            args.allow_webhook,
            &part.runtime,
        );
        let receiving = WebhookReceiverServiceServer::new(ReceiverHandler::new(receiver));
        let server = server.add(receiving.max_decoding_message_size(LARGEST_MESSAGE));
        server
            .add(WebhookServiceServer::new(own))
            .serve(listener)
            .await
    })
}
