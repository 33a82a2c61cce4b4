//! Explains why no platform answers at an address: a wrong scheme, an unknown certificate authority, another server, a proxy.

use std::time::Duration;

use causeway_client::{ProxyArgs, reason};
use clap::Parser as _;
use http::Uri;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use tonic::Status;

/// How long the look at the address may take.
const PATIENCE: Duration = Duration::from_secs(3);
/// Most bytes of an answer that are read.
const MOST: usize = 4 << 10;
/// The first bytes of TLS records: an alert and a handshake.
const TLS_RECORDS: [u8; 2] = [0x15, 0x16];
/// Parts of messages of failed connections and of answers that are not gRPC.
const TRACES: [&str; 6] = [
    "cannot reach the peer",
    "h2 protocol error",
    "http2 error",
    "mapped from HTTP status code",
    "compression flag",
    "transport error",
];

/// No platform answers at an address, for a reason that another try does not change.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct TransportError(String);

/// What answers plain HTTP at an address.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Tls,
    /// Causeway itself.
    Platform,
    Proxy,
    /// Another server, by the name that it has for itself.
    Server(String),
    /// The connection was closed, or nothing came.
    Nothing,
}

#[derive(clap::Parser)]
struct Environment {
    #[command(flatten)]
    proxy: ProxyArgs,
}

/// The proxy that the environment names; none where it cannot be used.
pub(crate) fn environment_proxy() -> ProxyArgs {
    let read = Environment::try_parse_from(["causeway"]);
    read.map_or_else(|_| ProxyArgs::default(), |environment| environment.proxy)
}

/// Replaces an error of the connection by one that says what is wrong and what to do. Others stay as they are.
pub(crate) async fn explain(error: anyhow::Error, address: &str) -> anyhow::Error {
    explain_with(error, address, &environment_proxy()).await
}

async fn explain_with(error: anyhow::Error, address: &str, proxy: &ProxyArgs) -> anyhow::Error {
    let status = error.chain().find_map(|it| it.downcast_ref::<Status>());
    let Some(message) = status
        .filter(|it| is_of_connection(it))
        .map(Status::message)
    else {
        return error;
    };
    let uri = address.parse::<Uri>().ok();
    let Some(host) = uri.as_ref().and_then(|uri| uri.host()) else {
        return error;
    };
    let is_proxied = uri.as_ref().is_some_and(|uri| proxy.applies_to(uri));
    let known = of_message(message, address, host, is_proxied);
    let explanation = match known {
        Some(explanation) => Some(explanation),
        // Through a proxy the address itself may be out of reach.
        None if is_proxied => None,
        None => match look(address).await {
            Some(answer) => of_answer(&answer, address),
            None => None,
        },
    };
    match explanation {
        Some(explanation) => TransportError(explanation).into(),
        None => error,
    }
}

fn is_of_connection(status: &Status) -> bool {
    let message = status.message();
    reason(status).is_none() && TRACES.iter().any(|trace| message.contains(trace))
}

/// What the message alone tells.
fn of_message(message: &str, address: &str, host: &str, is_proxied: bool) -> Option<String> {
    let has = |text: &str| message.contains(text);
    if has("proxy authorization required") {
        return Some(format!(
            "the proxy of HTTPS_PROXY wants a user (407): write HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT, or NO_PROXY={host} to go past it"
        ));
    }
    if has("tunnel error") {
        return Some(format!(
            "the proxy of HTTPS_PROXY does not connect to {address}: allow {host} there, or write NO_PROXY={host} to go past it"
        ));
    }
    if has("CaUsedAsEndEntity") {
        return Some(format!(
            "{address} shows the certificate of an authority as its own: give the platform a certificate that this authority signed, with CA:FALSE, and pass the authority's with --ca-file FILE"
        ));
    }
    if has("UnknownIssuer") || has("UnknownCA") {
        let proxy = if is_proxied {
            "; the proxy of HTTPS_PROXY may have replaced it"
        } else {
            ""
        };
        return Some(format!(
            "an unknown authority signed the certificate of {address}: pass its certificates with --ca-file FILE{proxy}"
        ));
    }
    if has("not valid for name") || has("NotValidForName") {
        return Some(format!(
            "the certificate at {address} is not for {host}: use a name that is in the certificate"
        ));
    }
    if has("certificate expired") || has("Expired") {
        return Some(format!(
            "the certificate of {address} has expired: renew it, and compare the clock of this machine"
        ));
    }
    if has("InvalidContentType") || has("corrupt message") {
        let plain = address.replacen("https://", "http://", 1);
        return Some(format!(
            "the port of {address} speaks plain HTTP, not TLS: use {plain}, or the port with TLS"
        ));
    }
    let is_web = has("mapped from HTTP status code") || has("compression flag");
    (is_web || has("HTTP/2 was not negotiated")).then(|| not_a_platform(address, ""))
}

