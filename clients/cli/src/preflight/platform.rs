//! The platform: that it answers, by its own clock, and that it will let the runtime in.

use std::{fs, path::Path, time::Duration};

use anyhow::Context as _;
use causeway_client::{Credential, Peer, PeerUrl};
use causeway_proto::{
    platform::v1::{
        CheckJoinTokenRequest, CheckJoinTokenResponse, ListSigningKeysRequest,
        key_service_client::KeyServiceClient, runtime_service_client::RuntimeServiceClient,
    },
    time::timestamp_to_millis,
};
use jiff::Timestamp;
use tonic::{Code, Status};

use super::{Joining, Token, finding::Finding, git::cause};

/// Assertions count within this of the platform's clock, in seconds.
const LEEWAY: i64 = 60;
const WORTH_A_LOOK: i64 = 10;
const CONNECT: Duration = Duration::from_secs(5);
const WHY: &str =
    "all that a runtime reports and is asked to do goes over its connections to the platform";
const ADDRESS: &str = "give --platform-url, the address that the runtime will have";

/// Route to the platform.
#[derive(Debug, Clone, Copy)]
pub(super) struct Route<'a> {
    pub(super) url: Option<&'a str>,
    pub(super) ca_file: Option<&'a Path>,
}

pub(super) async fn reach(way: Route<'_>) -> Vec<Finding> {
    let peer = match peer(way) {
        Ok(Some(peer)) => peer,
        Ok(None) => {
            return vec![Finding::unknown(
                "platform",
                "no platform is named",
                (WHY, ADDRESS),
            )];
        }
        Err(error) => {
            let what = format!("{error:#}");
            return vec![Finding::fail("platform", what, (WHY, ADDRESS))];
        }
    };
    let url = way.url.unwrap_or_default();
    let mut keys = KeyServiceClient::new(peer);
    let asked = keys.list_signing_keys(ListSigningKeysRequest::default());
    vec![match asked.await {
        Ok(_) => Finding::ok("platform", format!("{url} answers")),
        Err(status) => {
            let what = format!("{url} does not answer as a platform: {}", text(&status));
            let todo = "open the way to it: the firewall, the certificate authority (--platform-ca-file) and, for gRPC, HTTP/2 on every proxy between";
            Finding::fail("platform", what, (WHY, todo))
        }
    }]
}

/// By the Date of an answer, through the HTTP proxy in use, as the tunnel goes.
pub(super) async fn clock(way: Route<'_>) -> Vec<Finding> {
    let Some(url) = way.url else {
        return Vec::new();
    };
    let why = "a runtime whose clock is off by more than a minute is refused, and so is what users ask of it";
    vec![match date(url, way).await {
        Ok(there) => offset(there, Timestamp::now(), why),
        Err(error) => {
            let todo = "look at HTTPS_PROXY and NO_PROXY, and compare 'date' on both machines";
            let what = format!("the platform's clock cannot be read: {error:#}");
            Finding::unknown("clock", what, (why, todo))
        }
    }]
}

fn offset(there: Timestamp, here: Timestamp, why: &'static str) -> Finding {
    let seconds = here.as_second() - there.as_second();
    let what = match seconds {
        0 => "as the platform's".to_owned(),
        1.. => format!("{seconds} s before the platform's"),
        _ => format!("{} s behind the platform's", -seconds),
    };
    let todo = "set the clocks by NTP";
    match seconds.abs() {
        0..WORTH_A_LOOK => Finding::ok("clock", what),
        WORTH_A_LOOK..LEEWAY => Finding::warn("clock", what, (why, todo)),
        _ => Finding::fail("clock", what, (why, todo)),
    }
}

