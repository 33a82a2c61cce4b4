//! A role that is lowered: what was open ends, what was remembered is forgotten.

use causeway_client::{Credential, Peer, reason};
use causeway_proto::{
    error::v1::Reason,
    inventory::v1::{
        WatchApplicationsRequest, WatchApplicationsResponse,
        application_service_client::ApplicationServiceClient,
    },
    platform::v1::{
        CreateApiKeyRequest, CreateRoleRequest, CreateUserRequest, DisableUserRequest, Rule,
        Selector, SetUserRolesRequest, UpdateRoleRequest, role_service_client::RoleServiceClient,
        user_service_client::UserServiceClient,
    },
};
use causeway_sandbox::SandboxOptions;
use causeway_testkit::{Mesh, Part, new_id, wait_until};
use tokio::time::{Instant, timeout};
use tonic::{Code, Status, Streaming};

use crate::{
    isolation::RECALLED,
    replicas::{say, start},
    world::{application, create, list_by, until_told},
};

/// A mesh with one application, told to the platform.
async fn mesh() -> Mesh {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    create(mesh.sandbox(), &application(mesh.sandbox(), "a")).await;
    until_told(&mesh).await;
    mesh
}

/// Makes a user with a role, and a key of theirs that is used at this router.
async fn guest(mesh: &Mesh, at: &Part, role: &str) -> ApplicationServiceClient<Peer> {
    let user = CreateUserRequest {
        user: "guest".to_owned(),
        roles: vec![role.to_owned()],
        request_id: new_id(),
        ..CreateUserRequest::default()
    };
    let mut users = UserServiceClient::new(mesh.user());
    users.create_user(user).await.unwrap();
    let key = CreateApiKeyRequest {
        display_name: "guest".to_owned(),
        user: "guest".to_owned(),
        request_id: new_id(),
        ..CreateApiKeyRequest::default()
    };
    let made = mesh.api_keys().create_api_key(key).await.unwrap();
    let secret = made.into_inner().secret;
    ApplicationServiceClient::new(mesh.peer(at, Credential::api_key(&secret)))
}

/// Reads, and opens a watch that has begun to tell.
async fn watch(reads: &mut ApplicationServiceClient<Peer>) -> Streaming<WatchApplicationsResponse> {
    assert_eq!(list_by(reads, "east").await.unwrap().len(), 1);
    let watch = reads.watch_applications(WatchApplicationsRequest::default());
    let mut watch = watch.await.unwrap().into_inner();
    assert!(watch.message().await.unwrap().is_some());
    watch
}

async fn end(mut watch: Streaming<WatchApplicationsResponse>) -> Status {
    let end = timeout(RECALLED, async {
        loop {
            match watch.message().await {
                Ok(Some(_)) => {}
                Ok(None) => panic!("the watch ended without a word"),
                Err(status) => return status,
            }
        }
    });
    end.await.expect("the watch ends in time")
}

fn rule(project: &str) -> Rule {
    Rule {
        entities: vec!["application".to_owned()],
        actions: vec!["list".to_owned(), "watch".to_owned()],
        selector: Some(Selector {
            projects: vec![project.to_owned()],
            ..Selector::default()
        }),
    }
}

/// What becomes of a user.
#[derive(Clone, Copy)]
enum Loss {
    Roles,
    Everything,
}

impl Loss {
    async fn happen(self, mesh: &Mesh) {
        let mut users = UserServiceClient::new(mesh.user());
        let (user, request_id) = ("guest".to_owned(), new_id());
        match self {
            Self::Roles => {
                let roles = Vec::new();
                let nothing = SetUserRolesRequest {
                    user,
                    roles,
                    request_id,
                };
                users.set_user_roles(nothing).await.unwrap();
            }
            Self::Everything => {
                let disable = DisableUserRequest { user, request_id };
                users.disable_user(disable).await.unwrap();
            }
        }
    }

    fn refusal(self) -> Code {
        match self {
            Self::Roles => Code::PermissionDenied,
            Self::Everything => Code::Unauthenticated,
        }
    }
}

/// What a user has open at a router ends, wherever the loss was told.
async fn ends_at(mesh: &Mesh, at: &Part, loss: Loss) -> Instant {
    let mut reads = guest(mesh, at, "viewer").await;
    let open = watch(&mut reads).await;
    let begun = Instant::now();
    loss.happen(mesh).await;
    let status = end(open).await;
    assert_eq!(status.code(), loss.refusal(), "{status}");
    wait_until("the read is refused", RECALLED, async || {
        match list_by(&mut reads.clone(), "east").await {
            Err(status) if status.code() == loss.refusal() => Ok(()),
            answer => Err(format!("{answer:?}")),
        }
    })
    .await;
    begun
}

#[tokio::test(flavor = "multi_thread")]
async fn removed_roles_end_open_watches_and_cached_reads() {
    let mesh = mesh().await;
    ends_at(&mesh, &mesh.router, Loss::Roles).await;
    mesh.stop().await;
}

async fn ends_everywhere(what: &str, loss: Loss, listen: &str) {
    let Some(mesh) = start(listen).await else {
        return;
    };
    let there = &mesh.other.as_ref().unwrap().router;
    let begun = ends_at(&mesh, there, loss).await;
    say(what, listen, begun);
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn role_removal_applies_on_the_other_replica() {
    ends_everywhere("taken roles", Loss::Roles, "true").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn disabled_user_is_rejected_on_the_other_replica() {
    ends_everywhere("a disabled user", Loss::Everything, "true").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn disabled_user_is_rejected_without_notifications() {
    ends_everywhere("a disabled user", Loss::Everything, "false").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn narrowed_role_ends_watches_and_hides_objects() {
    let mesh = mesh().await;
    let mut roles = RoleServiceClient::new(mesh.user());
    let made = CreateRoleRequest {
        name: "team".to_owned(),
        rules: vec![rule("default")],
        request_id: new_id(),
        ..CreateRoleRequest::default()
    };
    roles.create_role(made).await.unwrap();
    let mut reads = guest(&mesh, &mesh.router, "team").await;
    let open = watch(&mut reads).await;
    let less = UpdateRoleRequest {
        name: "team".to_owned(),
        rules: vec![rule("another")],
        request_id: new_id(),
        ..UpdateRoleRequest::default()
    };
    roles.update_role(less).await.unwrap();
    let status = end(open).await;
    let told = (status.code(), reason(&status));
    assert_eq!(
        told,
        (Code::Aborted, Some(Reason::ScopeChanged)),
        "{status}"
    );
    wait_until(
        "the application is hidden",
        RECALLED,
        async || match list_by(&mut reads.clone(), "east").await {
            Ok(shown) if shown.is_empty() => Ok(()),
            answer => Err(format!("{answer:?}")),
        },
    )
    .await;
    mesh.stop().await;
}
