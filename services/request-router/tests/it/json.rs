//! Calls over HTTP with JSON.

use causeway_proto::inventory::v1 as inventory;
use http_body_util::Full;
use prost::Message as _;
use serde_json::json;

use crate::{
    caller::{get, post, request, send},
    stack::Stack,
};

#[tokio::test]
async fn a_list_is_json_and_the_query_arrives() {
    let stack = Stack::platform().await;
    let answer = get(
        stack.router,
        "/v1/applications?pageToken=next&filter.runtime=prod&pageSize=2",
    )
    .await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.headers["content-type"], "application/json");
    let json = answer.json();
    assert_eq!(json["nextPageToken"], "next");
    assert_eq!(json["applications"][0]["name"], "guestbook");
    assert_eq!(
        json["applications"][0]["resourceVersion"],
        "9007199254740993"
    );
    let seen = stack.peers.last_seen();
    let request = inventory::ListApplicationsRequest::decode(seen.message.as_slice()).unwrap();
    assert_eq!(request.page_size, 2);
    assert_eq!(request.filter.unwrap().runtime, "prod");
    assert_eq!(
        seen.header("authorization"),
        Some("Bearer signed.for.ListApplications")
    );
}

#[tokio::test]
async fn the_path_arrives_decoded() {
    let stack = Stack::platform().await;
    let answer = get(
        stack.router,
        "/v1/runtimes/prod/applications/argocd/a%20b?cluster=c",
    )
    .await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json()["application"]["name"], "a b");
    let seen = stack.peers.last_seen();
    let request = inventory::GetApplicationRequest::decode(seen.message.as_slice()).unwrap();
    assert_eq!(
        (request.runtime.as_str(), request.cluster.as_str()),
        ("prod", "c")
    );
}

#[tokio::test]
async fn an_error_of_a_part_keeps_its_details() {
    let stack = Stack::platform().await;
    let answer = get(
        stack.router,
        "/v1/runtimes/prod/applications/argocd/missing",
    )
    .await;
    assert_eq!(answer.status, 404);
    let expected = json!({
        "code": 5,
        "message": "there is no such application",
        "details": [{
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": "APPLICATION_UNKNOWN",
            "domain": "causeway",
        }],
    });
    assert_eq!(answer.json(), expected);
}

#[tokio::test]
async fn wrong_requests_are_told_what_is_wrong() {
    let stack = Stack::platform().await;
    let sync = "/v1/runtimes/prod/applications/argocd/web:sync";
    let cases = [
        (
            get(stack.router, "/v1/aplications").await,
            404,
            "nothing is at /v1/aplications; did you mean /v1/applications?",
        ),
        (
            get(stack.router, "/v1/applications?pagesize=1").await,
            400,
            "the query of this call has no 'pagesize'; did you mean",
        ),
        (
            get(stack.router, "/v1/runtimes/a%2fb").await,
            400,
            "segment 3 of the path holds",
        ),
        (
            get(stack.router, "/v1/runtimes/../applications").await,
            400,
            "segment 3 of the path is '.' or '..'",
        ),
        (
            post(stack.router, "/v1/applications", "{}").await,
            405,
            "POST is not for this path; use GET, HEAD, OPTIONS",
        ),
        (
            post(stack.router, sync, "{\"prun\": true}").await,
            400,
            "the body of this call has no 'prun'; did you mean 'prune'",
        ),
        (
            post(stack.router, sync, "{\n  \"prune\" true}").await,
            400,
            "the body is not JSON: expected `:` at line 2, column 11",
        ),
        (
            post(stack.router, sync, "{\"runtime\": \"other\"}").await,
            400,
            "'runtime' differs from the path",
        ),
    ];
    for (answer, status, message) in cases {
        assert_eq!(answer.status, status, "{answer:?}");
        assert!(
            answer.message().starts_with(message),
            "{}",
            answer.message()
        );
    }
    assert!(stack.peers.seen().is_empty(), "nothing wrong went on");
}

#[tokio::test]
async fn a_field_that_is_wrong_is_named_in_the_details() {
    let stack = Stack::platform().await;
    let answer = get(stack.router, "/v1/applications?filter.sync=SYNCED").await;
    assert_eq!(
        (answer.status.as_u16(), answer.reason().as_str()),
        (400, "FIELD_INVALID")
    );
    let violation = &answer.json()["details"][1]["fieldViolations"][0];
    assert_eq!(violation["field"], "filter.sync");
}

