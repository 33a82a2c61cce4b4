use super::*;

#[test]
fn subjects_and_audiences_are_written_as_they_are_read() {
    for text in [
        "user:ada",
        "runtime:acme/r1",
        "part:platform/inventory",
        "part:runtime/app-proxy",
    ] {
        assert_eq!(id::<Subject>(text).to_string(), text);
    }
    for text in ["acme/-/inventory", "acme/r1/app-proxy"] {
        assert_eq!(id::<Audience>(text).to_string(), text);
    }
    for text in [
        "",
        "ada",
        "user:",
        "user:a/b",
        "user:Ada",
        "runtime:acme",
        "part:moon/inventory",
        "robot:x",
    ] {
        assert!(text.parse::<Subject>().is_err(), "{text}");
    }
    for text in [
        "",
        "inventory",
        "acme/inventory",
        "acme//inventory",
        "acme/-/",
        "-/-/inventory",
        "a/b/c/d",
    ] {
        assert!(text.parse::<Audience>().is_err(), "{text}");
    }
}

#[tokio::test]
async fn claims_arrive_as_they_were_signed() {
    let stage = stage();
    let claims = read().for_one_request(b"request", RequestId::generate());
    let token = stage.platform.sign(&claims).unwrap();
    let verified = stage.verifier.verify(&token, METHOD).await.unwrap();
    assert_eq!(*verified.claims(), claims);
    let caller = verified.caller();
    assert_eq!(caller.user().unwrap().as_str(), "ada");
    assert_eq!(caller.account.as_str(), "acme");
    assert_eq!(caller.scope, Scope::everything("admin"));
    assert_eq!(caller.request_id, claims.request_id);
}

#[tokio::test]
async fn assertions_for_others_are_refused() {
    let stage = stage();
    for audience in ["acme/-/platform", "acme/r1/inventory", "acme/r1/app-proxy"] {
        let token = stage.platform.sign(&claims("user:ada", audience)).unwrap();
        let text = refusal(&stage, &token).await;
        assert!(text.starts_with("AUDIENCE_MISMATCH"), "{audience}: {text}");
    }
}

#[tokio::test]
async fn a_runtime_accepts_only_its_own_account_and_name() {
    let stage = stage();
    let keys = StaticKeys::new([TrustedKey {
        key: *stage.platform.public_key(),
        authority: Authority::Platform,
    }]);
    let recipient = ExpectedAudience::runtime(id("acme"), id("r1"), id("app-proxy"));
    let verifier = Verifier::new(Arc::new(keys), recipient);
    let cases = [
        ("acme/r1/app-proxy", true),
        ("globex/r1/app-proxy", false),
        ("acme/r2/app-proxy", false),
        ("acme/r1/event-source", false),
        ("acme/-/app-proxy", false),
    ];
    for (audience, accepted) in cases {
        let token = stage.platform.sign(&claims("user:ada", audience)).unwrap();
        let verified = verifier.verify(&token, METHOD).await;
        assert_eq!(verified.is_ok(), accepted, "{audience}");
    }
}

#[tokio::test]
async fn an_assertion_for_another_method_is_refused() {
    let stage = stage();
    let token = stage.platform.sign(&read()).unwrap();
    for _ in 0..2 {
        let called = "/causeway.inventory.v1.ApplicationService/GetManifest";
        let error = stage.verifier.verify(&token, called).await.unwrap_err();
        assert!(matches!(error, VerifyError::Method { .. }), "{error}");
        stage.verifier.verify(&token, METHOD).await.unwrap();
    }
}

#[tokio::test]
async fn time_counts_with_leeway_also_for_what_is_remembered() {
    let stage = stage();
    let claims = read();
    let token = stage.platform.sign(&claims).unwrap();
    let at = |now| stage.verifier.verify_at(&token, METHOD, now);
    at(claims.iat).await.unwrap();
    at(claims.iat - LEEWAY_SECONDS).await.unwrap();
    at(claims.exp + LEEWAY_SECONDS).await.unwrap();
    let late = at(claims.exp + LEEWAY_SECONDS + 1).await.unwrap_err();
    assert!(
        late.to_string()
            .contains("expired 61 s ago; ask for a new one"),
        "{late}"
    );
    let early = at(claims.iat - LEEWAY_SECONDS - 1).await.unwrap_err();
    assert!(early.to_string().contains("clock off by 61 s"), "{early}");
}

#[tokio::test]
async fn an_assertion_that_lives_too_long_is_refused() {
    let stage = stage();
    for (from, to) in [(0, 61), (0, 0), (10, 0), (0, 1 << 40)] {
        let mut claims = read();
        claims.exp = claims.iat + to;
        claims.iat += from;
        let token = stage.platform.sign(&claims).unwrap();
        let error = stage.verifier.verify(&token, METHOD).await.unwrap_err();
        assert!(
            matches!(error, VerifyError::Life { .. }),
            "{from} {to}: {error}"
        );
    }
}

#[tokio::test]
async fn a_runtimes_caller_carries_its_runtime() {
    let stage = stage();
    let token = issue(&stage.runtime, part_of_r1("app-proxy"))
        .sign(&claims("part:runtime/app-proxy", "acme/-/inventory"));
    let verified = stage
        .verifier
        .verify(&token.unwrap(), METHOD)
        .await
        .unwrap();
    assert_eq!(verified.caller().runtime, Some(id("r1")));
    let token = stage.platform.sign(&read()).unwrap();
    let verified = stage.verifier.verify(&token, METHOD).await.unwrap();
    assert_eq!(verified.caller().runtime, None);
}

#[test]
fn sides_are_written_as_they_are_read() {
    for side in [Side::Platform, Side::Runtime, Side::Runner] {
        assert_eq!(side.as_str().parse(), Ok(side));
    }
}
