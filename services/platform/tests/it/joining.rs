use causeway_assertion::SigningKey;
use causeway_client::Credential;
use causeway_proto::{
    platform::v1 as pb,
    time::{millis_to_timestamp, timestamp_to_millis},
};
use futures::future::join_all;
use sha2::{Digest as _, Sha256};
use tonic::Code;

use crate::stage::{CallStage, new_id, reason};

fn now() -> i64 {
    causeway_proto::time::to_millis(std::time::SystemTime::now())
}

fn joining(token: &str) -> pb::JoinRequest {
    let key = SigningKey::generate().unwrap();
    let point = key.public_key().as_bytes();
    let statement = [
        b"causeway-join-v1".as_slice(),
        &Sha256::digest(token),
        point,
        point,
    ]
    .concat();
    pb::JoinRequest {
        token: token.to_owned(),
        identity_key: point.to_vec().into(),
        sealing_key: point.to_vec().into(),
        version: "1.0.0".to_owned(),
        client_time: Some(millis_to_timestamp(now())),
        proof: key.sign_bytes(&statement).unwrap().into(),
    }
}

#[tokio::test]
async fn a_token_tells_what_it_is_good_for_and_is_not_used_up_by_that() {
    let stage = CallStage::start().await;
    let anyone = |token: &str| pb::CheckJoinTokenRequest {
        token: token.to_owned(),
    };
    let made = stage.create_join_token("edge", &new_id()).await.unwrap();
    for _ in 0..2 {
        let offer = stage
            .runtimes(Credential::None)
            .check_join_token(anyone(&made.token))
            .await;
        let offer = offer.unwrap().into_inner();
        assert_eq!(offer.runtime, "edge");
        assert_eq!(offer.expires_at, made.expires_at);
        assert!(!offer.rejoins);
    }
    stage
        .runtimes(Credential::None)
        .join(joining(&made.token))
        .await
        .unwrap();
    for token in [made.token.as_str(), "cwj_unknown", ""] {
        let refused = stage
            .runtimes(Credential::None)
            .check_join_token(anyone(token))
            .await;
        assert_eq!(refused.unwrap_err().code(), Code::Unauthenticated);
    }
}

