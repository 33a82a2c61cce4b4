//! The parts of one runtime, and its cluster.

use std::{fs, path::Path};

use causeway_client::{Peer, RuntimeIdentity};
use causeway_sandbox::{Sandbox, SandboxOptions};
use causeway_shell::Shell;
use futures::future::BoxFuture;
use tokio::net::TcpListener;

use super::{flag, join, join_token, upstream};
use crate::part::Part;

/// Secret of the webhook route `gitea` of every runtime.
pub const WEBHOOK_SECRET: &str = "the secret of the route";

/// A runtime with a sandbox of its own.
pub struct RuntimeParts {
    pub identity: RuntimeIdentity,
    pub source_server: Part,
    pub app_proxy: Part,
    pub event_source: Part,
    pub router: Part,
    pub tunnel_client: Part,
    pub reporter: Part,
    pub resource_reporter: Part,
    app_proxy_flags: Vec<String>,
    /// Of the part `application-event-reporter`, for a process of its own.
    pub reporter_flags: Vec<String>,
    /// None where it is not this one's, or other parts took it over.
    pub(super) sandbox: Option<Sandbox>,
}

/// Where the parts of a runtime find its cluster and its Argo CD.
pub(crate) struct Surroundings {
    /// YAML.
    pub(crate) kubeconfig: String,
    /// Of Argo CD's REST API.
    pub(crate) argocd_url: String,
    /// What that takes.
    pub(crate) argocd_token: String,
    /// More flags of the part `source-server`.
    pub(crate) source_server_flags: Vec<String>,
}

impl RuntimeParts {
    pub(super) async fn start(
        (name, allow): (&str, &str),
        home: &Path,
        router: &str,
        user: &Peer,
        sandbox: SandboxOptions,
    ) -> Self {
        let sandbox = Sandbox::start(sandbox).await.unwrap();
        let token = join_token(name, user).await;
        let identity = join(&token, home, router).await;
        Self::serve(identity, home, allow, sandbox).await
    }

    /// Joins a runtime to the platform whose router is at this URL, in a folder of its own, and starts its parts beside a cluster
    /// that somebody else runs.
    ///
    /// # Panics
    /// When it is refused, or a part does not start.
    pub(crate) async fn join(
        (name, allow): (&str, &str),
        home: &Path,
        router: &str,
        user: &Peer,
        surroundings: &Surroundings,
    ) -> Self {
        let token = join_token(name, user).await;
        let identity = join(&token, home, router).await;
        Self::beside(identity, home, allow, surroundings).await
    }

    pub(super) async fn serve(
        identity: RuntimeIdentity,
        home: &Path,
        allow: &str,
        sandbox: Sandbox,
    ) -> Self {
        let surroundings = Surroundings {
            kubeconfig: sandbox.kubeconfig(),
            argocd_url: sandbox.argocd_url(),
            argocd_token: sandbox.argocd_token().to_owned(),
            source_server_flags: Vec::new(),
        };
        let mut parts = Self::beside(identity, home, allow, &surroundings).await;
        parts.sandbox = Some(sandbox);
        parts
    }

    async fn beside(
        identity: RuntimeIdentity,
        home: &Path,
        allow: &str,
        surroundings: &Surroundings,
    ) -> Self {
        let own = flag("--runtime-folder", home.display());
        let file = |name: &str, text: &str| {
            let path = home.join(name);
            fs::write(&path, text).unwrap();
            path.display().to_string()
        };
        let cluster = flag("--kubeconfig", file("kubeconfig", &surroundings.kubeconfig));
        let argocd = [
            own.clone(),
            cluster.clone(),
            flag("--argocd-server", &surroundings.argocd_url),
            flag(
                "--argocd-token-file",
                file("argocd.token", &surroundings.argocd_token),
            ),
        ]
        .concat();
        let source_server = [argocd.clone(), surroundings.source_server_flags.clone()].concat();
        let serve = causeway_source_server::serve;
        let source_server = Part::start("source-server", &source_server, serve).await;
        let app_proxy_flags = [argocd, flag("--allow", allow)].concat();
        let app_proxy = Part::start("app-proxy", &app_proxy_flags, causeway_app_proxy::serve).await;
        fs::create_dir_all(home.join("webhooks")).unwrap();
        file("webhooks/gitea", WEBHOOK_SECRET);
        let event_source = [
            own.clone(),
            cluster.clone(),
            flag("--data", home.join("event-source").display()),
            flag("--webhook-route", "gitea=gitea"),
            flag("--webhook-secrets", home.join("webhooks").display()),
            flag("--allow-webhook", "replay,test"),
        ]
        .concat();
        let serve = causeway_event_source::serve;
        let event_source = Part::start("event-source", &event_source, serve).await;
        let router = [
            own.clone(),
            flag("--side", "runtime"),
            upstream("app-proxy", &app_proxy),
            upstream("event-source", &event_source),
            upstream("source-server", &source_server),
        ]
        .concat();
        let router = Part::start("request-router", &router, causeway_request_router::serve).await;
        let tunnel_client = [
            own.clone(),
            flag("--route", format!("router={}", router.url())),
        ]
        .concat();
        let tunnel_client = Part::start("tunnel-client", &tunnel_client, tunnel_client_serve).await;
        let resources = [own.clone(), cluster.clone()].concat();
        let reporter_flags = [own, cluster, flag("--source-server", source_server.url())].concat();
        let serve = causeway_application_event_reporter::serve;
        let reporter = Part::start("application-event-reporter", &reporter_flags, serve).await;
        let serve = causeway_resource_event_reporter::serve;
        let resource_reporter = Part::start("resource-event-reporter", &resources, serve).await;
        Self {
            identity,
            source_server,
            app_proxy,
            event_source,
            router,
            tunnel_client,
            reporter,
            resource_reporter,
            app_proxy_flags,
            reporter_flags,
            sandbox: None,
        }
    }

    /// Starts another replica of its app-proxy.
    ///
    /// # Panics
    /// It does not start.
    pub async fn second_app_proxy(&self) -> Part {
        let flags = &self.app_proxy_flags;
        Part::start("app-proxy", flags, causeway_app_proxy::serve).await
    }

    /// Returns the cluster of the runtime.
    pub fn sandbox(&self) -> &Sandbox {
        self.sandbox.as_ref().unwrap()
    }

    /// Drains its parts and stops its sandbox.
    ///
    /// # Panics
    /// A part has failed or does not drain.
    pub async fn stop(mut self) {
        self.resource_reporter.stop().await;
        self.reporter.stop().await;
        self.tunnel_client.stop().await;
        self.router.stop().await;
        self.event_source.stop().await;
        self.app_proxy.stop().await;
        self.source_server.stop().await;
        if let Some(sandbox) = self.sandbox {
            sandbox.stop().await;
        }
    }
}

/// Served inside the tunnel only, so the listener is unused.
fn tunnel_client_serve(
    args: causeway_tunnel_client::Args,
    _listener: TcpListener,
    shell: Shell,
) -> BoxFuture<'static, anyhow::Result<()>> {
    causeway_tunnel_client::serve(args, shell)
}
