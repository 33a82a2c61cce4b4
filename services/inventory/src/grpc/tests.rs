mod history;
mod reporters;
mod resource;
mod scope;
mod stale;
mod windows;

use std::sync::Arc;

use causeway_assertion::Subject;
use causeway_proto::{
    error::v1::Reason,
    ids::RuntimeId,
    inventory::v1::{
        self as pb, application_service_client::ApplicationServiceClient,
        report_service_client::ReportServiceClient, summary_service_client::SummaryServiceClient,
    },
};
use causeway_shell::Caller;
use futures::channel::mpsc;
use prost::Message as _;
use tokio::{net::TcpListener, task::JoinSet};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{
    Code, Request, Status, Streaming,
    service::interceptor::InterceptedService,
    transport::{Channel, Server},
};
use tonic_types::StatusExt as _;

use super::*;
use crate::{
    digest::Digest,
    fixture::{Bench, account, soon},
};

/// The services on a port, with the caller that a header names: `user@ACCOUNT` or `runtime@ACCOUNT`, after it the rules of a
/// scope in JSON where it does not hold everything.
struct Served {
    inventory: Inventory,
    channel: Channel,
    _tasks: JoinSet<()>,
}

impl Served {
    async fn start() -> Self {
        Self::over(&Bench::memory().inventory()).await
    }

    async fn over(inventory: &Inventory) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = Server::builder()
            .add_service(InterceptedService::new(
                application_service(inventory),
                identify,
            ))
            .add_service(InterceptedService::new(
                resource_service(inventory),
                identify,
            ))
            .add_service(InterceptedService::new(report_service(inventory), identify))
            .add_service(InterceptedService::new(
                reporter_service(inventory),
                identify,
            ))
            .add_service(InterceptedService::new(view_service(inventory), identify))
            .add_service(InterceptedService::new(
                summary_service(inventory),
                identify,
            ))
            .serve_with_incoming(TcpListenerStream::new(listener));
        let mut tasks = JoinSet::new();
        tasks.spawn(async move { server.await.unwrap() });
        let endpoint = Channel::from_shared(format!("http://{address}")).unwrap();
        Self {
            inventory: inventory.clone(),
            channel: endpoint.connect_lazy(),
            _tasks: tasks,
        }
    }

    fn applications(&self) -> ApplicationServiceClient<Channel> {
        ApplicationServiceClient::new(self.channel.clone())
    }

    fn summaries(&self) -> SummaryServiceClient<Channel> {
        SummaryServiceClient::new(self.channel.clone())
    }

    async fn report(
        &self,
    ) -> (
        mpsc::UnboundedSender<pb::ReportRequest>,
        Streaming<pb::ReportResponse>,
    ) {
        self.report_as(hello()).await
    }

    async fn report_as(
        &self,
        hello: pb::Hello,
    ) -> (
        mpsc::UnboundedSender<pb::ReportRequest>,
        Streaming<pb::ReportResponse>,
    ) {
        let (up, requests) = mpsc::unbounded();
        let mut client = ReportServiceClient::new(self.channel.clone());
        send(&up, pb::report_request::Message::Hello(hello));
        let response = client
            .report(from("runtime@default", requests))
            .await
            .unwrap();
        (up, response.into_inner())
    }
}

