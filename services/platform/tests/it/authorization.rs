use std::time::SystemTime;

use causeway_assertion::PublicKey;
use causeway_client::Credential;
use causeway_proto::platform::v1::{
    self as pb, authorization_service_client::AuthorizationServiceClient,
};
use tonic::{Code, Status};

use crate::stage::{CallStage, question, reason};

const LIST: &str = "/causeway.platform.v1.ApiKeyService/ListApiKeys";

#[tokio::test]
async fn the_first_admin_key_opens_the_platform() {
    let stage = CallStage::start().await;
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
    let stage = CallStage::start().await;
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
    let stage = CallStage::start().await;
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
    let stage = CallStage::start().await;
    let runtime = stage.join("edge").await;
    let question = question(&stage.admin_key(), LIST, &pb::ListApiKeysRequest::default());
    let mut asked = AuthorizationServiceClient::new(runtime.platform());
    let refused = asked.authorize(question).await.unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied, "{refused}");
}

#[tokio::test]
async fn malformed_questions_name_their_field() {
    let stage = CallStage::start().await;
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
    let stage = CallStage::start().await;
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

async fn issued(
    stage: &CallStage,
    credential: &str,
    method: &str,
    runtime: &str,
) -> Result<pb::IssueAssertionResponse, Status> {
    let request = pb::IssueAssertionRequest {
        credential: credential.to_owned(),
        method: format!("/causeway.{method}"),
        runtime: runtime.to_owned(),
    };
    // It asks as anybody may: the credential is in the request.
    let mut asked = AuthorizationServiceClient::new(stage.bearer(""));
    Ok(asked.issue_assertion(request).await?.into_inner())
}

#[tokio::test]
async fn who_shows_a_credential_gets_an_assertion_for_one_read_of_one_part() {
    let stage = CallStage::start().await;
    let key = stage.admin_key();
    let list = "platform.v1.RuntimeService/ListRuntimes";
    let answer = issued(&stage, &key, list, "").await.unwrap();
    assert_eq!(answer.part, "platform");
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap();
    let life = answer.expires_at.unwrap().seconds - i64::try_from(now.as_secs()).unwrap();
    assert!((1..=60).contains(&life), "{life}");
    let mut runtimes = stage.runtimes(Credential::api_key(&answer.assertion));
    let list = pb::ListRuntimesRequest::default();
    runtimes.list_runtimes(list).await.unwrap();
    let name = "edge".to_owned();
    let get = pb::GetRuntimeRequest { name };
    let other = runtimes.get_runtime(get).await.unwrap_err();
    assert_eq!(reason(&other), "AUDIENCE_MISMATCH", "{other}");
    stage.join("edge").await;
    let inside = "proxy.v1.ApplicationActionService/GetLiveApplication";
    let answer = issued(&stage, &key, inside, "edge").await;
    assert_eq!(answer.unwrap().part, "app-proxy");
}

#[tokio::test]
async fn an_assertion_is_issued_for_nothing_else_and_to_nobody_else() {
    let stage = CallStage::start().await;
    let list = "platform.v1.ApiKeyService/ListApiKeys";
    let inside = "proxy.v1.ApplicationActionService/GetLiveApplication";
    let key = stage.admin_key();
    for (credential, method, runtime, code, told) in [
        ("", list, "", Code::Unauthenticated, "CREDENTIAL_MISSING"),
        (
            "cwk_x",
            list,
            "",
            Code::Unauthenticated,
            "CREDENTIAL_INVALID",
        ),
        (
            &key,
            "platform.v1.ApiKeyService/CreateApiKey",
            "",
            Code::InvalidArgument,
            "FIELD_INVALID",
        ),
        (
            &key,
            "platform.v1.AuthorizationService/Authorize",
            "",
            Code::PermissionDenied,
            "PERMISSION_DENIED",
        ),
        (
            &key,
            "platform.v1.Nothing/Nothing",
            "",
            Code::PermissionDenied,
            "PERMISSION_DENIED",
        ),
        (&key, inside, "", Code::InvalidArgument, "FIELD_INVALID"),
        (
            &key,
            inside,
            "of-another-account",
            Code::NotFound,
            "RUNTIME_UNKNOWN",
        ),
    ] {
        let refused = issued(&stage, credential, method, runtime)
            .await
            .unwrap_err();
        let found = (refused.code(), reason(&refused));
        assert_eq!(found, (code, told.to_owned()), "{method}: {refused}");
    }
}
