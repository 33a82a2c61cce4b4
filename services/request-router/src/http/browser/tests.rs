use http::HeaderName;

use super::*;

fn request(verb: &str, headers: &[(&str, &str)]) -> Request<Body> {
    let mut request = Request::builder().method(verb).uri("/v1/applications");
    request = request.header("host", "127.0.0.1:7400");
    for (name, value) in headers {
        request = request.header(name.parse::<HeaderName>().unwrap(), *value);
    }
    request.body(Body::empty()).unwrap()
}

fn admitted(verb: &str, headers: &[(&str, &str)]) -> Result<Option<String>, Status> {
    let mut request = request(verb, headers);
    admit(&Home::new(None, None), &mut request)?;
    let value = request.headers().get(header::AUTHORIZATION);
    Ok(value.map(|value| value.to_str().unwrap().to_owned()))
}

const COOKIE: (&str, &str) = ("cookie", "causeway-session=cws_a");

#[test]
fn a_session_cookie_becomes_the_bearer_of_a_read() {
    let bearer = admitted("GET", &[COOKIE]).unwrap();
    assert_eq!(bearer.as_deref(), Some("Bearer cws_a"));
    assert_eq!(admitted("GET", &[]).unwrap(), None);
}

#[test]
fn a_credential_of_the_calls_own_goes_before_the_cookie() {
    let own = ("authorization", "Bearer cwk_mine");
    let bearer = admitted("POST", &[COOKIE, own]).unwrap();
    assert_eq!(bearer.as_deref(), Some("Bearer cwk_mine"));
}

#[test]
fn a_change_by_the_cookie_counts_only_from_a_page_of_this_host() {
    for verb in ["POST", "PUT", "PATCH", "DELETE"] {
        let same = ("sec-fetch-site", "same-origin");
        let bearer = admitted(verb, &[COOKIE, same]).unwrap();
        assert_eq!(bearer.as_deref(), Some("Bearer cws_a"));
        let origin = ("origin", "http://127.0.0.1:7400");
        assert!(admitted(verb, &[COOKIE, origin]).unwrap().is_some());
        for foreign in [
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
            ("origin", "http://127.0.0.1:9999"),
            ("origin", "null"),
            ("x-nothing", "nothing"),
        ] {
            let refused = admitted(verb, &[COOKIE, foreign]).unwrap_err();
            assert_eq!(refused.code(), Code::PermissionDenied, "{foreign:?}");
        }
    }
}

#[test]
fn what_is_no_session_is_no_credential() {
    let long = format!("causeway-session=cws_{}", "a".repeat(LONGEST_TOKEN));
    for cookie in [
        "causeway-session=cwk_a-key",
        "causeway-session=",
        "causeway-session=a.b.c",
        "causeway-session=cws_a\"",
        "causeway-session=cws_a b",
        "__Host-causeway-session=cws_a",
        long.as_str(),
    ] {
        assert_eq!(
            admitted("GET", &[("cookie", cookie)]).unwrap(),
            None,
            "{cookie}"
        );
    }
    let twice = [COOKIE, ("cookie", "causeway-session=cws_b")];
    let refused = admitted("GET", &twice).unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated);
}

#[test]
fn the_cookie_goes_no_further() {
    let mut request = request("GET", &[COOKIE]);
    admit(&Home::new(None, None), &mut request).unwrap();
    assert!(!request.headers().contains_key(header::COOKIE));
}

#[test]
fn what_the_browser_keeps_is_read_back_and_leads_nowhere_else() {
    let begun = sign_in::PendingSignIn::from_cookie("v.s.L3Yx.default.dex").unwrap();
    assert_eq!(begun.to_cookie(), "v.s.L3Yx.default.dex");
    // "//evil.example"
    let moved = sign_in::PendingSignIn::from_cookie("v.s.Ly9ldmlsLmV4YW1wbGU.default.dex").unwrap();
    assert_eq!(moved.to_cookie(), "v.s.Lw.default.dex");
    for text in [
        "",
        "v",
        "v.s",
        "v.s.L3Yx",
        "v.s.L3Yx.default",
        "v.s.L3Yx.default.dex.x",
        "v.s.%.default.dex",
        "v.s._w.default.dex",
        "v.s.L3Yx.default.../x",
        "v.s.L3Yx.NO.dex",
    ] {
        assert!(
            sign_in::PendingSignIn::from_cookie(text).is_none(),
            "{text}"
        );
    }
}
