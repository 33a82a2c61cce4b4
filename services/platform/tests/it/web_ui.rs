//! What the web UI asks the platform: many permissions at once, runtimes live, preferences, facts without a credential.

use causeway_client::{Credential, Peer};
use causeway_proto::platform::v1::{
    self as pb, info_service_client::InfoServiceClient, part_service_client::PartServiceClient,
    permission_service_client::PermissionServiceClient,
    preference_service_client::PreferenceServiceClient,
    runtime_service_client::RuntimeServiceClient, watch_runtimes_response::Event,
};
use tonic::{Code, Status, Streaming};

use crate::stage::{CallStage, new_id};

impl CallStage {
    async fn key_of_role(&self, role: &str) -> String {
        let request = pb::CreateApiKeyRequest {
            display_name: "a browser".to_owned(),
            role: role.to_owned(),
            request_id: new_id(),
            ..Default::default()
        };
        let made = self.create_api_key(&self.admin_key(), request).await;
        made.unwrap().secret
    }

    async fn check(
        &self,
        secret: &str,
        request: pb::CheckPermissionsRequest,
    ) -> Result<pb::CheckPermissionsResponse, Status> {
        let path = "/causeway.platform.v1.PermissionService/CheckPermissions";
        let peer = self.allowed(secret, path, &request).await?;
        let mut client = PermissionServiceClient::new(peer);
        Ok(client.check_permissions(request).await?.into_inner())
    }

    async fn save_view(&self, secret: &str, roles: &[&str]) -> Result<pb::SavedView, Status> {
        let request = pb::SaveViewRequest {
            name: "broken".to_owned(),
            page: "apps".to_owned(),
            query: "health=degraded".to_owned(),
            roles: roles.iter().map(ToString::to_string).collect(),
            request_id: new_id(),
        };
        let path = "/causeway.platform.v1.PreferenceService/SaveView";
        let peer = self.allowed(secret, path, &request).await?;
        let saved = PreferenceServiceClient::new(peer)
            .save_view(request)
            .await?;
        Ok(saved.into_inner().view.unwrap())
    }

    async fn views(&self, secret: &str) -> Vec<String> {
        let path = "/causeway.platform.v1.PreferenceService/ListSavedViews";
        let request = pb::ListSavedViewsRequest::default();
        let peer = self.allowed(secret, path, &request).await.unwrap();
        let mut client = PreferenceServiceClient::new(peer);
        let listed = client.list_saved_views(request).await.unwrap().into_inner();
        listed.views.into_iter().map(|view| view.name).collect()
    }
}

fn target(name: &str) -> pb::Target {
    pb::Target {
        runtime: "edge".to_owned(),
        name: name.to_owned(),
        ..Default::default()
    }
}

fn asked(permissions: &[&str], targets: Vec<pb::Target>) -> pb::CheckPermissionsRequest {
    pb::CheckPermissionsRequest {
        permissions: permissions.iter().map(ToString::to_string).collect(),
        targets,
    }
}

#[tokio::test]
async fn each_permission_is_decided_for_each_target_in_order() {
    let stage = CallStage::start().await;
    let viewer = stage.key_of_role("viewer").await;
    let request = asked(
        &["application.get", "application.sync"],
        vec![target("a"), target("b")],
    );
    let answer = stage.check(&viewer, request).await.unwrap();
    let allowed: Vec<_> = answer.decisions.iter().map(|it| it.allowed).collect();
    assert_eq!(allowed, [true, false, true, false]);
    assert!(answer.decisions.iter().all(|it| !it.reason.is_empty()));
    let any = asked(&["application.get"], Vec::new());
    assert_eq!(stage.check(&viewer, any).await.unwrap().decisions.len(), 1);
    let many = asked(
        &["application.get", "application.sync"],
        vec![target("a"); 251],
    );
    for (bad, field) in [
        (many, "permissions: "),
        (asked(&[], vec![target("a")]), "permissions: "),
        (asked(&["application.fly"], Vec::new()), "permission: "),
    ] {
        let refused = stage.check(&viewer, bad).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument, "{refused}");
        assert!(refused.message().starts_with(field), "{refused}");
    }
}

