//! A push of a provider becomes a refresh of exactly the applications concerned: through the platform and at the runtime itself.

use causeway_event_source::{Provider, sign};
use causeway_proto::webhook::v1::{self as pb, webhook_service_client::WebhookServiceClient};
use causeway_sandbox::SandboxOptions;
use causeway_testkit::{Mesh, Part, WEBHOOK_SECRET, new_id, wait_until};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use tonic::Code;

use crate::world::{PATIENCE, application, create};

/// A webhook as Gitea sends it.
struct Webhook {
    id: String,
    body: String,
    signature: String,
}

fn webhook(id: &str, body: &Value, secret: &str) -> Webhook {
    let body = body.to_string();
    let signed = sign(Provider::Gitea, secret.as_bytes(), ("", 0), body.as_bytes());
    let (_, signature) = signed.into_iter().next().unwrap();
    Webhook {
        id: id.to_owned(),
        body,
        signature,
    }
}

fn push(url: &str, after: &str) -> Value {
    json!({
        "ref": "refs/heads/main",
        "before": "0".repeat(40),
        "after": after,
        "repository": {"clone_url": url, "default_branch": "main"},
        "commits": [],
    })
}

/// Sends a webhook and returns the code of the answer, and its text.
async fn send(router: &Part, path: &str, webhook: &Webhook) -> (u16, String) {
    let url = router.url();
    let address = url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let Webhook {
        id,
        body,
        signature,
    } = webhook;
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: application/json\r\n\
         x-gitea-event: push\r\nx-gitea-delivery: {id}\r\nx-gitea-signature: {signature}\r\n\
         x-github-event: push\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, text) = answer.split_once("\r\n\r\n").unwrap_or_default();
    let code = head.split(' ').nth(1).unwrap().parse().unwrap();
    (code, text.to_owned())
}

/// Path of the route at the platform.
fn platform_path(mesh: &Mesh, route: &str) -> String {
    let identity = &mesh.runtime.identity;
    format!(
        "/webhooks/{}/{}/{route}",
        identity.account, identity.runtime_id
    )
}

/// Waits until a delivery is done and returns its result.
async fn result(mesh: &Mesh, id: &str) -> String {
    let client = WebhookServiceClient::new(mesh.user());
    wait_until("the webhook is done", PATIENCE, async || {
        let request = pb::ListWebhookDeliveriesRequest {
            runtime: "east".to_owned(),
            state: pb::DeliveryState::Done.into(),
            ..pb::ListWebhookDeliveriesRequest::default()
        };
        let listed = client.clone().list_webhook_deliveries(request).await;
        let listed = listed.map_err(|error| error.to_string())?.into_inner();
        let mut found = listed.deliveries.iter().filter(|it| it.delivery_id == id);
        let found = found.next().ok_or_else(|| format!("{listed:?}"))?;
        Ok::<_, String>(found.outcomes[0].detail.clone())
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signed_push_refreshes_its_applications_by_tunnel_and_at_the_runtime() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let sandbox = mesh.sandbox();
    let commit = sandbox
        .push("apps", &[("a/a.yaml", "")], "first")
        .await
        .unwrap();
    for name in ["a", "b"] {
        create(sandbox, &application(sandbox, name)).await;
    }
    let mut other = application(sandbox, "c");
    other["spec"]["source"]["repoURL"] = sandbox.git_url("other").into();
    create(sandbox, &other).await;
    let body = push(&sandbox.git_url("apps"), &commit);
    let by_tunnel = platform_path(&mesh, "gitea");

    // Until the part has seen the new applications.
    let mut attempt = 0;
    let refreshed = loop {
        attempt += 1;
        let id = format!("by-tunnel-{attempt}");
        let sent = send(
            &mesh.router,
            &by_tunnel,
            &webhook(&id, &body, WEBHOOK_SECRET),
        )
        .await;
        assert_eq!(sent, (200, "received\n".to_owned()));
        let result = result(&mesh, &id).await;
        if result.contains("argocd/b") || attempt == 50 {
            break result;
        }
    };
    assert_eq!(refreshed, "refreshed argocd/a, argocd/b");

    let direct = webhook("direct", &body, WEBHOOK_SECRET);
    let router = &mesh.runtime.router;
    for _ in 0..3 {
        let sent = send(router, "/webhooks/gitea", &direct).await;
        assert_eq!(sent.0, 200);
    }
    assert_eq!(
        result(&mesh, "direct").await,
        "refreshed argocd/a, argocd/b"
    );
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_that_is_not_signed_by_the_secret_is_refused_on_both_ways_without_a_reason() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let body = push("https://git.example.com/a/b", &"a".repeat(40));
    let forged = webhook("1", &body, "another secret");
    let right = webhook("1", &body, WEBHOOK_SECRET);
    let refused = (401, String::new());
    let platform = |route| platform_path(&mesh, route);
    let at_platform = async |path: &str, webhook| send(&mesh.router, path, webhook).await;
    let at_runtime = async |path: &str, webhook| send(&mesh.runtime.router, path, webhook).await;
    assert_eq!(at_platform(&platform("gitea"), &forged).await, refused);
    assert_eq!(at_runtime("/webhooks/gitea", &forged).await, refused);
    // A route that is not there is as one whose secret is another.
    assert_eq!(at_platform(&platform("other"), &right).await, refused);
    assert_eq!(at_runtime("/webhooks/other", &right).await, refused);
    assert_eq!(at_runtime("/webhooks/a/b", &right).await, refused);
    let nowhere = "/webhooks/acme/00000000-0000-4000-8000-000000000000/gitea";
    assert_eq!(
        at_platform(nowhere, &right).await.0,
        503,
        "a runtime without a tunnel"
    );
    let client = WebhookServiceClient::new(mesh.user());
    let request = pb::ListWebhookDeliveriesRequest {
        runtime: "east".to_owned(),
        ..pb::ListWebhookDeliveriesRequest::default()
    };
    let listed = client.clone().list_webhook_deliveries(request).await;
    assert_eq!(listed.unwrap().into_inner().deliveries, []);
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sample_is_sent_listed_shown_and_replayed() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let mut client = WebhookServiceClient::new(mesh.user());
    let runtime = || "east".to_owned();
    let request = pb::ListWebhookRoutesRequest { runtime: runtime() };
    let routes = client.list_webhook_routes(request).await.unwrap();
    let routes = routes.into_inner().routes;
    assert_eq!(routes[0].platform_path, platform_path(&mesh, "gitea"));
    let request = pb::TestWebhookRouteRequest {
        runtime: runtime(),
        route: "gitea".to_owned(),
        request_id: new_id(),
    };
    let sent = client.test_webhook_route(request.clone()).await.unwrap();
    let number = sent.into_inner().delivery.unwrap().number;
    assert_eq!(
        result(&mesh, &request.request_id).await,
        "it changes no reference"
    );
    let request = pb::GetWebhookDeliveryRequest {
        runtime: runtime(),
        number: number.to_string(),
    };
    let shown = client
        .get_webhook_delivery(request)
        .await
        .unwrap()
        .into_inner();
    assert_eq!(shown.delivery.unwrap().event, "ping");
    let replay = |number: u64| pb::ReplayWebhookDeliveryRequest {
        runtime: runtime(),
        number: number.to_string(),
        request_id: new_id(),
    };
    client
        .replay_webhook_delivery(replay(number))
        .await
        .unwrap();
    let unknown = client.replay_webhook_delivery(replay(1000)).await;
    assert_eq!(unknown.unwrap_err().code(), Code::NotFound);
    mesh.stop().await;
}
