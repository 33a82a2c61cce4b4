//! The part `request-router`: one port for gRPC, gRPC-Web and JSON, in front of the platform's parts or of a runtime's.
//!
//! It owns the table of where each RPC of the contract goes and how it looks over HTTP. On the platform side it has API keys
//! and browsers' sessions changed into assertions, and pages for a browser to sign in. It never decides who may do what, never builds an address from a request, and never lets a
//! caller's own identity headers through.

mod authorize;
mod call;
mod config;
mod fields;
mod framing;
mod grpc_frame;
mod header;
mod http;
mod intake;
mod limits;
mod openapi;
mod public;
mod refusal;
mod request_guard;
mod source;
mod status_json;
mod table;
mod template;
mod trace;
mod transcode;
mod upstream;

use std::{collections::BTreeSet, path::Path, sync::Arc};

use anyhow::{Context as _, bail};
use causeway_client::{Peer, PeerUrl, follow_revocations};
use causeway_proto::method;
use causeway_shell::{
    Shell,
    layer::{panics::PanicLayer, shed::ShedLayer, trace::TraceLayer},
    serve_public_http,
};
use futures::future::{BoxFuture, FutureExt as _};
use tokio::{net::TcpListener, sync::Semaphore};
use tower::ServiceBuilder;

pub use config::{
    Args, Origin, OriginError, PublicUrl, PublicUrlError, RuntimeUrlArg, RuntimeUrlArgError, Side,
    UpstreamArg, UpstreamArgError, UpstreamUrl,
};
pub use limits::LimitArgs;

use self::http::{Cors, Documents, Home, MOST_TERMINALS, Router, Webhooks};
use authorize::Authorizer;
use call::Exchange;
use limits::Limits;
use source::Proxies;
use table::Table;
use upstream::{Upstream, Upstreams};

const PART: &str = "request-router";
/// The part of a runtime that receives webhooks.
const RECEIVER: &str = "event-source";

/// Translates a request of the method with this number from JSON, and the body as an answer to JSON: for fuzz tests.
#[doc(hidden)]
pub fn transcode_for_test(method: usize, query: &str, body: &[u8]) {
    let mut methods = method::methods().values();
    let count = methods.len();
    if let Some(method) = methods.nth(method % count) {
        transcode::try_both_ways(&method.descriptor, query, body);
    }
}

/// Serves until the drain.
pub fn serve(
    args: Args,
    listener: TcpListener,
    shell: Shell,
) -> BoxFuture<'static, anyhow::Result<()>> {
    run(args, listener, shell).boxed()
}

async fn run(args: Args, listener: TcpListener, shell: Shell) -> anyhow::Result<()> {
    let tls = args.tls.for_listener("--listen", listener.local_addr()?)?;
    let platform = platform(&args)?;
    let webhooks = webhooks(&args)?;
    let exchange = Exchange {
        side: args.side,
        upstreams: upstreams(&args, &shell)?,
        runtimes: runtimes(&args, &shell)?,
        authorizer: (args.side == Side::Platform)
            .then(|| platform.clone())
            .flatten()
            .map(|platform| authorizer(platform, &shell)),
        limits: (args.side == Side::Platform).then(|| Limits::new(&args.limits)),
        shutdown: shell.shutdown(),
        budget: shell.byte_budget(),
    };
    let proxies = Proxies::new(args.trusted_proxies);
    let trusted = proxies.clone();
    let router = Router {
        table: Table::new(method::methods().values()).context("the contract")?,
        exchange,
        public: public::services(&shell)?,
        health: shell.health(),
        version: shell.version(),
        proxies,
        cors: Cors::new(args.cors_origins),
        documents: Documents::default(),
        tasks: shell.tasks().clone(),
        terminals: Arc::new(Semaphore::new(MOST_TERMINALS)),
        webhooks,
        home: (args.side == Side::Platform).then(|| Home::new(args.public_url, tls.as_ref())),
    };
    if let Some(platform) = platform {
        causeway_client::announce(&shell, platform);
    }
    let service = ServiceBuilder::new()
        .layer(TraceLayer::new(&shell))
        .layer(PanicLayer)
        .layer(ShedLayer::default())
        .service(router.into_service());
    let is_shared = Arc::new(move |address| trusted.trusts(address));
    serve_public_http(&shell, listener, tls, is_shared, service).await
}

