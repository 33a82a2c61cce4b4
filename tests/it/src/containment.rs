//! What a stolen key can do, and what it cannot.

mod carriers;
pub(crate) mod database;
mod platform_keys;

use std::time::Duration;

use causeway_assertion::{Audience, Claims, KeyHolder, PartKey, Scope, SigningKey};
use causeway_client::{Credential, reason};
use causeway_proto::{
    error::v1::Reason,
    ids::RequestId,
    inventory::v1::{
        ListApplicationsRequest, application_service_client::ApplicationServiceClient,
    },
    method::method,
    platform::v1::{
        self as platform, authorization_service_client::AuthorizationServiceClient,
        key_service_client::KeyServiceClient, part_service_client::PartServiceClient,
        runtime_service_client::RuntimeServiceClient,
    },
    proxy::v1::{self as proxy, application_action_service_client::ApplicationActionServiceClient},
    source::v1::{GetResourceTreeRequest, source_service_client::SourceServiceClient},
};
use causeway_sandbox::SandboxOptions;
use causeway_testkit::{Mesh, Part, RuntimeParts, new_id};
use prost::Message;
use tonic::{Code, Status};

use crate::{
    action::order,
    isolation::report_at,
    world::{application, create, until_told},
};

const LIST: &str = "/causeway.inventory.v1.ApplicationService/ListApplications";
const SYNC: &str = "/causeway.proxy.v1.ApplicationActionService/SyncApplication";
const LIVE: &str = "/causeway.proxy.v1.ApplicationActionService/GetLiveApplication";
const TOKEN: &str = "/causeway.platform.v1.RuntimeService/CreateJoinToken";
const TREE: &str = "/causeway.source.v1.SourceService/GetResourceTree";
const AUTHORIZE: &str = "/causeway.platform.v1.AuthorizationService/Authorize";

/// What a thief shows.
struct Thief<'a> {
    sign: Box<dyn Fn(&Claims) -> String + 'a>,
}

impl Thief<'_> {
    fn of_key(key: &SigningKey) -> Thief<'_> {
        let sign = Box::new(|claims: &Claims| key.sign(claims).unwrap());
        Thief { sign }
    }

    fn of_part(key: &PartKey) -> Thief<'_> {
        let sign = Box::new(|claims: &Claims| key.sign(claims).unwrap());
        Thief { sign }
    }

    /// An assertion for one call, as any holder of the key can make it.
    fn shows(
        &self,
        subject: &str,
        at: Option<&RuntimeParts>,
        path: &str,
        request: &impl Message,
    ) -> Credential {
        let issuer = if subject.starts_with("user:") {
            "platform"
        } else {
            subject
        };
        let part = method(path).unwrap().part.parse().unwrap();
        let audience = Audience {
            account: "default".parse().unwrap(),
            runtime: at.map(|runtime| runtime.identity.runtime_id.clone()),
            part,
        };
        let life = Duration::from_secs(60);
        let claims = Claims::for_read(issuer, subject.parse().unwrap(), audience, path, life)
            .for_one_request(&request.encode_to_vec(), RequestId::generate())
            .with_scope(Scope::everything("admin"));
        Credential::api_key(&(self.sign)(&claims))
    }
}

#[track_caller]
fn refused<T>(what: &str, answer: Result<T, Status>) -> Status {
    let status = answer
        .err()
        .unwrap_or_else(|| panic!("{what}: it was let in"));
    let code = status.code();
    let expected = matches!(code, Code::Unauthenticated | Code::PermissionDenied);
    assert!(expected, "{what}: {status}");
    status
}

async fn list(mesh: &Mesh, credential: Credential) -> Result<(), Status> {
    let peer = mesh.peer(&mesh.inventory, credential);
    let mut client = ApplicationServiceClient::new(peer);
    let answer = client.list_applications(ListApplicationsRequest::default());
    answer.await.map(drop)
}

async fn sync(
    mesh: &Mesh,
    at: &Part,
    credential: Credential,
    order: &proxy::SyncApplicationRequest,
) -> Result<(), Status> {
    let mut client = ApplicationActionServiceClient::new(mesh.peer(at, credential));
    client.sync_application(order.clone()).await.map(drop)
}

