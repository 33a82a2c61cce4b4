//! The device flow.

use causeway_oidc::{PollResult, SignInError};
use tokio::time::{Duration, interval, timeout};

use super::{browser::Browser, dex, now, provider};

#[tokio::test]
async fn user_completes_the_sign_in_on_another_device() {
    let Some(dex) = dex().await else {
        return;
    };
    let provider = provider(&dex);
    let started = provider.start_device().await.unwrap();
    let first = provider.poll_device(&started.device_code, now()).await;
    assert!(
        matches!(first, Ok(PollResult::Pending | PollResult::SlowDown)),
        "{first:?}"
    );

    let page = started.verification_uri_complete.as_deref();
    let end = format!("{}/device/callback", dex.issuer());
    let mut browser = Browser::new();
    let back = browser
        .sign_in(page.unwrap().parse().unwrap(), &end, "ada", "lovelace")
        .await;
    browser.see(&back).await;

    // The provider wants to be asked no faster than it said.
    let mut pace = interval(started.interval + Duration::from_secs(1));
    let done = async {
        loop {
            pace.tick().await;
            if let PollResult::Done(claims) = provider
                .poll_device(&started.device_code, now())
                .await
                .unwrap()
            {
                return claims;
            }
        }
    };
    let claims = timeout(Duration::from_secs(120), done).await.unwrap();
    assert_eq!(claims.text("email"), Some("ada@example.com"));
}

#[tokio::test]
async fn invented_device_code_is_rejected() {
    let Some(dex) = dex().await else {
        return;
    };
    let made_up = causeway_oidc::RandomToken::generate();
    let refused = provider(&dex).poll_device(&made_up, now()).await;
    assert!(
        matches!(refused, Err(SignInError::Refused(_))),
        "{refused:?}"
    );
}
