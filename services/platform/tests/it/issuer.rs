//! An OpenID Connect provider at the wire: what it says of itself, its keys, and tokens that it signs as a test wants them.

use std::sync::{Arc, Mutex};

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use causeway_assertion::SigningKey;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::{Mutex as Gate, OwnedMutexGuard},
    task::JoinSet,
};

const DISCOVERY: &str = "/.well-known/openid-configuration";
const TOKEN: &str = "/token";

pub(crate) struct Issuer {
    pub(crate) url: String,
    key: SigningKey,
    /// What the token endpoint answers next.
    answer: Arc<Mutex<String>>,
    /// The paths that were asked for.
    asked: Arc<Mutex<Vec<String>>>,
    /// Whoever has it keeps the answer about itself back.
    gate: Arc<Gate<()>>,
    _serving: JoinSet<()>,
}

/// What serves.
struct Pages {
    pages: [(&'static str, String); 3],
    answer: Arc<Mutex<String>>,
    asked: Arc<Mutex<Vec<String>>>,
    gate: Arc<Gate<()>>,
}

pub(crate) fn now() -> u64 {
    causeway_assertion::now()
}

impl Issuer {
    pub(crate) async fn start() -> Self {
        Self::start_saying(&json!({})).await
    }

    /// One that says this of itself too.
    pub(crate) async fn start_saying(more: &Value) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let key = SigningKey::generate().unwrap();
        let mut document = json!({
            "issuer": url,
            "authorization_endpoint": format!("{url}/authorize"),
            "token_endpoint": format!("{url}/token"),
            "jwks_uri": format!("{url}/keys"),
            "device_authorization_endpoint": format!("{url}/device"),
        });
        for (name, value) in more.as_object().unwrap() {
            document[name] = value.clone();
        }
        let keys = json!({"keys": [key.public_jwk()]});
        let answer = Arc::new(Mutex::new(json!({"error": "invalid_grant"}).to_string()));
        let device = json!({
            "device_code": "device-code", "user_code": "ABCD", "verification_uri": url,
            "expires_in": 300, "interval": 1,
        });
        let pages = [
            (DISCOVERY, document.to_string()),
            ("/keys", keys.to_string()),
            ("/device", device.to_string()),
        ];
        let (asked, gate) = (Arc::default(), Arc::default());
        let serves = Pages {
            pages,
            answer: Arc::clone(&answer),
            asked: Arc::clone(&asked),
            gate: Arc::clone(&gate),
        };
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                serves.serve(stream).await;
            }
        });
        Self {
            url,
            key,
            answer,
            asked,
            gate,
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

    /// How often a code was shown to the token endpoint.
    pub(crate) fn tokens_asked_for(&self) -> usize {
        self.count(TOKEN)
    }

    /// How often somebody began to ask what it says of itself.
    pub(crate) fn looked_at(&self) -> usize {
        self.count(DISCOVERY)
    }

    fn count(&self, path: &str) -> usize {
        let asked = self.asked.lock().unwrap();
        asked.iter().filter(|it| *it == path).count()
    }

    /// Keeps the answer about itself back until this is dropped.
    pub(crate) async fn hold(&self) -> OwnedMutexGuard<()> {
        Arc::clone(&self.gate).lock_owned().await
    }

    /// Has the token endpoint refuse.
    pub(crate) fn refuse(&self, error: &str) {
        *self.answer.lock().unwrap() = json!({ "error": error }).to_string();
    }
}

impl Pages {
    async fn serve(&self, mut stream: TcpStream) {
        let (mut seen, mut buffer) = (Vec::new(), [0; 4096]);
        while !is_whole(&seen) {
            match stream.read(&mut buffer).await {
                Ok(0) | Err(_) => return,
                Ok(count) => seen.extend_from_slice(&buffer[..count]),
            }
        }
        let text = String::from_utf8_lossy(&seen).into_owned();
        let path = text.split(' ').nth(1).unwrap_or_default();
        self.asked.lock().unwrap().push(path.to_owned());
        if path == DISCOVERY {
            drop(self.gate.lock().await);
        }
        let body = match self.pages.iter().find(|(page, _)| *page == path) {
            Some((_, page)) => page.clone(),
            None => self.answer.lock().unwrap().clone(),
        };
        let code = if body.contains("\"error\"") { 400 } else { 200 };
        let head = format!(
            "HTTP/1.1 {code} X\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
        let _ = stream.shutdown().await;
    }
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
