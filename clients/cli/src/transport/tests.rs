use causeway_assertion::development_ca::DevelopmentCa;
use causeway_client::{Credential, Peer, PeerUrl};
use causeway_proto::platform::v1::{self as pb, info_service_client::InfoServiceClient};
use tokio::net::TcpListener;
use tonic::transport::{Identity, Server, ServerTlsConfig, server::TcpIncoming};

use super::*;

/// Answers every connection with these bytes, after it has read what the client sends first.
async fn answering(bytes: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serve = async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut read = [0; 1024];
            let _ = stream.read(&mut read).await;
            let _ = stream.write_all(bytes).await;
        }
    };
    serve_in_background(serve);
    address.to_string()
}

#[expect(
    clippy::disallowed_methods,
    reason = "a listener of a test ends with its runtime"
)]
fn serve_in_background(serve: impl Future<Output = ()> + Send + 'static) {
    tokio::spawn(serve);
}

/// What a user is told whose command calls this address.
async fn told(address: &str, proxy: &ProxyArgs) -> String {
    let url = PeerUrl::parse(address, None).unwrap().with_proxy(proxy);
    let mut client = InfoServiceClient::new(Peer::new(&url, Credential::None));
    let asked = client
        .get_platform_info(pb::GetPlatformInfoRequest {})
        .await;
    let error = explain_with(asked.unwrap_err().into(), address, proxy).await;
    assert!(error.is::<TransportError>(), "{address}: {error:#}");
    error.to_string()
}

fn no_proxy() -> ProxyArgs {
    ProxyArgs::default()
}

#[tokio::test]
async fn plain_http_to_a_port_with_tls_names_the_other_scheme() {
    let alert: &[u8] = &[0x15, 3, 3, 0, 2, 2, 40];
    let go = b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";
    for bytes in [alert, go] {
        let address = answering(bytes).await;
        let text = told(&format!("http://{address}"), &no_proxy()).await;
        assert!(text.contains("speaks TLS"), "{text}");
        assert!(text.contains(&format!("use https://{address}")), "{text}");
    }
}

#[tokio::test]
async fn tls_to_a_port_with_plain_http_names_the_other_scheme() {
    let address = answering(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
    let text = told(&format!("https://{address}"), &no_proxy()).await;
    assert!(text.contains("plain HTTP"), "{text}");
    assert!(text.contains(&format!("use http://{address}")), "{text}");
}

#[tokio::test]
async fn another_web_server_is_named() {
    let page =
        b"HTTP/1.1 200 OK\r\nServer: nginx\x1b[2J/1.29\r\nContent-Type: text/html\r\n\r\n<html>";
    let address = answering(page).await;
    let text = told(&format!("http://{address}"), &no_proxy()).await;
    assert!(text.contains("not a Causeway platform"), "{text}");
    assert!(text.contains("(nginx[2J/1.29)"), "{text}");
}

#[tokio::test]
async fn a_platform_behind_a_proxy_without_http_2_is_told_apart() {
    let body =
        b"HTTP/1.1 200 OK\r\n\r\n{\"version\":\"0.1.0\",\"serverTime\":\"2026-01-31T12:00:00Z\"}";
    let address = answering(body).await;
    let text = told(&format!("http://{address}"), &no_proxy()).await;
    assert!(text.contains("for gRPC"), "{text}");
}

#[tokio::test]
async fn an_unknown_authority_asks_for_its_certificates() {
    let folder = tempfile::tempdir().unwrap();
    let ca = DevelopmentCa::open_or_create(folder.path()).unwrap();
    let own = ca.server_identity(&["localhost"]).unwrap();
    let identity = Identity::from_pem(own.certificate_pem, own.key_pem);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = Server::builder()
        .tls_config(ServerTlsConfig::new().identity(identity))
        .unwrap()
        .add_routes(tonic::service::Routes::default())
        .serve_with_incoming(TcpIncoming::from(listener));
    serve_in_background(async { server.await.unwrap() });
    let text = told(&format!("https://localhost:{port}"), &no_proxy()).await;
    assert!(text.contains("unknown authority"), "{text}");
    assert!(text.contains("--ca-file"), "{text}");
}

#[tokio::test]
async fn a_proxy_that_refuses_is_named_with_the_way_past_it() {
    let wants_user = b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n";
    let forbids = b"HTTP/1.1 403 Forbidden\r\nContent-Type: text/html\r\n\r\n<html>";
    for (bytes, said) in [(&wants_user[..], "407"), (&forbids[..], "does not connect")] {
        let proxy = ProxyArgs {
            https_proxy: Some(format!("http://{}", answering(bytes).await)),
            no_proxy: None,
        };
        let text = told("https://causeway.example.com", &proxy).await;
        assert!(
            text.contains("HTTPS_PROXY") && text.contains(said),
            "{text}"
        );
        assert!(text.contains("NO_PROXY=causeway.example.com"), "{text}");
    }
}

#[tokio::test]
async fn an_answer_of_the_platform_and_a_closed_port_stay_as_they_are() {
    let own = Status::not_found("no application 'web'");
    let closed = Status::unavailable("cannot reach the peer: Connection refused (os error 111)");
    for status in [own, closed] {
        let message = status.message().to_owned();
        let error = explain_with(status.into(), "http://127.0.0.1:1", &no_proxy()).await;
        let kept = error.downcast_ref::<Status>().map(Status::message);
        assert_eq!(kept, Some(&*message));
    }
}

#[test]
fn messages_tell_of_certificates_and_answers_that_are_not_grpc() {
    for (message, said) in [
        (
            "invalid peer certificate: certificate not valid for name \"a\"",
            "is not for lab",
        ),
        (
            "invalid peer certificate: Other(OtherError(CaUsedAsEndEntity))",
            "CA:FALSE",
        ),
        (
            "invalid peer certificate: certificate expired",
            "has expired",
        ),
        (
            "grpc-status header missing, mapped from HTTP status code 404",
            "not a Causeway",
        ),
        (
            "invalid compression flag: 60 (valid flags are 0 and 1)",
            "not a Causeway",
        ),
    ] {
        let text = of_message(message, "https://lab", "lab", false).unwrap();
        assert!(text.contains(said), "{message}: {text}");
    }
    assert_eq!(
        of_message("Connection refused", "https://lab", "lab", false),
        None
    );
}
