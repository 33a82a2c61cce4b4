use super::*;

#[test]
fn a_generated_secret_has_its_prefix_and_43_characters() {
    let secret = Secret::generate(API_KEY_PREFIX);
    let body = secret.expose().strip_prefix("cwk_").unwrap();
    assert_eq!(body.len(), 43);
    assert!(
        body.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    );
    assert_ne!(secret, Secret::generate(API_KEY_PREFIX));
}

#[test]
fn only_the_exact_form_is_read_back() {
    let secret = Secret::generate(API_KEY_PREFIX);
    assert_eq!(
        Secret::parse(API_KEY_PREFIX, secret.expose()),
        Some(secret.clone())
    );
    assert_eq!(Secret::parse(JOIN_TOKEN_PREFIX, secret.expose()), None);
    for text in ["", "cwk_", "cwk_short", &format!("{}A", secret.expose())] {
        assert_eq!(Secret::parse(API_KEY_PREFIX, text), None, "{text}");
    }
}

#[test]
fn a_shown_text_is_found_under_the_digest_of_the_secret() {
    let secret = Secret::generate(JOIN_TOKEN_PREFIX);
    assert_eq!(SecretDigest::of(secret.expose()), Some(secret.digest()));
    assert_eq!(SecretDigest::of(&"x".repeat(129)), None);
}

#[test]
fn neither_a_secret_nor_its_digest_shows_itself() {
    let secret = Secret::generate(API_KEY_PREFIX);
    assert_eq!(
        format!("{secret:?} {:?}", secret.digest()),
        "Secret SecretDigest"
    );
}
