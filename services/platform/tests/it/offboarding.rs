//! Somebody who is being put out, and whose own identity provider answers as late as they like.

use std::time::Duration;

use causeway_proto::platform::v1::{
    self as pb, identity_provider_service_client::IdentityProviderServiceClient,
    runtime_service_client::RuntimeServiceClient, session_service_client::SessionServiceClient,
    user_service_client::UserServiceClient,
};
use causeway_testkit::wait_until;
use serde_json::json;
use tonic::{Code, Status};

use crate::{
    door::settings,
    issuer::Issuer,
    stage::{CallStage, new_id},
};

const MOST: Duration = Duration::from_secs(60);

/// A platform with an admin beside the first one, who has an API key and a session.
struct World {
    stage: CallStage,
    key: String,
    key_id: String,
    session: String,
    session_id: String,
    user: String,
}

async fn world(home: &Issuer) -> World {
    let stage = CallStage::start().await;
    let admin = stage.admin_key();
    let added = stage.add_provider(&admin, "home", &home.url, settings("admins", "admin"));
    added.await.unwrap();
    let said = json!({
        "sub": "u-1", "groups": ["admins"], "email": "mallory@x.org", "email_verified": true,
    });
    let mut mallory = stage.from("10.0.0.1:1")();
    let signed_in = mallory.sign_in(home, "home", said).await.unwrap();
    let (session, begun) = (signed_in.session_token, signed_in.session.unwrap());
    let set = pb::SetUserRolesRequest {
        user: begun.user.clone(),
        roles: vec!["admin".to_owned()],
        request_id: new_id(),
    };
    let path = "/causeway.platform.v1.UserService/SetUserRoles";
    let peer = stage.allowed(&admin, path, &set).await.unwrap();
    let set = UserServiceClient::new(peer).set_user_roles(set).await;
    set.unwrap();
    let key = pb::CreateApiKeyRequest {
        display_name: "a key".to_owned(),
        user: begun.user.clone(),
        role: "admin".to_owned(),
        request_id: new_id(),
        ..Default::default()
    };
    let made = stage.create_api_key(&admin, key).await.unwrap();
    World {
        key: made.secret,
        key_id: made.api_key.unwrap().key_id,
        session,
        session_id: begun.session_id,
        user: begun.user,
        stage,
    }
}

async fn until_more_than(seen: usize, issuer: &Issuer) {
    wait_until("the issuer is asked", MOST, || async {
        let seen_now = issuer.looked_at();
        (seen_now > seen)
            .then_some(())
            .ok_or_else(|| format!("{seen_now} times"))
    })
    .await;
}

/// How somebody is put out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Nothing,
    User,
    Session,
    Key,
    Rotation,
}

impl World {
    async fn end(&self, end: End) {
        let admin = self.stage.admin_key();
        match end {
            End::Nothing => {}
            End::User => {
                let request = pb::DisableUserRequest {
                    user: self.user.clone(),
                    request_id: new_id(),
                };
                let path = "/causeway.platform.v1.UserService/DisableUser";
                let peer = self.stage.allowed(&admin, path, &request).await.unwrap();
                let ended = UserServiceClient::new(peer).disable_user(request).await;
                ended.unwrap();
            }
            End::Session => {
                let request = pb::RevokeSessionRequest {
                    session_id: self.session_id.clone(),
                    request_id: new_id(),
                };
                let path = "/causeway.platform.v1.SessionService/RevokeSession";
                let peer = self.stage.allowed(&admin, path, &request).await.unwrap();
                let mut sessions = SessionServiceClient::new(peer);
                sessions.revoke_session(request).await.unwrap();
            }
            End::Key => {
                let ended = self.stage.revoke_api_key(&admin, &self.key_id).await;
                ended.unwrap();
            }
            End::Rotation => self.rotate(&admin).await,
        }
    }

    /// The former secret ends at once.
    async fn rotate(&self, admin: &str) {
        let request = pb::RotateApiKeyRequest {
            key_id: self.key_id.clone(),
            request_id: new_id(),
            overlap_seconds: 0,
        };
        let path = "/causeway.platform.v1.ApiKeyService/RotateApiKey";
        let peer = self.stage.allowed(admin, path, &request).await.unwrap();
        let mut keys = pb::api_key_service_client::ApiKeyServiceClient::new(peer);
        keys.rotate_api_key(request).await.unwrap();
    }