async fn announce(mesh: &Mesh, credential: Credential, part: &str) -> Result<(), Status> {
    let mut parts = PartServiceClient::new(mesh.peer(&mesh.platform, credential));
    let request = platform::AnnounceRequest {
        part: part.to_owned(),
        instance: new_id(),
        ..Default::default()
    };
    parts.announce(request).await.map(drop)
}

fn issue(issuer: &SigningKey, holder: KeyHolder) -> PartKey {
    PartKey::issue(issuer, holder, 3600).unwrap()
}

fn part_of(runtime: &RuntimeParts, part: &str) -> KeyHolder {
    let identity = &runtime.identity;
    KeyHolder::runtime(
        identity.account.clone(),
        identity.runtime_id.clone(),
        part.parse().unwrap(),
    )
}

fn live() -> proxy::GetLiveApplicationRequest {
    proxy::GetLiveApplicationRequest {
        runtime: "west".to_owned(),
        namespace: "argocd".to_owned(),
        name: "a".to_owned(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stolen_key_of_a_runtimes_part_speaks_only_as_that_part_of_that_runtime() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let west = mesh.join("west", SandboxOptions::in_memory()).await;
    let east = &mesh.runtime;
    let identity = east.identity.key.clone().unwrap();
    let key = issue(&identity, part_of(east, "source-server"));
    let own = || {
        let identity = &east.identity;
        Credential::runtime_part(
            identity.key.clone().unwrap(),
            identity.account.clone(),
            identity.runtime_id.clone(),
            "source-server".parse().unwrap(),
        )
    };
    announce(&mesh, own(), "source-server").await.unwrap();
    refused(
        "another part's health",
        announce(&mesh, own(), "app-proxy").await,
    );
    refused("a report", report_at(&mesh, &mesh.inventory, own()).await);

    let (thief, order, list_all) = (
        Thief::of_part(&key),
        order("a"),
        ListApplicationsRequest::default(),
    );
    let own_name = "part:runtime/source-server";
    for subject in [
        own_name,
        "part:runtime/app-proxy",
        "part:platform/request-router",
        "user:admin",
        &format!("runtime:default/{}", east.identity.runtime_id),
    ] {
        let shown = thief.shows(subject, None, LIST, &list_all);
        refused(subject, list(&mesh, shown).await);
        let shown = thief.shows(subject, Some(east), SYNC, &order);
        refused(subject, sync(&mesh, &east.app_proxy, shown, &order).await);
        let shown = thief.shows(subject, Some(&west), SYNC, &order);
        refused(subject, sync(&mesh, &west.app_proxy, shown, &order).await);
    }
    let asked = GetResourceTreeRequest::default();
    let shown = thief.shows(own_name, Some(east), TREE, &asked);
    let mut source = SourceServiceClient::new(mesh.peer(&east.source_server, shown));
    refused(
        "what only the reporter reads",
        source.get_resource_tree(asked).await,
    );

    let foreign = issue(&identity, part_of(&west, "application-event-reporter"));
    let shown = Thief::of_part(&foreign).shows(
        "part:runtime/application-event-reporter",
        None,
        LIST,
        &list_all,
    );
    refused(
        "a certificate for another runtime",
        list(&mesh, shown).await,
    );
    west.stop().await;
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stolen_key_of_a_platforms_part_speaks_only_as_that_part() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let own = mesh.platform_credential("inventory");
    let platform = mesh.peer(&mesh.platform, own.clone());
    let asked = platform::GetVerificationKeyRequest::default();
    let mut keys = KeyServiceClient::new(platform.clone());
    keys.get_verification_key(asked).await.unwrap();

    let question = platform::AuthorizeRequest {
        credential: mesh.admin_key(),
        method: LIST.to_owned(),
        ..Default::default()
    };
    let mut authorization = AuthorizationServiceClient::new(platform.clone());
    refused(
        "what only routers ask",
        authorization.authorize(question).await,
    );
    let mut runtimes = RuntimeServiceClient::new(platform);
    let sessions = platform::ReportSessionsRequest::default();
    refused(
        "what only tunnel servers tell",
        runtimes.report_sessions(sessions).await,
    );
    refused(
        "another part's health",
        announce(&mesh, own.clone(), "tunnel-server").await,
    );
    refused(
        "a report",
        report_at(&mesh, &mesh.inventory, own.clone()).await,
    );
    refused("a list for users", list(&mesh, own).await);
    let parts = mesh.folder().join("platform/keys/parts.pem");
    let issuer = SigningKey::from_pem(&std::fs::read_to_string(parts).unwrap()).unwrap();
    let key = issue(&issuer, KeyHolder::platform("inventory".parse().unwrap()));
    let (order, east) = (order("a"), &mesh.runtime);
    for subject in ["part:platform/inventory", "user:admin"] {
        for thief in [Thief::of_part(&key), Thief::of_key(&issuer)] {
            let shown = thief.shows(subject, Some(east), SYNC, &order);
            refused(subject, sync(&mesh, &east.app_proxy, shown, &order).await);
        }
    }
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stolen_signing_key_acts_only_within_each_runtimes_own_list() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let west = mesh
        .join_allowing("west", SandboxOptions::in_memory(), "read")
        .await;
    for sandbox in [mesh.sandbox(), west.sandbox()] {
        create(sandbox, &application(sandbox, "a")).await;
    }
    until_told(&mesh).await;
    let key = mesh.signing_key();
    let thief = Thief::of_key(&key);
    let order = order("a");
    let mut allowed = ApplicationActionServiceClient::new(mesh.peer(
        &west.app_proxy,
        thief.shows("user:admin", Some(&west), LIVE, &live()),
    ));
    allowed.get_live_application(live()).await.unwrap();
    let shown = thief.shows("user:admin", Some(&west), SYNC, &order);
    let status = refused(
        "a sync that is not on the list",
        sync(&mesh, &west.app_proxy, shown, &order).await,
    );
    assert_eq!(reason(&status), Some(Reason::RuntimePolicy), "{status}");
    west.stop().await;
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stolen_signing_key_certifies_nobody_and_opens_nothing_at_the_platform_itself() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let key = mesh.signing_key();
    let thief = Thief::of_key(&key);
    let made = platform::CreateJoinTokenRequest {
        runtime: "mine".to_owned(),
        request_id: new_id(),
    };
    let at_platform = |credential| mesh.peer(&mesh.platform, credential);
    let shown = thief.shows("user:admin", None, TOKEN, &made);
    let mut runtimes = RuntimeServiceClient::new(at_platform(shown));
    refused("a join token", runtimes.create_join_token(made).await);

    let question = platform::AuthorizeRequest::default();
    for subject in ["part:platform/request-router", "user:admin"] {
        let shown = thief.shows(subject, None, AUTHORIZE, &question);
        let mut client = AuthorizationServiceClient::new(at_platform(shown));
        refused(subject, client.authorize(question.clone()).await);
    }
    let router = issue(&key, KeyHolder::platform("request-router".parse().unwrap()));
    let shown =
        Thief::of_part(&router).shows("part:platform/request-router", None, AUTHORIZE, &question);
    let mut client = AuthorizationServiceClient::new(at_platform(shown));
    refused("a part that it certified", client.authorize(question).await);

    let east = &mesh.runtime;
    let list_all = ListApplicationsRequest::default();
    let reporter = issue(&key, part_of(east, "application-event-reporter"));
    let shown = Thief::of_part(&reporter).shows(
        "part:runtime/application-event-reporter",
        None,
        LIST,
        &list_all,
    );
    refused(
        "a runtime's part that it certified",
        list(&mesh, shown).await,
    );
    let shown = thief.shows(
        &format!("runtime:default/{}", east.identity.runtime_id),
        None,
        LIST,
        &list_all,
    );
    refused("a runtime", list(&mesh, shown).await);
    mesh.stop().await;
}
