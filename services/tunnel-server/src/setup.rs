//! What a tunnel server is made of, once its settings are read.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use causeway_assertion::development_ca::DevelopmentCa;
use causeway_assertion::{ExpectedAudience, KeySource, Verifier};
use causeway_client::{Peer, PlatformKeys, announce, follow_revocations};
use causeway_proto::ids::PartName;
use causeway_proto::tunnel::v1::tunnel_service_server::TunnelServiceServer;
use causeway_shell::{Access, HttpService, ServerTls, Shell};
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_rustls::TlsAcceptor;

use crate::admission::Admission;
use crate::authority::Callers;
use crate::connect::Tunnel;
use crate::forward::{Forwarder, Table};
use crate::grpc::Handler;
use crate::internal_listener::InternalListener;
use crate::metrics::Metrics;
use crate::report::Reporter;
use crate::{Args, Listeners, PART, authority};

/// A tunnel server before it serves.
pub struct Setup {
    /// Of the internal listener; nothing is plaintext.
    pub tls: Option<ServerTls>,
    /// Of the tunnel listener.
    pub tunnel_tls: ServerTls,
    /// Of runtimes, of parts of the platform, and of the platform itself.
    pub keys: Arc<dyn KeySource>,
    /// Platform that sessions are reported to.
    pub platform: Option<Peer>,
    /// How long calls under way may take when this replica stops.
    pub drain_grace: Duration,
}

impl Setup {
    pub(crate) fn read(args: &Args, internal: SocketAddr, shell: &Shell) -> anyhow::Result<Self> {
        let identity = args.platform.identity(shell.name())?;
        let revocations = follow_revocations(shell, identity.platform.clone());
        Ok(Self {
            tls: args.tls.for_listener("--listen", internal)?,
            tunnel_tls: tunnel_tls(args)?,
            keys: Arc::new(PlatformKeys::new(identity.platform.clone(), revocations)),
            platform: Some(identity.platform),
            drain_grace: args.tunnel_drain_grace,
        })
    }

    /// Serves both listeners until the shell drains.
    pub async fn serve(self, listeners: Listeners, shell: Shell) -> anyhow::Result<()> {
        let ready = shell.ready_handle("listeners");
        let (table, changed) = (Table::default(), Arc::new(Notify::new()));
        let revocations = self.keys.revocations();
        let listener = InternalListener {
            own: self.own_service(&table, &shell)?,
            forwarder: Forwarder::new(table.clone(), Callers::new(Arc::clone(&self.keys))),
            tls: self.tls,
            shell: shell.clone(),
        };
        let tunnel = Tunnel {
            authority: authority::of_dialler(self.keys, part()),
            tls: acceptor(&self.tunnel_tls),
            admission: Admission::new(Instant::now(), &shell.meter()),
            drain_grace: self.drain_grace,
            metrics: Metrics::new(&shell, &table),
            table: table.clone(),
            changed: Arc::clone(&changed),
            shell: shell.clone(),
        };
        if let Some(platform) = self.platform {
            announce(&shell, platform.clone());
            let reporter = Reporter {
                shell: shell.clone(),
                table,
                changed,
                platform,
                revocations,
            };
            shell.tasks().spawn("report sessions", reporter.run());
        }
        drop(ready);
        let served = tokio::try_join!(
            listener.serve(listeners.internal),
            Arc::new(tunnel).serve(listeners.tunnel)
        );
        served.map(|((), ())| ())
    }

    fn own_service(&self, table: &Table, shell: &Shell) -> anyhow::Result<HttpService> {
        let verifier = Verifier::new(Arc::clone(&self.keys), ExpectedAudience::platform(part()));
        let handler = Handler {
            table: table.clone(),
        };
        let server = shell.server(Access::from_contract(verifier));
        server.add(TunnelServiceServer::new(handler)).into_service()
    }
}

/// The certificate that was given, or one by a development authority.
fn tunnel_tls(args: &Args) -> anyhow::Result<ServerTls> {
    match (&args.tunnel_certificate, &args.tunnel_key, &args.data) {
        (Some(certificate), Some(key), _) => ServerTls::from_files(certificate, key)
            .context("--tunnel-certificate with --tunnel-key"),
        (_, _, Some(folder)) => {
            let names: Vec<_> = args.tunnel_names.iter().map(String::as_str).collect();
            let identity = DevelopmentCa::open_or_create(folder)?.server_identity(&names)?;
            ServerTls::from_pem(
                identity.certificate_pem.as_bytes(),
                identity.key_pem.as_bytes(),
            )
        }
        _ => bail!(
            "give --tunnel-certificate and --tunnel-key, or --data for a development authority"
        ),
    }
}

fn part() -> PartName {
    PART.parse().expect("it is a valid name")
}

/// An upgrade exists in HTTP/1.1 only, so nothing else is offered.
fn acceptor(tls: &ServerTls) -> TlsAcceptor {
    let mut config = tls.config().as_ref().clone();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    TlsAcceptor::from(Arc::new(config))
}
