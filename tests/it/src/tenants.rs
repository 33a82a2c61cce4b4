//! Two accounts on one platform and two teams in one account, with runtimes and applications of the same names.

use std::time::Duration;

use causeway_client::{Credential, Peer, reason};
use causeway_proto::{
    error::v1::Reason,
    inventory::v1::{
        GetApplicationRequest, ListApplicationsRequest, WatchApplicationsRequest,
        application_service_client::ApplicationServiceClient, watch_applications_response::Event,
    },
    platform::v1::{
        CreateAccountRequest, CreateApiKeyRequest, CreateRoleRequest, CreateUserRequest, Rule,
        Selector, account_service_client::AccountServiceClient,
        api_key_service_client::ApiKeyServiceClient, role_service_client::RoleServiceClient,
        user_service_client::UserServiceClient,
    },
    proxy::v1::{
        GetLiveApplicationRequest,
        application_action_service_client::ApplicationActionServiceClient,
    },
};
use causeway_sandbox::SandboxOptions;
use causeway_testkit::{Mesh, new_id, wait_until};
use serde_json::json;
use tonic::{Code, Status};

use crate::{
    action::order,
    world::{PATIENCE, application, change, create, list_by},
};

pub(crate) async fn account(mesh: &Mesh, name: &str) -> Peer {
    let request = CreateAccountRequest {
        account: name.to_owned(),
        request_id: new_id(),
    };
    let mut accounts = AccountServiceClient::new(mesh.user());
    let made = accounts.create_account(request).await.unwrap().into_inner();
    mesh.peer(&mesh.router, Credential::api_key(&made.admin_api_key))
}

/// A user of the first account who may do everything with applications that a selector selects and with their rollouts.
pub(crate) async fn member(mesh: &Mesh, user: &str, selector: Selector) -> Peer {
    let rule = Rule {
        entities: vec!["application".to_owned(), "rollout".to_owned()],
        actions: vec!["*".to_owned()],
        selector: Some(selector),
    };
    entitled(mesh, user, vec![rule]).await
}

/// A user of the first account with rules of their own.
pub(crate) async fn entitled(mesh: &Mesh, user: &str, rules: Vec<Rule>) -> Peer {
    let role = CreateRoleRequest {
        name: format!("{user}-team"),
        rules,
        request_id: new_id(),
        ..CreateRoleRequest::default()
    };
    let mut roles = RoleServiceClient::new(mesh.user());
    roles.create_role(role).await.unwrap();
    let request = CreateUserRequest {
        user: user.to_owned(),
        roles: vec![format!("{user}-team")],
        request_id: new_id(),
        ..CreateUserRequest::default()
    };
    let mut users = UserServiceClient::new(mesh.user());
    users.create_user(request).await.unwrap();
    let request = CreateApiKeyRequest {
        display_name: user.to_owned(),
        user: user.to_owned(),
        request_id: new_id(),
        ..CreateApiKeyRequest::default()
    };
    let mut keys = ApiKeyServiceClient::new(mesh.user());
    let made = keys.create_api_key(request).await.unwrap().into_inner();
    mesh.peer(&mesh.router, Credential::api_key(&made.secret))
}

async fn names(by: &Peer) -> Result<Vec<String>, Status> {
    let mut client = ApplicationServiceClient::new(by.clone());
    let listed = list_by(&mut client, "east").await?;
    Ok(listed.into_iter().map(|it| it.name).collect())
}

async fn until_named(by: &Peer, expected: &[&str]) {
    wait_until("the list is complete", PATIENCE, async || {
        match names(by).await {
            Ok(names) if names == expected => Ok(()),
            other => Err(format!("{other:?}")),
        }
    })
    .await;
}

fn place(name: &str) -> GetApplicationRequest {
    GetApplicationRequest {
        runtime: "east".to_owned(),
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
        ..GetApplicationRequest::default()
    }
}

/// What each call about an application is answered that is not there for the caller.
async fn refusals(by: &Peer, name: &str) -> Vec<String> {
    let mut reads = ApplicationServiceClient::new(by.clone());
    let mut actions = ApplicationActionServiceClient::new(by.clone());
    let live = GetLiveApplicationRequest {
        runtime: "east".to_owned(),
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
    };
    let answers = [
        reads.get_application(place(name)).await.map(drop),
        actions.get_live_application(live).await.map(drop),
        actions.sync_application(order(name)).await.map(drop),
    ];
    let text = |answer: Result<(), Status>| {
        let status = answer.unwrap_err();
        assert_eq!(status.code(), Code::NotFound, "{status}");
        assert_eq!(
            reason(&status),
            Some(Reason::ApplicationUnknown),
            "{status}"
        );
        status.message().replace(name, "NAME")
    };
    answers.into_iter().map(text).collect()
}