    /// Has a provider added, or changed, whose issuer answers only after the end; says what came of it.
    async fn race(&self, secret: &str, end: End) -> Result<(), Status> {
        let own = Issuer::start().await;
        let held = own.hold().await;
        let adding = self
            .stage
            .add_provider(secret, "own", &own.url, settings("x", "admin"));
        let ending = async {
            until_more_than(0, &own).await;
            self.end(end).await;
            drop(held);
        };
        let (added, ()) = tokio::join!(adding, ending);
        added
    }

    async fn change_home(&self, secret: &str, home: &Issuer, end: End) -> Result<(), Status> {
        let held = home.hold().await;
        let before = home.looked_at();
        let request = pb::UpdateIdentityProviderRequest {
            provider: "home".to_owned(),
            settings: Some(pb::IdentityProviderSettings {
                // Another client, so that the issuer is asked again.
                client_id: "another".to_owned(),
                ..settings("everybody", "admin")
            }),
            request_id: new_id(),
            ..Default::default()
        };
        let path = "/causeway.platform.v1.IdentityProviderService/UpdateIdentityProvider";
        let peer = self.stage.allowed(secret, path, &request).await?;
        let mut providers = IdentityProviderServiceClient::new(peer);
        let changing = providers.update_identity_provider(request);
        let ending = async {
            until_more_than(before, home).await;
            self.end(end).await;
            drop(held);
        };
        let (changed, ()) = tokio::join!(changing, ending);
        changed.map(drop)
    }
}

#[tokio::test]
async fn who_is_put_out_while_their_issuer_is_asked_leaves_no_provider_behind() {
    for end in [End::User, End::Session, End::Key, End::Rotation] {
        let home = Issuer::start().await;
        let world = world(&home).await;
        let by = match end {
            End::Key | End::Rotation => &world.key,
            End::User | End::Session | End::Nothing => &world.session,
        };
        let added = world.race(by, end).await;
        let refused = added.expect_err("a provider outlives who made it");
        assert_eq!(refused.code(), Code::PermissionDenied, "{end:?}: {refused}");
        let mut anybody = world.stage.from("10.0.0.2:1")();
        let names = anybody.providers("").await;
        let names: Vec<_> = names.iter().map(|it| it.provider.as_str()).collect();
        assert_eq!(names, ["home"], "{end:?}");
    }
}

#[tokio::test]
async fn who_is_put_out_while_an_issuer_is_asked_changes_no_provider() {
    for end in [End::User, End::Session, End::Key] {
        let home = Issuer::start().await;
        let world = world(&home).await;
        let by = if end == End::Key {
            &world.key
        } else {
            &world.session
        };
        let changed = world.change_home(by, &home, end).await;
        let refused = changed.expect_err("a change outlives who made it");
        assert_eq!(refused.code(), Code::PermissionDenied, "{end:?}: {refused}");
    }
}

#[tokio::test]
async fn a_slow_issuer_is_no_reason_to_refuse_who_may_go_on() {
    for by_key in [true, false] {
        let home = Issuer::start().await;
        let world = world(&home).await;
        let by = if by_key { &world.key } else { &world.session };
        let added = world.race(by, End::Nothing).await;
        assert!(added.is_ok(), "{added:?}");
        let changed = world.change_home(by, &home, End::Nothing).await;
        assert!(changed.is_ok(), "{changed:?}");
    }
}

#[tokio::test]
async fn who_is_put_out_makes_no_join_token_by_what_they_were_allowed_before() {
    for end in [End::User, End::Session] {
        let home = Issuer::start().await;
        let world = world(&home).await;
        let request = pb::CreateJoinTokenRequest {
            runtime: "own".to_owned(),
            request_id: new_id(),
        };
        let path = "/causeway.platform.v1.RuntimeService/CreateJoinToken";
        let peer = world.stage.allowed(&world.session, path, &request).await;
        let mut runtimes = RuntimeServiceClient::new(peer.unwrap());
        world.end(end).await;
        let made = runtimes.create_join_token(request).await;
        let refused = made.expect_err("a token outlives who made it");
        assert_eq!(refused.code(), Code::PermissionDenied, "{end:?}: {refused}");
    }
}