#[tokio::test]
async fn a_runtime_joins_and_learns_what_it_pins() {
    let stage = CallStage::start().await;
    let runtime = stage.join("edge").await;
    assert_eq!(
        (runtime.account.as_str(), runtime.name.as_str()),
        ("default", "edge")
    );
    assert_eq!(runtime.tunnel_url, "wss://localhost:7401/tunnel/v1");
    let shown = stage.get_runtime("edge").await.unwrap();
    assert_eq!(shown.runtime_id, runtime.runtime_id.as_str());
    assert_eq!(shown.connection(), pb::Connection::Offline);
    assert!(timestamp_to_millis(&shown.joined_at.unwrap()) <= now());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_fifty_parallel_uses_of_a_token_one_wins_and_the_rest_is_told_and_audited() {
    let stage = CallStage::start().await;
    let token = stage
        .create_join_token("edge", &new_id())
        .await
        .unwrap()
        .token;
    let uses = (0..50).map(|_| {
        let mut runtimes = stage.runtimes(Credential::None);
        let request = joining(&token);
        async move { runtimes.join(request).await }
    });
    let (won, lost): (Vec<_>, Vec<_>) = join_all(uses).await.into_iter().partition(Result::is_ok);
    assert_eq!(won.len(), 1);
    for refused in lost.into_iter().map(Result::unwrap_err) {
        assert_eq!(
            (refused.code(), reason(&refused).as_str()),
            (Code::Unauthenticated, "JOIN_TOKEN_USED")
        );
    }
    let rows = stage.audit(500, "").await.unwrap().records;
    let joins = rows.iter().filter(|row| row.method.ends_with("/Join"));
    let denied = joins.clone().filter(|row| row.denied).count();
    assert_eq!((joins.count(), denied), (50, 49));
}

#[tokio::test]
async fn a_join_that_lost_its_answer_is_made_again_with_the_same_keys() {
    let stage = CallStage::start().await;
    let token = stage
        .create_join_token("edge", &new_id())
        .await
        .unwrap()
        .token;
    let first = stage.use_token("folder", &token).await.unwrap();
    let again = stage.use_token("folder", &token).await.unwrap();
    assert_eq!(first.runtime_id, again.runtime_id);
    assert!(stage.use_token("elsewhere", &token).await.is_err());
}

#[tokio::test]
async fn a_join_that_does_not_hold_is_refused_and_leaves_the_token_good() {
    let stage = CallStage::start().await;
    let token = stage
        .create_join_token("edge", &new_id())
        .await
        .unwrap()
        .token;
    let good = joining(&token);
    let late = millis_to_timestamp(now() - 75_500);
    let cases = [
        (
            Code::Unauthenticated,
            "JOIN_TOKEN_INVALID",
            joining("cwj_unknown"),
        ),
        (
            Code::Unauthenticated,
            "JOIN_TOKEN_INVALID",
            joining(&"x".repeat(60_000)),
        ),
        (
            Code::ResourceExhausted,
            "TOO_LARGE",
            joining(&"x".repeat(100_000)),
        ),
        (
            Code::FailedPrecondition,
            "CLOCK_SKEW",
            pb::JoinRequest {
                client_time: Some(late),
                ..good.clone()
            },
        ),
        (
            Code::InvalidArgument,
            "FIELD_INVALID",
            pb::JoinRequest {
                client_time: None,
                ..good.clone()
            },
        ),
        (
            Code::InvalidArgument,
            "FIELD_INVALID",
            pb::JoinRequest {
                proof: vec![0; 64].into(),
                ..good.clone()
            },
        ),
        (
            Code::InvalidArgument,
            "FIELD_INVALID",
            pb::JoinRequest {
                sealing_key: vec![4; 65].into(),
                ..good.clone()
            },
        ),
        (
            Code::InvalidArgument,
            "FIELD_INVALID",
            pb::JoinRequest {
                version: "x".repeat(300),
                ..good.clone()
            },
        ),
    ];
    for (code, expected, request) in cases {
        let refused = stage
            .runtimes(Credential::None)
            .join(request)
            .await
            .unwrap_err();
        assert_eq!(
            (refused.code(), reason(&refused).as_str()),
            (code, expected),
            "{refused}"
        );
    }
    stage.runtimes(Credential::None).join(good).await.unwrap();
}

#[tokio::test]
async fn a_clock_that_is_off_is_told_by_how_much() {
    let stage = CallStage::start().await;
    let token = stage
        .create_join_token("edge", &new_id())
        .await
        .unwrap()
        .token;
    let early = Some(millis_to_timestamp(now() + 90_900));
    let request = pb::JoinRequest {
        client_time: early,
        ..joining(&token)
    };
    let refused = stage
        .runtimes(Credential::None)
        .join(request)
        .await
        .unwrap_err();
    assert!(
        refused.message().starts_with("clock off by 90 s"),
        "{refused}"
    );
}

#[tokio::test]
async fn a_name_is_taken_until_its_runtime_is_revoked() {
    let stage = CallStage::start().await;
    let first = stage.join("edge").await;
    let taken = stage
        .create_join_token("edge", &new_id())
        .await
        .unwrap_err();
    assert_eq!(
        (taken.code(), reason(&taken).as_str()),
        (Code::AlreadyExists, "NAME_TAKEN")
    );
    stage.revoke_runtime("edge").await.unwrap();
    assert_eq!(
        stage.get_runtime("edge").await.unwrap().connection(),
        pb::Connection::Revoked
    );
    assert!(
        stage
            .verification_key(first.identity_key.id().as_str())
            .await
            .is_none()
    );
    let token = stage
        .create_join_token("edge", &new_id())
        .await
        .unwrap()
        .token;
    let second = stage.use_token("second", &token).await.unwrap();
    assert_ne!(second.runtime_id, first.runtime_id);
}

#[tokio::test]
async fn a_repeated_token_request_shows_no_second_secret() {
    let stage = CallStage::start().await;
    let id = new_id();
    let first = stage.create_join_token("edge", &id).await.unwrap();
    let again = stage.create_join_token("edge", &id).await.unwrap();
    assert_eq!(
        (again.token.as_str(), again.expires_at),
        ("", first.expires_at)
    );
    let malformed = stage
        .create_join_token("Not A Name", &new_id())
        .await
        .unwrap_err();
    assert!(malformed.message().starts_with("runtime: "), "{malformed}");
}
