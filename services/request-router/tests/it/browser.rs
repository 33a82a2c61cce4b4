//! A browser signs in, calls and signs out; other sites, and guests of its address bar, try the same.

mod by_key;
mod other_site;

use std::net::SocketAddr;

use bytes::Bytes;
use causeway_proto::platform::v1 as pb;
use http::{HeaderMap, Request, header};
use http_body_util::Full;
use prost::Message as _;
use tonic::Status;

use crate::{
    caller::{Answer, send},
    peers::sign_in::{SPOOF, TOKEN},
    stack::Stack,
};

const SYNC: &str = "/v1/runtimes/prod/applications/argocd/web:sync";

/// Visits a page as a browser without an API key does.
async fn visit(router: SocketAddr, verb: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
    let mut request = Request::builder().method(verb).uri(path);
    request = request.header("host", router.to_string());
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    send(router, request.body(Full::<Bytes>::default()).unwrap()).await
}

/// What the answer has the browser keep: `name=value`, and the whole line.
fn kept(headers: &HeaderMap, name: &str) -> Option<(String, String)> {
    let lines = headers.get_all(header::SET_COOKIE).iter();
    let mut lines = lines.map(|line| line.to_str().unwrap().to_owned());
    let line = lines.find(|line| line.starts_with(&format!("{name}=")))?;
    let pair = line.split(';').next().unwrap().to_owned();
    Some((pair, line))
}

/// A sign-in that has begun: the browser's cookie, and the state that comes back.
struct Begun {
    cookie: String,
    state: String,
}

/// What a browser says of a link on a page of another site.
const LINK: [(&str, &str); 2] = [
    ("sec-fetch-site", "cross-site"),
    ("sec-fetch-mode", "navigate"),
];
/// Where people of a provider come back to.
const DEX: &str = "/auth/callback/default/dex";

async fn begin(stack: &Stack, return_to: &str) -> Begun {
    let begun = begin_at(stack, "dex", return_to).await;
    let seen = stack.peers.last_seen();
    let request = pb::StartSignInRequest::decode(seen.message.as_slice()).unwrap();
    let redirect = format!("http://{}{DEX}", stack.router);
    assert_eq!(request.redirect_uri, redirect);
    begun
}

async fn begin_at(stack: &Stack, provider: &str, return_to: &str) -> Begun {
    let path = format!("/auth/login?provider={provider}&return_to={return_to}");
    let answer = visit(stack.router, "GET", &path, &[]).await;
    assert_eq!(answer.status, 303, "{answer:?}");
    let (cookie, line) = kept(&answer.headers, "causeway-sign-in").unwrap();
    assert!(line.contains("; HttpOnly; SameSite=Lax; "), "{line}");
    let seen = stack.peers.last_seen();
    let request = pb::StartSignInRequest::decode(seen.message.as_slice()).unwrap();
    let location = answer.headers[header::LOCATION].to_str().unwrap();
    let page = format!("https://{provider}.test/auth");
    assert!(location.starts_with(&page), "{location}");
    Begun {
        cookie,
        state: format!("sealed.{}", request.challenge),
    }
}

async fn come_back(stack: &Stack, begun: &Begun, query: &str) -> Answer {
    let path = format!("{DEX}?{query}");
    let cookie = ("cookie", begun.cookie.as_str());
    let [site, mode] = LINK;
    visit(stack.router, "GET", &path, &[cookie, site, mode]).await
}

async fn signed_in(stack: &Stack) -> String {
    let begun = begin(stack, "/").await;
    let query = format!("code=good&state={}", begun.state);
    let answer = come_back(stack, &begun, &query).await;
    kept(&answer.headers, "causeway-session").unwrap().0
}

fn text(answer: &Answer) -> String {
    String::from_utf8(answer.body.to_vec()).unwrap()
}

