//! Every listener of the parts, bound before anything starts.

use std::net::SocketAddr;

use anyhow::Context as _;
use tokio::net::TcpListener;

use super::plan::{PlatformAddresses, RuntimeAddresses};

/// Listeners of the platform's parts.
pub(super) struct PlatformListeners {
    pub(super) router: TcpListener,
    tunnel: SocketAddr,
    pub(super) platform: TcpListener,
    pub(super) inventory: TcpListener,
    pub(super) tunnel_server: TcpListener,
}

/// Listeners of the runtime's parts.
pub(super) struct RuntimeListeners {
    pub(super) source_server: TcpListener,
    pub(super) app_proxy: TcpListener,
    pub(super) event_source: TcpListener,
    pub(super) router: TcpListener,
    pub(super) tunnel_client: TcpListener,
    pub(super) reporter: TcpListener,
    pub(super) resource_reporter: TcpListener,
    pub(super) gitops_operator: TcpListener,
}

impl PlatformListeners {
    pub(super) async fn bind(
        listen: SocketAddr,
        tunnel_listen: SocketAddr,
    ) -> anyhow::Result<Self> {
        // The tunnel server binds its own second listener; a look now tells a taken port before anything has started.
        let tunnel = causeway_shell::bind("--tunnel-listen", tunnel_listen).await?;
        let tunnel_address = tunnel.local_addr().context("--tunnel-listen")?;
        drop(tunnel);
        Ok(Self {
            router: causeway_shell::bind("--listen", listen).await?,
            tunnel: tunnel_address,
            platform: inner().await?,
            inventory: inner().await?,
            tunnel_server: inner().await?,
        })
    }

    pub(super) fn addresses(&self) -> std::io::Result<PlatformAddresses> {
        Ok(PlatformAddresses {
            router: self.router.local_addr()?,
            tunnel: self.tunnel,
            platform: self.platform.local_addr()?,
            inventory: self.inventory.local_addr()?,
            tunnel_server: self.tunnel_server.local_addr()?,
        })
    }
}

impl RuntimeListeners {
    pub(super) async fn bind() -> anyhow::Result<Self> {
        Ok(Self {
            source_server: inner().await?,
            app_proxy: inner().await?,
            event_source: inner().await?,
            router: inner().await?,
            tunnel_client: inner().await?,
            reporter: inner().await?,
            resource_reporter: inner().await?,
            gitops_operator: inner().await?,
        })
    }

    pub(super) fn addresses(&self) -> std::io::Result<RuntimeAddresses> {
        Ok(RuntimeAddresses {
            source_server: self.source_server.local_addr()?,
            app_proxy: self.app_proxy.local_addr()?,
            event_source: self.event_source.local_addr()?,
            router: self.router.local_addr()?,
        })
    }
}

async fn inner() -> anyhow::Result<TcpListener> {
    causeway_shell::bind("a part on loopback", SocketAddr::from(([127, 0, 0, 1], 0))).await
}
