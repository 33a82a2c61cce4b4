//! Pages of other sites: those that a flag names call with a credential of their own, all others nothing.

use http_body_util::Full;

use crate::{
    caller::{Answer, request, send},
    stack::{KEY, Stack},
};

const TOOLS: &str = "https://tools.example.com";
const PATH: &str = "/causeway.inventory.v1.ApplicationService/ListApplications";

async fn preflight(stack: &Stack, origin: &str, path: &str) -> Answer {
    let asked = http::Request::options(path)
        .header("host", "causeway.test")
        .header("origin", origin)
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "authorization,x-grpc-web");
    send(stack.router, asked.body(Full::default()).unwrap()).await
}

#[tokio::test]
async fn a_page_that_is_named_may_send_and_read_and_no_cookie_is_asked_for() {
    let stack = Stack::platform().await;
    for path in [PATH, "/v1/applications", "/openapi.json"] {
        let answer = preflight(&stack, TOOLS, path).await;
        assert_eq!(answer.status, 204);
        assert_eq!(answer.headers["access-control-allow-origin"], TOOLS);
        assert_eq!(answer.headers["vary"], "origin");
        let allowed = answer.headers["access-control-allow-headers"]
            .to_str()
            .unwrap();
        for name in [
            "authorization",
            "content-type",
            "x-grpc-web",
            "grpc-timeout",
        ] {
            assert!(allowed.split(", ").any(|allowed| allowed == name), "{name}");
        }
        assert!(
            !answer
                .headers
                .contains_key("access-control-allow-credentials")
        );
    }
    assert!(stack.peers.seen().is_empty(), "a question is no call");
    let call = request("POST", PATH)
        .header("origin", TOOLS)
        .header("sec-fetch-site", "cross-site")
        .header("content-type", "application/grpc-web+proto");
    let answer = send(stack.router, call.body(Full::from(vec![0; 5])).unwrap()).await;
    assert_eq!(answer.headers["access-control-allow-origin"], TOOLS);
    let read = answer.headers["access-control-expose-headers"]
        .to_str()
        .unwrap();
    assert!(read.contains("grpc-status") && read.contains("grpc-message"));
    assert_eq!(stack.peers.seen().len(), 1);
}

#[tokio::test]
async fn errors_can_be_read_by_a_page_that_is_named() {
    let stack = Stack::platform().await;
    let unknown = request("GET", "/v1/nothing").header("origin", TOOLS);
    let answer = send(stack.router, unknown.body(Full::default()).unwrap()).await;
    assert_eq!(answer.status, 404);
    assert_eq!(answer.headers["access-control-allow-origin"], TOOLS);
}

#[tokio::test]
async fn a_page_whose_origin_only_looks_like_a_named_one_may_nothing() {
    let stack = Stack::platform().await;
    for origin in [
        "https://evil.example",
        "http://tools.example.com",
        "https://tools.example.com:443",
        "https://tools.example.com:8443",
        "https://tools.example.com.evil.example",
        "https://eviltools.example.com",
        "https://sub.tools.example.com",
        "https://tools.example.com/",
        "https://TOOLS.example.com",
        "https://tools.example.com https://evil.example",
        "null",
        "*",
        "",
    ] {
        let answer = preflight(&stack, origin, PATH).await;
        assert_eq!(answer.status, 403, "{origin:?}");
        let call = request("GET", "/v1/applications").header("origin", origin);
        let read = send(stack.router, call.body(Full::default()).unwrap()).await;
        for answer in [answer, read] {
            let names = answer.headers.keys();
            let mut said = names.filter(|name| name.as_str().starts_with("access-control"));
            assert_eq!(said.next(), None, "{origin:?}");
        }
    }
    let twice = http::Request::get("/v1/applications")
        .header("host", "x")
        .header("authorization", KEY)
        .header("origin", TOOLS)
        .header("origin", TOOLS);
    let answer = send(stack.router, twice.body(Full::default()).unwrap()).await;
    assert!(!answer.headers.contains_key("access-control-allow-origin"));
}
