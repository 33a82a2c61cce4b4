use std::{sync::Arc, time::Duration};

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use causeway_proto::ids::RequestId;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use super::{
    replay::{ReplayWindow, Use},
    *,
};
use crate::part::Side;

const METHOD: &str = "/causeway.inventory.v1.ApplicationService/GetApplication";

struct Stage {
    platform: SigningKey,
    runtime: SigningKey,
    parts: SigningKey,
    verifier: Verifier,
}

/// `inventory` of the platform, with the keys of the platform, of its parts and of runtime `r1` of `acme`.
fn stage() -> Stage {
    let [platform, runtime, parts] = std::array::from_fn(|_| SigningKey::generate().unwrap());
    let trusted = |key: &SigningKey, authority| TrustedKey {
        key: *key.public_key(),
        authority,
    };
    let keys = StaticKeys::new([
        trusted(&platform, Authority::Platform),
        trusted(&parts, Authority::PlatformPart),
        trusted(&runtime, r1()),
    ]);
    let recipient = Recipient::platform(id("inventory"));
    Stage {
        verifier: Verifier::new(Arc::new(keys), recipient),
        platform,
        runtime,
        parts,
    }
}

fn id<T: std::str::FromStr<Err: std::fmt::Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

fn r1() -> Authority {
    Authority::Runtime {
        account: id("acme"),
        runtime: id("r1"),
    }
}

fn claims(subject: &str, audience: &str) -> Claims {
    let life = Duration::from_secs(60);
    Claims::for_read("test", id(subject), id(audience), METHOD, life)
}

fn read() -> Claims {
    claims("user:ada", "acme/-/inventory").with_scope(Scope::everything("admin"))
}

