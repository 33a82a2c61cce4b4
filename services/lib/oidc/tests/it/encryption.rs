//! Who sits between Causeway and a provider, and has no certificate of it, learns nothing and signs nobody in.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use causeway_oidc::{Challenge, Provider, ProviderConfig, ProviderError, Url};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::{ServerConfig, pki_types::PrivateKeyDer};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    task::JoinSet,
};
use tokio_rustls::TlsAcceptor;

/// Answers each request with the document of a provider of its own address, over TLS.
struct Answerer {
    issuer: String,
    certificate: String,
    requests: Arc<AtomicUsize>,
    _tasks: JoinSet<()>,
}

impl Answerer {
    async fn start(certified_name: &str) -> Self {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed([certified_name.to_owned()]).unwrap();
        let key = PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
        let config = ServerConfig::builder_with_provider(Arc::new(
            rustls::crypto::aws_lc_rs::default_provider(),
        ))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let issuer = format!("https://{}", listener.local_addr().unwrap());
        let (requests, document) = (Arc::new(AtomicUsize::new(0)), document(&issuer));
        let (counted, mut tasks) = (Arc::clone(&requests), JoinSet::new());
        tasks.spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let Ok(mut stream) = acceptor.accept(socket).await else {
                    continue;
                };
                let mut asked = vec![0; 4096];
                if stream.read(&mut asked).await.is_ok_and(|read| read > 0) {
                    counted.fetch_add(1, Ordering::SeqCst);
                    let _ = stream.write_all(document.as_bytes()).await;
                    let _ = stream.shutdown().await;
                }
            }
        });
        Self {
            issuer,
            certificate: cert.pem(),
            requests,
            _tasks: tasks,
        }
    }

    async fn asked(&self, ca: Option<&str>) -> Result<Url, ProviderError> {
        let provider = Provider::new(ProviderConfig {
            ca: ca.map(|pem| pem.as_bytes().to_vec()),
            ..ProviderConfig::public(&self.issuer, "causeway")
        });
        let challenge = Challenge::generate();
        let back = "http://127.0.0.1/back";
        provider?.authorization_url(back, &challenge).await
    }
}

fn document(issuer: &str) -> String {
    let body = serde_json::json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "jwks_uri": format!("{issuer}/keys"),
        "code_challenge_methods_supported": ["S256"],
    })
    .to_string();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

#[tokio::test]
async fn n_24_who_answers_without_a_certificate_that_is_trusted_is_asked_nothing() {
    let (between, other) = (
        Answerer::start("127.0.0.1").await,
        Answerer::start("127.0.0.1").await,
    );
    for ca in [None, Some(&*other.certificate)] {
        let refused = between.asked(ca).await.unwrap_err();
        assert!(
            matches!(refused, ProviderError::Unavailable { .. }),
            "{refused}"
        );
    }
    assert_eq!(between.requests.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn n_24_a_trusted_certificate_of_another_name_opens_nothing() {
    let between = Answerer::start("dex.example.com").await;
    let refused = between.asked(Some(&between.certificate)).await.unwrap_err();
    assert!(
        matches!(refused, ProviderError::Unavailable { .. }),
        "{refused}"
    );
    assert_eq!(between.requests.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn who_answers_with_a_certificate_that_is_trusted_is_asked() {
    let provider = Answerer::start("127.0.0.1").await;
    let url = provider.asked(Some(&provider.certificate)).await.unwrap();
    assert!(url.as_str().starts_with(&provider.issuer), "{url}");
    assert_eq!(provider.requests.load(Ordering::SeqCst), 1);
}
