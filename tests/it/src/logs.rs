//! Logs through all parts: the lines of one's own pods, beside readers who take nothing, until the credential is revoked.

mod eager;

use causeway_client::{Credential, Peer, reason};
use causeway_proto::{
    error::v1::Reason,
    platform::v1::{CreateApiKeyRequest, RevokeApiKeyRequest},
    proxy::v1::{
        StreamLogsRequest, StreamLogsResponse, log_service_client::LogServiceClient,
        stream_logs_response::Event,
    },
};
use causeway_sandbox::{Sandbox, SandboxOptions};
use causeway_testkit::{Mesh, new_id, wait_until};
use serde_json::json;
use tonic::{Code, Status, Streaming};

use crate::{
    tenants::account,
    world::{PATIENCE, application, create},
};

/// A running pod that belongs to the application `web`.
fn pod(sandbox: &Sandbox, name: &str) {
    let mark = format!("argocd_web:/Pod:default/{name}");
    let state = json!({"running": {"startedAt": "2026-01-01T00:00:00Z"}});
    let object = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"namespace": "default", "name": name,
            "annotations": {"argocd.argoproj.io/tracking-id": mark, "argocd.argoproj.io/hook": "PostSync"}},
        "spec": {"containers": [{"name": "main", "image": "nginx:1"}], "restartPolicy": "Always"},
        "status": {"phase": "Running", "containerStatuses": [
            {"name": "main", "image": "nginx:1", "ready": true, "restartCount": 0, "state": state}]},
    });
    sandbox.kube().write_raw("pods", object).unwrap();
}

fn write(sandbox: &Sandbox, name: &str, lines: &str, times: u64) {
    let of = ("default", name);
    sandbox.kube().write_log(of, "main", lines, times).unwrap();
}

fn of_pod(name: &str) -> StreamLogsRequest {
    StreamLogsRequest {
        runtime: "east".to_owned(),
        kind: "Pod".to_owned(),
        namespace: "default".to_owned(),
        name: name.to_owned(),
        ..StreamLogsRequest::default()
    }
}

async fn open(
    by: &Peer,
    request: StreamLogsRequest,
) -> Result<Streaming<StreamLogsResponse>, Status> {
    let stream = LogServiceClient::new(by.clone())
        .stream_logs(request)
        .await?;
    Ok(stream.into_inner())
}

/// Opens as soon as the runtime is there.
async fn reached(by: &Peer, request: &StreamLogsRequest) -> Streaming<StreamLogsResponse> {
    wait_until("the runtime is reached", PATIENCE, async || {
        let opened = open(by, request.clone()).await;
        opened.map_err(|status| status.to_string())
    })
    .await
}

async fn lines(stream: &mut Streaming<StreamLogsResponse>) -> Result<Option<String>, Status> {
    while let Some(response) = stream.message().await? {
        if let Some(Event::Lines(lines)) = response.event {
            return Ok(Some(lines));
        }
    }
    Ok(None)
}

#[tokio::test(flavor = "multi_thread")]
async fn each_tenant_reads_the_logs_of_its_own_pods() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let globex = account(&mesh, "globex").await;
    let options = SandboxOptions::in_memory();
    let theirs = mesh.join_by(&globex, "globex-east", "east", options).await;
    for (sandbox, text) in [(mesh.sandbox(), "ours\n"), (theirs.sandbox(), "theirs\n")] {
        create(sandbox, &application(sandbox, "web")).await;
        pod(sandbox, "both");
        write(sandbox, "both", text, 1);
    }
    pod(theirs.sandbox(), "theirs");
    for (by, text) in [(&mesh.user(), "ours\n"), (&globex, "theirs\n")] {
        let mut stream = reached(by, &of_pod("both")).await;
        assert_eq!(lines(&mut stream).await.unwrap().as_deref(), Some(text));
        assert_eq!(lines(&mut stream).await.unwrap(), None);
    }
    let mut told = Vec::new();
    for name in ["theirs", "never"] {
        let refused = open(&mesh.user(), of_pod(name)).await.unwrap_err();
        assert_eq!(reason(&refused), Some(Reason::ResourceUnknown), "{refused}");
        told.push(refused.message().replace(name, "NAME"));
    }
    assert_eq!(told[0], told[1]);
    theirs.stop().await;
    mesh.stop().await;
}

