//! Paths that two readers could take apart in two ways: refused, never made into one of the two.

use causeway_proto::proxy::v1 as proxy;
use prost::Message as _;

use super::{
    After, exchange, statuses,
    table::{fill, section},
};
use crate::stack::{KEY, Stack};

const TABLE: &str = include_str!("paths.txt");

/// Where a segment stands. Each is read by other code: a literal, a value that is authorised, the last one, the one before a verb,
/// and that of an RPC.
const PLACES: [(&str, &str, &str); 5] = [
    ("GET", "/v1/", "/applications/argocd/web/live"),
    ("GET", "/v1/runtimes/", "/applications/argocd/web/live"),
    ("GET", "/v1/runtimes/prod/applications/argocd/", ""),
    ("POST", "/v1/runtimes/prod/applications/argocd/", ":sync"),
    ("POST", "/causeway.inventory.v1.ApplicationService/", ""),
];

fn corpus() -> Vec<(String, Vec<u8>)> {
    let words = [
        ("long", "x".repeat(254)),
        ("longer", "%61".repeat(254)),
        ("many", "/a".repeat(40)),
    ];
    let mut cases = Vec::new();
    for (why, segment) in section(TABLE, "segments") {
        for (verb, before, after) in PLACES {
            let mut line = format!("{verb} {before}").into_bytes();
            line.extend(fill(segment, &words));
            line.extend_from_slice(after.as_bytes());
            cases.push((format!("{why}: {verb} {before}{segment}{after}"), line));
        }
    }
    for (why, path) in section(TABLE, "wholes") {
        let line = [b"GET ", fill(path, &words).as_slice()].concat();
        cases.push((format!("{why}: {path}"), line));
    }
    cases
}

fn request(line: &[u8], key: &str) -> Vec<u8> {
    let head = format!(" HTTP/1.1\r\nhost: x\r\nauthorization: {key}\r\nconnection: close\r\n\r\n");
    [line, head.as_bytes()].concat()
}

#[tokio::test]
async fn s_18_a_path_that_could_mean_two_things_is_refused_and_asked_about_by_nobody() {
    let cases = corpus();
    assert!(cases.len() >= 280, "{} cases", cases.len());
    let stack = Stack::platform().await;
    let mut faults = Vec::new();
    for (name, line) in &cases {
        let answer = exchange(&stack, &request(line, KEY), After::Nothing).await;
        // What could be read in two ways is 400, what is clear but nowhere is 404 or has another verb.
        if !matches!(statuses(&answer)[..], [400 | 404 | 405]) {
            faults.push(format!("{name}: {answer:?}"));
        }
    }
    let of = format!("{} of {}", faults.len(), cases.len());
    assert!(faults.is_empty(), "{of}:\n{}", faults.join("\n"));
    assert!(stack.peers.seen().is_empty(), "nothing is forwarded");
    assert!(stack.peers.questions.lock().unwrap().is_empty());
}

#[tokio::test]
async fn s_18_what_is_authorised_is_what_is_forwarded() {
    let stack = Stack::platform().await;
    let names = [
        "web",
        "w.e-b_1",
        "a%20b",
        "a+b",
        "%61",
        "a%3Ab",
        "a%3Fb",
        "a%23b",
        "%c3%a9",
        "a%26b",
        "%f0%9f%9a%80",
        "a=b",
        "a,b",
        "~a",
        "a%40b",
        "%E2%80%AE",
        "a%2Bb",
        "$",
        "!",
        "*",
        "'",
        "%22",
        "%3C",
        "%7B",
        "...",
    ];
    for (index, name) in names.iter().enumerate() {
        let line = format!("GET /v1/runtimes/prod/applications/argocd/{name}/live");
        // What is known of a key is not asked again.
        let request = request(line.as_bytes(), &format!("{KEY}-{index}"));
        let answer = exchange(&stack, &request, After::Nothing).await;
        assert_eq!(statuses(&answer), [200], "{name}: {answer}");
        let seen = stack.peers.seen();
        let forwarded = proxy::GetLiveApplicationRequest::decode(seen[index].message.as_slice());
        let questions = stack.peers.questions.lock().unwrap();
        let authorised = &questions.last().unwrap().target;
        let expected = format!("applications/argocd/{}/live", forwarded.unwrap().name);
        assert_eq!(*authorised, expected, "{name}");
    }
}
