//! Any RPC, as its descriptor says.

use causeway_client::Peer;
use causeway_proto::{access::v1::Kind as Kinds, method::Method};
use causeway_testkit::{BytesCodec, new_id};
use futures::stream;
use prost::Message as _;
use prost_reflect::DynamicMessage;
use serde_json::{Value, json};
use tonic::{Status, client::Grpc};

use super::{kind::Kind, world::Thing};

/// What a request of an RPC about a thing says.
fn body(method: &Method, kind: Kind, thing: &Thing) -> Value {
    let (group, word) = kind.group_and_kind();
    let now = "2026-01-01T00:00:00Z";
    let known = json!({
        "runtime": thing.runtime, "namespace": kind.namespace(), "name": thing.name,
        "group": group, "kind": word, "uid": thing.uid, "requestId": thing.request_id,
        // What some requests need beside the thing itself.
        "command": ["true"], "action": "restart", "container": "main", "image": "nginx:2",
        "targetRevision": "main", "source": "MANIFEST_SOURCE_LIVE", "historyId": "0",
        "digestHex": "0".repeat(64), "digestsHex": ["0".repeat(64)], "from": now, "to": now,
    });
    let mut body = json!({});
    for field in method.descriptor.input().fields() {
        let name = field.json_name();
        // `kind` of a refresh is another thing.
        let fits = field.kind().as_enum().is_none() || name == "source";
        if let (Some(value), true) = (known.get(name), fits) {
            body[name] = value.clone();
        }
    }
    if method.descriptor.name() == "DeleteApplication" {
        body["cascade"] = "DELETION_CASCADE_ORPHAN".into();
    }
    body
}

/// Calls an RPC about a thing.
pub(super) async fn call(
    by: &Peer,
    method: &Method,
    kind: Kind,
    thing: &Thing,
) -> Result<Vec<Value>, Status> {
    send(by, method, body(method, kind, thing)).await
}

/// Calls an RPC with a request in JSON, and reads its answers to their end or to where a watch waits for news.
pub(super) async fn send(
    by: &Peer,
    method: &Method,
    mut body: Value,
) -> Result<Vec<Value>, Status> {
    let input = method.descriptor.input();
    if method.kind == Kinds::Mutation && body.get("requestId").is_none() {
        body["requestId"] = new_id().into();
    }
    let message = DynamicMessage::deserialize(input, body).unwrap();
    let mut client = Grpc::new(by.clone());
    client.ready().await.unwrap();
    let requests = tonic::Request::new(stream::iter([message.encode_to_vec()]));
    let path = method.path.parse().unwrap();
    let answer = client.streaming(requests, path, BytesCodec).await?;
    let (mut answer, mut told) = (answer.into_inner(), Vec::new());
    while let Some(bytes) = answer.message().await? {
        let read = DynamicMessage::decode(method.descriptor.output(), bytes.as_slice());
        let read = serde_json::to_value(read.unwrap()).unwrap();
        let bookmark = read["bookmark"]["initialStateSent"] == true;
        told.push(read);
        // What a pod says goes on for as long as the pod.
        if bookmark || method.descriptor.name() == "StreamLogs" {
            break;
        }
    }
    Ok(told)
}
