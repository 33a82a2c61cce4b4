//! The part `source-server`: manifests, resource trees and commits from Argo CD, cached and coalesced, for the other parts
//! of its runtime. Owns the only load that reporting puts on Argo CD. Never changes anything there, and never answers anyone
//! outside of its runtime.

mod config;
mod convert;
mod grpc;
mod link;
mod network;
mod source;

use causeway_argocd::{Argocd, Cluster, redact::Redactor};
use causeway_client::announce;
use causeway_proto::source::v1::source_service_server::SourceServiceServer;
use causeway_shell::{Access, Shell};
use futures::future::BoxFuture;
use tokio::net::TcpListener;

pub use config::Args;
pub use grpc::Handler;
pub use link::{GitHost, GitHostError, GitHostKind, GitHosts};
pub use source::{Limits, Source};

/// The part's name.
pub const PART: &str = "source-server";

/// Serves until the shell drains.
pub fn serve(
    args: Args,
    listener: TcpListener,
    shell: Shell,
) -> BoxFuture<'static, anyhow::Result<()>> {
    Box::pin(async move {
        let part = args.runtime.part(PART)?;
        let cluster = Cluster::open(&args.kube).await?;
        let argocd = Argocd::open(&args.argocd, &cluster)?;
        if !argocd.is_configured() {
            tracing::warn!(
                "Argo CD is not asked for manifests: give --argocd-server and --argocd-token-file"
            );
        }
        let redactor = Redactor::new(&part.redaction_secret()?);
        let source = Source::new(argocd, Limits::with_cache(args.cache_bytes), redactor);
        announce(&shell, part.platform());
        let server = shell.server(Access::from_contract(part.verifier()?));
        let service = SourceServiceServer::new(Handler::new(source, GitHosts::new(args.git_host)));
        server.add(service).serve(listener).await
    })
}
