//! What a tunnel client is made of, once its settings are read.

use std::sync::{Arc, Mutex};

use anyhow::{Context, bail};
use causeway_client::{Credential, Peer, RuntimeIdentity, announce};
use causeway_relay::TrustRoots;
use causeway_shell::Shell;
use causeway_websocket::Proxy;
use http::Uri;
use tokio::task::JoinSet;

use crate::dial::{Dialler, PATH};
use crate::forward::Forwarder;
use crate::metrics::Metrics;
use crate::route::{Route, Routes};
use crate::slot::{Replicas, Slot};
use crate::upstream::Upstream;
use crate::{Args, PART};

/// A tunnel client before it dials.
pub struct Setup {
    /// `wss://HOST[:PORT]`; the path of the tunnel is added.
    pub url: Uri,
    pub trust: TrustRoots,
    pub proxy: Option<Proxy>,
    /// The part's.
    pub credential: Credential,
    pub routes: Vec<Route>,
    /// Platform that this part announces itself to.
    pub platform: Option<Peer>,
}

impl Setup {
    pub(crate) fn read(args: &Args) -> anyhow::Result<Self> {
        let part = args.runtime.part(PART)?;
        let identity = &part.runtime;
        let url = url(args, identity)?;
        Ok(Self {
            proxy: proxy(args, &url)?,
            url,
            trust: trust(args, identity)?,
            credential: part.credential(),
            routes: args.routes.clone(),
            platform: Some(part.platform()),
        })
    }

    /// Holds sessions until the shell drains.
    pub async fn serve(self, shell: Shell) -> anyhow::Result<()> {
        let ready = shell.ready_handle("first tunnel session");
        let ready = Arc::new(Mutex::new(Some(ready)));
        let routes =
            Routes::new(&self.routes, |route| Upstream::new(route, &shell)).context("--route")?;
        let forwarder = Arc::new(Forwarder::new(routes));
        let dialler = Arc::new(Dialler {
            url: with_path(&self.url)?,
            tls: self
                .trust
                .client_config(b"http/1.1")
                .context("--tunnel-ca")?,
            proxy: self.proxy,
            credential: self.credential,
            instance: shell.instance().to_owned(),
        });
        if let Some(platform) = self.platform {
            announce(&shell, platform);
        }
        let (replicas, metrics) = (Arc::new(Replicas::default()), Metrics::new(&shell));
        let mut slots = JoinSet::new();
        for number in [0, 1] {
            let slot = Slot {
                number,
                shell: shell.clone(),
                dialler: Arc::clone(&dialler),
                forwarder: Arc::clone(&forwarder),
                replicas: Arc::clone(&replicas),
                metrics: metrics.clone(),
                ready: Arc::clone(&ready),
            };
            slots.spawn(slot.run());
        }
        while let Some(ended) = slots.join_next().await {
            ended.context("a session's keeper")?;
        }
        Ok(())
    }
}

fn url(args: &Args, identity: &RuntimeIdentity) -> anyhow::Result<Uri> {
    match &args.tunnel_url {
        Some(url) => Ok(url.clone()),
        None if identity.tunnel_url.is_empty() => {
            bail!("the platform named no tunnel server at the join: pass --tunnel-url")
        }
        None => identity
            .tunnel_url
            .parse()
            .context("the tunnel server's address from the join"),
    }
}

/// The proxy, where it is on the way.
fn proxy(args: &Args, url: &Uri) -> anyhow::Result<Option<Proxy>> {
    let proxy = &args.runtime.proxy;
    let host = url.host().unwrap_or_default();
    let dialled: Uri = format!("https://{host}").parse().context("--tunnel-url")?;
    let named = proxy.https_proxy.as_deref();
    let named = named.filter(|_| proxy.applies_to(&dialled));
    named.map(str::parse).transpose().context("--https-proxy")
}

fn trust(args: &Args, identity: &RuntimeIdentity) -> anyhow::Result<TrustRoots> {
    match &args.tunnel_ca {
        Some(file) => {
            let pem =
                std::fs::read(file).with_context(|| format!("--tunnel-ca {}", file.display()))?;
            Ok(TrustRoots::Pem(pem))
        }
        None if identity.tunnel_ca.is_empty() => Ok(TrustRoots::Native),
        None => Ok(TrustRoots::Pem(identity.tunnel_ca.clone().into_bytes())),
    }
}

/// The path is part of the protocol, so people do not have to write it.
fn with_path(url: &Uri) -> anyhow::Result<Uri> {
    if !matches!(url.path(), "" | "/" | PATH) || url.scheme_str() != Some("wss") {
        bail!("--tunnel-url {url} is not the address of a tunnel server: use wss://HOST[:PORT]");
    }
    let authority = url.authority().context("--tunnel-url has no host")?;
    format!("wss://{authority}{PATH}")
        .parse()
        .context("--tunnel-url")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_the_tunnel_is_added() {
        let read = |text: &str| {
            with_path(&text.parse().unwrap())
                .map(|url| url.to_string())
                .ok()
        };
        assert_eq!(
            read("wss://t.example").as_deref(),
            Some("wss://t.example/tunnel/v1")
        );
        assert_eq!(
            read("wss://t.example:7443/tunnel/v1").as_deref(),
            Some("wss://t.example:7443/tunnel/v1")
        );
        for text in [
            "ws://t.example",
            "https://t.example",
            "wss://t.example/other",
            "t.example",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
