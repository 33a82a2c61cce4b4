//! An OpenID Connect provider at the wire: what it says of itself, its keys, and tokens that it signs as a test wants them.

use std::sync::{Arc, Mutex};

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use causeway_shell::assertion::SigningKey;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

pub(crate) struct Issuer {
    pub(crate) url: String,
    key: SigningKey,
    /// What the token endpoint answers next.
    answer: Arc<Mutex<String>>,
    _serving: JoinSet<()>,
}

pub(crate) fn now() -> u64 {
    causeway_shell::assertion::now()
}

impl Issuer {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let key = SigningKey::generate().unwrap();
        let document = json!({
            "issuer": url,
            "authorization_endpoint": format!("{url}/authorize"),
            "token_endpoint": format!("{url}/token"),
            "jwks_uri": format!("{url}/keys"),
            "device_authorization_endpoint": format!("{url}/device"),
        });
        let keys = json!({"keys": [key.public_jwk()]});
        let answer = Arc::new(Mutex::new(json!({"error": "invalid_grant"}).to_string()));
        let device = json!({
            "device_code": "device-code", "user_code": "ABCD", "verification_uri": url,
            "expires_in": 300, "interval": 1,
        });
        let pages = [
            ("/.well-known/openid-configuration", document.to_string()),
            ("/keys", keys.to_string()),
            ("/device", device.to_string()),
        ];
        let (mut serving, told) = (JoinSet::new(), Arc::clone(&answer));
        serving.spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                serve(stream, &pages, &told).await;
            }
        });
        Self {
            url,
            key,
            answer,
            _serving: serving,
        }
    }

    /// A token with these claims, which is good for an hour where they do not say otherwise.
    pub(crate) fn token(&self, mut claims: Value) -> String {
        for (name, value) in [
            ("iss", json!(self.url)),
            ("aud", json!("causeway")),
            ("iat", json!(now())),
            ("exp", json!(now() + 3600)),
        ] {
            if claims.get(name).is_none() {
                claims[name] = value;
            }
        }
        let claims: serde_json::Map<_, _> = claims
            .as_object()
            .unwrap()
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let head = json!({"alg": "ES256", "kid": self.key.kid().as_str()});
        let part = |value: String| BASE64_URL_SAFE_NO_PAD.encode(value);
        let signed = format!(
            "{}.{}",
            part(head.to_string()),
            part(Value::Object(claims).to_string())
        );
        let signature = self.key.sign_bytes(signed.as_bytes()).unwrap();
        format!("{signed}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature))
    }

    /// Has the token endpoint give a token once and for all.
    pub(crate) fn give(&self, token: &str) {
        *self.answer.lock().unwrap() = json!({"id_token": token}).to_string();
    }

    /// Has the token endpoint refuse.
    pub(crate) fn refuse(&self, error: &str) {
        *self.answer.lock().unwrap() = json!({ "error": error }).to_string();
    }
}

async fn serve(mut stream: TcpStream, pages: &[(&str, String)], told: &Mutex<String>) {
    let (mut seen, mut buffer) = (Vec::new(), [0; 4096]);
    while !is_whole(&seen) {
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(count) => seen.extend_from_slice(&buffer[..count]),
        }
    }
    let text = String::from_utf8_lossy(&seen).into_owned();
    let path = text.split(' ').nth(1).unwrap_or_default();
    let body = match pages.iter().find(|(page, _)| *page == path) {
        Some((_, page)) => page.clone(),
        None => told.lock().unwrap().clone(),
    };
    let code = if body.contains("\"error\"") { 400 } else { 200 };
    let head = format!(
        "HTTP/1.1 {code} X\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
    let _ = stream.shutdown().await;
}

fn is_whole(seen: &[u8]) -> bool {
    let text = String::from_utf8_lossy(seen).to_ascii_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let length = head.split("content-length: ").nth(1);
    let length = length.and_then(|rest| rest.lines().next()?.trim().parse().ok());
    body.len() >= length.unwrap_or(0)
}