async fn refusal(stage: &Stage, token: &str) -> String {
    let status: Status = stage
        .verifier
        .verify(token, METHOD)
        .await
        .unwrap_err()
        .into();
    assert_eq!(status.code(), Code::Unauthenticated, "{status:?}");
    let reason = status.get_details_error_info().unwrap().reason;
    format!("{reason}: {}", status.message())
}

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
async fn an_assertion_from_another_algorithm_is_refused() {
    let stage = stage();
    let payload = stage.platform.sign(&read()).unwrap();
    let payload = payload.split('.').nth(1).unwrap();
    let kid = stage.platform.kid();
    for algorithm in ["none", "HS256", "RS256", "ES384"] {
        let header = format!(r#"{{"alg":"{algorithm}","kid":"{kid}"}}"#);
        let header = BASE64_URL_SAFE_NO_PAD.encode(header);
        for signature in ["", "c2lnbmF0dXJl"] {
            let text = refusal(&stage, &format!("{header}.{payload}.{signature}")).await;
            assert!(
                text.starts_with("CREDENTIAL_INVALID"),
                "{algorithm}: {text}"
            );
        }
    }
}

#[tokio::test]
async fn an_hmac_with_the_public_key_as_its_secret_is_refused() {
    let stage = stage();
    let mut header = jsonwebtoken::Header::new(jsonwebtoken::Algorithm::HS256);
    header.kid = Some(stage.platform.kid().to_string());
    let secret = jsonwebtoken::EncodingKey::from_secret(stage.platform.public_key().as_bytes());
    let token = jsonwebtoken::encode(&header, &serde_json::json!({"sub": "user:ada"}), &secret);
    let text = refusal(&stage, &token.unwrap()).await;
    assert!(text.contains("not signed with ES256"), "{text}");
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
    let recipient = Recipient::runtime(id("acme"), id("r1"), id("app-proxy"));
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
async fn a_key_asserts_only_what_it_may() {
    let stage = stage();
    let (platform, parts, runtime) = (&stage.platform, &stage.parts, &stage.runtime);
    let cases = [
        (platform, "user:ada", "acme/-/inventory", true),
        (
            platform,
            "part:platform/request-router",
            "acme/-/inventory",
            true,
        ),
        (platform, "runtime:acme/r1", "acme/-/inventory", false),
        (
            platform,
            "part:runtime/app-proxy",
            "acme/-/inventory",
            false,
        ),
        (
            parts,
            "part:platform/request-router",
            "acme/-/inventory",
            true,
        ),
        (parts, "user:ada", "acme/-/inventory", false),
        (parts, "runtime:acme/r1", "acme/-/inventory", false),
        (runtime, "runtime:acme/r1", "acme/-/inventory", true),
        (runtime, "part:runtime/app-proxy", "acme/-/inventory", true),
        (runtime, "user:ada", "acme/-/inventory", false),
        (runtime, "runtime:acme/r2", "acme/-/inventory", false),
        (runtime, "runtime:globex/r1", "acme/-/inventory", false),
        (runtime, "runtime:acme/r1", "globex/-/inventory", false),
        (
            runtime,
            "part:platform/inventory",
            "acme/-/inventory",
            false,
        ),
        (
            runtime,
            "part:runtime/app-proxy",
            "globex/-/inventory",
            false,
        ),
    ];
    for (key, subject, audience, may) in cases {
        let token = key.sign(&claims(subject, audience)).unwrap();
        let verified = stage.verifier.verify(&token, METHOD).await;
        assert_eq!(
            verified.is_ok(),
            may,
            "{subject} for {audience}: {verified:?}"
        );
    }
}

#[tokio::test]
async fn a_runtimes_caller_carries_its_runtime() {
    let stage = stage();
    let token = stage
        .runtime
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

#[tokio::test]
async fn a_foreign_key_under_a_known_id_is_refused() {
    let stage = stage();
    let forged = SigningKey::generate().unwrap().sign(&read()).unwrap();
    let text = refusal(&stage, &forged).await;
    assert!(text.contains("unknown or revoked key"), "{text}");
    let honest = stage.platform.sign(&read()).unwrap();
    let (header, _) = honest.split_once('.').unwrap();
    let (_, rest) = forged.split_once('.').unwrap();
    let text = refusal(&stage, &format!("{header}.{rest}")).await;
    assert!(text.contains("signature is wrong"), "{text}");
}

#[tokio::test]
async fn every_cut_of_an_assertion_is_refused() {
    let stage = stage();
    let token = stage.platform.sign(&read()).unwrap();
    for length in 0..token.len() {
        let text = refusal(&stage, &token[..length]).await;
        assert!(text.starts_with("CREDENTIAL_INVALID"), "{length}: {text}");
    }
}

#[tokio::test]
async fn a_changed_byte_is_refused() {
    let stage = stage();
    let token = stage.platform.sign(&read()).unwrap();
    for at in (0..token.len() - 1).step_by(7) {
        let mut changed = token.clone().into_bytes();
        changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(changed).unwrap();
        let verified = stage.verifier.verify(&changed, METHOD).await;
        assert!(verified.is_err(), "byte {at}");
    }
}

#[tokio::test]
async fn odd_and_huge_texts_are_refused() {
    let stage = stage();
    let huge = "a".repeat(1024 * 1024);
    let dotted = ".".repeat(1024 * 1024);
    for token in ["", ".", "..", "...", "a.b.c", "é.é.é", &huge, &dotted] {
        let text = refusal(&stage, token).await;
        assert!(text.starts_with("CREDENTIAL_INVALID"), "{text}");
        assert!(text.len() < 300);
    }
}

#[tokio::test]
async fn a_one_time_assertion_is_spent_once_and_on_its_request() {
    let stage = stage();
    let claims = read().for_one_request(b"request", RequestId::generate());
    let token = stage.platform.sign(&claims).unwrap();
    let verified = stage.verifier.verify(&token, METHOD).await.unwrap();
    let other = stage.verifier.spend(&verified, b"another request");
    assert!(matches!(other, Err(VerifyError::Digest)), "{other:?}");
    stage.verifier.spend(&verified, b"request").unwrap();
    let again = stage.verifier.verify(&token, METHOD).await.unwrap();
    let again = stage.verifier.spend(&again, b"request");
    assert!(matches!(again, Err(VerifyError::Replayed)), "{again:?}");
}

#[tokio::test]
async fn a_reusable_assertion_cannot_be_spent() {
    let stage = stage();
    let token = stage.platform.sign(&read()).unwrap();
    let verified = stage.verifier.verify(&token, METHOD).await.unwrap();
    let spent = stage.verifier.spend(&verified, b"request");
    assert!(matches!(spent, Err(VerifyError::NotOneTime)), "{spent:?}");
}

#[tokio::test]
async fn a_revoked_key_counts_no_more_once_forgotten() {
    use std::sync::atomic::{AtomicBool, Ordering};

    struct Revocable(TrustedKey, AtomicBool);

    impl KeySource for Revocable {
        fn key<'a>(
            &'a self,
            _: &'a causeway_proto::ids::KeyId,
        ) -> futures::future::BoxFuture<'a, Result<Option<TrustedKey>, KeyError>> {
            let revoked = self.1.load(Ordering::Relaxed);
            Box::pin(async move { Ok((!revoked).then(|| self.0.clone())) })
        }
    }

    let key = SigningKey::generate().unwrap();
    let trusted = TrustedKey {
        key: *key.public_key(),
        authority: Authority::Platform,
    };
    let keys = Arc::new(Revocable(trusted, AtomicBool::new(false)));
    let verifier = Verifier::new(keys.clone(), Recipient::platform(id("inventory")));
    let token = key.sign(&read()).unwrap();
    verifier.verify(&token, METHOD).await.unwrap();
    keys.1.store(true, Ordering::Relaxed);
    verifier.verify(&token, METHOD).await.unwrap();
    verifier.forget();
    let error = verifier.verify(&token, METHOD).await.unwrap_err();
    assert!(matches!(error, VerifyError::UnknownKey(_)), "{error}");
}

#[test]
fn used_ids_are_kept_until_their_end_and_no_longer() {
    let window = ReplayWindow::with_capacity(2);
    assert_eq!(window.take("a", 100, 10), Use::First);
    assert_eq!(window.take("a", 100, 100), Use::Again);
    assert_eq!(window.take("b", 50, 10), Use::First);
    assert_eq!(window.take("c", 100, 10), Use::Full);
    assert_eq!(window.take("c", 100, 51), Use::First);
    assert_eq!(window.take("a", 200, 101), Use::First);
}

#[test]
fn a_key_is_the_same_from_its_file_and_in_every_form() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("signing-key.pem");
    let made = SigningKey::open_or_create(&file).unwrap();
    let read = SigningKey::open_or_create(&file).unwrap();
    assert_eq!(made.kid(), read.kid());
    assert_eq!(
        PublicKey::from_bytes(&made.public_key().to_spki()),
        Some(*read.public_key())
    );
    assert_eq!(
        PublicKey::from_bytes(made.public_key().as_bytes()),
        Some(*read.public_key())
    );
    assert_eq!(made.public_jwk()["kid"], read.kid().as_str());
    assert_eq!(PublicKey::from_bytes(&[4; 65]), None);
    assert_eq!(PublicKey::from_bytes(&[]), None);
    let signature = made.sign_bytes(b"proof").unwrap();
    assert_eq!(signature.len(), 64);
    assert!(read.public_key().verifies(b"proof", &signature));
    assert!(!read.public_key().verifies(b"other", &signature));
}

#[test]
fn a_file_that_is_no_key_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("signing-key.pem");
    std::fs::write(&file, "nonsense").unwrap();
    let error = SigningKey::open_or_create(&file).unwrap_err();
    let text = format!("{error:#}");
    assert!(
        text.contains("signing-key.pem") && text.contains("PKCS#8"),
        "{text}"
    );
}

#[test]
fn sides_are_written_as_they_are_read() {
    for side in [Side::Platform, Side::Runtime, Side::Runner] {
        assert_eq!(side.as_str().parse(), Ok(side));
    }
}
