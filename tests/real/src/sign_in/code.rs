//! The code flow.

use causeway_oidc::{Challenge, Claims, CodeExchange, Provider, SignInError};
use reqwest::Url;

use super::{REDIRECT, browser::Browser, dex, now, provider};

async fn signed_in(provider: &Provider, challenge: &Challenge) -> (String, String) {
    let start = provider.authorization_url(REDIRECT, challenge).await;
    let end = Browser::new()
        .sign_in(start.unwrap(), REDIRECT, "ada", "lovelace")
        .await;
    (named(&end, "code"), named(&end, "state"))
}

fn named(url: &Url, name: &str) -> String {
    let mut pairs = url.query_pairs();
    let found = pairs.find(|(key, _)| key == name);
    found
        .unwrap_or_else(|| panic!("no {name} in {url}"))
        .1
        .into_owned()
}

async fn redeem(
    provider: &Provider,
    code: &str,
    challenge: &Challenge,
) -> Result<Claims, SignInError> {
    let redeem = CodeExchange {
        code,
        issuer: None,
        redirect_uri: REDIRECT,
        challenge,
        now: now(),
    };
    provider.redeem(&redeem).await
}

#[tokio::test]
async fn a_person_who_signs_in_is_known_with_groups() {
    let Some(dex) = dex().await else {
        return;
    };
    let (provider, challenge) = (provider(&dex), Challenge::generate());
    let (code, state) = signed_in(&provider, &challenge).await;
    assert_eq!(state, challenge.state.expose());
    let claims = redeem(&provider, &code, &challenge).await.unwrap();
    assert_eq!(claims.text("email"), Some("ada@example.com"));
    assert!(claims.is_true("email_verified"));
    assert_eq!(claims.texts("groups"), ["ops", "developers"]);
}

#[tokio::test]
async fn code_is_valid_once_and_only_for_its_client() {
    let Some(dex) = dex().await else {
        return;
    };
    let (provider, challenge) = (provider(&dex), Challenge::generate());
    let (code, _) = signed_in(&provider, &challenge).await;
    let mut other_verifier = challenge.clone();
    other_verifier.verifier = causeway_oidc::RandomToken::generate();
    let stolen = redeem(&provider, &code, &other_verifier).await.unwrap_err();
    assert!(stolen.to_string().contains("sign in again"), "{stolen}");

    let (code, _) = signed_in(&provider, &challenge).await;
    let mut other_nonce = challenge.clone();
    other_nonce.nonce = causeway_oidc::RandomToken::generate();
    let swapped = redeem(&provider, &code, &other_nonce).await.unwrap_err();
    assert!(swapped.to_string().contains("another sign-in"), "{swapped}");
    let again = redeem(&provider, &code, &challenge).await.unwrap_err();
    assert!(again.to_string().contains("used up"), "{again}");
}

#[tokio::test]
async fn unavailable_provider_is_named() {
    let Some(dex) = dex().await else {
        return;
    };
    let provider = provider(&dex);
    let issuer = dex.issuer().to_owned();
    drop(dex);
    let gone = provider
        .authorization_url(REDIRECT, &Challenge::generate())
        .await;
    let text = gone.unwrap_err().to_string();
    assert!(
        text.contains(&issuer) && text.contains("does not answer"),
        "{text}"
    );
}
