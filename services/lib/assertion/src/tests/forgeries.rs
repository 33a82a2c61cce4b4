use super::*;

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
