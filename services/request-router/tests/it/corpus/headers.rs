//! Headers that say who asks: none of them does. Who asks is what was shown to the platform, and what it signed.

use super::{
    After, exchange, statuses,
    table::{fill, section},
};
use crate::{
    peers::Seen,
    stack::{KEY, Stack},
};

const TABLE: &str = include_str!("headers.txt");
const PATH: &str = "/causeway.proxy.v1.ApplicationActionService/GetLiveApplication";
const JSON: &str = r#"{"runtime": "prod", "namespace": "argocd", "name": "web"}"#;
const SIGNED: &str = "Bearer signed.for.GetLiveApplication";
/// All that a part of a runtime gets beside the request.
const CROSS: [&str; 10] = [
    "authorization",
    "causeway-route",
    "causeway-runtime",
    "content-length",
    "content-type",
    "grpc-timeout",
    "te",
    "traceparent",
    "tracestate",
    "user-agent",
];

struct Case {
    name: String,
    bytes: Vec<u8>,
}

fn head(credential: &str) -> String {
    format!(
        "POST {PATH} HTTP/1.1\r\nhost: x\r\n{credential}content-type: application/json\r\nconnection: close\r\n"
    )
}

fn words(name: &str) -> Vec<(&'static str, String)> {
    let words = name.split('-').map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_uppercase() + rest
    });
    vec![
        ("name", name.to_owned()),
        ("NAME", name.to_uppercase()),
        ("Name", words.collect::<Vec<_>>().join("-")),
        ("name_", name.replace('-', "_")),
        ("body", JSON.to_owned()),
    ]
}

fn corpus() -> Vec<Case> {
    let mut cases = Vec::new();
    let head = head(&format!("authorization: {KEY}\r\n"));
    let length = format!("content-length: {}\r\n", JSON.len());
    for (what, name) in section(TABLE, "names") {
        let words = words(name);
        let mut add = |way: &str, lines: &[u8]| {
            let bytes = [head.as_bytes(), lines].concat();
            let name = format!("{what} ({name}) {way}");
            cases.push(Case { name, bytes });
        };
        for (way, text) in section(TABLE, "ways") {
            add(way, &[length.as_bytes(), &fill(text, &words)].concat());
        }
        let chunks = format!(
            "transfer-encoding: chunked\r\ntrailer: {name}\r\n\r\n{:x}\r\n{JSON}\r\n0\r\n{name}: forged\r\n\r\n",
            JSON.len()
        );
        add("in the trailers", chunks.as_bytes());
    }
    cases
}

/// What of a request that arrived is not what the platform signed.
fn fault(seen: &Seen) -> Option<String> {
    let headers = seen.metadata.clone().into_headers();
    let names = headers.keys().map(http::HeaderName::as_str);
    let more: Vec<_> = names.filter(|name| !CROSS.contains(name)).collect();
    if !more.is_empty() {
        return Some(format!("{more:?} crossed"));
    }
    for (name, expected) in [
        ("authorization", SIGNED),
        ("causeway-runtime", "rt-1"),
        ("causeway-route", "router"),
    ] {
        let values: Vec<_> = seen.metadata.get_all(name).iter().collect();
        if values != [expected] {
            return Some(format!("{name} is {values:?}"));
        }
    }
    None
}

#[tokio::test]
async fn s_17_who_asks_is_who_was_verified_whatever_headers_say() {
    let cases = corpus();
    assert!(cases.len() >= 500, "{} cases", cases.len());
    let stack = Stack::platform().await;
    let mut faults = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let answer = exchange(&stack, &case.bytes, After::Nothing).await;
        let seen = stack.peers.seen();
        let found = match seen.get(index) {
            Some(seen) => fault(seen),
            None => Some(format!("nothing arrived: {answer:?}")),
        };
        if statuses(&answer) != [200] || seen.len() != index + 1 {
            faults.push(format!("{}: {answer:?}", case.name));
            break;
        }
        faults.extend(found.map(|fault| format!("{}: {fault}", case.name)));
    }
    assert!(
        faults.is_empty(),
        "{}:\n{}",
        faults.len(),
        faults.join("\n")
    );
    let asked = stack.peers.questions.lock().unwrap().clone();
    for question in asked {
        assert_eq!(question.credential, "cwk_a-users-key");
        assert!(
            question.source_address.starts_with("127.0.0.1"),
            "{question:?}"
        );
    }
}

#[tokio::test]
async fn s_17_a_credential_that_is_not_exactly_one_is_shown_to_nobody() {
    let stack = Stack::platform().await;
    let key = [("key", KEY.to_owned())];
    for (name, lines) in section(TABLE, "credentials") {
        let lines = fill(lines, &key);
        let after = format!("content-length: {}\r\n\r\n{JSON}", JSON.len());
        let bytes = [head("").as_bytes(), &lines, after.as_bytes()].concat();
        let answer = exchange(&stack, &bytes, After::Nothing).await;
        assert_eq!(statuses(&answer), [401], "{name}: {answer}");
        assert!(answer.contains("www-authenticate: Bearer"), "{name}");
    }
    assert!(stack.peers.seen().is_empty());
    assert!(stack.peers.questions.lock().unwrap().is_empty());
}
