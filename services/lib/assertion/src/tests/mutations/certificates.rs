//! Part certificates that must be rejected.

use serde_json::json;

use super::{super::*, Case, EXPIRED, Forge, INVALID, SKEW, altered, case, signed};

impl Forge {
    /// Valid claims of a router with a custom certificate.
    fn certified(key: &SigningKey, certificate: &str) -> String {
        let subject = "part:platform/request-router";
        let head = json!({"alg": "ES256", "kid": key.kid(), "cert": certificate});
        let claims = altered(&json!({"iss": subject, "sub": subject}));
        signed(key, &head.to_string(), &claims)
    }

    #[expect(clippy::too_many_lines, reason = "a table: one case after the other")]
    pub(super) fn certificates(&self) -> Vec<Case> {
        let (stage, now) = (&self.stage, now());
        let (key, other) = (
            SigningKey::generate().unwrap(),
            SigningKey::generate().unwrap(),
        );
        let router = part_of_platform("request-router");
        let times = (now, now + 3600);
        let by = |issuer: &SigningKey, holder: KeyHolder, times| {
            let certificate = issuer.certify(holder, key.public_key(), times);
            Self::certified(&key, &certificate.unwrap().to_string())
        };
        let good = stage
            .parts
            .certify(router.clone(), key.public_key(), times)
            .unwrap();
        let swapped = stage
            .parts
            .certify(router.clone(), other.public_key(), times)
            .unwrap();
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(good.to_string()).unwrap();
        let changed = |at: usize| {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1;
            Self::certified(&key, &BASE64_URL_SAFE_NO_PAD.encode(bytes))
        };
        let foreign = |account: &str, runtime: &str| {
            let holder = KeyHolder::runtime(id(account), id(runtime), id("request-router"));
            by(&stage.runtime, holder, times)
        };
        let subject = "part:runtime/request-router";
        let of_r1 = issue(&stage.runtime, part_of_r1("request-router"));
        let for_globex = of_r1.sign(&claims(subject, "globex/-/inventory")).unwrap();
        let as_user = issue(&stage.parts, router.clone()).sign(&read()).unwrap();
        let text = good.to_string();
        let twice = format!(
            r#"{{"alg":"ES256","kid":"{}","cert":"{text}","cert":"{text}"}}"#,
            key.kid()
        );
        vec![
            case("no certificate", Self::certified(&key, ""), INVALID),
            case(
                "a certificate of garbage",
                Self::certified(&key, "AAAA"),
                INVALID,
            ),
            case(
                "a long certificate",
                Self::certified(&key, &"A".repeat(4000)),
                INVALID,
            ),
            case(
                "a certificate twice",
                signed(&key, &twice, &altered(&json!({}))),
                INVALID,
            ),
            case(
                "another key's certificate",
                Self::certified(&key, &swapped.to_string()),
                INVALID,
            ),
            case(
                "a key with another's certificate",
                Self::certified(&other, &text),
                INVALID,
            ),
            case(
                "a certificate changed in its end",
                changed(bytes.len() - 1),
                INVALID,
            ),
            case("a certificate changed in its part", changed(90), INVALID),
            case(
                "another part's certificate",
                by(&stage.parts, part_of_platform("inventory"), times),
                INVALID,
            ),
            case(
                "a runtime's part as the platform's",
                by(&stage.runtime, router.clone(), times),
                INVALID,
            ),
            case("another runtime's part", foreign("acme", "r2"), INVALID),
            case("another account's part", foreign("globex", "r1"), INVALID),
            case("a part for another account", for_globex, INVALID),
            case(
                "a certificate by a part's key",
                by(&other, router.clone(), times),
                INVALID,
            ),
            case(
                "a certificate by the signing key",
                by(&stage.platform, router.clone(), times),
                INVALID,
            ),
            case(
                "a certificate by itself",
                by(&key, router.clone(), times),
                INVALID,
            ),
            case(
                "a certificate by the root",
                by(&self.root, router.clone(), times),
                INVALID,
            ),
            case(
                "a certificate over its time",
                by(&stage.parts, router.clone(), (now - 9000, now - 100)),
                EXPIRED,
            ),
            case(
                "a certificate before its time",
                by(&stage.parts, router.clone(), (now + 100, now + 200)),
                SKEW,
            ),
            case(
                "a certificate for 25 h",
                by(&stage.parts, router.clone(), (now, now + 90_000)),
                INVALID,
            ),
            case(
                "a certificate for no time",
                by(&stage.parts, router.clone(), (now, now)),
                INVALID,
            ),
            case(
                "a certificate that ends first",
                by(&stage.parts, router, (now, now - 10)),
                INVALID,
            ),
            case("a user by a part's key", as_user, INVALID),
        ]
    }
}
