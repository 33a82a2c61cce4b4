use super::*;

fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
    let line = |(name, value): &(&'static str, &'static str)| {
        let name = HeaderName::from_static(name);
        (name, HeaderValue::from_static(value))
    };
    lines.iter().map(line).collect()
}

#[test]
fn a_path_names_a_route_and_at_the_platform_a_runtime() {
    let at_runtime = |path| read_target(path, false).map(|it| it.route);
    assert_eq!(at_runtime("/webhooks/github-1"), Some("github-1"));
    let at_platform = |path| read_target(path, true);
    let target = at_platform("/webhooks/acme/r-1/github").unwrap();
    let (account, runtime) = target.runtime.unwrap();
    assert_eq!((account.as_str(), runtime.as_str()), ("acme", "r-1"));
    assert_eq!(target.route, "github");
    for path in [
        "/webhooks/",
        "/webhooks/a/",
        "/webhooks//a",
        "/webhooks/A",
        "/webhooks/a%2fb",
        "/webhooks/..",
        "/webhooks/a.example.com:80",
        "/webhooks/a b",
    ] {
        assert_eq!(at_runtime(path), None, "{path}");
        assert_eq!(at_platform(path), None, "{path}");
    }
    for path in [
        "/webhooks/github",
        "/webhooks/acme/github",
        "/webhooks/acme/r-1/github/x",
        "/webhooks/acme/../github",
        "/webhooks/acme/-/github",
        "/webhooks//r-1/github",
        "/webhooks/acme/10.0.0.1:80/github",
    ] {
        assert_eq!(at_platform(path), None, "{path}");
    }
}

#[test]
fn only_headers_of_the_provider_go_on() {
    let from = headers(&[
        ("host", "causeway.example.com"),
        ("connection", "x-secret"),
        ("x-secret", "hop"),
        ("cookie", "a=b"),
        ("causeway-runtime", "r-2"),
        ("causeway-assertion", "Bearer x"),
        ("authorization", "Basic dXNlcjpwYXNz"),
        ("x-github-event", "push"),
        ("webhook-id", "1"),
        ("content-type", "application/json"),
    ]);
    let mut names: Vec<_> = sent_headers(&from)
        .map(|(name, _)| name.to_string())
        .collect();
    names.sort_unstable();
    let expected = [
        "authorization",
        "content-type",
        "webhook-id",
        "x-github-event",
    ];
    assert_eq!(names, expected);
}

#[test]
fn an_assertion_of_the_platform_is_not_taken_for_the_providers_credential() {
    let sent = |lines: &[(&'static str, &'static str)]| {
        let sent = sent_headers(&headers(lines)).find(|(name, _)| *name == header::AUTHORIZATION);
        sent.map(|(_, value)| value.to_str().unwrap().to_owned())
    };
    let assertion = ("authorization", "Bearer a.b.c");
    assert_eq!(sent(&[assertion]), None);
    let own = ("causeway-webhook-authorization", "Basic dXNlcjpwYXNz");
    assert_eq!(
        sent(&[assertion, own]).as_deref(),
        Some("Basic dXNlcjpwYXNz")
    );
}

#[test]
fn a_runtime_has_64_places_and_gives_them_back() {
    let lanes = Lanes::default();
    let runtime = |name: &str| ("acme".parse().unwrap(), name.parse().unwrap());
    let turns: Vec<_> = (0..RUNTIME_PLACES)
        .map(|_| lanes.enter(runtime("r-1")).unwrap())
        .collect();
    assert!(lanes.enter(runtime("r-1")).is_none());
    assert!(lanes.enter(runtime("r-2")).is_some());
    drop(turns);
    assert!(lanes.enter(runtime("r-1")).is_some());
    assert!(lanes.0.lock().unwrap().is_empty());
}

#[test]
fn an_answer_says_no_more_than_its_code() {
    let status = |code, reason| causeway_shell::status::status(code, reason, "a secret cause");
    let cases = [
        (Code::Unauthenticated, Reason::CredentialInvalid, 401),
        (Code::ResourceExhausted, Reason::TooLarge, 413),
        (Code::ResourceExhausted, Reason::Throttled, 429),
        (Code::ResourceExhausted, Reason::Overloaded, 503),
        (Code::Unavailable, Reason::Overloaded, 503),
        // The router's own assertion was refused, which no provider can help.
        (Code::Unauthenticated, Reason::CredentialExpired, 503),
        (Code::PermissionDenied, Reason::PermissionDenied, 503),
    ];
    for (code, reason, expected) in cases {
        assert_eq!(
            to_http(&status(code, reason)).as_u16(),
            expected,
            "{code:?} {reason:?}"
        );
    }
}
