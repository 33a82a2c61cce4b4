//! An assertion that somebody caught, shown again or elsewhere.

use causeway_client::{Credential, Peer};
use causeway_proto::proxy::v1::{
    self as proxy, application_action_service_client::ApplicationActionServiceClient,
};
use causeway_sandbox::SandboxOptions;
use causeway_testkit::{Mesh, Part, wait_until};
use prost::Message;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use tonic::{Code, Status, codec::CompressionEncoding};

use crate::{
    action::order,
    isolation::assertion,
    world::{PATIENCE, application, applications, create, until_told},
};

const SYNC: &str = "/causeway.proxy.v1.ApplicationActionService/SyncApplication";
const SETTINGS: &str =
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  color: blue\n";
const SYNC_BY_HTTP: &str = "/v1/runtimes/east/applications/argocd/a:sync";

type Order = proxy::SyncApplicationRequest;
type Change = fn(&mut Order);

fn client(mesh: &Mesh, part: &Part, bearer: &str) -> ApplicationActionServiceClient<Peer> {
    ApplicationActionServiceClient::new(mesh.peer(part, Credential::api_key(bearer)))
}

async fn sync(mesh: &Mesh, part: &Part, bearer: &str, order: &Order) -> Result<(), Status> {
    let mut client = client(mesh, part, bearer);
    client.sync_application(order.clone()).await.map(drop)
}

#[track_caller]
fn refused<T>(what: &str, answer: Result<T, Status>) {
    let status = answer
        .err()
        .unwrap_or_else(|| panic!("{what}: it was let in"));
    let expected = matches!(
        status.code(),
        Code::Unauthenticated
            | Code::PermissionDenied
            | Code::InvalidArgument
            | Code::Unimplemented
    );
    assert!(expected, "{what}: {status}");
}

/// A message behind gRPC's five bytes.
fn framed(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).unwrap();
    [&[0], &length.to_be_bytes()[..], message].concat()
}