#[tokio::test]
async fn anyone_reads_version_clock_and_tunnel_of_the_platform() {
    let stage = CallStage::start().await;
    let anybody = Peer::new(&stage.url, Credential::None);
    let mut client = InfoServiceClient::new(anybody);
    let info = client
        .get_platform_info(pb::GetPlatformInfoRequest {})
        .await;
    let info = info.unwrap().into_inner();
    assert!(!info.version.is_empty() && info.server_time.is_some());
    assert_eq!(info.tunnel_url, "wss://localhost:7401/tunnel/v1");
}

#[tokio::test]
async fn a_view_is_shared_only_with_roles_of_its_owner_and_seen_only_by_their_holders() {
    let stage = CallStage::start().await;
    let (admin, viewer) = (stage.admin_key(), stage.key_of_role("viewer").await);
    let refused = stage.save_view(&admin, &["viewer"]).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert!(refused.message().starts_with("roles: "), "{refused}");
    let saved = stage.save_view(&admin, &["admin"]).await.unwrap();
    assert_eq!(
        (saved.owner.as_str(), saved.roles),
        ("admin", vec!["admin".to_owned()])
    );
    assert_eq!(stage.views(&admin).await, ["broken"]);
    // It is the same user's; another one is looked at in the store tests.
    assert_eq!(stage.views(&viewer).await, ["broken"]);
    let limited = stage.save_view(&viewer, &[]).await.unwrap_err();
    assert_eq!(limited.code(), Code::PermissionDenied, "{limited}");
}

async fn next(stream: &mut Streaming<pb::WatchRuntimesResponse>) -> Event {
    let answer = stream.message().await.unwrap().unwrap();
    answer.event.unwrap()
}

#[tokio::test]
async fn a_watch_sends_runtimes_then_changes_and_the_actions_that_they_allow() {
    let stage = CallStage::start().await;
    let runtime = stage.join("edge").await;
    let path = "/causeway.platform.v1.RuntimeService/WatchRuntimes";
    let request = pb::WatchRuntimesRequest {};
    let peer = stage
        .allowed(&stage.admin_key(), path, &request)
        .await
        .unwrap();
    let stream = RuntimeServiceClient::new(peer)
        .watch_runtimes(request)
        .await;
    let mut stream = stream.unwrap().into_inner();
    let Event::Updated(first) = next(&mut stream).await else {
        panic!("the runtime comes first");
    };
    assert_eq!(
        (first.name.as_str(), first.connection()),
        ("edge", pb::Connection::Offline)
    );
    assert!(matches!(next(&mut stream).await, Event::Bookmark(_)));
    let announcement = pb::AnnounceRequest {
        part: "app-proxy".to_owned(),
        instance: "one".to_owned(),
        health: pb::Health::Serving.into(),
        allowed_actions: vec!["sync".to_owned(), "read".to_owned()],
        ..Default::default()
    };
    let mut parts = PartServiceClient::new(runtime.platform());
    parts.announce(announcement).await.unwrap();
    let Event::Updated(changed) = next(&mut stream).await else {
        panic!("the change comes next");
    };
    assert_eq!(changed.connection(), pb::Connection::Reporting);
    assert_eq!(changed.allowed_actions, ["read", "sync"]);
    assert_eq!(
        stage.get_runtime("edge").await.unwrap().allowed_actions,
        ["read", "sync"]
    );
    stage.revoke_runtime("edge").await.unwrap();
    let Event::Updated(revoked) = next(&mut stream).await else {
        panic!("the revocation comes next");
    };
    assert_eq!(revoked.connection(), pb::Connection::Revoked);
    assert_eq!(revoked.allowed_actions, Vec::<String>::new());
}
