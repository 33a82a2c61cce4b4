//! Malformed assertions.

mod certificates;

use serde_json::{Value, json};

use super::*;

/// A key of the stage that the verifier trusts, and others that it does not.
struct Forge {
    stage: Stage,
    root: SigningKey,
}

struct Case {
    what: &'static str,
    token: String,
    reason: &'static str,
}

fn case(what: &'static str, token: impl Into<String>, reason: &'static str) -> Case {
    let token = token.into();
    Case {
        what,
        token,
        reason,
    }
}

/// Signs exactly this text as the header and these claims.
fn signed(key: &SigningKey, head: &str, claims: &str) -> String {
    let [head, claims] = [head, claims].map(|text| BASE64_URL_SAFE_NO_PAD.encode(text));
    let text = format!("{head}.{claims}");
    let signature = BASE64_URL_SAFE_NO_PAD.encode(key.sign_bytes(text.as_bytes()).unwrap());
    format!("{text}.{signature}")
}

/// Valid claims of a read with some values replaced; `null` removes one.
fn altered(changes: &Value) -> String {
    let now = now();
    let mut claims = json!({
        "iss": "platform", "sub": "user:ada", "aud": "acme/-/inventory", "method": METHOD,
        "iat": now, "exp": now + 60, "scope": {},
    });
    for (name, value) in changes.as_object().unwrap() {
        claims[name] = value.clone();
    }
    claims
        .as_object_mut()
        .unwrap()
        .retain(|_, value| !value.is_null());
    claims.to_string()
}

fn hmac(secret: &[u8], kid: &str) -> String {
    let mut header = jsonwebtoken::Header::new(jsonwebtoken::Algorithm::HS256);
    header.kid = Some(kid.to_owned());
    let claims: Value = serde_json::from_str(&altered(&json!({}))).unwrap();
    let secret = jsonwebtoken::EncodingKey::from_secret(secret);
    jsonwebtoken::encode(&header, &claims, &secret).unwrap()
}

const INVALID: &str = "CREDENTIAL_INVALID";
const AUDIENCE: &str = "AUDIENCE_MISMATCH";
const EXPIRED: &str = "CREDENTIAL_EXPIRED";
const SKEW: &str = "CLOCK_SKEW";

impl Forge {
    fn new() -> Self {
        let (stage, root) = (stage(), SigningKey::generate().unwrap());
        Self { stage, root }
    }

    fn good(&self) -> String {
        self.stage.platform.sign(&read()).unwrap()
    }

    /// Good claims under a header of one's own, signed by the platform.
    fn headed(&self, head: &str) -> String {
        signed(&self.stage.platform, head, &altered(&json!({})))
    }

    /// Valid header with custom claims, signed by the platform.
    fn claiming(&self, changes: &Value) -> String {
        signed(&self.stage.platform, &self.head(), &altered(changes))
    }

    fn head(&self) -> String {
        json!({"typ": "JWT", "alg": "ES256", "kid": self.stage.platform.kid()}).to_string()
    }

    fn texts(&self) -> Vec<Case> {
        let good = self.good();
        let (signed, signature) = good.rsplit_once('.').unwrap();
        let mut flipped = good.clone().into_bytes();
        flipped[40] ^= 1;
        vec![
            case("empty", "", INVALID),
            case("a space", " ", INVALID),
            case("garbage", "garbage", INVALID),
            case("dots alone", "..", INVALID),
            case("not ASCII", "é.é.é", INVALID),
            case("an API key", format!("cwk_{}", "A".repeat(43)), INVALID),
            case("1 MiB", "a".repeat(1 << 20), INVALID),
            case("1 MiB of dots", ".".repeat(1 << 20), INVALID),
            case("no signature", signed, INVALID),
            case("an empty signature", format!("{signed}."), INVALID),
            case("a fourth piece", format!("{good}.{signature}"), INVALID),
            case("half of a signature", &good[..good.len() - 43], INVALID),
            case("padding", format!("{good}=="), INVALID),
            case("a space behind it", format!("{good} "), INVALID),
            case(
                "a changed letter",
                String::from_utf8(flipped).unwrap(),
                INVALID,
            ),
            case(
                "a signature of zeros",
                format!("{signed}.{}", BASE64_URL_SAFE_NO_PAD.encode([0; 64])),
                INVALID,
            ),
            case(
                "a signature in DER",
                format!("{signed}.{}", BASE64_URL_SAFE_NO_PAD.encode([0x30; 70])),
                INVALID,
            ),
        ]
    }

