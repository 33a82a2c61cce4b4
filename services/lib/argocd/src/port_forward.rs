//! Forwards a local port to a port of a pod through the API server.

use std::{io, net::SocketAddr};

use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

const MAX_CONNECTIONS: usize = 32;

#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) pods: Api<Pod>,
    pub(crate) pod: String,
    pub(crate) port: u16,
}

/// Listener on loopback. Dropping it closes the listener and its connections.
pub(crate) struct PortForward {
    address: SocketAddr,
    _accepting: JoinSet<()>,
}

impl PortForward {
    pub(crate) async fn open(target: Target) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let mut accepting = JoinSet::new();
        accepting.spawn(accept_connections(listener, target));
        Ok(Self {
            address,
            _accepting: accepting,
        })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

async fn accept_connections(listener: TcpListener, target: Target) {
    let mut connections = JoinSet::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            return;
        };
        while connections.try_join_next().is_some() || connections.len() >= MAX_CONNECTIONS {
            if connections.len() >= MAX_CONNECTIONS {
                connections.join_next().await;
            }
        }
        connections.spawn(copy_to_pod(stream, target.clone()));
    }
}

async fn copy_to_pod(mut stream: TcpStream, target: Target) {
    let opened = target.pods.portforward(&target.pod, &[target.port]).await;
    let mut forwarder = match opened {
        Ok(forwarder) => forwarder,
        Err(error) => {
            tracing::debug!(%error, pod = target.pod, "cannot forward a port of the pod");
            return;
        }
    };
    let Some(mut remote) = forwarder.take_stream(target.port) else {
        return;
    };
    // The caller sees the broken connection itself, so the error is not logged a second time.
    let _ = copy_bidirectional(&mut stream, &mut remote).await;
}
