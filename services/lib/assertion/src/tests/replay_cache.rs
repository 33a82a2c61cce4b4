use super::*;

#[tokio::test]
async fn a_one_time_assertion_is_spent_once_and_on_its_request() {
    let stage = stage();
    let claims = read().for_one_request(b"request", RequestId::generate());
    let token = stage.platform.sign(&claims).unwrap();
    let verified = stage.verifier.verify(&token, METHOD).await.unwrap();
    let other = stage.verifier.consume(&verified, b"another request");
    assert!(matches!(other, Err(VerifyError::Digest)), "{other:?}");
    stage.verifier.consume(&verified, b"request").unwrap();
    let again = stage.verifier.verify(&token, METHOD).await.unwrap();
    let again = stage.verifier.consume(&again, b"request");
    assert!(matches!(again, Err(VerifyError::Replayed)), "{again:?}");
}

#[tokio::test]
async fn a_one_time_assertion_from_before_the_start_is_not_spent() {
    let stage = stage();
    let mut claims = read().for_one_request(b"request", RequestId::generate());
    claims.iat -= 5;
    claims.exp -= 5;
    let token = stage.platform.sign(&claims).unwrap();
    let verified = stage.verifier.verify(&token, METHOD).await.unwrap();
    let spent = stage.verifier.consume(&verified, b"request");
    assert!(
        matches!(spent, Err(VerifyError::BeforeBeginning)),
        "{spent:?}"
    );
}

#[tokio::test]
async fn a_session_of_a_clock_that_is_ahead_is_opened_when_its_time_has_come() {
    let stage = stage();
    let mut claims = read().for_one_request(b"request", RequestId::generate());
    claims.iat = now() + 1;
    claims.exp = claims.iat + 30;
    let token = stage.platform.sign(&claims).unwrap();
    let verified = stage.verifier.verify(&token, METHOD).await.unwrap();
    let opened = stage.verifier.consume_for_session(&verified, b"request");
    opened.await.unwrap();
    // So every process that begins later than in this second knows that it may have been used.
    assert!(now() >= claims.iat);
    let again = stage.verifier.consume_for_session(&verified, b"request");
    assert!(matches!(again.await, Err(VerifyError::Replayed)));
}

#[tokio::test]
async fn a_session_from_before_the_start_is_not_opened() {
    let stage = stage();
    let mut claims = read().for_one_request(b"request", RequestId::generate());
    claims.iat -= 1;
    claims.exp -= 1;
    let token = stage.platform.sign(&claims).unwrap();
    let verified = stage.verifier.verify(&token, METHOD).await.unwrap();
    let opened = stage.verifier.consume_for_session(&verified, b"request");
    let refused = opened.await.unwrap_err();
    assert!(
        matches!(refused, VerifyError::BeforeBeginning),
        "{refused:?}"
    );
}

#[tokio::test]
async fn clocks_that_differ_by_fifty_seconds_do_no_harm_and_by_ten_minutes_are_named() {
    let stage = stage();
    let claims = read();
    let (token, now) = (stage.platform.sign(&claims).unwrap(), claims.iat);
    for (at, expected) in [
        (now - 50, ""),
        (now + 50, ""),
        (now - 600, "clock off by 600 s"),
        (now + 600, "clock off by at least 540 s"),
    ] {
        let verified = stage.verifier.verify_at(&token, METHOD, at).await;
        let text = verified.map_or_else(|error| error.to_string(), |_| String::new());
        assert!(text.contains(expected), "{expected}: {text}");
        assert_eq!(text.is_empty(), expected.is_empty(), "{text}");
    }
}

#[tokio::test]
async fn a_reusable_assertion_cannot_be_spent() {
    let stage = stage();
    let token = stage.platform.sign(&read()).unwrap();
    let verified = stage.verifier.verify(&token, METHOD).await.unwrap();
    let spent = stage.verifier.consume(&verified, b"request");
    assert!(matches!(spent, Err(VerifyError::NotOneTime)), "{spent:?}");
}

#[test]
fn used_ids_are_kept_until_their_end_and_no_longer() {
    let window = ReplayCache::with_capacity(2);
    assert_eq!(window.take("a", 100, 10), UseResult::First);
    assert_eq!(window.take("a", 100, 100), UseResult::Again);
    assert_eq!(window.take("b", 50, 10), UseResult::First);
    assert_eq!(window.take("c", 100, 10), UseResult::Full);
    assert_eq!(window.take("c", 100, 51), UseResult::First);
    assert_eq!(window.take("a", 200, 101), UseResult::First);
}
