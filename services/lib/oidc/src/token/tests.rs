use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use rcgen::KeyPair;
use serde_json::{Value, json};

use super::{Claims, ExpectedClaims, KeySet, MAX_TOKEN_BYTES, TokenError, key_id, verify};

const NOW: u64 = 1_800_000_000;
const KID: &str = "key-1";

struct Signer {
    pair: KeyPair,
    keys: KeySet,
}

impl Signer {
    fn new() -> Self {
        Self::with(|_| {})
    }

    fn with(change: impl FnOnce(&mut Value)) -> Self {
        let pair = KeyPair::generate().unwrap();
        let point = pair.public_key_raw();
        let half = |from: usize| BASE64_URL_SAFE_NO_PAD.encode(&point[from..from + 32]);
        let mut key = json!({
            "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": KID, "x": half(1), "y": half(33),
        });
        change(&mut key);
        let keys = KeySet::read(&json!({"keys": [key]})).unwrap();
        Self { pair, keys }
    }

    fn sign(&self, header: &Header, claims: &Value) -> String {
        let key = EncodingKey::from_ec_der(&self.pair.serialize_der());
        encode(header, claims, &key).unwrap()
    }

    fn verify(&self, token: &str) -> Result<Claims, TokenError> {
        verify(token, &self.keys, &expected())
    }
}

fn expected() -> ExpectedClaims<'static> {
    ExpectedClaims {
        issuer: "https://dex.example.com",
        audience: "causeway",
        client: Some("causeway"),
        nonce: Some("the-nonce"),
        access_token: Some("the access token"),
        now: NOW,
    }
}

fn header() -> Header {
    let mut header = Header::new(Algorithm::ES256);
    header.kid = Some(KID.to_owned());
    header
}

fn claims() -> Value {
    json!({
        "iss": "https://dex.example.com", "aud": "causeway", "sub": "u-1", "nonce": "the-nonce",
        "iat": NOW - 5, "exp": NOW + 300, "email": "ada@example.com", "groups": ["ops", 7, "dev"],
    })
}

fn changed(name: &str, value: Value) -> Value {
    let mut claims = claims();
    claims[name] = value;
    claims
}

fn without(name: &str) -> Value {
    let mut claims = claims();
    claims.as_object_mut().unwrap().remove(name);
    claims
}

#[test]
fn a_good_token_is_read() {
    let signer = Signer::new();
    let claims = signer.verify(&signer.sign(&header(), &claims())).unwrap();
    assert_eq!(claims.text("email"), Some("ada@example.com"));
    assert_eq!(claims.texts("groups"), ["ops", "dev"]);
    assert_eq!(claims.text("groups"), None);
    assert!(!claims.is_true("email_verified"));
}

#[test]
fn what_the_claims_must_say_is_checked_one_by_one() {
    let signer = Signer::new();
    let cases = [
        (
            changed("iss", json!("https://dex.example.com/")),
            TokenError::Issuer,
        ),
        (
            changed("iss", json!(["https://dex.example.com"])),
            TokenError::Issuer,
        ),
        (without("iss"), TokenError::Issuer),
        (changed("aud", json!("other")), TokenError::Audience),
        (changed("aud", json!([])), TokenError::Audience),
        (
            changed("aud", json!(["causeway", "other"])),
            TokenError::Audience,
        ),
        (changed("azp", json!("other")), TokenError::Audience),
        (changed("azp", json!(1)), TokenError::Audience),
        (without("aud"), TokenError::Audience),
        (changed("exp", json!(NOW - 60)), TokenError::Expired),
        (changed("exp", json!(-1)), TokenError::Missing("exp")),
        (
            changed("exp", json!("tomorrow")),
            TokenError::Missing("exp"),
        ),
        (changed("exp", json!(1e300)), TokenError::Missing("exp")),
        (without("exp"), TokenError::Missing("exp")),
        (changed("iat", json!(NOW + 61)), TokenError::Future),
        (without("iat"), TokenError::Missing("iat")),
        (changed("nbf", json!(NOW + 61)), TokenError::Future),
        (changed("nbf", json!("now")), TokenError::Missing("nbf")),
        (changed("sub", json!("")), TokenError::Missing("sub")),
        (without("sub"), TokenError::Missing("sub")),
        (changed("nonce", json!("another")), TokenError::Nonce),
        (without("nonce"), TokenError::Nonce),
        (changed("at_hash", json!("AAAA")), TokenError::AccessToken),
        (changed("at_hash", json!(null)), TokenError::AccessToken),
    ];
    for (claims, error) in cases {
        let token = signer.sign(&header(), &claims);
        assert_eq!(signer.verify(&token).unwrap_err(), error, "{claims}");
    }
}

