//! Sign-ins from their beginning to their end, with a provider at the wire.

use serde_json::json;
use tonic::Code;

use crate::{
    door::{settings, trust},
    issuer::{Issuer, now},
    stage::{CallStage, reason},
};

const LIST: &str = "/causeway.inventory.v1.ApplicationService/ListApplications";

pub(crate) struct World {
    pub(crate) stage: CallStage,
    pub(crate) issuer: Issuer,
}

pub(crate) async fn world() -> World {
    let (stage, issuer) = (CallStage::start().await, Issuer::start().await);
    let admin = stage.admin_key();
    let added = stage.add_provider(&admin, "dex", &issuer.url, settings("ops", "operator"));
    added.await.unwrap();
    World { stage, issuer }
}

impl World {
    pub(crate) async fn ada(&self, address: &'static str) -> String {
        let said =
            json!({"sub": "u-1", "groups": ["ops"], "email": "ada@x.org", "email_verified": true});
        let mut ada = self.stage.from(address)();
        let signed_in = ada.sign_in(&self.issuer, "dex", said).await.unwrap();
        signed_in.session_token
    }
}

#[tokio::test]
async fn a_person_signs_in_acts_by_the_roles_of_her_groups_and_signs_out() {
    let world = world().await;
    let token = world.ada("10.0.0.1:1").await;
    assert!(token.starts_with("cws_"), "{token}");
    let ada = world.stage.who_am_i(&token).await.unwrap();
    assert!(ada.user.starts_with("ada-x-org-"), "{}", ada.user);
    assert_eq!(ada.roles, ["operator"]);
    assert!(ada.session.unwrap().current);
    let list = crate::stage::question(&token, LIST, &());
    assert!(world.stage.authorize(list.clone()).await.is_ok());
    world.stage.sign_out(&token).await.unwrap();
    let ended = world.stage.authorize(list).await.unwrap_err();
    assert_eq!(reason(&ended), "CREDENTIAL_REVOKED");
    assert!(ended.message().contains("causeway login"), "{ended}");
    let audit = world.stage.audit(50, "").await.unwrap().records;
    let signed_in = audit
        .iter()
        .find(|it| it.method.ends_with("FinishSignIn"))
        .unwrap();
    assert_eq!(signed_in.subject, format!("user:{}", ada.user));
    assert_eq!(signed_in.source_address, "10.0.0.1:1");
    assert_eq!(signed_in.target, "identityProviders/dex/u-1");
    assert!(audit.iter().any(|it| it.method.ends_with("SignOut")));
}

#[tokio::test]
async fn a_group_that_gives_no_role_any_more_gives_none_to_sessions_that_there_are() {
    let world = world().await;
    let token = world.ada("10.0.0.1:1").await;
    world.stage.delete_provider("dex").await.unwrap();
    let gone = world.stage.who_am_i(&token).await.unwrap_err();
    assert_eq!(gone.code(), Code::Unauthenticated, "{gone}");
}

#[tokio::test]
async fn a_group_that_is_taken_from_the_mapping_gives_nothing_to_sessions_that_there_are() {
    let world = world().await;
    let token = world.ada("10.0.0.1:1").await;
    let list = crate::stage::question(&token, LIST, &());
    assert!(world.stage.authorize(list.clone()).await.is_ok());
    let narrowed = settings("admins", "admin");
    world.stage.update_provider("dex", narrowed).await.unwrap();
    let ada = world.stage.who_am_i(&token).await.unwrap();
    assert_eq!(ada.roles, [] as [String; 0], "she is still signed in");
    let refused = world.stage.authorize(list.clone()).await.unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied, "{refused}");
    let wide = settings("ops", "viewer");
    world.stage.update_provider("dex", wide).await.unwrap();
    assert!(world.stage.authorize(list).await.is_ok());
}

#[tokio::test]
async fn who_may_not_come_any_more_is_signed_out_at_once() {
    let world = world().await;
    let token = world.ada("10.0.0.1:1").await;
    let mut same = settings("ops", "operator");
    same.display_name = "Our own".to_owned();
    world
        .stage
        .update_provider("dex", same.clone())
        .await
        .unwrap();
    assert!(world.stage.who_am_i(&token).await.is_ok());
    same.allowed_domains = vec!["y.org".to_owned()];
    world.stage.update_provider("dex", same).await.unwrap();
    let gone = world.stage.who_am_i(&token).await.unwrap_err();
    assert_eq!(gone.code(), Code::Unauthenticated, "{gone}");
}

