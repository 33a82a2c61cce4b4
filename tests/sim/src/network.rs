//! Peers over the simulated network, with the settings that all peers have.

use causeway_client::{Credential, Peer, PeerUrl};
use hyper_util::rt::TokioIo;
use tonic::transport::Uri;
use tower::service_fn;
use turmoil::net::TcpStream;

/// The host of the inventory.
pub(crate) const PLATFORM: &str = "platform";
/// The host of its second replica.
pub(crate) const OTHER_PLATFORM: &str = "other-platform";
/// The host of the reporter.
pub(crate) const RUNTIME: &str = "runtime";
/// The host of a second reporter of the same runtime.
pub(crate) const OTHER_RUNTIME: &str = "other-runtime";
/// The host of somebody who watches.
pub(crate) const USER: &str = "user";
/// Where the platform listens.
pub(crate) const PORT: u16 = 7000;

/// A replica of the platform, as another host reaches it. The receiver tells callers apart by the service they call.
pub(crate) fn platform(host: &'static str) -> anyhow::Result<Peer> {
    let url = PeerUrl::parse(&format!("http://{host}:{PORT}"), None)?;
    let connector = service_fn(move |_: Uri| async move {
        let stream = TcpStream::connect((host, PORT)).await?;
        Ok::<_, std::io::Error>(TokioIo::new(stream))
    });
    let channel = url.endpoint().connect_with_connector_lazy(connector);
    Ok(Peer::from_channel(channel, Credential::None))
}