fn identify(mut request: Request<()>) -> Result<Request<()>, Status> {
    let name = request.metadata().get("caller").unwrap().to_str().unwrap();
    let (kind, tenant) = name.split_once('@').unwrap();
    let (tenant, rules) = tenant.split_once(' ').unwrap_or((tenant, "[{}]"));
    let scope = format!(r#"{{"rules":{rules}}}"#);
    let account = account(tenant);
    let runtime: Option<RuntimeId> = (kind == "runtime").then(|| "rt-one".parse().unwrap());
    let subject = match &runtime {
        Some(runtime) => Subject::Runtime {
            account: account.clone(),
            runtime: runtime.clone(),
        },
        None => Subject::User("ann".parse().unwrap()),
    };
    request.extensions_mut().insert(Arc::new(Caller {
        subject,
        account,
        runtime,
        scope: serde_json::from_str(&scope).unwrap(),
        request_id: None,
        issued_at: 0,
        jti: None,
        credential: None,
    }));
    Ok(request)
}

fn from<T>(caller: &'static str, message: T) -> Request<T> {
    let mut request = Request::new(message);
    request
        .metadata_mut()
        .insert("caller", caller.parse().unwrap());
    request
}

fn send(up: &mpsc::UnboundedSender<pb::ReportRequest>, message: pb::report_request::Message) {
    let message = Some(message);
    up.unbounded_send(pb::ReportRequest { message }).unwrap();
}

fn hello() -> pb::Hello {
    pb::Hello {
        instance: "0194b4a6-63f2-7d25-9a3c-5ad0f1d1a001".to_owned(),
        kind: "applications.argoproj.io".to_owned(),
        cluster: "in-cluster".to_owned(),
        version: "1.2.3".to_owned(),
        heartbeat_ms: 2_000,
        ..pb::Hello::default()
    }
}

fn signed(mut state: pb::ApplicationState) -> pb::report::Change {
    let digest = Digest::of(&state.encode_to_vec());
    state.root_digest = bytes::Bytes::copy_from_slice(digest.as_bytes());
    pb::report::Change::Application(state)
}

fn web(sequence: u64) -> pb::Report {
    let state = pb::ApplicationState {
        status: Some(pb::ApplicationStatus {
            resources: vec![pb::Resource {
                name: "web".to_owned(),
                live_digest: bytes::Bytes::copy_from_slice(Digest::of(b"{}").as_bytes()),
                ..pb::Resource::default()
            }],
            ..pb::ApplicationStatus::default()
        }),
        ..pb::ApplicationState::default()
    };
    pb::Report {
        sequence,
        namespace: "argocd".to_owned(),
        name: "web".to_owned(),
        uid: "u1".to_owned(),
        resource_version: 7,
        change: Some(signed(state)),
        ..pb::Report::default()
    }
}

/// As `web`, without manifests.
fn bare(sequence: u64) -> pb::Report {
    pb::Report {
        change: Some(signed(pb::ApplicationState::default())),
        ..web(sequence)
    }
}

async fn next(down: &mut Streaming<pb::ReportResponse>) -> pb::report_response::Message {
    let response = soon(down.message()).await.unwrap().unwrap();
    response.message.unwrap()
}

fn reason(status: &Status) -> Option<Reason> {
    Reason::from_code(&status.get_details_error_info()?.reason)
}

fn wanted(name: &str) -> pb::GetApplicationRequest {
    pb::GetApplicationRequest {
        runtime: "rt-one".to_owned(),
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
        cluster: String::new(),
        at: None,
    }
}

#[tokio::test]
async fn what_a_runtime_reports_its_users_see_and_others_do_not() {
    use pb::report_response::Message;
    let served = Served::start().await;
    let (up, mut down) = served.report().await;
    assert!(matches!(next(&mut down).await, Message::Welcome(welcome) if welcome.window == 256));
    assert!(matches!(next(&mut down).await, Message::Held(held) if held.last));
    send(&up, pb::report_request::Message::Report(web(1)));
    assert!(matches!(next(&mut down).await, Message::Wanted(wanted) if wanted.digests.len() == 1));
    let manifest = pb::Manifest {
        digest: bytes::Bytes::copy_from_slice(Digest::of(b"{}").as_bytes()),
        content: "{}".into(),
        ..pb::Manifest::default()
    };
    send(&up, pb::report_request::Message::Manifest(manifest));
    assert!(matches!(next(&mut down).await, Message::Acknowledged(done) if done.sequences == [1]));

    let mut client = served.applications();
    let got = client
        .get_application(from("user@default", wanted("web")))
        .await
        .unwrap();
    let application = got.into_inner().application.unwrap();
    assert_eq!(application.status.unwrap().resources.len(), 1);
    assert_eq!((&*application.uid, application.resource_version), ("u1", 7));
    let digest_hex = Digest::of(b"{}").to_string();
    let manifest = pb::GetManifestRequest {
        digest_hex,
        ..pb::GetManifestRequest::default()
    };
    let got = client
        .get_manifest(from("user@default", manifest.clone()))
        .await
        .unwrap();
    assert_eq!(&got.into_inner().content[..], b"{}");

    let list = pb::ListApplicationsRequest::default();
    let page = client
        .list_applications(from("user@default", list.clone()))
        .await
        .unwrap();
    assert_eq!(page.into_inner().applications.len(), 1);
    let page = client
        .list_applications(from("user@other", list))
        .await
        .unwrap();
    assert!(page.into_inner().applications.is_empty());
    let none = client
        .get_application(from("user@other", wanted("web")))
        .await
        .unwrap_err();
    assert_eq!(
        (none.code(), reason(&none)),
        (Code::NotFound, Some(Reason::ApplicationUnknown))
    );
    assert!(
        !none.message().contains("nearest"),
        "another account's names are not told"
    );
    let none = client
        .get_manifest(from("user@other", manifest))
        .await
        .unwrap_err();
    assert_eq!(none.code(), Code::NotFound);
}

#[tokio::test]
async fn an_unknown_application_is_answered_with_the_nearest_names() {
    let served = Served::start().await;
    let (up, mut down) = served.report().await;
    let report = bare(1);
    send(&up, pb::report_request::Message::Report(report));
    while !matches!(
        next(&mut down).await,
        pb::report_response::Message::Acknowledged(_)
    ) {}
    let mut client = served.applications();
    let none = client
        .get_application(from("user@default", wanted("wbe")))
        .await
        .unwrap_err();
    assert_eq!(reason(&none), Some(Reason::ApplicationUnknown));
    assert_eq!(
        none.message(),
        "there is no application wbe in namespace argocd of runtime rt-one; the nearest are rt-one/argocd/web"
    );
}

#[tokio::test]
async fn a_user_may_not_report_and_a_wrong_field_is_named() {
    let served = Served::start().await;
    let mut reports = ReportServiceClient::new(served.channel.clone());
    let refused = reports
        .report(from("user@default", futures::stream::empty()))
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied);
    let list = pb::ListApplicationsRequest {
        view: 99,
        ..pb::ListApplicationsRequest::default()
    };
    let mut client = served.applications();
    let wrong = client
        .list_applications(from("user@default", list))
        .await
        .unwrap_err();
    assert_eq!(
        (wrong.code(), reason(&wrong)),
        (Code::InvalidArgument, Some(Reason::FieldInvalid))
    );
    assert!(wrong.message().starts_with("view"));
}

#[tokio::test]
async fn a_watch_over_the_wire_follows_and_ends_in_order() {
    use pb::watch_applications_response::Event;
    let served = Served::start().await;
    let mut client = served.applications();
    let watch = from("user@default", pb::WatchApplicationsRequest::default());
    let mut steps = client.watch_applications(watch).await.unwrap().into_inner();
    let first = soon(steps.message()).await.unwrap().unwrap();
    let bookmark = pb::WatchBookmark {
        initial_state_sent: true,
    };
    assert_eq!(first.event, Some(Event::Bookmark(bookmark)));
    let (up, _down) = served.report().await;
    send(&up, pb::report_request::Message::Report(bare(1)));
    let next = soon(steps.message()).await.unwrap().unwrap();
    assert!(matches!(next.event, Some(Event::Updated(web)) if web.name == "web"));
    assert_ne!(next.cursor, first.cursor);
    served.inventory.stop().cancel();
    let end = soon(steps.message()).await.unwrap_err();
    assert_eq!(
        (end.code(), reason(&end)),
        (Code::Unavailable, Some(Reason::Draining))
    );
}