#[tokio::test]
async fn a_browser_signs_in_and_its_cookie_is_the_credential_of_its_calls() {
    let stack = Stack::platform().await;
    let begun = begin(&stack, "%2Fv1%2Fapplications%3Fa%3D1%26b").await;
    let query = format!("code=good&state={}", begun.state);
    let answer = come_back(&stack, &begun, &query).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let page = text(&answer);
    assert!(page.contains("url=/v1/applications?a=1&amp;b\""), "{page}");
    assert!(page.contains("to the account default as ada"), "{page}");
    let (cookie, line) = kept(&answer.headers, "causeway-session").unwrap();
    assert!(
        line.contains("; Path=/; HttpOnly; SameSite=Strict; Max-Age="),
        "{line}"
    );
    let (_, gone) = kept(&answer.headers, "causeway-sign-in").unwrap();
    assert!(gone.contains("Max-Age=0"), "{gone}");

    let headers = [("cookie", cookie.as_str())];
    let answer = visit(stack.router, "GET", "/v1/applications", &headers).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let asked = stack.peers.questions.lock().unwrap().pop().unwrap();
    assert_eq!(asked.credential, TOKEN);
    assert_eq!(stack.peers.last_seen().header("cookie"), None);
}

#[tokio::test]
async fn a_callback_with_another_state_signs_nobody_in_and_asks_nobody() {
    let stack = Stack::platform().await;
    let begun = begin(&stack, "/").await;
    let theirs = begin(&stack, "/").await;
    let calls = stack.peers.seen().len();
    for query in [
        format!("code=good&state={}", theirs.state),
        "code=good&state=".to_owned(),
        "code=good".to_owned(),
        format!("code=good&state={0}&state={0}", begun.state),
        format!("code=good&state={}&iss=a&iss=b", begun.state),
    ] {
        let answer = come_back(&stack, &begun, &query).await;
        assert_eq!(answer.status, 400, "{query}: {answer:?}");
        assert_eq!(kept(&answer.headers, "causeway-session"), None);
    }
    let path = format!("{DEX}?code=good&state={}", begun.state);
    let answer = visit(stack.router, "GET", &path, &[]).await;
    assert_eq!(answer.status, 400, "without the cookie: {answer:?}");
    assert_eq!(stack.peers.seen().len(), calls);
    let own = format!("code=good&state={}", begun.state);
    let answer = come_back(&stack, &begun, &own).await;
    assert_eq!(answer.status, 200, "the browser's own goes on: {answer:?}");
}