    fn headers(&self) -> Vec<Case> {
        let kid = self.stage.platform.kid();
        let with = |rest: &str| self.headed(&format!(r#"{{"alg":"ES256","kid":"{kid}"{rest}}}"#));
        let of_kid = |kid: &str| self.headed(&json!({"alg": "ES256", "kid": kid}).to_string());
        let none = |alg: &str| {
            let head = json!({"alg": alg, "kid": kid}).to_string();
            let [head, claims] =
                [head, altered(&json!({}))].map(|text| BASE64_URL_SAFE_NO_PAD.encode(text));
            format!("{head}.{claims}.")
        };
        let public = self.stage.platform.public_key();
        vec![
            case("alg none", none("none"), INVALID),
            case("alg nOnE", none("nOnE"), INVALID),
            case(
                "no alg",
                self.headed(&json!({"kid": kid}).to_string()),
                INVALID,
            ),
            case(
                "alg ES384",
                self.headed(&json!({"alg": "ES384", "kid": kid}).to_string()),
                INVALID,
            ),
            case(
                "an HMAC with the public point",
                hmac(public.as_bytes(), kid.as_str()),
                INVALID,
            ),
            case(
                "an HMAC with the public key",
                hmac(&public.to_spki(), kid.as_str()),
                INVALID,
            ),
            case("alg twice", with(r#","alg":"none""#), INVALID),
            case("kid twice", with(&format!(r#","kid":"{kid}""#)), INVALID),
            case("crit", with(r#","crit":["exp"]"#), INVALID),
            case("crit, empty", with(r#","crit":[]"#), INVALID),
            case(
                "a key in the header",
                with(r#","jwk":{"kty":"EC"}"#),
                INVALID,
            ),
            case(
                "the address of a key",
                with(r#","jku":"http://127.0.0.1/""#),
                INVALID,
            ),
            case(
                "a chain of certificates",
                with(r#","x5c":["AAAA"]"#),
                INVALID,
            ),
            case("another type", with(r#","typ":"at+jwt""#), INVALID),
            case("no kid", self.headed(r#"{"alg":"ES256"}"#), INVALID),
            case("an empty kid", of_kid(""), INVALID),
            case(
                "a kid that climbs",
                of_kid("../../../../etc/passwd"),
                INVALID,
            ),
            case("a kid that asks", of_kid("' OR 1=1 --"), INVALID),
            case(
                "a kid that is a number",
                self.headed(r#"{"alg":"ES256","kid":1}"#),
                INVALID,
            ),
            case(
                "a kid that is not known",
                of_kid("0123456789abcdef"),
                INVALID,
            ),
            case(
                "the kid of another key",
                of_kid(self.stage.runtime.kid().as_str()),
                INVALID,
            ),
            case("the root key", self.root.sign(&read()).unwrap(), INVALID),
        ]
    }

    #[expect(clippy::too_many_lines, reason = "a table: one case after the other")]
    fn claims(&self) -> Vec<Case> {
        let now = now();
        let twice = altered(&json!({})).replacen('{', r#"{"sub":"user:root","#, 1);
        vec![
            case(
                "another part",
                self.claiming(&json!({"aud": "acme/-/platform"})),
                AUDIENCE,
            ),
            case(
                "a runtime's part",
                self.claiming(&json!({"aud": "acme/r1/inventory"})),
                AUDIENCE,
            ),
            case("no audience", self.claiming(&json!({"aud": null})), INVALID),
            case(
                "several audiences",
                self.claiming(&json!({"aud": ["acme/-/inventory"]})),
                INVALID,
            ),
            case(
                "a part alone",
                self.claiming(&json!({"aud": "inventory"})),
                INVALID,
            ),
            case(
                "another issuer",
                self.claiming(&json!({"iss": "https://evil.example"})),
                INVALID,
            ),
            case("no issuer", self.claiming(&json!({"iss": null})), INVALID),
            case(
                "another method",
                self.claiming(&json!({"method": "/a.B/C"})),
                AUDIENCE,
            ),
            case("no subject", self.claiming(&json!({"sub": null})), INVALID),
            case(
                "a subject twice",
                signed(&self.stage.platform, &self.head(), &twice),
                INVALID,
            ),
            case(
                "a runtime",
                self.claiming(&json!({"sub": "runtime:acme/r1"})),
                INVALID,
            ),
            case(
                "a part",
                self.claiming(&json!({"sub": "part:platform/platform"})),
                INVALID,
            ),
            case(
                "a user with a slash",
                self.claiming(&json!({"sub": "user:a/b"})),
                INVALID,
            ),
            case(
                "expired",
                self.claiming(&json!({"iat": now - 200, "exp": now - 140})),
                EXPIRED,
            ),
            case(
                "expired long ago",
                self.claiming(&json!({"iat": 1, "exp": 60})),
                EXPIRED,
            ),
            case("no end", self.claiming(&json!({"exp": null})), INVALID),
            case(
                "far in the future",
                self.claiming(&json!({"iat": now + 700, "exp": now + 760})),
                SKEW,
            ),
            case(
                "a life of 61 s",
                self.claiming(&json!({"exp": now + 61})),
                INVALID,
            ),
            case(
                "a life for ever",
                self.claiming(&json!({"exp": u64::MAX})),
                INVALID,
            ),
            case("before 1970", self.claiming(&json!({"iat": -1})), INVALID),
            case(
                "a time as a text",
                self.claiming(&json!({"exp": "never"})),
                INVALID,
            ),
            case(
                "a time with a fraction",
                self.claiming(&json!({"iat": 1.5})),
                INVALID,
            ),
            case(
                "claims that are a list",
                signed(&self.stage.platform, &self.head(), "[]"),
                INVALID,
            ),
            case(
                "deep claims",
                signed(&self.stage.platform, &self.head(), &"[".repeat(5000)),
                INVALID,
            ),
            case(
                "a short one-time id",
                self.claiming(&json!({"jti": "1"})),
                INVALID,
            ),
        ]
    }
}

#[tokio::test]
async fn s_01_no_mutation_of_an_assertion_is_let_in_or_remembered() {
    let forge = Forge::new();
    let cases = [
        forge.texts(),
        forge.headers(),
        forge.claims(),
        forge.certificates(),
    ];
    let cases: Vec<_> = cases.into_iter().flatten().collect();
    assert!(cases.len() >= 40, "{}", cases.len());
    for Case {
        what,
        token,
        reason,
    } in cases
    {
        let text = refusal(&forge.stage, &token).await;
        assert!(text.starts_with(reason), "{what}: {text}");
        assert!(text.len() < 400, "{what}: {} bytes are told", text.len());
    }
    let kept = forge.stage.verifier.kept();
    assert_eq!(kept, (0, 0), "what was refused is remembered");
    forge
        .stage
        .verifier
        .verify(&forge.good(), METHOD)
        .await
        .unwrap();
}
