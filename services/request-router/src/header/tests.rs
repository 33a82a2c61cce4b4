use super::*;

fn headers(lines: &[(&str, &str)]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in lines {
        let name: HeaderName = name.parse().unwrap();
        map.append(name, value.parse().unwrap());
    }
    map
}

fn names(map: &HeaderMap) -> Vec<&str> {
    let mut names: Vec<_> = map.keys().map(HeaderName::as_str).collect();
    names.sort_unstable();
    names
}

#[test]
fn only_listed_headers_of_a_request_cross() {
    let from = headers(&[
        ("content-type", "application/grpc"),
        ("traceparent", "00-1-2-3"),
        ("grpc-encoding", "identity"),
        ("grpc-timeout", "1S"),
        ("authorization", "Bearer cwk_secret"),
        ("causeway-runtime", "rt-other"),
        ("causeway-subject", "user:admin"),
        ("Causeway_Subject", "user:admin"),
        ("x-forwarded-for", "10.0.0.1"),
        ("x-user", "admin"),
        ("cookie", "a=b"),
        ("host", "example.com"),
        ("connection", "keep-alive, X-User"),
        ("keep-alive", "1"),
        ("transfer-encoding", "chunked"),
        ("upgrade", "websocket"),
        ("proxy-authorization", "Basic x"),
    ]);
    let to = request(&from);
    assert_eq!(
        names(&to),
        ["content-type", "grpc-encoding", "te", "traceparent"]
    );
}

#[test]
fn what_connection_names_ends_here_even_if_it_is_listed() {
    let from = headers(&[
        ("connection", "traceparent, Grpc-Encoding"),
        ("traceparent", "x"),
        ("grpc-encoding", "gzip"),
        ("content-type", "application/grpc+proto"),
    ]);
    assert_eq!(names(&request(&from)), ["content-type", "te"]);
}

#[test]
fn only_listed_headers_of_an_answer_cross() {
    let from = headers(&[
        ("content-type", "application/grpc"),
        ("grpc-status", "5"),
        ("retry-after", "3"),
        ("causeway-request-id", "x"),
        ("server", "secret/1.0"),
        ("set-cookie", "a=b"),
        ("connection", "grpc-message"),
        ("grpc-message", "x"),
    ]);
    let to = response(&from);
    assert_eq!(
        names(&to),
        [
            "causeway-request-id",
            "content-type",
            "grpc-status",
            "retry-after"
        ]
    );
}

#[test]
fn credentials_are_told_apart() {
    let key = Credential::ApiKey("cwk_abc-DEF_1".to_owned());
    let assertion = Credential::Assertion("Bearer aa.bb.c-_".parse().unwrap());
    let cases = [
        (vec![], Ok(Credential::None)),
        (vec!["Bearer cwk_abc-DEF_1"], Ok(key.clone())),
        (vec!["bearer cwk_abc-DEF_1"], Ok(key)),
        (vec!["Bearer aa.bb.c-_"], Ok(assertion)),
        (vec!["Bearer aa.bb"], Err(HeaderError::UnknownCredential)),
        (
            vec!["Bearer aa.bb.cc.dd"],
            Err(HeaderError::UnknownCredential),
        ),
        (vec!["Bearer aa..cc"], Err(HeaderError::UnknownCredential)),
        (
            vec!["Bearer a.b.c, Bearer cwk_x"],
            Err(HeaderError::UnknownCredential),
        ),
        (vec!["Bearer "], Err(HeaderError::UnknownCredential)),
        (vec!["Basic cwk_abc"], Err(HeaderError::UnknownCredential)),
        (vec!["cwk_abc"], Err(HeaderError::UnknownCredential)),
        (
            vec!["Bearer cwk_a", "Bearer cwk_a"],
            Err(HeaderError::DuplicateCredential),
        ),
    ];
    for (values, expected) in cases {
        let lines: Vec<_> = values
            .iter()
            .map(|value| ("authorization", *value))
            .collect();
        assert!(credential(&headers(&lines)) == expected, "{values:?}");
    }
}

#[test]
fn timeouts_are_read_and_written() {
    let read = |name, value| timeout(&headers(&[(name, value)]));
    assert_eq!(timeout(&HeaderMap::new()), Ok(None));
    assert_eq!(read("grpc-timeout", "5S"), Ok(Some(Duration::from_secs(5))));
    assert_eq!(
        read("grpc-timeout", "250m"),
        Ok(Some(Duration::from_millis(250)))
    );
    assert_eq!(read("grpc-timeout", "99999999H"), Ok(Some(LONGEST_TIMEOUT)));
    assert_eq!(
        read("causeway-timeout", "1m 5s"),
        Ok(Some(Duration::from_secs(65)))
    );
    for wrong in ["", "S", "5", "5s", "123456789S", "-5S", "5e"] {
        assert_eq!(
            read("grpc-timeout", wrong),
            Err(HeaderError::GrpcTimeout),
            "{wrong}"
        );
    }
    assert_eq!(read("causeway-timeout", "soon"), Err(HeaderError::Timeout));
    assert_eq!(to_grpc_timeout(Duration::from_millis(1500)), "1500m");
    assert_eq!(to_grpc_timeout(Duration::from_secs(200_000)), "200000S");
}

#[test]
fn how_json_is_negotiated_stays_behind() {
    let from = headers(&[
        ("content-type", "application/json"),
        ("grpc-accept-encoding", "gzip"),
        ("traceparent", "x"),
    ]);
    let to = request(&from);
    assert_eq!(names(&to), ["content-type", "te", "traceparent"]);
    assert_eq!(to.get("content-type").unwrap(), "application/grpc");
}

#[test]
fn grpc_is_told_from_grpc_web_and_the_rest() {
    let cases = [
        ("application/grpc", true, false),
        ("application/grpc+proto", true, false),
        ("application/grpc-web", false, true),
        ("application/grpc-web-text+proto", false, true),
        ("application/grpcx", false, false),
        ("application/json", false, false),
    ];
    for (value, grpc, web) in cases {
        let headers = headers(&[("content-type", value)]);
        assert_eq!(
            (is_grpc(&headers), is_grpc_web(&headers)),
            (grpc, web),
            "{value}"
        );
    }
}

proptest::proptest! {
    /// Whatever a caller calls its headers, none of them becomes an identity behind the router.
    #[test]
    fn no_spelling_of_an_identity_crosses(
        prefix in "(x-|X_|causeway-|Causeway-|CAUSEWAY_|forwarded-|grpc_)?",
        name in "[a-z_-]{1,12}",
        listed in "(keep-alive|te|x-user|grpc-status)?",
    ) {
        let name = format!("{prefix}{name}");
        let from = headers(&[("connection", listed.as_str()), (name.as_str(), "forged"), ("content-type", "application/grpc")]);
        let to = request(&from);
        let allowed = ["content-type", "te", "traceparent", "tracestate"];
        let crossed = to.keys().find(|key| !allowed.contains(&key.as_str()) && !key.as_str().starts_with("grpc-"));
        proptest::prop_assert_eq!(crossed, None);
    }
}
