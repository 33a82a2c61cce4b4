use http::{Method, Request, StatusCode, header};

use super::{
    Callback, CallbackError, CallbackParams, Expected, LONGEST_CODE, PageAddress, page::Page,
};

const HOST: &str = "127.0.0.1:41000";
const PATH: &str = "/callback/default/dex";

fn request(query: &str) -> Request<()> {
    let request = Request::get(format!("{PATH}?{query}"));
    request.header(header::HOST, HOST).body(()).unwrap()
}

fn read(request: &Request<()>) -> (Page, Option<super::Outcome>) {
    let place = PageAddress {
        host: HOST.to_owned(),
        path: PATH.to_owned(),
    };
    Expected::new(&place, "the-state").read(request)
}

#[test]
fn the_code_is_taken_from_the_answer_with_the_right_state() {
    for (query, code, issuer) in [
        (
            "code=a%2Fb&state=the-state&iss=https%3A%2F%2Fx",
            "a/b",
            "https://x",
        ),
        ("code=a&state=the-state", "a", ""),
    ] {
        let (code, issuer) = (code.to_owned(), issuer.to_owned());
        let brought = CallbackParams { code, issuer };
        assert_eq!(read(&request(query)), (Page::Done, Some(Ok(brought))));
    }
}

#[test]
fn an_answer_with_another_state_or_none_ends_nothing() {
    for query in [
        "code=a&state=another",
        "code=a",
        "code=a&state=",
        "code=a&state=the-state&state=the-state",
        "state=the-state",
        "code=&state=the-state",
        "code=a&code=b&state=the-state",
        "error=access_denied&state=another",
        "error=access_denied",
        "code=a&state=the-state&iss=x&iss=y",
        "code=a&state=the-state&iss=",
    ] {
        assert_eq!(read(&request(query)), (Page::Foreign, None), "{query}");
    }
    let long = format!("state=the-state&code={}", "a".repeat(LONGEST_CODE + 1));
    assert_eq!(read(&request(&long)), (Page::Foreign, None));
}

#[test]
fn a_refusal_of_the_provider_is_told_by_ours_words_only() {
    let refused = |query: &str| read(&request(query)).1.unwrap().unwrap_err();
    let denied = refused("error=access_denied&error_description=%1b[31mspoof&state=the-state");
    assert_eq!(denied, CallbackError::Denied);
    let other = refused("error=call+0800-spoof&state=the-state");
    assert_eq!(other, CallbackError::Refused);
    assert!(!other.to_string().contains("spoof"));
}

#[test]
fn other_hosts_verbs_and_paths_find_nothing() {
    let mut rebound = request("code=a&state=the-state");
    rebound
        .headers_mut()
        .insert(header::HOST, "evil.example:41000".parse().unwrap());
    let mut posted = request("code=a&state=the-state");
    *posted.method_mut() = Method::POST;
    let mut elsewhere = request("");
    *elsewhere.uri_mut() = "/favicon.ico?code=a&state=the-state".parse().unwrap();
    for request in [rebound, posted, elsewhere] {
        assert_eq!(read(&request), (Page::Nothing, None));
    }
}

#[test]
fn a_code_that_comes_to_the_page_of_another_provider_or_account_ends_nothing() {
    for path in [
        "/callback/default/other",
        "/callback/second/dex",
        "/callback",
    ] {
        let mut mixed = request("");
        let query = "code=a&state=the-state";
        *mixed.uri_mut() = format!("{path}?{query}").parse().unwrap();
        assert_eq!(read(&mixed), (Page::Nothing, None), "{path}");
    }
}

#[test]
fn pages_run_no_scripts_and_are_kept_nowhere() {
    for page in [
        Page::Done,
        Page::Refused,
        Page::Foreign,
        Page::Over,
        Page::Nothing,
    ] {
        let response = page.into_response();
        let policy = &response.headers()[header::CONTENT_SECURITY_POLICY];
        assert!(policy.to_str().unwrap().starts_with("default-src 'none'"));
        assert_eq!(response.headers()[header::CACHE_CONTROL], "no-store");
        assert_eq!(response.headers()[header::REFERRER_POLICY], "no-referrer");
    }
    assert_eq!(Page::Over.into_response().status(), StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn the_page_listens_on_loopback_only_and_is_gone_after_the_answer() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    let callback = Callback::listen("default", "dex").await.unwrap();
    let host = callback.place.host.clone();
    assert!(callback.redirect_uri().starts_with("http://127.0.0.1:"));
    let browser = async {
        let mut said = Vec::new();
        for query in ["code=stolen&state=another", "code=mine&state=the-state"] {
            let mut stream = tokio::net::TcpStream::connect(&host).await.unwrap();
            let head = format!("GET {PATH}?{query} HTTP/1.1\r\nhost: {host}\r\n\r\n");
            stream.write_all(head.as_bytes()).await.unwrap();
            let mut text = String::new();
            stream.read_to_string(&mut text).await.unwrap();
            said.push(text);
        }
        said
    };
    let (brought, said) = tokio::join!(callback.brought("the-state"), browser);
    assert_eq!(brought.unwrap().code, "mine");
    assert!(said[0].starts_with("HTTP/1.1 400"), "{}", said[0]);
    assert!(said[1].starts_with("HTTP/1.1 200"), "{}", said[1]);
    let again = tokio::net::TcpStream::connect(&host).await;
    assert!(again.is_err(), "it still listens");
}
