//! Two identity providers at the wire, one of which is hostile: it has a person go on at the other one, and wants the code.

use serde_json::json;
use tonic::Code;

use crate::{
    door::{REDIRECT, SignIns, settings},
    issuer::Issuer,
    stage::{CallStage, reason},
};

struct World {
    stage: CallStage,
    honest: Issuer,
    hostile: Issuer,
}

/// `honest` says this of itself; both are providers of the account.
async fn world(more: serde_json::Value) -> World {
    let stage = CallStage::start().await;
    let (honest, hostile) = (Issuer::start_saying(&more).await, Issuer::start().await);
    let admin = stage.admin_key();
    for (name, issuer) in [("honest", &honest), ("hostile", &hostile)] {
        let added = stage.add_provider(&admin, name, &issuer.url, settings("ops", "operator"));
        added.await.unwrap();
    }
    World {
        stage,
        honest,
        hostile,
    }
}

impl World {
    fn browser(&self) -> SignIns {
        self.stage.from("10.0.0.1:1")()
    }
}

#[tokio::test]
async fn a_code_of_one_provider_with_the_state_of_another_reaches_no_token_endpoint() {
    let world = world(json!({"authorization_response_iss_parameter_supported": true})).await;
    let mut victim = world.browser();
    let begun = victim.start("", "hostile").await.unwrap();
    let before = world.stage.entries(true).await.len();
    let mixed = victim.finish_from(&world.honest.url, &begun.state, begun.verifier.expose());
    let refused = mixed.await.unwrap_err();
    assert_eq!(refused.code(), Code::Unavailable, "{refused}");
    assert_eq!(world.hostile.tokens_asked_for(), 0);
    assert_eq!(world.honest.tokens_asked_for(), 0);
    let told = world.stage.entries(true).await.len();
    assert_eq!(told, before + 1, "the trace of an attack is in the audit");
}

#[tokio::test]
async fn a_provider_that_names_itself_always_gave_no_code_that_comes_without_its_name() {
    let world = world(json!({"authorization_response_iss_parameter_supported": true})).await;
    let mut ada = world.browser();
    let begun = ada.start("", "honest").await.unwrap();
    let verifier = begun.verifier.expose();
    let silent = ada.finish(&begun.state, verifier).await.unwrap_err();
    assert_eq!(silent.code(), Code::Unavailable, "{silent}");
    assert_eq!(world.honest.tokens_asked_for(), 0);
    let said = json!({"sub": "u-1", "groups": ["ops"], "nonce": begun.query("nonce")});
    world.honest.give(&world.honest.token(said));
    let named = ada.finish_from(&world.honest.url, &begun.state, verifier);
    assert!(named.await.is_ok());
}

#[tokio::test]
async fn a_provider_that_never_names_itself_signs_people_in_all_the_same() {
    let world = world(json!({})).await;
    let said = json!({"sub": "u-1", "groups": ["ops"]});
    let signed_in = world.browser().sign_in(&world.honest, "honest", said).await;
    assert!(signed_in.is_ok(), "{signed_in:?}");
}

#[tokio::test]
async fn no_sign_in_by_one_provider_is_begun_for_the_page_of_another() {
    let world = world(json!({})).await;
    let mut mallory = world.browser();
    for page in [
        "http://127.0.0.1:41000/callback/default/hostile",
        "http://127.0.0.1:7400/auth/callback/default/hostile",
        "http://127.0.0.1:7400/auth/callback/second/honest",
    ] {
        let Err(refused) = mallory.start_for(page, "", "honest").await else {
            panic!("{page}");
        };
        assert_eq!(reason(&refused), "FIELD_INVALID", "{page}: {refused}");
    }
    for page in [
        REDIRECT,
        "http://127.0.0.1:41000/callback/default/honest",
        "http://127.0.0.1:7400/auth/callback/default/honest",
    ] {
        let begun = mallory.start_for(page, "", "honest").await.unwrap();
        assert_eq!(begun.query("redirect_uri"), page);
    }
}

#[tokio::test]
async fn a_provider_that_took_the_place_of_another_is_told_no_code_of_it() {
    let world = world(json!({})).await;
    let mut ada = world.browser();
    let begun = ada.start("", "honest").await.unwrap();
    world.stage.delete_provider("honest").await.unwrap();
    let (admin, url) = (world.stage.admin_key(), &world.hostile.url);
    let added = world
        .stage
        .add_provider(&admin, "honest", url, settings("ops", "operator"));
    added.await.unwrap();
    let refused = ada.finish(&begun.state, begun.verifier.expose()).await;
    assert_eq!(reason(&refused.unwrap_err()), "SIGN_IN_INVALID");
    assert_eq!(world.hostile.tokens_asked_for(), 0);
}