/// A page token and a cursor that were made for somebody.
async fn tickets(by: &Peer) -> (String, String) {
    let mut client = ApplicationServiceClient::new(by.clone());
    let request = ListApplicationsRequest {
        page_size: 1,
        ..ListApplicationsRequest::default()
    };
    let page = client.list_applications(request).await.unwrap();
    let watch = client.watch_applications(WatchApplicationsRequest::default());
    let mut steps = watch.await.unwrap().into_inner();
    loop {
        let step = steps.message().await.unwrap().unwrap();
        if !step.cursor.is_empty() {
            return (page.into_inner().next_page_token, step.cursor);
        }
    }
}

async fn assert_of_no_use((page_token, cursor): (String, String), by: &Peer) {
    assert!(!page_token.is_empty());
    let mut client = ApplicationServiceClient::new(by.clone());
    let request = ListApplicationsRequest {
        page_token,
        ..ListApplicationsRequest::default()
    };
    let refused = client.list_applications(request).await.unwrap_err();
    assert_eq!(reason(&refused), Some(Reason::FieldInvalid), "{refused}");
    let request = WatchApplicationsRequest {
        cursor,
        ..WatchApplicationsRequest::default()
    };
    let watch = client.watch_applications(request);
    let refused = match watch.await {
        Ok(steps) => steps.into_inner().message().await.map(drop),
        Err(refused) => Err(refused),
    };
    let refused = refused.unwrap_err();
    assert_eq!(reason(&refused), Some(Reason::CursorExpired), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn s_56_two_tenants_with_the_same_names_see_and_move_only_their_own() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let globex = account(&mesh, "globex").await;
    let options = SandboxOptions::in_memory();
    let theirs = mesh.join_by(&globex, "globex-east", "east", options).await;
    for name in ["both", "mine"] {
        create(mesh.sandbox(), &application(mesh.sandbox(), name)).await;
    }
    for name in ["both", "theirs"] {
        create(theirs.sandbox(), &application(theirs.sandbox(), name)).await;
    }
    let us = mesh.user();
    until_named(&us, &["both", "mine"]).await;
    until_named(&globex, &["both", "theirs"]).await;
    for (by, sandbox) in [(&us, mesh.sandbox()), (&globex, theirs.sandbox())] {
        let mut client = ApplicationServiceClient::new(by.clone());
        let got = client.get_application(place("both")).await.unwrap();
        let truth = sandbox.kube().snapshot();
        let uid = truth
            .find("Application", "argocd", "both")
            .unwrap()
            .uid
            .clone();
        assert_eq!(got.into_inner().application.unwrap().uid, uid);
    }
    for (by, foreign, absent) in [(&us, "theirs", "thears"), (&globex, "mine", "mane")] {
        assert_eq!(refusals(by, foreign).await, refusals(by, absent).await);
    }
    assert_of_no_use(tickets(&us).await, &globex).await;
    assert_of_no_use(tickets(&globex).await, &us).await;
    theirs.stop().await;
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn s_45_a_team_sees_watches_and_moves_what_its_role_selects() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let labelled = |team: &str| json!({"metadata": {"labels": {"team": team}}});
    for (name, team) in [("one", "a"), ("two", "b"), ("three", "a")] {
        create(mesh.sandbox(), &application(mesh.sandbox(), name)).await;
        change(mesh.sandbox(), name, &labelled(team)).await;
    }
    let selector = Selector {
        labels: [("team".to_owned(), "a".to_owned())].into(),
        ..Selector::default()
    };
    let ada = member(&mesh, "ada", selector).await;
    until_named(&mesh.user(), &["one", "three", "two"]).await;
    until_named(&ada, &["one", "three"]).await;
    assert_eq!(refusals(&ada, "two").await, refusals(&ada, "twu").await);
    assert_of_no_use(tickets(&mesh.user()).await, &ada).await;

    let mut client = ApplicationServiceClient::new(ada.clone());
    let watch = client.watch_applications(WatchApplicationsRequest::default());
    let mut steps = watch.await.unwrap().into_inner();
    change(mesh.sandbox(), "two", &labelled("c")).await;
    change(mesh.sandbox(), "one", &labelled("b")).await;
    let mut told = Vec::new();
    let gone = tokio::time::timeout(Duration::from_secs(60), async {
        loop {
            match steps.message().await.unwrap().unwrap().event {
                Some(Event::Deleted(gone)) => return gone.name,
                Some(Event::Updated(updated)) => told.push(updated.name),
                Some(Event::Bookmark(_)) | None => {}
            }
        }
    });
    assert_eq!(gone.await.expect("what left is told"), "one");
    assert!(!told.contains(&"two".to_owned()), "{told:?}");
    assert_eq!(refusals(&ada, "one").await, refusals(&ada, "uno").await);
    mesh.stop().await;
}