async fn date(url: &str, way: Route<'_>) -> anyhow::Result<Timestamp> {
    let mut client = reqwest::Client::builder().connect_timeout(CONNECT);
    if let Some(pem) = ca(way)? {
        for certificate in reqwest::Certificate::from_pem_bundle(&pem)? {
            client = client.add_root_certificate(certificate);
        }
    }
    let asked = client.build()?.head(url).send().await;
    let answer = asked.map_err(|error| anyhow::anyhow!(cause(&error)))?;
    let date = answer
        .headers()
        .get("date")
        .context("its answers have no Date")?;
    let date = jiff::fmt::rfc2822::parse(date.to_str()?).context("its Date is none")?;
    Ok(date.timestamp())
}

/// Whether the token is good, and the name with it.
pub(super) async fn token(way: Route<'_>, joining: &Joining) -> Vec<Finding> {
    let why = "a runtime joins by a token that is good for one runtime, once, for 15 minutes";
    let make = "make one with 'causeway runtime token NAME' and give it with --join-token-file";
    let file = match &joining.token {
        Some(Token::File(file)) => file,
        Some(Token::Later) => return Vec::new(),
        Some(Token::Needless) => {
            let what = "the runtime has joined, and needs none";
            return vec![Finding::ok("join-token", what)];
        }
        None => return vec![Finding::unknown("join-token", "none is given", (why, make))],
    };
    let token = fs::read_to_string(file);
    let token = match token {
        Ok(token) => token.trim().to_owned(),
        Err(error) => {
            let what = format!("{} cannot be read: {error}", file.display());
            return vec![Finding::fail("join-token", what, (why, make))];
        }
    };
    let Ok(Some(peer)) = peer(way) else {
        return Vec::new();
    };
    let request = CheckJoinTokenRequest { token };
    let asked = RuntimeServiceClient::new(peer)
        .check_join_token(request)
        .await;
    match asked.map(tonic::Response::into_inner) {
        Ok(good) => named(&good, joining),
        Err(status) if status.code() == Code::Unimplemented => {
            let what = "this platform cannot tell, it is of an older version";
            vec![Finding::unknown(
                "join-token",
                what,
                (why, "install, and see whether it joins"),
            )]
        }
        Err(status) if status.code() == Code::Unavailable => Vec::new(),
        Err(status) => {
            let what = text(&status);
            vec![Finding::fail("join-token", what, (why, make))]
        }
    }
}

fn named(good: &CheckJoinTokenResponse, joining: &Joining) -> Vec<Finding> {
    let name = &good.runtime;
    let ends = good.expires_at.as_ref().map(timestamp_to_millis);
    let left = ends.unwrap_or_default() - Timestamp::now().as_millisecond();
    let left = Duration::from_millis(u64::try_from(left).unwrap_or_default());
    let token = format!(
        "good for {name}, for {} more",
        humantime::format_duration(Duration::from_secs(left.as_secs()))
    );
    let token = Finding::ok("join-token", token);
    let why = "the token says which runtime this will be";
    let name = match &joining.name {
        Some(wanted) if wanted.as_str() != name => {
            let todo = format!("make a token with 'causeway runtime token {wanted}'");
            Finding::fail(
                "name",
                format!("the token is for {name}, not for {wanted}"),
                (why, todo),
            )
        }
        _ if good.rejoins => Finding::ok("name", format!("{name} is there and joins again")),
        _ => Finding::ok("name", format!("{name} is free")),
    };
    vec![token, name]
}

fn ca(way: Route<'_>) -> anyhow::Result<Option<Vec<u8>>> {
    let read = way.ca_file.map(fs::read).transpose();
    read.context("cannot read --platform-ca-file")
}

fn peer(way: Route<'_>) -> anyhow::Result<Option<Peer>> {
    let Some(url) = way.url else {
        return Ok(None);
    };
    let url = PeerUrl::parse(url, ca(way)?)?;
    Ok(Some(Peer::new(&url, Credential::None)))
}

/// What a refusal says, down to its first cause.
fn text(status: &Status) -> String {
    let mut text = status.message().to_owned();
    let mut cause = std::error::Error::source(status);
    while let Some(within) = cause {
        text = format!("{text}: {within}");
        cause = within.source();
    }
    text
}
