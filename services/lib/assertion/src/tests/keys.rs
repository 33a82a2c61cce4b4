use futures::FutureExt as _;

use super::*;

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
            false,
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
            false,
        ),
        (parts, "user:ada", "acme/-/inventory", false),
        (parts, "runtime:acme/r1", "acme/-/inventory", false),
        (runtime, "runtime:acme/r1", "acme/-/inventory", true),
        (runtime, "part:runtime/app-proxy", "acme/-/inventory", false),
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
async fn a_revoked_key_counts_no_more_once_that_is_told() {
    use std::sync::atomic::{AtomicBool, Ordering};

    struct Revocable(TrustedKey, AtomicBool, RevocationNotifier);

    impl KeySource for Revocable {
        fn key<'a>(
            &'a self,
            _: &'a causeway_proto::ids::KeyId,
        ) -> futures::future::BoxFuture<'a, Result<Option<TrustedKey>, KeySourceError>> {
            let revoked = self.1.load(Ordering::Relaxed);
            Box::pin(async move { Ok((!revoked).then(|| self.0.clone())) })
        }

        fn revocations(&self) -> RevocationSignal {
            self.2.revocations()
        }
    }

    let key = SigningKey::generate().unwrap();
    let trusted = TrustedKey {
        key: *key.public_key(),
        authority: Authority::Platform,
    };
    let keys = Arc::new(Revocable(
        trusted,
        AtomicBool::new(false),
        RevocationNotifier::default(),
    ));
    let verifier = Verifier::new(keys.clone(), ExpectedAudience::platform(id("inventory")));
    let token = key.sign(&read()).unwrap();
    let verified = verifier.verify(&token, METHOD).await.unwrap();
    let mut streaming = Box::pin(verifier.wait_for_revocation(&verified));
    keys.2.notify();
    assert!(streaming.as_mut().now_or_never().is_none(), "another one's");
    verifier.verify(&token, METHOD).await.unwrap();
    keys.1.store(true, Ordering::Relaxed);
    verifier.verify(&token, METHOD).await.unwrap();
    keys.2.notify();
    let error = verifier.verify(&token, METHOD).await.unwrap_err();
    assert!(matches!(error, VerifyError::UnknownKey(_)), "{error}");
    let error = streaming.as_mut().now_or_never();
    assert!(
        matches!(error, Some(VerifyError::UnknownKey(_))),
        "{error:?}"
    );
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
fn of_many_that_make_a_key_together_all_have_the_one_on_disk() {
    for _ in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("made/root.pem");
        let open = || SigningKey::open_or_create(&file).unwrap().kid().clone();
        let kids: Vec<_> = std::thread::scope(|scope| {
            let opening: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
            let opened = opening.into_iter().map(|thread| thread.join().unwrap());
            opened.collect()
        });
        let on_disk = open();
        assert!(kids.iter().all(|kid| *kid == on_disk), "{kids:?}");
        let left = std::fs::read_dir(folder.path().join("made")).unwrap();
        assert_eq!(left.count(), 1, "nothing unfinished is left");
    }
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