/// The head and the body of an answer over HTTP/1.1.
async fn post(part: &Part, path: &str, kind: &str, bearer: &str, body: &[u8]) -> String {
    let url = part.url();
    let address = url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: {kind}\r\nauthorization: Bearer {bearer}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

/// Unauthenticated, in whichever way the rendering says it, or not spoken by the part at all.
#[track_caller]
fn refused_by_http(what: &str, answer: &str) {
    let told = answer.starts_with("HTTP/1.1 401")
        || answer.starts_with("HTTP/1.1 501")
        || answer.contains("grpc-status: 16")
        || answer.contains("grpc-status:16");
    assert!(told, "{what}: {answer}");
}

fn as_json(order: &Order) -> Vec<u8> {
    format!(r#"{{"requestId":"{}"}}"#, order.request_id).into_bytes()
}

async fn renderings(mesh: &Mesh, part: &Part, bearer: &str, order: &Order) {
    let message = order.encode_to_vec();
    let json = as_json(order);
    let answer = post(part, SYNC_BY_HTTP, "application/json", bearer, &json).await;
    refused_by_http("as JSON", &answer);
    let framed = framed(&message);
    let answer = post(part, SYNC, "application/grpc-web+proto", bearer, &framed).await;
    refused_by_http("as gRPC-Web", &answer);
    let gzipped = client(mesh, part, bearer).send_compressed(CompressionEncoding::Gzip);
    refused(
        "compressed",
        { gzipped }.sync_application(order.clone()).await,
    );
    refused("as it was", sync(mesh, part, bearer, order).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn s_05_a_caught_assertion_opens_nothing_again_or_elsewhere() {
    let mut mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let west = mesh.join("west", SandboxOptions::in_memory()).await;
    for name in ["a", "b"] {
        create(mesh.sandbox(), &application(mesh.sandbox(), name)).await;
    }
    until_told(&mesh).await;
    let order = order("a");
    let caught = assertion(&mesh, &order).await;
    let proxy = &mesh.runtime.app_proxy;

    refused(
        "at another runtime",
        sync(&mesh, &west.app_proxy, &caught, &order).await,
    );
    refused(
        "at another runtime's router",
        sync(&mesh, &west.router, &caught, &order).await,
    );
    let changes: [(&str, Change); 5] = [
        ("another application", |order| order.name = "b".to_owned()),
        ("another namespace", |order| {
            order.namespace = "kube-system".to_owned()
        }),
        ("another request id", |order| {
            order.request_id = causeway_testkit::new_id()
        }),
        ("with pruning", |order| order.prune = true),
        ("nothing in it", |order| *order = Order::default()),
    ];
    for (what, change) in changes {
        let mut changed = order.clone();
        change(&mut changed);
        refused(what, sync(&mesh, proxy, &caught, &changed).await);
        refused(
            what,
            sync(&mesh, &mesh.runtime.router, &caught, &changed).await,
        );
    }
    let refresh = proxy::RefreshApplicationRequest {
        runtime: "east".to_owned(),
        namespace: "argocd".to_owned(),
        name: "a".to_owned(),
        request_id: order.request_id.clone(),
        ..Default::default()
    };
    refused(
        "another method",
        client(&mesh, proxy, &caught)
            .refresh_application(refresh)
            .await,
    );
    refused(
        "at the source server",
        sync(&mesh, &mesh.runtime.source_server, &caught, &order).await,
    );
    refused(
        "at the inventory",
        sync(&mesh, &mesh.inventory, &caught, &order).await,
    );
    refused(
        "at the platform",
        sync(&mesh, &mesh.platform, &caught, &order).await,
    );

    // It is spent on what it was made for, whether or not Argo CD can do that.
    let spent = sync(&mesh, proxy, &caught, &order).await;
    let code = spent.map_or_else(|status| status.code(), |()| Code::Ok);
    assert!(
        matches!(code, Code::Ok | Code::FailedPrecondition),
        "{code}"
    );
    renderings(&mesh, &mesh.router, &caught, &order).await;
    renderings(&mesh, proxy, &caught, &order).await;
    renderings(&mesh, &mesh.runtime.router, &caught, &order).await;

    after_a_restart(&mut mesh, &caught, &order).await;
    west.stop().await;
    mesh.stop().await;
}

async fn until_ended(mesh: &Mesh, request_id: &str) {
    wait_until("the operation ends", PATIENCE, async || {
        let object = applications(mesh.sandbox()).get("once").await.unwrap();
        let object = serde_json::to_value(object).unwrap();
        let state = &object["status"]["operationState"];
        let ours = state["operation"]["info"].to_string().contains(request_id);
        if ours && state["phase"] == "Succeeded" {
            Ok(())
        } else {
            Err(format!("{state:#}"))
        }
    })
    .await;
}

async fn syncs(mesh: &Mesh) -> usize {
    let object = applications(mesh.sandbox()).get("once").await.unwrap();
    let object = serde_json::to_value(object).unwrap();
    assert!(object.get("operation").is_none(), "{object:#}");
    object["status"]["history"].as_array().map_or(0, Vec::len)
}

#[tokio::test(flavor = "multi_thread")]
async fn s_05_a_caught_mutation_has_no_second_effect_on_the_second_replica() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let (sandbox, first) = (mesh.sandbox(), &mesh.runtime.app_proxy);
    let pushed = sandbox.push("apps", &[("once/settings.yaml", SETTINGS)], "Add settings");
    pushed.await.unwrap();
    create(sandbox, &application(sandbox, "once")).await;
    let mut second = mesh.runtime.second_app_proxy().await;
    let order = order("once");
    let caught = assertion(&mesh, &order).await;
    sync(&mesh, first, &caught, &order).await.unwrap();
    until_ended(&mesh, &order.request_id).await;
    // The second replica does not know the assertion; what the object remembers makes it the first outcome, without an effect.
    let mut by_thief = client(&mesh, &second, &caught);
    let again = by_thief.sync_application(order.clone()).await.unwrap();
    assert!(again.get_ref().repeated_request, "{again:?}");
    assert_eq!(syncs(&mesh).await, 1);
    refused("once more", sync(&mesh, &second, &caught, &order).await);
    renderings(&mesh, &second, &caught, &order).await;

    // Where another operation came between, the object does not remember it any more.
    let (overtaken, later) = (crate::action::order("once"), crate::action::order("once"));
    let caught = assertion(&mesh, &overtaken).await;
    sync(&mesh, first, &caught, &overtaken).await.unwrap();
    until_ended(&mesh, &overtaken.request_id).await;
    next_second().await;
    let own = assertion(&mesh, &later).await;
    sync(&mesh, first, &own, &later).await.unwrap();
    until_ended(&mesh, &later.request_id).await;
    let told = sync(&mesh, &second, &caught, &overtaken).await.unwrap_err();
    assert_eq!(told.code(), Code::Aborted, "{told}");
    assert_eq!(syncs(&mesh).await, 3);
    second.stop().await;
    mesh.stop().await;
}

async fn next_second() {
    let second = causeway_assertion::now() + 1;
    wait_until("the next second", PATIENCE, async || {
        let now = causeway_assertion::now();
        (now > second).then_some(()).ok_or(now.to_string())
    })
    .await;
}

async fn after_a_restart(mesh: &mut Mesh, caught: &str, order: &Order) {
    // The part does not know any more what it saw; what is from before is not spent.
    mesh.runtime.app_proxy.kill();
    next_second().await;
    mesh.runtime.app_proxy.start_again().await;
    let proxy = &mesh.runtime.app_proxy;
    refused("after a restart", sync(mesh, proxy, caught, order).await);
    renderings(mesh, proxy, caught, order).await;
}