fn authorizer(platform: Peer, shell: &Shell) -> Authorizer {
    let revocations = follow_revocations(shell, platform.clone());
    Authorizer::new(platform, revocations, shell.tasks().clone())
}

/// The part `platform`, with the credential of this router.
fn platform(args: &Args) -> anyhow::Result<Option<Peer>> {
    match (args.side, args.platform(), args.runtime()) {
        (Side::Platform, Some(platform), _) => Ok(Some(platform.identity(PART)?.platform)),
        (Side::Platform, None, _) => {
            bail!("--side platform needs --platform-url, and --part-key or --part-issuer-key")
        }
        (Side::Runtime, _, Some(runtime)) => Ok(Some(runtime.part(PART)?.platform())),
        (Side::Runtime, _, None) => Ok(None),
    }
}

/// Where webhooks go: by the tunnel, or to the part that receives them.
fn webhooks(args: &Args) -> anyhow::Result<Option<Webhooks>> {
    if args.side == Side::Platform {
        let platform = args.platform();
        let identity = platform.map(|it| it.identity(PART)).transpose()?;
        return Ok(identity.and_then(|it| Webhooks::by_tunnel(it.credential)));
    }
    let receiver = args
        .upstreams
        .iter()
        .find(|it| it.part.as_str() == RECEIVER);
    let (Some(receiver), Some(runtime)) = (receiver, args.runtime()) else {
        return Ok(None);
    };
    let bundle = bundle("--upstream-ca", args.upstream_ca.as_deref())?;
    let url = PeerUrl::parse(&receiver.url.to_string(), bundle).context("--upstream")?;
    let credential = runtime.part(PART)?.credential();
    Ok(Some(Webhooks::to_receiver(Peer::new(&url, credential))))
}

fn upstreams(args: &Args, shell: &Shell) -> anyhow::Result<Upstreams> {
    let known: BTreeSet<_> = method::methods()
        .values()
        .map(|method| method.part.as_str())
        .collect();
    let bundle = bundle("--upstream-ca", args.upstream_ca.as_deref())?;
    let mut upstreams = Upstreams::new();
    for argument in &args.upstreams {
        let name = argument.part.as_str();
        if !known.contains(name) {
            let known = known.iter().copied().collect::<Vec<_>>().join(", ");
            bail!("--upstream {name}: no such part; the contract has {known}");
        }
        let upstream = Upstream::new(name, &argument.url, bundle.as_deref(), shell.shutdown())
            .with_context(|| format!("--upstream {name}={}", argument.url))?;
        if upstreams.insert(name.to_owned(), upstream).is_some() {
            bail!("--upstream {name} is given twice; give it once");
        }
    }
    Ok(upstreams)
}

/// Runtimes that are reached by ingress.
fn runtimes(args: &Args, shell: &Shell) -> anyhow::Result<Upstreams> {
    if args.side == Side::Runtime && !args.runtime_urls.is_empty() {
        bail!("--runtime-url is for --side platform, whose router reaches runtimes by it");
    }
    let bundle = bundle("--runtime-ca", args.runtime_ca.as_deref())?;
    let mut runtimes = Upstreams::new();
    for RuntimeUrlArg { runtime, url } in &args.runtime_urls {
        let name = format!("the runtime at {url}");
        let upstream = Upstream::new(&name, url, bundle.as_deref(), shell.shutdown())
            .with_context(|| format!("--runtime-url {runtime}={url}"))?;
        if runtimes
            .insert(runtime.to_string(), upstream.far())
            .is_some()
        {
            bail!("--runtime-url {runtime} is given twice; give it once");
        }
    }
    Ok(runtimes)
}

fn bundle(flag: &str, file: Option<&Path>) -> anyhow::Result<Option<Vec<u8>>> {
    let read = |file: &Path| {
        std::fs::read(file).with_context(|| format!("cannot read {flag} {}", file.display()))
    };
    file.map(read).transpose()
}