#[tokio::test]
async fn too_large_a_body_is_refused_whether_or_not_its_length_is_known() {
    let stack = Stack::platform().await;
    let path = "/v1/runtimes/prod/applications/argocd/web:sync";
    let large = format!("{{\"revision\": \"{}\"}}", "x".repeat(4 << 20));
    let answer = post(stack.router, path, &large).await;
    assert_eq!(
        (answer.status.as_u16(), answer.reason().as_str()),
        (413, "TOO_LARGE")
    );
    let unknown = request("POST", path).header("transfer-encoding", "chunked");
    let answer = send(stack.router, unknown.body(Full::from(large)).unwrap()).await;
    assert_eq!(answer.status, 413);
}

#[tokio::test]
async fn another_kind_of_body_and_a_lost_credential_are_told() {
    let stack = Stack::platform().await;
    let path = "/v1/runtimes/prod/applications/argocd/web:sync";
    let form = request("POST", path).header("content-type", "application/x-www-form-urlencoded");
    let answer = send(stack.router, form.body(Full::from("prune=true")).unwrap()).await;
    assert_eq!(answer.status, 415);
    let gzip = request("POST", path).header("content-encoding", "gzip");
    let answer = send(stack.router, gzip.body(Full::from("x")).unwrap()).await;
    assert_eq!(answer.status, 415);
    let nobody = http::Request::get("/v1/applications").header("host", "x");
    let answer = send(stack.router, nobody.body(Full::default()).unwrap()).await;
    assert_eq!(
        (answer.status.as_u16(), answer.reason().as_str()),
        (401, "CREDENTIAL_MISSING")
    );
    assert_eq!(
        answer.headers["www-authenticate"],
        "Bearer realm=\"causeway\""
    );
    let two = request("GET", "/v1/applications").header("authorization", "Bearer cwk_other");
    let answer = send(stack.router, two.body(Full::default()).unwrap()).await;
    assert_eq!(
        (answer.status.as_u16(), answer.reason().as_str()),
        (401, "CREDENTIAL_INVALID")
    );
}

#[tokio::test]
async fn the_plain_verbs_and_paths_answer() {
    let stack = Stack::platform().await;
    let answer = get(stack.router, "/").await;
    assert_eq!(
        (answer.status.as_u16(), answer.json()["part"].as_str()),
        (200, Some("request-router"))
    );
    let answer = get(stack.router, "/healthz").await;
    assert_eq!(
        (answer.status.as_u16(), answer.json()["status"].as_str()),
        (200, Some("ok"))
    );
    let options = request("OPTIONS", "/v1/apiKeys")
        .body(Full::default())
        .unwrap();
    let answer = send(stack.router, options).await;
    assert_eq!(answer.status, 204);
    assert_eq!(answer.headers["allow"], "POST, GET, HEAD, OPTIONS");
    let head = request("HEAD", "/v1/applications")
        .body(Full::default())
        .unwrap();
    let answer = send(stack.router, head).await;
    assert_eq!((answer.status.as_u16(), answer.body.len()), (200, 0));
}

#[tokio::test]
async fn a_deadline_ends_the_call_and_goes_on_to_the_part() {
    let stack = Stack::platform().await;
    let path = "/v1/runtimes/prod/applications/argocd/never";
    let request = request("GET", path).header("causeway-timeout", "300ms");
    let answer = send(stack.router, request.body(Full::default()).unwrap()).await;
    assert_eq!(
        (answer.status.as_u16(), answer.json()["code"].as_i64()),
        (504, Some(4))
    );
    let seen = stack.peers.last_seen();
    let timeout = seen
        .header("grpc-timeout")
        .unwrap()
        .strip_suffix('m')
        .unwrap();
    assert!(timeout.parse::<u32>().unwrap() <= 300, "{timeout}");
}

#[tokio::test]
async fn a_large_answer_is_written_whole() {
    let stack = Stack::platform().await;
    let answer = get(stack.router, "/v1/manifests/00").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json()["content"].as_str().unwrap().len(), 4 << 20);
}

#[tokio::test]
async fn too_large_headers_are_refused() {
    let stack = Stack::platform().await;
    let request = request("GET", "/v1/applications").header("x-large", "x".repeat(33 << 10));
    let answer = send(stack.router, request.body(Full::default()).unwrap()).await;
    assert_eq!(
        (answer.status.as_u16(), answer.reason().as_str()),
        (431, "TOO_LARGE")
    );
}
