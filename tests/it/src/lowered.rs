//! A role that is lowered: what was open ends, what was remembered is forgotten.

use causeway_client::{Credential, Peer, reason};
use causeway_proto::{
    error::v1::Reason,
    inventory::v1::{
        WatchApplicationsRequest, WatchApplicationsResponse,
        application_service_client::ApplicationServiceClient,
    },
    platform::v1::{
        CreateApiKeyRequest, CreateRoleRequest, CreateUserRequest, Rule, Selector,
        SetUserRolesRequest, UpdateRoleRequest, role_service_client::RoleServiceClient,
        user_service_client::UserServiceClient,
    },
};
use causeway_sandbox::SandboxOptions;
use causeway_testkit::{Mesh, new_id, wait_until};
use tokio::time::timeout;
use tonic::{Code, Status, Streaming};

use crate::{
    isolation::RECALLED,
    world::{application, create, list_by, until_told},
};

/// A mesh with one application, told to the platform.
async fn mesh() -> Mesh {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    create(mesh.sandbox(), &application(mesh.sandbox(), "a")).await;
    until_told(&mesh).await;
    mesh
}

/// Makes a user with a role and a key of theirs.
async fn guest(mesh: &Mesh, role: &str) -> ApplicationServiceClient<Peer> {
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
    ApplicationServiceClient::new(mesh.peer(&mesh.router, Credential::api_key(&secret)))
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

#[tokio::test(flavor = "multi_thread")]
async fn who_loses_their_roles_loses_open_watches_and_remembered_reads() {
    let mesh = mesh().await;
    let mut reads = guest(&mesh, "viewer").await;
    let open = watch(&mut reads).await;
    let nothing = SetUserRolesRequest {
        user: "guest".to_owned(),
        roles: Vec::new(),
        request_id: new_id(),
    };
    let mut users = UserServiceClient::new(mesh.user());
    users.set_user_roles(nothing).await.unwrap();
    let status = end(open).await;
    assert_eq!(status.code(), Code::PermissionDenied, "{status}");
    wait_until("the read is refused", RECALLED, async || {
        match list_by(&mut reads.clone(), "east").await {
            Err(status) if status.code() == Code::PermissionDenied => Ok(()),
            answer => Err(format!("{answer:?}")),
        }
    })
    .await;
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_role_that_selects_less_ends_watches_and_hides_the_rest() {
    let mesh = mesh().await;
    let mut roles = RoleServiceClient::new(mesh.user());
    let made = CreateRoleRequest {
        name: "team".to_owned(),
        rules: vec![rule("default")],
        request_id: new_id(),
        ..CreateRoleRequest::default()
    };
    roles.create_role(made).await.unwrap();
    let mut reads = guest(&mesh, "team").await;
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
