//! TLS on both sides: a router in front of a router.

use std::path::{Path, PathBuf};

use causeway_assertion::SigningKey;
use causeway_assertion::development_ca::DevelopmentCa;
use causeway_proto::proxy::v1::{
    GetLiveApplicationRequest, GetLiveApplicationResponse,
    application_action_service_client::ApplicationActionServiceClient,
};
use causeway_request_router::{Args, Side};
use causeway_shell::{Shell, TestStop, TlsArgs, install_crypto};
use tokio::{net::TcpListener, task::JoinSet};
use tonic::{Code, Request, Response, Status, transport::Endpoint};

use crate::stack::Stack;

const ASSERTION: &str = "Bearer eyJhIjoxfQ.eyJhIjoxfQ.c2ln";

fn plain() -> TlsArgs {
    TlsArgs {
        tls_certificate: None,
        tls_key: None,
        tls_terminated_in_front: false,
    }
}

async fn router(servers: &mut JoinSet<()>, args: Args) -> (u16, TestStop) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (shell, stop) = Shell::for_test("request-router");
    servers.spawn(async move {
        causeway_request_router::serve(args, listener, shell)
            .await
            .unwrap();
    });
    (port, stop)
}

fn args(upstream: &str) -> Args {
    Args {
        side: Side::Runtime,
        upstreams: vec![upstream.parse().unwrap()],
        upstream_ca: None,
        runtime_urls: Vec::new(),
        runtime_ca: None,
        platform_url: None,
        part_key: None,
        part_issuer_key: None,
        runtime_folder: None,
        public_url: None,
        trusted_proxies: Vec::new(),
        cors_origins: Vec::new(),
        limits: causeway_request_router::LimitArgs::default(),
        proxy: causeway_client::ProxyArgs::default(),
        tls: plain(),
    }
}

async fn ask(
    port: u16,
    assertion: &'static str,
) -> Result<Response<GetLiveApplicationResponse>, Status> {
    let endpoint = Endpoint::try_from(format!("http://127.0.0.1:{port}")).unwrap();
    let mut client = ApplicationActionServiceClient::new(endpoint.connect().await.unwrap());
    let mut request = Request::new(GetLiveApplicationRequest::default());
    let metadata = request.metadata_mut();
    metadata.insert("authorization", assertion.parse().unwrap());
    client.get_live_application(request).await
}

/// A router that serves TLS, in front of these peers; with its port and who vouches for it.
async fn secured(
    stack: &Stack,
    servers: &mut JoinSet<()>,
    folder: &Path,
) -> (u16, PathBuf, TestStop) {
    let authority = DevelopmentCa::open_or_create(folder).unwrap();
    let identity = authority.server_identity(&["localhost"]).unwrap();
    let (certificate, key) = (folder.join("tls.crt"), folder.join("tls.key"));
    std::fs::write(&certificate, identity.certificate_pem).unwrap();
    std::fs::write(&key, identity.key_pem).unwrap();
    let mut inner = args(&format!("app-proxy=http://{}", stack.router));
    inner.tls = TlsArgs {
        tls_certificate: Some(certificate),
        tls_key: Some(key),
        ..plain()
    };
    let (port, stop) = router(servers, inner).await;
    (port, authority.ca_file(), stop)
}

#[tokio::test]
async fn a_call_goes_over_tls_where_the_certificate_is_vouched_for_and_nowhere_else() {
    install_crypto();
    let stack = Stack::runtime().await;
    let folder = tempfile::tempdir().unwrap();
    let mut servers = JoinSet::new();
    let (secure, authority, _inner) = secured(&stack, &mut servers, folder.path()).await;
    let mut outer = args(&format!("app-proxy=https://localhost:{secure}"));
    outer.upstream_ca = Some(authority);
    let (trusting, _trusting) = router(&mut servers, outer).await;
    let stranger = args(&format!("app-proxy=https://localhost:{secure}"));
    let (doubting, _doubting) = router(&mut servers, stranger).await;
    let mut answers = Vec::new();
    for port in [trusting, doubting] {
        answers.push(ask(port, ASSERTION).await);
    }
    assert!(answers[0].is_ok(), "{answers:?}");
    let status = answers[1].as_ref().unwrap_err();
    assert!(status.message().contains("certificate"), "{status:?}");
    assert_eq!(stack.peers.seen().len(), 1);
}

/// {"aud": "default/rt-1/app-proxy"} and the same of rt-2.
const OF_RT_1: &str = "Bearer eyJhIjoxfQ.eyJhdWQiOiJkZWZhdWx0L3J0LTEvYXBwLXByb3h5In0.c2ln";
const OF_RT_2: &str = "Bearer eyJhIjoxfQ.eyJhdWQiOiJkZWZhdWx0L3J0LTIvYXBwLXByb3h5In0.c2ln";

#[tokio::test]
async fn a_runtime_with_a_url_is_reached_by_it_over_tls_and_all_others_by_the_tunnel() {
    install_crypto();
    let (inside, tunnel) = (Stack::runtime().await, Stack::runtime().await);
    let folder = tempfile::tempdir().unwrap();
    let mut servers = JoinSet::new();
    let (secure, authority, _inner) = secured(&inside, &mut servers, folder.path()).await;
    let key = folder.path().join("parts.pem");
    std::fs::write(&key, SigningKey::generate().unwrap().to_pem()).unwrap();
    let outer = Args {
        side: Side::Platform,
        platform_url: Some(format!("http://{}", tunnel.router)),
        part_issuer_key: Some(key),
        runtime_urls: vec![format!("rt-1=https://localhost:{secure}").parse().unwrap()],
        ..args(&format!("tunnel-server=http://{}", tunnel.router))
    };
    let trusting = Args {
        runtime_ca: Some(authority),
        ..outer.clone()
    };
    let (port, _trusting) = router(&mut servers, trusting).await;
    let (doubting, _doubting) = router(&mut servers, outer).await;
    ask(port, OF_RT_1).await.unwrap();
    assert_eq!(
        (inside.peers.seen().len(), tunnel.peers.seen().len()),
        (1, 0)
    );
    ask(port, OF_RT_2).await.unwrap();
    assert_eq!(
        (inside.peers.seen().len(), tunnel.peers.seen().len()),
        (1, 1)
    );

    let status = ask(doubting, OF_RT_1).await.unwrap_err();
    assert!(status.message().contains("certificate"), "{status:?}");
    assert!(
        status
            .message()
            .contains(&format!("https://localhost:{secure}")),
        "{status:?}"
    );
    assert_eq!(status.code(), Code::Unavailable);
    let outcome = status.metadata().get("causeway-outcome").unwrap();
    assert_eq!(outcome, "not-delivered");
    assert_eq!(
        (inside.peers.seen().len(), tunnel.peers.seen().len()),
        (1, 1)
    );
}