#[test]
fn a_token_that_a_client_brings_here_may_name_the_client_but_no_other_audience() {
    let signer = Signer::new();
    let brought = ExpectedClaims {
        client: None,
        ..expected()
    };
    let verify = |claims: &Value| verify(&signer.sign(&header(), claims), &signer.keys, &brought);
    assert!(verify(&changed("azp", json!("1234567890"))).is_ok());
    for (name, value) in [
        ("aud", json!("other")),
        ("aud", json!(["causeway", "other"])),
    ] {
        let mut claims = changed(name, value);
        claims["azp"] = json!("1234567890");
        assert_eq!(
            verify(&claims).unwrap_err(),
            TokenError::Audience,
            "{claims}"
        );
    }
}

#[test]
fn what_may_differ_between_providers_is_accepted() {
    let signer = Signer::new();
    let mut several = changed("aud", json!(["other", "causeway"]));
    several["azp"] = json!("causeway");
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, b"the access token");
    let hash = BASE64_URL_SAFE_NO_PAD.encode(&digest.as_ref()[..16]);
    let cases = [
        several,
        changed("at_hash", json!(hash)),
        changed("aud", json!(["causeway"])),
        changed("exp", json!(f64::from(1_800_000_300_u32) + 0.25)),
        changed("exp", json!(NOW - 59)),
        changed("iat", json!(NOW + 60)),
        changed("nbf", json!(NOW + 60)),
    ];
    for claims in cases {
        let token = signer.sign(&header(), &claims);
        assert!(signer.verify(&token).is_ok(), "{claims}");
    }
}

#[test]
fn s_01_only_asymmetric_signatures_by_a_shown_key_of_its_kind_count() {
    let signer = Signer::new();
    let point = signer.pair.public_key_raw().to_vec();
    let by_hmac = |algorithm| {
        let mut header = header();
        header.alg = algorithm;
        encode(&header, &claims(), &EncodingKey::from_secret(&point)).unwrap()
    };
    for algorithm in [Algorithm::HS256, Algorithm::HS384, Algorithm::HS512] {
        assert_eq!(
            signer.verify(&by_hmac(algorithm)),
            Err(TokenError::Algorithm)
        );
    }
    let mut other_key = header();
    other_key.kid = Some("key-2".to_owned());
    let mut no_key = header();
    no_key.kid = None;
    for header in [other_key, no_key] {
        let token = signer.sign(&header, &claims());
        assert_eq!(signer.verify(&token), Err(TokenError::UnknownKey));
    }
    let stranger = Signer::new();
    let token = stranger.sign(&header(), &claims());
    assert_eq!(signer.verify(&token), Err(TokenError::Signature));
}

#[test]
fn texts_that_are_no_tokens_are_refused() {
    let signer = Signer::new();
    let good = signer.sign(&header(), &claims());
    let parts: Vec<&str> = good.split('.').collect();
    let encoded = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    let none = encoded(&json!({"alg": "none", "kid": KID}));
    let critical = encoded(&json!({"alg": "ES256", "kid": KID, "crit": ["exp"]}));
    let other = encoded(&changed("sub", json!("u-2")));
    let texts = [
        String::new(),
        ".".to_owned(),
        "..".to_owned(),
        "a.b.c".to_owned(),
        format!("{none}.{}.", parts[1]),
        format!("{none}.{}.{}", parts[1], parts[2]),
        format!("{critical}.{}.{}", parts[1], parts[2]),
        format!("{}.{other}.{}", parts[0], parts[2]),
        format!("{}.{}.", parts[0], parts[1]),
        format!("{good}."),
        format!("{good}.x"),
        format!(" {good}"),
        format!("{}.{}.{}", parts[0], parts[2], parts[1]),
    ];
    for text in texts {
        assert!(signer.verify(&text).is_err(), "{text}");
    }
    let long = format!("{good}{}", "A".repeat(MAX_TOKEN_BYTES));
    assert_eq!(signer.verify(&long), Err(TokenError::TooLong));
    assert_eq!(key_id(&long), Err(TokenError::TooLong));
}

#[test]
fn keys_for_other_ends_are_not_used() {
    let changes: [(&str, Value); 4] = [
        ("use", json!("enc")),
        ("alg", json!("ES384")),
        ("kid", Value::Null),
        ("kty", json!("oct")),
    ];
    for (name, value) in changes {
        let signer = Signer::with(|key| {
            key[name] = value.clone();
            if name == "kty" {
                key["k"] = json!("AAAA");
            }
        });
        let token = signer.sign(&header(), &claims());
        assert_eq!(
            signer.verify(&token),
            Err(TokenError::UnknownKey),
            "{name} {value}"
        );
    }
    assert!(KeySet::read(&json!({"keys": 5})).is_none());
    assert!(KeySet::read(&json!([])).is_none());
    assert!(KeySet::read(&json!({"keys": [{"kty": "new"}, 5, null]})).is_some());
}
