use super::*;

async fn verified(stage: &Stage, key: &PartKey, claims: &Claims) -> Result<(), String> {
    let token = key.sign(claims).unwrap();
    let verified = stage.verifier.verify(&token, METHOD).await;
    verified.map(drop).map_err(|error| error.to_string())
}

#[tokio::test]
async fn a_certified_key_asserts_exactly_its_part() {
    let stage = stage();
    let router = issue(&stage.parts, part_of_platform("request-router"));
    let proxy = issue(&stage.runtime, part_of_r1("app-proxy"));
    let cases = [
        (
            &router,
            "part:platform/request-router",
            "acme/-/inventory",
            true,
        ),
        (
            &router,
            "part:platform/inventory",
            "acme/-/inventory",
            false,
        ),
        (
            &router,
            "part:runtime/request-router",
            "acme/-/inventory",
            false,
        ),
        (&router, "user:ada", "acme/-/inventory", false),
        (&router, "runtime:acme/r1", "acme/-/inventory", false),
        (&proxy, "part:runtime/app-proxy", "acme/-/inventory", true),
        (
            &proxy,
            "part:runtime/app-proxy",
            "globex/-/inventory",
            false,
        ),
        (
            &proxy,
            "part:runtime/source-server",
            "acme/-/inventory",
            false,
        ),
        (&proxy, "part:platform/app-proxy", "acme/-/inventory", false),
        (&proxy, "runtime:acme/r1", "acme/-/inventory", false),
        (&proxy, "user:ada", "acme/-/inventory", false),
    ];
    for (key, subject, audience, may) in cases {
        let holds = verified(&stage, key, &claims(subject, audience)).await;
        assert_eq!(holds.is_ok(), may, "{subject} for {audience}: {holds:?}");
    }
}

#[tokio::test]
async fn a_part_speaks_within_its_own_runtime_and_no_other() {
    let stage = stage();
    let keys = StaticKeys::new([TrustedKey {
        key: *stage.runtime.public_key(),
        authority: r1(),
    }]);
    let recipient = ExpectedAudience::runtime(id("acme"), id("r1"), id("source-server"));
    let verifier = Verifier::new(Arc::new(keys), recipient);
    let reporter = issue(&stage.runtime, part_of_r1("application-event-reporter"));
    let subject = "part:runtime/application-event-reporter";
    for (audience, accepted) in [
        ("acme/r1/source-server", true),
        ("acme/r2/source-server", false),
        ("acme/-/source-server", false),
        ("acme/r1/app-proxy", false),
    ] {
        let token = reporter.sign(&claims(subject, audience)).unwrap();
        let verified = verifier.verify(&token, METHOD).await;
        assert_eq!(verified.is_ok(), accepted, "{audience}");
    }
}

#[tokio::test]
async fn a_certificate_counts_in_its_time_with_leeway_also_where_it_is_remembered() {
    let stage = stage();
    let holder = part_of_platform("request-router");
    let key = issue(&stage.parts, holder.clone());
    let of = |claims: &mut Claims, at| (claims.iat, claims.exp) = (at, at + 60);
    let mut claims = claims("part:platform/request-router", "acme/-/inventory");
    let (from, to) = (key.certificate().not_before, key.certificate().not_after);
    for (at, expected) in [
        (from - LEEWAY_SECONDS - 1, "clock off by 61 s"),
        (from - LEEWAY_SECONDS, ""),
        (from, ""),
        (to + LEEWAY_SECONDS, ""),
        (to + LEEWAY_SECONDS + 1, "expired 61 s ago"),
        (from, ""),
    ] {
        of(&mut claims, at);
        let token = key.sign(&claims).unwrap();
        for _ in 0..2 {
            let verified = stage.verifier.verify_at(&token, METHOD, at).await;
            let text = verified.map_or_else(|error| error.to_string(), |_| String::new());
            assert!(
                text.contains(expected) && text.is_empty() == expected.is_empty(),
                "{at}: {text}"
            );
        }
    }
}

#[test]
fn a_key_and_its_certificate_are_the_same_from_their_file() {
    let issuer = SigningKey::generate().unwrap();
    let made = issue(&issuer, part_of_r1("app-proxy"));
    let read = PartKey::from_pem(&made.to_pem()).unwrap();
    assert_eq!(read.certificate(), made.certificate());
    assert_eq!(read.kid(), made.kid());
    assert!(read.certificate().is_signed_by(issuer.public_key()));
    let text = made.certificate().to_string();
    assert_eq!(text.parse().as_ref(), Ok(made.certificate()));
    assert!(text.len() < 600, "{}", text.len());
}

#[test]
fn a_key_is_due_at_half_of_its_life_or_when_the_clock_was_set_back() {
    let key = issue(&SigningKey::generate().unwrap(), part_of_r1("app-proxy"));
    let from = key.certificate().not_before;
    for (at, due) in [
        (from - 1, true),
        (from, false),
        (from + 1799, false),
        (from + 1800, true),
    ] {
        assert_eq!(key.is_due(at), due, "{at}");
    }
    let long = PartKey::issue(&SigningKey::generate().unwrap(), part_of_r1("a"), u64::MAX).unwrap();
    let life = long.certificate().not_after - long.certificate().not_before;
    assert_eq!(life, MAX_CERTIFICATE_SECONDS);
}

#[test]
fn a_certificate_is_read_whole_or_not_at_all() {
    let key = issue(&SigningKey::generate().unwrap(), part_of_r1("app-proxy"));
    let text = key.certificate().to_string();
    for length in 0..text.len() {
        assert!(
            text[..length].parse::<PartCertificate>().is_err(),
            "{length}"
        );
    }
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(&text).unwrap();
    for (at, add) in [(0, 1), (1, 1), (2, 1), (bytes.len() - 65, 0)] {
        let mut longer = bytes.clone();
        longer.insert(at, add);
        let longer = BASE64_URL_SAFE_NO_PAD.encode(longer);
        assert!(longer.parse::<PartCertificate>().is_err(), "{at}");
    }
    assert!("A".repeat(1 << 20).parse::<PartCertificate>().is_err());
}
