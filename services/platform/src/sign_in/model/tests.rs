use causeway_oidc::RandomToken;

use super::*;

fn begun(verifier: &RandomToken) -> PendingSignIn {
    PendingSignIn {
        account: "default".parse().unwrap(),
        provider: "dex".parse().unwrap(),
        issuer: "https://dex.example.com".to_owned(),
        challenge: challenge(&verifier.challenge()).unwrap(),
        until: 1_000,
    }
}

fn state(verifier: &RandomToken) -> ByBrowser {
    ByBrowser {
        begun: begun(verifier),
        redirect_uri: "http://127.0.0.1:1/callback".to_owned(),
        nonce: "nonce".to_owned(),
        verifier: "verifier".to_owned(),
    }
}

#[test]
fn a_state_opens_for_who_began_in_time_and_for_nobody_else() {
    let folder = tempfile::tempdir().unwrap();
    let key = SealingKeys::open(folder.path()).unwrap();
    let verifier = RandomToken::generate();
    let state = state(&verifier);
    let text = seal(&key, &state, 0).unwrap();
    assert!(text.len() <= LONGEST_STATE);
    assert!(!text.contains("nonce"));
    let opened: ByBrowser = open(&key, &text, verifier.expose(), 999).unwrap();
    assert_eq!(opened, state);
    let fails =
        |text: &str, verifier: &str, now| open::<ByBrowser>(&key, text, verifier, now).is_err();
    assert!(fails(&text, verifier.expose(), 1_000), "too late");
    assert!(
        fails(&text, RandomToken::generate().expose(), 1),
        "who only saw the state"
    );
    assert!(fails(&text, "", 1));
    assert!(
        fails(&text, &verifier.challenge(), 1),
        "who only saw the challenge"
    );
    assert!(fails("", verifier.expose(), 1));
    assert!(fails(&"A".repeat(LONGEST_STATE + 1), verifier.expose(), 1));
    let device = open::<ByDevice>(&key, &text, verifier.expose(), 1);
    assert!(device.is_err(), "a state of another kind");
}

#[test]
fn browsers_come_back_to_this_machine_or_to_the_platform_and_nowhere_else() {
    let public = Url::parse("https://causeway.example.com/base").unwrap();
    let begun = begun(&RandomToken::generate());
    let check = |text: &str| check_redirect(text, &begun, Some(&public)).is_ok();
    for good in [
        "http://127.0.0.1:8085/callback",
        "http://localhost:1/",
        "http://[::1]:9/x",
        "http://127.0.0.1:9/callback",
        "http://127.0.0.1:9/callback/default/dex",
        "http://127.0.0.1:7400/auth/callback/default/dex",
        "https://causeway.example.com/base/auth/callback/default/dex",
        "https://causeway.example.com:443/base/auth/callback/default/dex",
    ] {
        assert!(check(good), "{good}");
    }
    for bad in [
        "https://evil.example.com/base/auth/callback/default/dex",
        "https://causeway.example.com.evil.org/base/auth/callback/default/dex",
        "http://causeway.example.com/base/auth/callback/default/dex",
        "https://causeway.example.com/auth/callback/default/dex",
        "https://causeway.example.com/basement/auth/callback/default/dex",
        "https://causeway.example.com/base/../auth/callback/default/dex",
        "https://causeway.example.com:444/base/auth/callback/default/dex",
        "https://causeway.example.com@evil.org/base/auth/callback/default/dex",
        "https://causeway.example.com/base/auth/callback/default/dex?x",
        "https://causeway.example.com/base/auth/callback/default/dex/",
        "https://causeway.example.com/base/auth/callback",
        "https://causeway.example.com/base/v1/applications",
        "https://causeway.example.com/base/",
        "http://127.0.0.1@evil.org/",
        "http://127.0.0.1:80\\@evil.org/",
        "http://user@127.0.0.1/",
        "http://127.0.0.1.evil.org/",
        "https://127.0.0.1/",
        "javascript:alert(1)",
        "//evil.org",
        "",
        "http://127.0.0.1/#x",
        "http://127.0.0.1/ x",
        "http://127.0.0.2/",
        "data:text/html,x",
    ] {
        assert!(!check(bad), "{bad}");
    }
    let own = "https://causeway.example.com/base/auth/callback/default/dex";
    assert!(check_redirect(own, &begun, None).is_err());
}

#[test]
fn no_browser_comes_back_to_the_page_of_another_provider_or_account() {
    let public = Url::parse("https://causeway.example.com").unwrap();
    let begun = begun(&RandomToken::generate());
    for other in [
        "default/other",
        "second/dex",
        "default",
        "",
        "default/dex/",
        "default//dex",
    ] {
        for folder in [
            "https://causeway.example.com/auth/callback/",
            "http://127.0.0.1:7400/auth/callback/",
            "http://127.0.0.1:41000/callback/",
            "http://[::1]:41000/x/%2e%2e/callback/",
        ] {
            let text = format!("{folder}{other}");
            let refused = check_redirect(&text, &begun, Some(&public));
            assert_eq!(refused, Err(RedirectError::Elsewhere), "{text}");
        }
    }
}

#[test]
fn a_challenge_is_the_digest_of_a_verifier() {
    let verifier = RandomToken::generate();
    assert_eq!(
        challenge(&verifier.challenge()),
        Some(sha256(verifier.expose().as_bytes()))
    );
    for bad in ["", "abc", &"A".repeat(42), &"A".repeat(44), &"=".repeat(43)] {
        assert_eq!(challenge(bad), None, "{bad}");
    }
}