/// More than all that may wait between a pod and one reader: what `services/README.md` counts, and the sockets between.
const BOUND: u64 = 24 << 20;

/// Pods whose logs are more than all buffers between them and their readers.
async fn write_much(sandbox: &Sandbox, names: &[&str]) {
    create(sandbox, &application(sandbox, "web")).await;
    for name in names {
        pod(sandbox, name);
        let line = format!("{}\n", "x".repeat(1_023));
        write(sandbox, name, &line.repeat(64), 1 << 30);
    }
}

/// How much of a pod's log all its readers have taken from the cluster.
fn taken(sandbox: &Sandbox, pod: &str) -> u64 {
    sandbox.kube().log_bytes_taken("default", pod)
}

/// Whether so many readers who take nothing keep as little as they may.
fn is_little(sandbox: &Sandbox, readers: u64) -> Result<(), String> {
    let held = taken(sandbox, "loud");
    if held < readers * BOUND {
        Ok(())
    } else {
        Err(format!("{} MiB are held", held >> 20))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stalled_log_readers_block_no_others_and_use_little_memory() {
    const STUCK: u64 = 12;
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let sandbox = mesh.sandbox();
    write_much(sandbox, &["loud", "taken"]).await;
    pod(sandbox, "calm");
    write(sandbox, "calm", "line\n", 1);
    let mut stuck = vec![reached(&mesh.user(), &of_pod("loud")).await];
    for _ in 1..STUCK {
        stuck.push(open(&mesh.user(), of_pod("loud")).await.unwrap());
    }
    // One that is taken takes twice the bound from the cluster; each of the others has had as much time by then.
    let mut beside = open(&mesh.user(), of_pod("taken")).await.unwrap();
    let (mut read, wanted) = (0, usize::try_from(2 * BOUND).unwrap());
    while read < wanted {
        read += lines(&mut beside).await.unwrap().unwrap().len();
    }
    assert!(taken(sandbox, "taken") >= 2 * BOUND);
    is_little(sandbox, STUCK).unwrap();
    let mut calm = open(&mesh.user(), of_pod("calm")).await.unwrap();
    assert_eq!(lines(&mut calm).await.unwrap().as_deref(), Some("line\n"));
    drop((stuck, beside));
    mesh.stop().await;
}

/// Broken on purpose: one part on the way takes whatever comes, whether or not it is taken from it.
#[tokio::test(flavor = "multi_thread")]
async fn behind_a_part_that_reads_ahead_a_reader_who_takes_nothing_has_much_in_memory() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let sandbox = mesh.sandbox();
    write_much(sandbox, &["loud"]).await;
    let part = eager::Part::start(mesh.user()).await;
    let stuck = reached(&part.peer(), &of_pod("loud")).await;
    wait_until(
        "more than may wait for one",
        PATIENCE,
        async || match is_little(sandbox, 1) {
            Err(_) => Ok(()),
            Ok(()) => Err(format!("{} bytes are held", taken(sandbox, "loud"))),
        },
    )
    .await;
    drop((stuck, part));
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn logs_end_when_the_key_that_reads_them_is_revoked() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let sandbox = mesh.sandbox();
    create(sandbox, &application(sandbox, "web")).await;
    pod(sandbox, "calm");
    write(sandbox, "calm", "line\n", 1);
    let request = CreateApiKeyRequest {
        display_name: "reader".to_owned(),
        request_id: new_id(),
        ..CreateApiKeyRequest::default()
    };
    let made = mesh
        .api_keys()
        .create_api_key(request)
        .await
        .unwrap()
        .into_inner();
    let by = mesh.peer(&mesh.router, Credential::api_key(&made.secret));
    let mut followed = of_pod("calm");
    followed.follow = true;
    let mut stream = reached(&by, &followed).await;
    assert_eq!(lines(&mut stream).await.unwrap().as_deref(), Some("line\n"));
    let request = RevokeApiKeyRequest {
        key_id: made.api_key.unwrap_or_default().key_id,
        request_id: new_id(),
    };
    mesh.api_keys().revoke_api_key(request).await.unwrap();
    let end = lines(&mut stream).await.unwrap_err();
    assert!(
        matches!(end.code(), Code::Unauthenticated | Code::Unavailable),
        "{end}"
    );
    mesh.stop().await;
}