#[tokio::test]
async fn n_22_n_23_n_21_no_token_of_somebody_else_or_without_an_end_signs_anybody_in() {
    let world = world().await;
    let ada = json!({"sub": "u-1", "groups": ["ops"]});
    for (what, name, value) in [
        ("for another client", "aud", json!("other")),
        ("without an audience", "aud", json!(null)),
        (
            "of another issuer",
            "iss",
            json!("https://evil.example.com"),
        ),
        ("without an end", "exp", json!(null)),
        ("of long ago", "exp", json!(now() - 3600)),
        ("of the future", "iat", json!(now() + 3600)),
        ("of another sign-in", "nonce", json!("another")),
        ("of nobody", "sub", json!("")),
        ("of blanks", "sub", json!(" ")),
    ] {
        let mut said = ada.clone();
        said[name] = value;
        let mut client = world.stage.from("10.0.0.9:1")();
        let refused = client
            .sign_in(&world.issuer, "dex", said)
            .await
            .unwrap_err();
        let codes = [Code::Unavailable, Code::PermissionDenied];
        assert!(codes.contains(&refused.code()), "{what}: {refused}");
        assert!(!refused.message().contains("evil"), "N-26: {refused}");
    }
    let (stage, other) = (&world.stage, Issuer::start().await);
    let mut client = stage.from("10.0.0.8:1")();
    let begun = client.start("", "dex").await.unwrap();
    let said = json!({"iss": world.issuer.url, "sub": "u-1", "nonce": begun.query("nonce")});
    world.issuer.give(&other.token(said));
    let forged = client.finish(&begun.state, begun.verifier.expose()).await;
    assert_eq!(forged.unwrap_err().code(), Code::Unavailable);
    // What is no session is nobody, whatever it looks like.
    let garbage = crate::stage::question("cws_eyJhbGciOiJub25lIn0.e30.", LIST, &());
    assert_eq!(
        stage.authorize(garbage).await.unwrap_err().code(),
        Code::Unauthenticated
    );
}

