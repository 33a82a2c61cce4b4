//! Who gets the web UI, with what headers, and who gets what was there before it.

use bytes::Bytes;
use http::{Request, header};
use http_body_util::Full;

use crate::{
    caller::{Answer, send},
    stack::Stack,
};

/// What browsers accept of a page.
const HTML: (&str, &str) = ("accept", "text/html,application/xhtml+xml,*/*;q=0.8");

async fn ask(stack: &Stack, verb: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
    let mut request = Request::builder().method(verb).uri(path);
    request = request.header("host", stack.router.to_string());
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::<Bytes>::default()).unwrap();
    send(stack.router, request).await
}

fn value<'a>(answer: &'a Answer, name: &str) -> &'a str {
    answer.headers[name].to_str().unwrap()
}

#[tokio::test]
async fn a_browser_gets_the_start_page_at_each_place_with_and_without_a_session() {
    let stack = Stack::platform().await;
    let page = causeway_web::index();
    for path in [
        "/",
        "/apps",
        "/apps/prod/in-cluster/argocd/web?tab=diff",
        "/sign-in",
    ] {
        for cookie in [("x-none", ""), ("cookie", "causeway-session=cws_ended")] {
            let answer = ask(&stack, "GET", path, &[HTML, cookie]).await;
            assert_eq!(answer.status, 200, "{path}: {answer:?}");
            assert_eq!(answer.body, page.raw, "{path}");
            assert_eq!(value(&answer, "cache-control"), "no-cache");
            assert_eq!(value(&answer, "vary"), "accept, accept-encoding");
        }
    }
    assert!(stack.peers.seen().is_empty(), "no page asks the platform");
}

#[tokio::test]
async fn others_get_at_the_same_paths_what_was_there_before() {
    let stack = Stack::platform().await;
    for accept in ["*/*", "application/json", "text/html;q=0"] {
        let about = ask(&stack, "GET", "/", &[("accept", accept)]).await;
        assert_eq!(about.json()["name"], "Causeway");
        assert_eq!(value(&about, "vary"), "accept");
        let unknown = ask(&stack, "GET", "/apps", &[("accept", accept)]).await;
        assert_eq!(unknown.status, 404, "{unknown:?}");
    }
    for path in [
        "/v1/applications",
        "/openapi.json",
        "/healthz",
        "/else",
        "/app",
    ] {
        let answer = ask(&stack, "GET", path, &[HTML]).await;
        assert_eq!(value(&answer, "content-type"), "application/json", "{path}");
    }
    let post = ask(&stack, "POST", "/apps", &[HTML]).await;
    assert_eq!(post.status, 404, "{post:?}");
}

#[tokio::test]
async fn a_page_that_the_browser_has_is_not_sent_again() {
    let stack = Stack::platform().await;
    let first = ask(&stack, "GET", "/", &[HTML]).await;
    let tag = ("if-none-match", value(&first, "etag"));
    let again = ask(&stack, "GET", "/people", &[HTML, tag]).await;
    assert_eq!((again.status.as_u16(), again.body.len()), (304, 0));
    assert_eq!(value(&again, "etag"), value(&first, "etag"));
    let other = ("if-none-match", "W/\"other\"");
    assert_eq!(ask(&stack, "GET", "/", &[HTML, other]).await.status, 200);
    let head = ask(&stack, "HEAD", "/", &[HTML]).await;
    assert_eq!((head.status.as_u16(), head.body.len()), (200, 0));
    assert_eq!(value(&head, "etag"), value(&first, "etag"));
}

#[tokio::test]
async fn pages_run_scripts_of_this_host_only_and_are_framed_by_nobody() {
    let stack = Stack::platform().await;
    let answer = ask(&stack, "GET", "/", &[HTML]).await;
    let policy = value(&answer, "content-security-policy");
    let mut parts: Vec<_> = policy.split("; ").collect();
    parts.sort_unstable();
    assert_eq!(
        parts,
        [
            "base-uri 'none'",
            "connect-src 'self'",
            "default-src 'none'",
            "font-src 'self'",
            "form-action 'self'",
            "frame-ancestors 'none'",
            "img-src 'self' data:",
            "manifest-src 'self'",
            "require-trusted-types-for 'script'",
            "script-src 'self'",
            "style-src 'self'",
            "trusted-types causeway",
            "worker-src 'self'",
        ]
    );
    assert_eq!(value(&answer, "x-content-type-options"), "nosniff");
    assert_eq!(value(&answer, "referrer-policy"), "same-origin");
    assert_eq!(value(&answer, "cross-origin-opener-policy"), "same-origin");
    assert_eq!(
        value(&answer, "cross-origin-resource-policy"),
        "same-origin"
    );
    let permissions = value(&answer, "permissions-policy");
    let granted: Vec<_> = permissions
        .split(", ")
        .filter(|it| !it.ends_with("=()"))
        .collect();
    assert_eq!(granted, ["clipboard-write=(self)"]);
}

#[tokio::test]
async fn files_are_kept_for_ever_and_come_in_the_smallest_form_that_is_taken() {
    let stack = Stack::platform().await;
    let unknown = ask(&stack, "GET", "/assets/index.html", &[HTML]).await;
    assert_eq!(unknown.status, 404, "{unknown:?}");
    let unknown = ask(&stack, "GET", "/assets/old-1a2b3c4d.js", &[HTML]).await;
    assert_eq!(unknown.status, 404, "{unknown:?}");
    assert_eq!(value(&unknown, "cache-control"), "no-store");
    for asset in causeway_web::files().filter(|asset| asset.path.starts_with("assets/")) {
        let path = format!("/{}", asset.path);
        let forms = [
            ("br, gzip", asset.brotli, Some("br")),
            ("gzip", asset.gzip, Some("gzip")),
            ("identity", None, None),
        ];
        for (taken, bytes, encoding) in forms {
            let answer = ask(&stack, "GET", &path, &[("accept-encoding", taken)]).await;
            assert_eq!(answer.body, bytes.unwrap_or(asset.raw), "{path} {taken}");
            let named = answer.headers.get(header::CONTENT_ENCODING);
            let expected = bytes.and(encoding);
            assert_eq!(
                named.map(|it| it.to_str().unwrap()),
                expected,
                "{path} {taken}"
            );
            assert_eq!(
                value(&answer, "cache-control"),
                "public, max-age=31536000, immutable"
            );
            assert_eq!(value(&answer, "content-type"), asset.content_type);
            assert!(value(&answer, "vary").starts_with("accept-encoding"));
            assert!(answer.headers.contains_key(header::CONTENT_SECURITY_POLICY));
        }
    }
}

#[tokio::test]
async fn a_runtimes_router_has_no_web_ui() {
    let stack = Stack::runtime().await;
    let about = ask(&stack, "GET", "/", &[HTML]).await;
    assert_eq!(about.json()["part"], "request-router");
    assert_eq!(about.json()["webUi"], serde_json::Value::Null);
    assert!(
        !about.headers[header::VARY]
            .to_str()
            .unwrap()
            .contains("accept")
    );
    let files = causeway_web::files().map(|asset| format!("/{}", asset.path));
    for path in files.chain(["/apps".to_owned(), "/sign-in".to_owned()]) {
        let answer = ask(&stack, "GET", &path, &[HTML]).await;
        assert_eq!(answer.status, 404, "{path}: {answer:?}");
    }
}
