use std::time::Duration;

use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpListener,
};

use super::*;
use crate::{Credential, Peer, PeerUrl};

fn args(proxy: &str, no_proxy: &str) -> ProxyArgs {
    ProxyArgs {
        https_proxy: (!proxy.is_empty()).then(|| proxy.to_owned()),
        no_proxy: Some(no_proxy.to_owned()),
    }
}

#[test]
fn what_is_outside_is_reached_by_the_proxy_and_what_is_named_is_not() {
    let args = args(
        "http://proxy.example.com:3128",
        "localhost,.svc,10.0.0.0/8,example.org",
    );
    for (url, by_proxy) in [
        ("https://causeway.example.com", true),
        ("https://router.causeway.svc:7500", false),
        ("https://10.1.2.3", false),
        ("https://api.example.org", false),
        ("http://causeway.example.com", false),
    ] {
        assert_eq!(args.applies_to(&url.parse().unwrap()), by_proxy, "{url}");
    }
    let none = self::args("", "");
    assert!(!none.applies_to(&"https://causeway.example.com".parse().unwrap()));
}

#[test]
fn a_proxy_that_is_none_is_refused_and_its_password_is_not_shown() {
    for text in [
        "https://proxy.example.com",
        "socks5://proxy.example.com",
        "a b",
    ] {
        assert!(proxy(text).is_err(), "{text}");
    }
    assert!(proxy("http://me:hidden@proxy.example.com:3128").is_ok());
    let shown = format!("{:?}", args("http://me:hidden@proxy.example.com:3128", ""));
    assert!(!shown.contains("hidden"), "{shown}");
}

#[tokio::test]
async fn a_peer_is_dialled_through_the_proxy_with_its_credentials() {
    causeway_shell::install_crypto();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let url = PeerUrl::parse("https://causeway.example.com", None).unwrap();
    let url = url.with_proxy(&args(&format!("http://me:pass@{address}"), ""));
    let request = http::Request::post("/causeway.x.v1.X/Y");
    let request = request.body(tonic::body::Body::empty()).unwrap();
    let mut peer = Peer::new(&url, Credential::None);
    let asked = tower::ServiceExt::ready(&mut peer).await.unwrap();
    let asked = tower::Service::call(asked, request);
    let proxy = async {
        let (stream, _) = listener.accept().await.unwrap();
        let mut lines = BufReader::new(stream).lines();
        let mut head = Vec::new();
        while let Some(line) = lines.next_line().await.unwrap().filter(|it| !it.is_empty()) {
            head.push(line.to_lowercase());
        }
        let mut stream = lines.into_inner().into_inner();
        let refused = b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n";
        stream.write_all(refused).await.unwrap();
        head
    };
    let patience = Duration::from_secs(60);
    let (answer, head) = tokio::join!(asked, tokio::time::timeout(patience, proxy));
    let head = head.unwrap();
    assert_eq!(head[0], "connect causeway.example.com:443 http/1.1");
    let credentials = "proxy-authorization: basic bwu6cgfzcw==";
    assert!(head.iter().any(|line| line == credentials), "{head:?}");
    assert!(answer.is_err());
}