fn of_answer(answer: &Answer, address: &str) -> Option<String> {
    let is_plain = address.starts_with("http://");
    match answer {
        Answer::Tls if is_plain => Some(format!(
            "the port of {address} speaks TLS: use {}",
            address.replacen("http://", "https://", 1)
        )),
        Answer::Platform => Some(format!(
            "what stands before the platform at {address} passes on no HTTP/2: configure that proxy for gRPC"
        )),
        Answer::Proxy => Some(format!(
            "a proxy answers at {address} (407): use the platform's own address and port"
        )),
        Answer::Server(name) if is_plain => Some(not_a_platform(address, name)),
        Answer::Tls | Answer::Server(_) | Answer::Nothing => None,
    }
}

fn not_a_platform(address: &str, name: &str) -> String {
    let name = if name.is_empty() {
        String::new()
    } else {
        format!(" ({name})")
    };
    format!(
        "a web server{name} answers at {address}, not a Causeway platform: compare address and port with 'causeway context show'; a proxy in between must pass on gRPC"
    )
}

/// Asks for the platform's version by plain HTTP/1.1. None where nothing listens.
async fn look(address: &str) -> Option<Answer> {
    let uri: Uri = address.parse().ok()?;
    let host = uri.host()?.trim_matches(['[', ']']).to_owned();
    let usual = if uri.scheme_str() == Some("https") {
        443
    } else {
        80
    };
    let port = uri.port_u16().unwrap_or(usual);
    let asked = tokio::time::timeout(PATIENCE, ask(&host, port)).await;
    asked.unwrap_or(Some(Answer::Nothing))
}

async fn ask(host: &str, port: u16) -> Option<Answer> {
    let mut stream = TcpStream::connect((host, port)).await.ok()?;
    let request = format!("GET /v1/platform HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    let mut answer = Vec::new();
    if stream.write_all(request.as_bytes()).await.is_ok() {
        // What came before the connection broke tells enough.
        let _ = stream.take(MOST as u64).read_to_end(&mut answer).await;
    }
    Some(Answer::read(&answer))
}

impl Answer {
    fn read(bytes: &[u8]) -> Self {
        if bytes
            .first()
            .is_some_and(|first| TLS_RECORDS.contains(first))
        {
            return Self::Tls;
        }
        let text = String::from_utf8_lossy(bytes);
        let mut lines = text.lines();
        let Some(code) = lines.next().and_then(status_code) else {
            return Self::Nothing;
        };
        let server = lines.take_while(|line| !line.is_empty()).find_map(server);
        // Go and nginx answer plain HTTP on a port with TLS so.
        let wants_tls =
            code == "400" && (text.contains("HTTPS server") || text.contains("HTTPS port"));
        match code {
            _ if wants_tls => Self::Tls,
            "407" => Self::Proxy,
            "200" if text.contains("\"serverTime\"") => Self::Platform,
            _ => Self::Server(server.unwrap_or_default()),
        }
    }
}

/// The code of `HTTP/1.1 404 Not Found`.
fn status_code(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("HTTP/1.")?;
    rest.split(' ').nth(1)
}

/// The value of `Server: nginx`, without what a terminal would act on.
fn server(line: &str) -> Option<String> {
    let (name, value) = line.split_once(':')?;
    let plain = value.trim().chars().filter(|it| !it.is_control());
    name.eq_ignore_ascii_case("server")
        .then(|| plain.take(40).collect())
}

#[cfg(test)]
mod tests;
