//! Sessions that browsers get for API keys.

use causeway_proto::platform::v1::{self as pb, session_service_client::SessionServiceClient};
use tonic::{Code, Status};

use crate::stage::{CallStage, new_id, question, reason};

const CREATE: &str = "/causeway.platform.v1.SessionService/CreateSession";
const SIGN_OUT: &str = "/causeway.platform.v1.SessionService/SignOut";

impl CallStage {
    async fn create_session(&self, secret: &str) -> Result<pb::CreateSessionResponse, Status> {
        self.repeat_session(secret, &new_id()).await
    }

    async fn repeat_session(
        &self,
        secret: &str,
        request_id: &str,
    ) -> Result<pb::CreateSessionResponse, Status> {
        let request = pb::CreateSessionRequest {
            request_id: request_id.to_owned(),
        };
        let peer = self.allowed(secret, CREATE, &request).await?;
        let made = SessionServiceClient::new(peer)
            .create_session(request)
            .await;
        Ok(made?.into_inner())
    }

    async fn limited_key(&self, role: &str) -> (String, String) {
        let request = pb::CreateApiKeyRequest {
            display_name: "a browser".to_owned(),
            role: role.to_owned(),
            request_id: new_id(),
            ..Default::default()
        };
        let made = self
            .create_api_key(&self.admin_key(), request)
            .await
            .unwrap();
        (made.api_key.unwrap().key_id, made.secret)
    }
}

#[tokio::test]
async fn a_session_of_a_key_may_do_what_the_key_may_and_nothing_more() {
    let stage = CallStage::start().await;
    let (key_id, secret) = stage.limited_key("viewer").await;
    let made = stage.create_session(&secret).await.unwrap();
    let session = made.session.unwrap();
    assert_eq!(session.identity, format!("key:{key_id}"));
    let who = stage.who_am_i(&made.token).await.unwrap();
    assert_eq!((who.user.as_str(), who.limit.as_str()), ("admin", "viewer"));
    assert_eq!(who.credential, format!("session:{}", session.session_id));
    let sync = question(
        &made.token,
        "/causeway.platform.v1.UserService/CreateUser",
        &(),
    );
    let denied = stage.authorize(sync).await.unwrap_err();
    assert_eq!(denied.code(), Code::PermissionDenied);
    let own = stage.list_api_keys(&made.token).await.unwrap();
    assert_eq!(own.len(), stage.list_api_keys(&secret).await.unwrap().len());
}

#[tokio::test]
async fn a_session_of_a_key_signs_out_and_the_key_goes_on() {
    let stage = CallStage::start().await;
    let (_, secret) = stage.limited_key("viewer").await;
    let token = stage.create_session(&secret).await.unwrap().token;
    let request = pb::SignOutRequest {
        request_id: new_id(),
    };
    let peer = stage.allowed(&token, SIGN_OUT, &request).await.unwrap();
    let mut client = SessionServiceClient::new(peer);
    client.sign_out(request).await.unwrap();
    let refused = stage.who_am_i(&token).await.unwrap_err();
    assert_eq!(reason(&refused), "CREDENTIAL_REVOKED");
    stage.who_am_i(&secret).await.unwrap();
}

#[tokio::test]
async fn a_revoked_key_takes_its_sessions_with_it() {
    let stage = CallStage::start().await;
    let (key_id, secret) = stage.limited_key("").await;
    let token = stage.create_session(&secret).await.unwrap().token;
    stage.who_am_i(&token).await.unwrap();
    let admin = stage.admin_key();
    stage.revoke_api_key(&admin, &key_id).await.unwrap();
    let refused = stage.who_am_i(&token).await.unwrap_err();
    let got = (refused.code(), reason(&refused));
    assert_eq!(
        got,
        (Code::Unauthenticated, "CREDENTIAL_REVOKED".to_owned())
    );
}

#[tokio::test]
async fn only_a_key_becomes_a_session_and_a_repeat_has_no_token() {
    let stage = CallStage::start().await;
    let (admin, id) = (stage.admin_key(), new_id());
    let first = stage.repeat_session(&admin, &id).await.unwrap();
    let again = stage.repeat_session(&admin, &id).await.unwrap();
    assert_eq!((again.session, again.token.as_str()), (first.session, ""));
    let refused = stage.create_session(&first.token).await.unwrap_err();
    assert_eq!(refused.code(), Code::FailedPrecondition, "{refused}");
    let record = stage.audit(1, "").await.unwrap().records.remove(0);
    assert_eq!(record.method, CREATE);
    assert!(record.credential.starts_with("session:ses-"), "{record:?}");
}
