//! The issuer of a CI system at the wire: what it says of itself, its key, and tokens.

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use causeway_assertion::{SigningKey, now};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

pub(super) struct Issuer {
    pub(super) url: String,
    key: SigningKey,
    _serving: JoinSet<()>,
}

impl Issuer {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let key = SigningKey::generate().unwrap();
        let document = json!({
            "issuer": url,
            "authorization_endpoint": format!("{url}/authorize"),
            "token_endpoint": format!("{url}/token"),
            "jwks_uri": format!("{url}/keys"),
        });
        let keys = json!({"keys": [key.public_jwk()]});
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                serve(stream, &document, &keys).await;
            }
        });
        Self {
            url,
            key,
            _serving: serving,
        }
    }

    /// A token of a job, good for a minute.
    pub(super) fn token(&self, subject: &str) -> String {
        let head = json!({"alg": "ES256", "kid": self.key.kid().as_str()});
        let claims = json!({
            "iss": self.url, "aud": "causeway", "sub": subject, "iat": now(), "exp": now() + 60,
        });
        let part = |value: Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(head), part(claims));
        let signature = self.key.sign_bytes(signed.as_bytes()).unwrap();
        format!("{signed}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature))
    }
}

/// Answers one request without a body.
async fn serve(mut stream: TcpStream, document: &Value, keys: &Value) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let body = if head.starts_with(b"GET /keys ") {
        keys.to_string()
    } else {
        document.to_string()
    };
    let length = body.len();
    let answer =
        format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}");
    // Whoever asked may as well be gone.
    let _ = stream.write_all(answer.as_bytes()).await;
}
