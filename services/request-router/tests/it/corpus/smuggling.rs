//! Requests whose end could be read in two ways: what hides behind it must never become a request of its own.

use super::{
    After, exchange, statuses,
    table::{fill, section},
};
use crate::stack::{KEY, Stack};

const TABLE: &str = include_str!("smuggling.txt");
const PATH: &str = "/causeway.inventory.v1.ApplicationService/ListApplications";
const TAIL: &str = "GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";

/// What must come of a case.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Must {
    /// Nothing is forwarded; the answer, if there is one, is a refusal, and the connection ends.
    Refused,
    /// One request is forwarded, with its own body, and the connection ends.
    Alone,
    /// Nothing is forwarded; this is the answer, and what hides was its body.
    Answered(u16),
    /// It is wrong but has one end, so that what follows is a request of its own.
    Clear(u16),
    /// One request is forwarded, with its own body, and what hides was its trailers.
    Swallowed,
}

#[derive(Debug)]
struct Case {
    name: String,
    bytes: Vec<u8>,
    must: Must,
    after: After,
}

/// How the request looks that something hides behind.
#[derive(Clone, Copy, Debug)]
enum Carrier {
    Json,
    Web,
    Read,
}

impl Carrier {
    /// The first lines, with a credential that would let it pass.
    fn head(self) -> String {
        let (line, kind) = match self {
            Self::Json => (format!("POST {PATH}"), "application/json"),
            Self::Web => (format!("POST {PATH}"), "application/grpc-web+proto"),
            Self::Read => ("GET /v1/applications".to_owned(), "application/json"),
        };
        format!("{line} HTTP/1.1\r\nhost: x\r\nauthorization: {KEY}\r\ncontent-type: {kind}\r\n")
    }

    fn payload(self) -> &'static str {
        match self {
            Self::Json => "{    }",
            Self::Web => "\0\0\0\0\0",
            Self::Read => " ",
        }
    }

    /// What the words of the table stand for.
    fn words(self) -> Vec<(&'static str, String)> {
        let payload = self.payload();
        let chunks = chunked(payload).len();
        vec![
            ("n", payload.len().to_string()),
            ("m", (payload.len() + 1).to_string()),
            ("x", format!("{:x}", payload.len())),
            ("c", chunks.to_string()),
            ("h", (chunks + hidden().len()).to_string()),
            ("payload", payload.to_owned()),
            ("end", "0\r\n\r\n".to_owned()),
            ("key", format!("authorization: {KEY}\r\n")),
            ("path", PATH.to_owned()),
            ("large", "y".repeat(33 << 10)),
        ]
    }

    fn cases(self) -> Vec<Case> {
        let (head, payload, hidden) = (self.head(), self.payload(), hidden());
        let chunks = chunked(payload);
        let lines = format!("\r\n{payload}{hidden}");
        let encoded = format!("\r\n{chunks}{hidden}");
        let in_chunks = format!("{head}transfer-encoding: chunked\r\n\r\n");
        let kinds = [
            ("lengths", &head, &lines, Must::Refused, After::Nothing),
            ("lines", &head, &lines, Must::Refused, After::Nothing),
            ("encodings", &head, &encoded, Must::Refused, After::Nothing),
            ("both", &head, &encoded, Must::Alone, After::Nothing),
            ("chunks", &in_chunks, &hidden, Must::Refused, After::Cut),
        ];
        let mut cases = Vec::new();
        for (kind, before, behind, must, after) in kinds {
            for (name, text) in section(TABLE, kind) {
                let name = format!("{self:?}: {kind}: {name}");
                let mut bytes = before.clone().into_bytes();
                bytes.extend(fill(text, &self.words()));
                bytes.extend_from_slice(behind.as_bytes());
                cases.push(Case {
                    name,
                    bytes,
                    must,
                    after,
                });
            }
        }
        let x = payload.len();
        let bytes = format!("{in_chunks}{x:x}\r\n{payload}\r\n0\r\n\n{hidden}{TAIL}").into_bytes();
        let name = format!("{self:?}: a bare line feed for the trailers");
        let (must, after) = (Must::Swallowed, After::Nothing);
        cases.push(Case {
            name,
            bytes,
            must,
            after,
        });
        cases
    }
}

/// The request that an attacker hides.
fn hidden() -> String {
    let line = "GET /v1/applications?pageToken=hidden HTTP/1.1";
    format!("{line}\r\nhost: x\r\nauthorization: {KEY}\r\nconnection: close\r\n\r\n")
}

fn chunked(payload: &str) -> String {
    format!("{:x}\r\n{payload}\r\n0\r\n\r\n", payload.len())
}

