//! Listening sockets. Bind them before anything else starts, so that a port in use is the first error.

use std::{io::ErrorKind, net::SocketAddr};

use anyhow::anyhow;
use tokio::net::TcpListener;

/// Binds `address`, the value of `flag` (with its dashes), which errors name.
pub async fn bind(flag: &str, address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address)
        .await
        .map_err(|error| anyhow!("{flag} {address}: {}", explain(&error)))
}

fn explain(error: &std::io::Error) -> String {
    let kind = error.kind();
    if kind == ErrorKind::AddrInUse {
        "address already in use; stop the process that listens there or choose another port"
            .to_owned()
    } else if kind == ErrorKind::PermissionDenied {
        "permission denied; choose a port above 1023".to_owned()
    } else if kind == ErrorKind::AddrNotAvailable {
        "this machine does not have that address; use one of its own, or 0.0.0.0 for all".to_owned()
    } else {
        error.to_string()
    }
}
