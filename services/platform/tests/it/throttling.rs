//! Who tries too often waits, and nobody else does.

use serde_json::json;
use tonic::Code;
use tonic_types::StatusExt as _;

use crate::{
    door::trust,
    stage::{CallStage, reason},
};

use crate::sign_in::{World, world};

const LIST: &str = "/causeway.inventory.v1.ApplicationService/ListApplications";

#[tokio::test]
async fn n_18_n_19_n_74_who_fails_too_often_waits_and_nobody_else_does_even_after_a_restart() {
    let World { stage, issuer } = world().await;
    let admin = stage.admin_key();
    let rule = trust(&issuer, "repo:acme/shop");
    stage
        .add_service_account(&admin, "ci", &[], rule)
        .await
        .unwrap();
    let aliases = ["ci", "CI", " ci", "ci ", "\u{ff43}\u{ff49}", "c\u{200b}i"];
    let mut refused = None;
    for alias in aliases.iter().cycle().take(40) {
        let answer = stage.from("10.0.0.66:1")()
            .exchange("", alias, "garbage")
            .await;
        let answer = answer.unwrap_err();
        if answer.code() == Code::ResourceExhausted {
            refused = Some(answer);
            break;
        }
    }
    let refused = refused.expect("forty wrong tokens are too many");
    assert_eq!(reason(&refused), "THROTTLED");
    assert!(
        refused
            .get_details_retry_info()
            .unwrap()
            .retry_delay
            .is_some()
    );

    let stage = stage.restart().await;
    let again = stage.from("10.0.0.66:9")()
        .exchange("", "ci", "garbage")
        .await;
    // As much as the restart took is filled again; three tries are more than that.
    let mut codes = vec![again.unwrap_err().code()];
    for _ in 0..10 {
        let answer = stage.from("10.0.0.66:9")()
            .exchange("", "ci", "garbage")
            .await;
        codes.push(answer.unwrap_err().code());
    }
    assert!(codes.contains(&Code::ResourceExhausted), "{codes:?}");
    let good = issuer.token(json!({"sub": "repo:acme/shop"}));
    let elsewhere = stage.from("10.0.0.1:1")().exchange("", "ci", &good).await;
    assert!(elsewhere.is_ok(), "{elsewhere:?}");
}

#[tokio::test]
async fn who_fails_too_often_keeps_nobody_behind_the_same_address_from_signing_in() {
    let World { stage, issuer } = world().await;
    let admin = stage.admin_key();
    let rule = trust(&issuer, "repo:acme/shop");
    stage
        .add_service_account(&admin, "ci", &[], rule)
        .await
        .unwrap();
    let tries = (0..20).map(|_| {
        let mut neighbour = stage.from("10.0.0.66:1")();
        async move { neighbour.exchange("", "ci", "garbage").await }
    });
    let tries = futures::future::join_all(tries).await;
    let throttled =
        |it: &Result<_, tonic::Status>| it.as_ref().is_err_and(|it| reason(it) == "THROTTLED");
    assert!(tries.iter().any(throttled), "{tries:?}");
    let good = issuer.token(json!({"sub": "repo:acme/shop"}));
    let own = stage.from("10.0.0.66:2")().exchange("", "ci", &good).await;
    assert!(own.is_ok(), "{own:?}");
}

#[tokio::test]
async fn what_any_page_can_have_a_browser_ask_for_counts_against_nobody() {
    let World { stage, .. } = world().await;
    let asked = (0..15).map(|_| {
        let mut browser = stage.from("10.0.0.66:1")();
        async move { browser.start("", "none").await.map(drop) }
    });
    for answer in futures::future::join_all(asked).await {
        assert_eq!(reason(&answer.unwrap_err()), "PROVIDER_UNKNOWN");
    }
    let guess = stage.from("10.0.0.66:1")().exchange("", "ci", "x").await;
    assert_eq!(reason(&guess.unwrap_err()), "SIGN_IN_REFUSED");
}

#[tokio::test]
async fn n_74_a_person_is_slowed_down_under_any_name_and_nobody_else_by_it() {
    let World { stage, issuer } = world().await;
    let said = |subject: &str, name: String| json!({"sub": subject, "groups": ["ops"], "email": name, "email_verified": true});
    let mut mallory = stage.from("10.0.0.66:1")();
    let mut refused = None;
    for number in 0..25 {
        let name = format!("alic@{}example.com", "e".repeat(number % 3));
        let answer = mallory.sign_in(&issuer, "dex", said("u-6", name)).await;
        if let Err(status) = answer {
            refused = Some(status);
            break;
        }
    }
    let refused = refused.expect("one person's twenty-five sign-ins are too many");
    assert_eq!(reason(&refused), "THROTTLED");
    let mut alice = stage.from("10.0.0.1:1")();
    let name = "alice@example.com".to_owned();
    let own = alice.sign_in(&issuer, "dex", said("u-1", name)).await;
    assert!(own.is_ok(), "{own:?}");
}

#[tokio::test]
async fn n_19_whoever_guesses_api_keys_waits_and_their_holders_do_not() {
    let stage = CallStage::start().await;
    let admin = stage.admin_key();
    let ask = |secret: &str| {
        let mut asked = crate::stage::question(secret, LIST, &());
        asked.source_address = "10.0.0.66:1".to_owned();
        stage.authorize(asked)
    };
    let wrong = format!("cwk_{}", "A".repeat(43));
    let mut codes = Vec::new();
    for _ in 0..400 {
        codes.push(ask(&wrong).await.unwrap_err().code());
        if codes.last() == Some(&Code::ResourceExhausted) {
            break;
        }
    }
    assert_eq!(codes.first(), Some(&Code::Unauthenticated));
    assert_eq!(codes.last(), Some(&Code::ResourceExhausted));
    assert!(ask(&admin).await.is_ok(), "not even from the same address");
}

#[tokio::test]
async fn n_16_sign_ins_at_once_all_get_an_answer() {
    let World { stage, .. } = world().await;
    let starts = (0..120).map(|_| {
        let mut stranger = stage.from("10.0.0.77:1")();
        async move { stranger.start("", "dex").await.map(drop) }
    });
    let ended = futures::future::join_all(starts).await;
    let codes = ended
        .iter()
        .map(|it| it.as_ref().map_or_else(tonic::Status::code, |()| Code::Ok));
    let codes: Vec<_> = codes.collect();
    // Unavailable is what a part says that has too much to do.
    let known = [Code::Ok, Code::ResourceExhausted, Code::Unavailable];
    assert!(codes.iter().all(|code| known.contains(code)), "{codes:?}");
    assert!(codes.contains(&Code::Ok) && codes.contains(&Code::ResourceExhausted));
}
