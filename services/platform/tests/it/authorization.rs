use causeway_client::Credential;
use causeway_proto::platform::v1 as pb;
use causeway_shell::assertion::PublicKey;
use tonic::Code;

use crate::stage::{Stage, question, reason};

const LIST: &str = "/causeway.platform.v1.ApiKeyService/ListApiKeys";

#[tokio::test]
async fn the_first_admin_key_opens_the_platform() {
    let stage = Stage::start().await;
    let keys = stage.list_api_keys(&stage.admin_key()).await.unwrap();
    assert_eq!(keys.len(), 1);
    assert_eq!(
        (keys[0].role.as_str(), keys[0].subject.as_str()),
        ("admin", "user:admin")
    );
    assert!(keys[0].last_used_at.is_some());
}

#[tokio::test]
async fn strangers_are_refused_with_their_reason() {
    let stage = Stage::start().await;
    for (secret, expected) in [("", "CREDENTIAL_MISSING"), ("cwk_x", "CREDENTIAL_INVALID")] {
        let question = question(secret, LIST, &pb::ListApiKeysRequest::default());
        let refused = stage.authorize(question).await.unwrap_err();
        assert_eq!(
            (refused.code(), reason(&refused).as_str()),
            (Code::Unauthenticated, expected)
        );
    }
}

#[tokio::test]
async fn an_assertion_is_good_for_its_method_only() {
    let stage = Stage::start().await;
    let question = question(&stage.admin_key(), LIST, &pb::ListApiKeysRequest::default());
    let permit = stage.authorize(question).await.unwrap();
    assert_eq!(
        (permit.account.as_str(), permit.audit_id.as_str()),
        ("default", "")
    );
    let mut runtimes = stage.runtimes(Credential::api_key(&permit.assertion));
    let refused = runtimes
        .list_runtimes(pb::ListRuntimesRequest::default())
        .await
        .unwrap_err();
    assert_eq!(reason(&refused), "AUDIENCE_MISMATCH", "{refused}");
}

#[tokio::test]
async fn only_parts_of_the_platform_may_ask_for_a_decision() {
    let stage = Stage::start().await;
    let runtime = stage.join("edge").await;
    let question = question(&stage.admin_key(), LIST, &pb::ListApiKeysRequest::default());
    let mut asked =
        causeway_proto::platform::v1::authorization_service_client::AuthorizationServiceClient::new(
            runtime.platform(),
        );
    let refused = asked.authorize(question).await.unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied, "{refused}");
}

#[tokio::test]
async fn malformed_questions_name_their_field() {
    let stage = Stage::start().await;
    let good = question(&stage.admin_key(), LIST, &pb::ListApiKeysRequest::default());
    let cases = [
        (
            "request_digest",
            pb::AuthorizeRequest {
                request_digest: vec![1; 31].into(),
                ..good.clone()
            },
        ),
        (
            "request_id",
            pb::AuthorizeRequest {
                request_id: "mine".to_owned(),
                ..good
            },
        ),
    ];
    for (field, question) in cases {
        let refused = stage.authorize(question).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument);
        assert!(refused.message().starts_with(field), "{refused}");
    }
}

#[tokio::test]
async fn keys_are_told_with_what_they_may_say() {
    use pb::verification_key::Authority;
    let stage = Stage::start().await;
    let runtime = stage.join("edge").await;
    let told = stage
        .verification_key(runtime.identity_key.id().as_str())
        .await
        .unwrap();
    let Some(Authority::Runtime(owner)) = told.authority else {
        panic!("{told:?}");
    };
    assert_eq!(
        (owner.account.as_str(), owner.runtime_id.as_str()),
        ("default", runtime.runtime_id.as_str())
    );
    assert_eq!(
        PublicKey::from_bytes(&told.public_key).as_ref(),
        Some(&runtime.identity_key)
    );
    for unknown in ["", "0123", "../../etc/passwd", &"x".repeat(5000)] {
        assert!(stage.verification_key(unknown).await.is_none());
    }
}
