//! TLS on both sides: a router in front of a router.

use causeway_proto::proxy::v1::{
    GetLiveApplicationRequest, application_action_service_client::ApplicationActionServiceClient,
};
use causeway_request_router::{Args, Side};
use causeway_shell::{Shell, TlsArgs, certificate::DevelopmentCa, install_crypto};
use tokio::{net::TcpListener, task::JoinSet};
use tonic::{Request, transport::Endpoint};

use crate::stack::Stack;

const ASSERTION: &str = "Bearer eyJhIjoxfQ.eyJhIjoxfQ.c2ln";

fn plain() -> TlsArgs {
    TlsArgs {
        tls_certificate: None,
        tls_key: None,
        tls_terminated_in_front: false,
    }
}

async fn router(servers: &mut JoinSet<()>, args: Args) -> (u16, causeway_shell::TestStop) {
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
        platform_url: None,
        part_key: None,
        part_issuer_key: None,
        runtime_folder: None,
        public_url: None,
        trusted_proxies: Vec::new(),
        cors_origins: Vec::new(),
        tls: plain(),
    }
}

#[tokio::test]
async fn a_call_goes_over_tls_where_the_certificate_is_vouched_for_and_nowhere_else() {
    install_crypto();
    let stack = Stack::runtime().await;
    let folder = tempfile::tempdir().unwrap();
    let authority = DevelopmentCa::open_or_create(folder.path()).unwrap();
    let identity = authority.server_identity(&["localhost"]).unwrap();
    let (certificate, key) = (folder.path().join("tls.crt"), folder.path().join("tls.key"));
    std::fs::write(&certificate, identity.certificate_pem).unwrap();
    std::fs::write(&key, identity.key_pem).unwrap();
    let mut servers = JoinSet::new();
    let mut inner = args(&format!("app-proxy=http://{}", stack.router));
    inner.tls = TlsArgs {
        tls_certificate: Some(certificate),
        tls_key: Some(key),
        ..plain()
    };
    let (secure, _inner) = router(&mut servers, inner).await;
    let mut outer = args(&format!("app-proxy=https://localhost:{secure}"));
    outer.upstream_ca = Some(authority.ca_file());
    let (trusting, _trusting) = router(&mut servers, outer).await;
    let stranger = args(&format!("app-proxy=https://localhost:{secure}"));
    let (doubting, _doubting) = router(&mut servers, stranger).await;
    let mut answers = Vec::new();
    for port in [trusting, doubting] {
        let endpoint = Endpoint::try_from(format!("http://127.0.0.1:{port}")).unwrap();
        let mut client = ApplicationActionServiceClient::new(endpoint.connect().await.unwrap());
        let mut request = Request::new(GetLiveApplicationRequest::default());
        request
            .metadata_mut()
            .insert("authorization", ASSERTION.parse().unwrap());
        answers.push(client.get_live_application(request).await);
    }
    assert!(answers[0].is_ok(), "{answers:?}");
    let status = answers[1].as_ref().unwrap_err();
    assert!(status.message().contains("certificate"), "{status:?}");
    assert_eq!(stack.peers.seen().len(), 1);
}