#[tokio::test]
async fn only_who_began_a_sign_in_ends_it() {
    let world = world().await;
    let mut ada = world.stage.from("10.0.0.1:1")();
    let begun = ada.start("", "dex").await.unwrap();
    assert_eq!(begun.query("state"), begun.state);
    world.issuer.give(
        &world
            .issuer
            .token(json!({"sub": "u-1", "groups": ["ops"], "nonce": begun.query("nonce")})),
    );
    let mut thief = world.stage.from("10.0.0.2:1")();
    let other = thief.start("", "dex").await.unwrap();
    let stolen = thief
        .finish(&begun.state, other.verifier.expose())
        .await
        .unwrap_err();
    assert_eq!(reason(&stolen), "SIGN_IN_INVALID");
    let swapped = thief
        .finish(&other.state, other.verifier.expose())
        .await
        .unwrap_err();
    assert_eq!(
        swapped.code(),
        Code::Unavailable,
        "the nonce is another one: {swapped}"
    );
    assert!(
        ada.finish(&begun.state, begun.verifier.expose())
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn a_person_who_is_no_user_and_has_no_group_stays_outside_and_is_in_the_audit() {
    let world = world().await;
    let mut eve = world.stage.from("10.0.0.1:1")();
    let refused = eve.sign_in(&world.issuer, "dex", json!({"sub": "u-6", "groups": ["x"]}));
    let refused = refused.await.unwrap_err();
    assert_eq!(
        (refused.code(), reason(&refused).as_str()),
        (Code::PermissionDenied, "SIGN_IN_REFUSED")
    );
    let audit = world.stage.audit(50, "").await.unwrap().records;
    let denied = audit
        .iter()
        .find(|it| it.method.ends_with("FinishSignIn"))
        .unwrap();
    assert_eq!(denied.target, "identityProviders/dex/u-6");
}

#[tokio::test]
async fn n_59_nobody_becomes_a_user_whom_somebody_else_made_by_having_the_same_name() {
    let world = world().await;
    let mut eve = world.stage.from("10.0.0.1:1")();
    let said = json!({"sub": "u-6", "groups": ["ops"], "email": "admin", "email_verified": true});
    let token = eve
        .sign_in(&world.issuer, "dex", said)
        .await
        .unwrap()
        .session_token;
    let eve = world.stage.who_am_i(&token).await.unwrap();
    assert!(eve.user.starts_with("admin-"), "{}", eve.user);
    assert_eq!(eve.roles, ["operator"]);
}

#[tokio::test]
async fn user_completes_the_sign_in_on_another_device() {
    let world = world().await;
    let mut ada = world.stage.from("10.0.0.1:1")();
    let (started, verifier) = ada.start_device("dex").await.unwrap();
    assert_eq!(
        (started.user_code.as_str(), started.interval_seconds),
        ("ABCD", 1)
    );
    world.issuer.refuse("authorization_pending");
    let pending = ada
        .finish_device(&started.state, verifier.expose())
        .await
        .unwrap();
    assert_eq!(
        (pending.pending_interval_seconds, pending.session),
        (1, None)
    );
    let other = causeway_oidc::RandomToken::generate();
    let thief = ada
        .finish_device(&started.state, other.expose())
        .await
        .unwrap_err();
    assert_eq!(reason(&thief), "SIGN_IN_INVALID");
    world
        .issuer
        .give(&world.issuer.token(json!({"sub": "u-1", "groups": ["ops"]})));
    let done = ada
        .finish_device(&started.state, verifier.expose())
        .await
        .unwrap();
    assert_eq!(done.pending_interval_seconds, 0);
    assert!(world.stage.who_am_i(&done.session_token).await.is_ok());
}

#[tokio::test]
async fn a_ci_system_changes_its_token_into_a_short_session_of_the_account_that_trusts_it() {
    let World { stage, issuer } = world().await;
    let admin = stage.admin_key();
    let rule = trust(&issuer, "repo:acme/shop:ref:refs/heads/main");
    stage
        .add_service_account(&admin, "ci", &["operator"], rule)
        .await
        .unwrap();
    let mut ci = stage.from("10.0.0.1:1")();
    let good = issuer.token(json!({"sub": "repo:acme/shop:ref:refs/heads/main"}));
    let exchanged = ci.exchange("", "ci", &good).await.unwrap();
    let session = exchanged.session.unwrap();
    let life = session.expires_at.unwrap().seconds - session.created_at.unwrap().seconds;
    assert_eq!(life, 15 * 60);
    let who = stage.who_am_i(&exchanged.session_token).await.unwrap();
    assert_eq!(
        (who.user.as_str(), who.roles),
        ("ci", vec!["operator".to_owned()])
    );

    let wide = trust(&issuer, "repo:*");
    let wide = stage
        .add_service_account(&admin, "wide", &[], wide)
        .await
        .unwrap_err();
    assert!(wide.message().contains("name the owner"), "{wide}");
    let other = issuer.token(json!({"sub": "repo:acme/shop:ref:refs/heads/dev"}));
    let elsewhere = issuer.token(json!({"sub": "repo:acme/shop:ref:refs/heads/main", "aud": "x"}));
    let texts = [
        ("ci", other.as_str()),
        ("ci", &elsewhere),
        ("ci", "garbage"),
        ("nobody", &good),
        ("admin", &good),
        (" CI", &good),
        ("ci\u{200b}", &good),
        ("", &good),
    ];
    let mut answers = Vec::new();
    for (account, token) in texts {
        let refused = stage.from("10.0.0.2:1")()
            .exchange("", account, token)
            .await
            .unwrap_err();
        answers.push((
            refused.code(),
            refused.message().to_owned(),
            reason(&refused),
        ));
    }
    answers.dedup();
    assert_eq!(
        answers.len(),
        1,
        "N-20: one answer for all of them: {answers:?}"
    );
    let foreign = stage.from("10.0.0.3:1")()
        .exchange("second", "ci", &good)
        .await
        .unwrap_err();
    assert_eq!(answers[0].1, foreign.message());
}

#[tokio::test]
async fn n_20_an_issuer_that_is_away_does_not_tell_whom_a_service_account_trusts() {
    let World { stage, .. } = world().await;
    let (admin, away) = (stage.admin_key(), Issuer::start().await);
    let rule = trust(&away, "repo:acme/shop");
    stage
        .add_service_account(&admin, "ci", &[], rule)
        .await
        .unwrap();
    let token = away.token(json!({"sub": "repo:acme/shop"}));
    drop(away);
    let mut answers = Vec::new();
    for account in ["ci", "nobody"] {
        let refused = stage.from("10.0.0.2:1")()
            .exchange("", account, &token)
            .await;
        let refused = refused.unwrap_err();
        answers.push((
            refused.code(),
            refused.message().to_owned(),
            reason(&refused),
        ));
    }
    assert_eq!(answers[0], answers[1]);
}

#[tokio::test]
async fn who_calls_past_the_router_is_who_the_connection_says() {
    let World { stage, .. } = world().await;
    let mut codes = Vec::new();
    for address in ["10.9.0.1:1", "10.9.0.2:1", "10.9.0.3:1"]
        .iter()
        .cycle()
        .take(40)
    {
        let mut stranger = stage.past_the_router(address);
        codes.push(
            stranger
                .exchange("", "ci", "garbage")
                .await
                .unwrap_err()
                .code(),
        );
        if codes.last() == Some(&Code::ResourceExhausted) {
            return;
        }
    }
    panic!("{codes:?}");
}

#[tokio::test]
async fn n_20_n_35_strangers_see_names_of_providers_and_whether_there_is_an_account_not_at_all() {
    let World { stage, .. } = world().await;
    let mut stranger = stage.from("10.0.0.1:1")();
    let listed = stranger.providers("").await;
    assert_eq!(listed.len(), 1);
    assert_eq!(
        (listed[0].provider.as_str(), listed[0].display_name.as_str()),
        ("dex", "dex")
    );
    assert!(stranger.providers("nobodys").await.is_empty());
    assert!(stranger.providers("NOT AN ID").await.is_empty());
    let mut answers = Vec::new();
    for (account, provider) in [
        ("", "none"),
        ("nobodys", "dex"),
        ("NO ID", "dex"),
        ("", "' OR"),
    ] {
        let Err(refused) = stranger.start(account, provider).await else {
            panic!("{account}/{provider}");
        };
        answers.push((refused.code(), refused.message().to_owned()));
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "{answers:?}");
}

#[tokio::test]
async fn n_57_a_provider_that_is_none_is_not_added_and_what_is_behind_its_address_is_not_told() {
    let World { stage, issuer } = world().await;
    let admin = stage.admin_key();
    let add = |issuer: String| {
        let stage = &stage;
        let admin = admin.clone();
        async move {
            stage
                .add_provider(&admin, "other", &issuer, settings("x", "viewer"))
                .await
                .unwrap_err()
        }
    };
    for bad in [
        "http://169.254.169.254/latest".to_owned(),
        "http://example.com".to_owned(),
        "https://169.254.169.254".to_owned(),
        "ftp://127.0.0.1".to_owned(),
        "not a url".to_owned(),
        format!("{}/other", issuer.url),
        format!("{}?x", issuer.url),
        "http://127.0.0.1:1".to_owned(),
    ] {
        let refused = add(bad.clone()).await;
        assert_eq!(reason(&refused), "PROVIDER_UNAVAILABLE", "{bad}: {refused}");
        assert!(!refused.message().contains("127.0.0.1"), "{refused}");
    }
}

#[tokio::test]
async fn n_57_a_platform_that_listens_on_loopback_asks_nobody_there_unless_it_is_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let args = causeway_platform::Args {
        loopback_issuers: false,
        ..crate::stage::args(folder.path())
    };
    let (stage, neighbour) = (
        CallStage::start_with(folder, args).await,
        Issuer::start().await,
    );
    let admin = stage.admin_key();
    let added = stage.add_provider(&admin, "own", &neighbour.url, settings("x", "viewer"));
    assert_eq!(reason(&added.await.unwrap_err()), "PROVIDER_UNAVAILABLE");
    let rule = trust(&neighbour, "repo:acme/shop");
    let trusted = stage.add_service_account(&admin, "ci", &[], rule).await;
    assert!(trusted.is_err(), "{trusted:?}");
    assert_eq!(neighbour.looked_at(), 0);
}