fn corpus() -> Vec<Case> {
    let carriers = [Carrier::Json, Carrier::Web, Carrier::Read];
    let mut cases: Vec<_> = carriers.into_iter().flat_map(Carrier::cases).collect();
    let hidden = hidden();
    let mut add = |name: &str, text: &str, behind: &str, must| {
        let mut bytes = fill(text, &Carrier::Json.words());
        bytes.extend_from_slice(behind.as_bytes());
        let (name, after) = (name.to_owned(), After::Nothing);
        cases.push(Case {
            name,
            bytes,
            must,
            after,
        });
    };
    for (name, text) in section(TABLE, "beginnings") {
        add(name, text, &format!("\r\n{hidden}"), Must::Refused);
    }
    let status = |name: &str| name[..3].parse().expect("a case begins with its status");
    for (name, text) in section(TABLE, "clear") {
        add(
            name,
            text,
            &format!("\r\n{hidden}"),
            Must::Clear(status(name)),
        );
    }
    for (name, text) in section(TABLE, "unread") {
        let length = format!("content-length: {}\r\n\r\n{hidden}{TAIL}", hidden.len());
        add(name, text, &length, Must::Answered(status(name)));
        let chunks = format!(
            "transfer-encoding: chunked\r\n\r\n{}{TAIL}",
            chunked(&hidden)
        );
        add(name, text, &chunks, Must::Answered(status(name)));
    }
    cases
}

/// What went wrong with a case, if anything did.
async fn fault(stack: &Stack, case: &Case) -> Option<String> {
    let before = stack.peers.seen().len();
    let answers = exchange(stack, &case.bytes, case.after).await;
    let seen: Vec<_> = stack.peers.seen().split_off(before);
    let found = statuses(&answers);
    let text = |message: &[u8]| String::from_utf8_lossy(message).into_owned();
    let smuggled = seen
        .iter()
        .any(|seen| text(&seen.message).contains("hidden"));
    let good = match case.must {
        Must::Refused => !smuggled && seen.is_empty() && is_refusal(&found, &answers),
        Must::Alone => !smuggled && seen.len() <= 1 && found.len() == 1,
        Must::Answered(status) => {
            let after = found.get(1..).unwrap_or_default();
            seen.is_empty() && found.first() == Some(&status) && after.iter().all(|it| *it == 200)
        }
        Must::Clear(status) => smuggled && seen.len() == 1 && found == [status, 200],
        Must::Swallowed => !smuggled && seen.len() == 1 && found == [200, 200],
    };
    let seen = seen.len();
    (!good).then(|| {
        format!(
            "{} must be {:?}: {seen} seen, {found:?}",
            case.name, case.must
        )
    })
}

/// One answer that it is the caller's fault, or the end of the connection without one.
fn is_refusal(found: &[u16], answers: &str) -> bool {
    match found {
        [] | [400 | 404 | 405 | 431] => true,
        // In gRPC-Web the status is another one.
        [200] => ["grpc-status: 3", "grpc-status:3"]
            .iter()
            .any(|status| answers.contains(status)),
        _ => false,
    }
}

#[tokio::test]
async fn s_15_no_request_hides_in_another_one() {
    let cases = corpus();
    assert!(cases.len() >= 300, "{} cases", cases.len());
    let stack = Stack::platform().await;
    let mut faults = Vec::new();
    for case in &cases {
        faults.extend(fault(&stack, case).await);
    }
    let of = format!("{} of {}", faults.len(), cases.len());
    assert!(faults.is_empty(), "{of}:\n{}", faults.join("\n"));
}

#[tokio::test]
async fn s_15_what_follows_a_plain_request_is_seen_by_these_means() {
    let stack = Stack::platform().await;
    for carrier in [Carrier::Json, Carrier::Web, Carrier::Read] {
        let (head, payload) = (carrier.head(), carrier.payload());
        let bodies = [
            format!("content-length: {}\r\n\r\n{payload}", payload.len()),
            format!("transfer-encoding: chunked\r\n\r\n{}", chunked(payload)),
        ];
        for body in bodies {
            let bytes = format!("{head}{body}{}", hidden()).into_bytes();
            let (name, must, after) = (format!("{carrier:?}"), Must::Alone, After::Nothing);
            let case = Case {
                name,
                bytes,
                must,
                after,
            };
            let fault = fault(&stack, &case).await;
            assert!(
                fault.is_some_and(|fault| fault.contains("2 seen, [200, 200]")),
                "{case:?}"
            );
        }
    }
}
