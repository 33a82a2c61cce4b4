use causeway_proto::platform::v1 as pb;
use tonic::Code;

use crate::stage::{CallStage, new_id, reason};

fn wanted(role: &str) -> pb::CreateApiKeyRequest {
    pb::CreateApiKeyRequest {
        display_name: "a program".to_owned(),
        role: role.to_owned(),
        request_id: new_id(),
        ..Default::default()
    }
}

#[tokio::test]
async fn a_key_is_made_used_and_revoked_and_then_opens_nothing() {
    let stage = CallStage::start().await;
    let made = stage
        .create_api_key(&stage.admin_key(), wanted("viewer"))
        .await
        .unwrap();
    assert_eq!(stage.list_api_keys(&made.secret).await.unwrap().len(), 2);
    let key_id = made.api_key.unwrap().key_id;
    let denied = stage
        .revoke_api_key(&made.secret, &key_id)
        .await
        .unwrap_err();
    assert_eq!(
        (denied.code(), reason(&denied).as_str()),
        (Code::PermissionDenied, "PERMISSION_DENIED")
    );
    let revoked = stage
        .revoke_api_key(&stage.admin_key(), &key_id)
        .await
        .unwrap();
    assert!(revoked.revoked_at.is_some());
    let refused = stage.list_api_keys(&made.secret).await.unwrap_err();
    assert_eq!(
        (refused.code(), reason(&refused).as_str()),
        (Code::Unauthenticated, "CREDENTIAL_REVOKED")
    );
}

#[tokio::test]
async fn a_repeat_gives_the_same_key_without_its_secret() {
    let stage = CallStage::start().await;
    let request = wanted("");
    let first = stage
        .create_api_key(&stage.admin_key(), request.clone())
        .await
        .unwrap();
    let again = stage
        .create_api_key(&stage.admin_key(), request.clone())
        .await
        .unwrap();
    assert_eq!((again.api_key, again.secret.as_str()), (first.api_key, ""));
    let other = pb::CreateApiKeyRequest {
        display_name: "another".to_owned(),
        ..request
    };
    let refused = stage
        .create_api_key(&stage.admin_key(), other)
        .await
        .unwrap_err();
    assert!(
        refused
            .message()
            .starts_with("request_id: already used by another request"),
        "{refused}"
    );
}

#[tokio::test]
async fn what_a_key_cannot_have_is_named() {
    let stage = CallStage::start().await;
    let past = Some(causeway_proto::time::millis_to_timestamp(1));
    let cases = [
        (
            "display_name",
            pb::CreateApiKeyRequest {
                display_name: " ".to_owned(),
                ..wanted("")
            },
        ),
        (
            "display_name",
            pb::CreateApiKeyRequest {
                display_name: "a\nb".to_owned(),
                ..wanted("")
            },
        ),
        ("role", wanted("root")),
        (
            "expires_at",
            pb::CreateApiKeyRequest {
                expires_at: past,
                ..wanted("")
            },
        ),
        (
            "request_id",
            pb::CreateApiKeyRequest {
                request_id: String::new(),
                ..wanted("")
            },
        ),
    ];
    for (field, request) in cases {
        let refused = stage
            .create_api_key(&stage.admin_key(), request)
            .await
            .unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument);
        assert!(
            refused.message().starts_with(&format!("{field}: ")),
            "{field}: {refused}"
        );
    }
    let unknown = stage
        .revoke_api_key(&stage.admin_key(), "key-0")
        .await
        .unwrap_err();
    assert_eq!(unknown.code(), Code::NotFound);
}