#[tokio::test]
async fn a_code_of_one_provider_signs_nobody_in_where_another_one_is_waited_for() {
    let stack = Stack::platform().await;
    let begun = begin_at(&stack, "other", "/").await;
    let calls = stack.peers.seen().len();
    // Whoever answers for "other" sent the browser on to "dex", with the state of this sign-in.
    let query = format!("code=good&state={}", begun.state);
    let answer = come_back(&stack, &begun, &query).await;
    assert_eq!(answer.status, 400, "{answer:?}");
    let cookie = [("cookie", begun.cookie.as_str())];
    for page in [
        "/auth/callback/second/other",
        "/auth/callback/default/other/",
        "/auth/callback/default/%6fther",
        "/auth/callback/",
    ] {
        let path = format!("{page}?{query}");
        let answer = visit(stack.router, "GET", &path, &cookie).await;
        assert_eq!(answer.status, 400, "{page}: {answer:?}");
        assert_eq!(kept(&answer.headers, "causeway-session"), None);
    }
    assert_eq!(stack.peers.seen().len(), calls);
    let own = format!("/auth/callback/default/other?{query}");
    let answer = visit(stack.router, "GET", &own, &cookie).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[tokio::test]
async fn who_gave_the_code_is_told_to_the_platform() {
    let stack = Stack::platform().await;
    let begun = begin(&stack, "/").await;
    let query = format!("code=good&state={}&iss=https%3A%2F%2Fdex.test", begun.state);
    assert_eq!(come_back(&stack, &begun, &query).await.status, 200);
    let seen = stack.peers.last_seen();
    let request = pb::FinishSignInRequest::decode(seen.message.as_slice()).unwrap();
    assert_eq!(request.issuer, "https://dex.test");
}

#[tokio::test]
async fn a_second_callback_signs_nobody_in() {
    let stack = Stack::platform().await;
    let begun = begin(&stack, "/").await;
    let query = format!("code=good&state={}", begun.state);
    assert_eq!(come_back(&stack, &begun, &query).await.status, 200);
    // A browser has forgotten the cookie; a thief of it has not.
    let again = come_back(&stack, &begun, &query).await;
    assert_eq!(again.status, 400, "{again:?}");
    assert_eq!(kept(&again.headers, "causeway-session"), None);
}

#[tokio::test]
async fn n_26_what_pages_say_is_never_of_a_request_or_of_a_provider() {
    let stack = Stack::platform().await;
    let spoof = "%3Cb%3Ecall%200800-SPOOF%3C%2Fb%3E";
    let begun = begin(&stack, "/").await;
    let denied = format!(
        "error={spoof}&error_description={spoof}&state={}",
        begun.state
    );
    let denied = come_back(&stack, &begun, &denied).await;
    assert_eq!(denied.status, 403);
    let begun = begin(&stack, "/").await;
    let bad = format!("code={spoof}&state={}", begun.state);
    let bad = come_back(&stack, &begun, &bad).await;
    assert_eq!(bad.status, 403);
    let lost = format!("{DEX}?error={spoof}&state={spoof}");
    let lost = visit(stack.router, "GET", &lost, &[]).await;
    let unknown = format!("/auth/login?provider={spoof}&return_to={spoof}");
    let unknown = visit(stack.router, "GET", &unknown, &[]).await;
    let choice = visit(stack.router, "GET", "/auth/login?account=several", &[]).await;
    assert_eq!(choice.status, 200);
    for answer in [denied, bad, lost, unknown] {
        assert!(!text(&answer).contains("SPOOF"), "{answer:?}");
    }
    assert!(!text(&choice).contains(SPOOF) && text(&choice).contains("provider=dex"));
}

#[tokio::test]
async fn n_27_a_browser_is_sent_to_no_script() {
    let stack = Stack::platform().await;
    let answer = visit(stack.router, "GET", "/auth/login?provider=hostile", &[]).await;
    assert_eq!(answer.status, 502, "{answer:?}");
    assert!(!answer.headers.contains_key(header::LOCATION));
}

#[tokio::test]
async fn after_a_sign_in_nobody_is_led_to_another_host() {
    let stack = Stack::platform().await;
    for asked in [
        "https%3A%2F%2Fevil.example",
        "%2F%2Fevil.example",
        "%2F%5Cevil.example",
        "javascript%3Aalert(1)",
        "%2F%09%2Fevil.example",
        "%2F%22%3E%3Cscript%3E",
    ] {
        let begun = begin(&stack, asked).await;
        let query = format!("code=good&state={}", begun.state);
        let answer = come_back(&stack, &begun, &query).await;
        let page = text(&answer);
        assert!(page.contains("content=\"2;url=/\""), "{asked}: {page}");
    }
}

#[tokio::test]
async fn a_page_of_this_host_signs_out() {
    let stack = Stack::platform().await;
    let cookie = signed_in(&stack).await;
    let headers = [
        ("cookie", cookie.as_str()),
        ("sec-fetch-site", "same-origin"),
    ];
    let link = visit(stack.router, "GET", "/auth/logout", &headers).await;
    assert_eq!(link.status, 405, "no link signs out: {link:?}");
    let answer = visit(stack.router, "POST", "/auth/logout", &headers).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let (pair, line) = kept(&answer.headers, "causeway-session").unwrap();
    assert!(
        pair == "causeway-session=" && line.contains("Max-Age=0"),
        "{line}"
    );
    let asked = stack.peers.questions.lock().unwrap().pop().unwrap();
    assert_eq!(asked.credential, TOKEN);
    assert!(asked.method.ends_with("/SignOut"), "{asked:?}");
    assert_eq!(
        stack.peers.last_seen().header("authorization"),
        Some("Bearer signed.for.SignOut")
    );
}

#[tokio::test]
async fn n_67_ten_thousand_cookies_are_refused_before_they_are_read() {
    let stack = Stack::platform().await;
    let cookies: Vec<_> = (0..10_000).map(|number| format!("c{number}=v")).collect();
    let one_line = cookies.join("; ");
    let answer = visit(stack.router, "GET", "/auth/login", &[("cookie", &one_line)]).await;
    assert_eq!(answer.status, 431);
    let lines: Vec<_> = cookies
        .iter()
        .map(|cookie| ("cookie", cookie.as_str()))
        .collect();
    let answer = visit(stack.router, "GET", "/auth/login", &lines).await;
    assert_eq!(answer.status, 431);
    let large = format!("causeway-session=cws_{}", "a".repeat(40 << 10));
    let answer = visit(
        stack.router,
        "GET",
        "/v1/applications",
        &[("cookie", &large)],
    )
    .await;
    assert_eq!(answer.status, 431);
    assert!(stack.peers.seen().is_empty());
}

#[tokio::test]
async fn a_look_at_the_headers_alone_begins_and_ends_no_sign_in() {
    let stack = Stack::platform().await;
    let begun = begin(&stack, "/").await;
    let calls = stack.peers.seen().len();
    let cookie = [("cookie", begun.cookie.as_str())];
    let callback = format!("{DEX}?code=good&state={}", begun.state);
    for path in ["/auth/login?provider=dex", &callback] {
        let answer = visit(stack.router, "HEAD", path, &cookie).await;
        assert_eq!(answer.status, 405, "{answer:?}");
        assert_eq!(answer.headers[header::ALLOW], "GET, OPTIONS");
        assert!(answer.body.is_empty(), "{answer:?}");
        let asked = visit(stack.router, "OPTIONS", path, &cookie).await;
        assert_eq!(asked.status, 204, "{asked:?}");
        assert_eq!(asked.headers[header::ALLOW], "GET, OPTIONS");
    }
    assert_eq!(stack.peers.seen().len(), calls);
}

#[tokio::test]
async fn a_host_that_is_not_known_gets_no_sign_in() {
    let stack = Stack::platform().await;
    for path in [
        "/auth/login?provider=dex",
        "/auth/callback/default/dex?state=a&code=b",
    ] {
        let request = Request::get(path).header("host", "evil.example");
        let request = request.body(Full::<Bytes>::default()).unwrap();
        let answer = send(stack.router, request).await;
        assert_eq!(answer.status, 421, "{answer:?}");
    }
    assert!(stack.peers.seen().is_empty());
}

#[tokio::test]
async fn pages_of_sign_in_run_no_script_and_are_kept_and_framed_by_nobody() {
    let stack = Stack::platform().await;
    for path in ["/auth/login", "/auth/login?account=several", DEX] {
        let answer = visit(stack.router, "GET", path, &[]).await;
        let value = |name: &str| answer.headers[name].to_str().unwrap();
        let policy = value("content-security-policy");
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        assert_eq!(value("x-frame-options"), "DENY");
        assert_eq!(value("cache-control"), "no-store");
        assert_eq!(value("referrer-policy"), "no-referrer");
        assert_eq!(value("x-content-type-options"), "nosniff");
    }
}

#[tokio::test]
async fn a_runtimes_router_takes_no_cookies_and_signs_nobody_in() {
    let stack = Stack::runtime().await;
    let answer = visit(stack.router, "GET", "/auth/login", &[]).await;
    assert_eq!(answer.status, 404, "{answer:?}");
    let cookie = format!("causeway-session={TOKEN}");
    let answer = visit(
        stack.router,
        "GET",
        "/v1/applications",
        &[("cookie", &cookie)],
    )
    .await;
    assert_ne!(answer.status, 200, "{answer:?}");
}

#[tokio::test]
async fn nothing_that_a_stranger_shows_hides_where_they_come_from() {
    let stack = Stack::platform().await;
    for shown in ["Bearer a.b.c", "Bearer cwk_wrong", "Bearer cws_wrong"] {
        let headers = [
            ("authorization", shown),
            ("causeway-source", "198.51.100.1:1"),
        ];
        visit(stack.router, "POST", "/v1/signIn:start", &headers).await;
        let seen = stack.peers.last_seen();
        let source = seen.header("causeway-source");
        assert!(
            source.is_some_and(|it| it.starts_with("127.0.0.1:")),
            "{source:?}"
        );
        assert_ne!(seen.header("authorization"), Some(shown));
    }
}
