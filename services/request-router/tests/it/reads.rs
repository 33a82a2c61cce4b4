//! Reads over HTTP: tags, fields that are wanted, and the path that every RPC has.

use causeway_proto::inventory::v1 as inventory;
use http_body_util::Full;
use prost::Message as _;
use serde_json::json;

use crate::{
    caller::{Answer, get, post, request, send},
    stack::Stack,
};

const LIST: &str = "/v1/applications";

async fn with(stack: &Stack, verb: &str, path: &str, header: (&str, &str)) -> Answer {
    let request = request(verb, path).header(header.0, header.1);
    send(stack.router, request.body(Full::default()).unwrap()).await
}

fn tag(answer: &Answer) -> String {
    answer.headers["etag"].to_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_read_that_holds_what_is_there_gets_no_body() {
    let stack = Stack::platform().await;
    let first = get(stack.router, LIST).await;
    assert_eq!(first.headers["cache-control"], "private, no-cache");
    assert!(
        first.headers["vary"]
            .to_str()
            .unwrap()
            .contains("authorization")
    );
    let held = tag(&first);
    let strong = held.trim_start_matches("W/").to_owned();
    for sent in [
        held.clone(),
        strong,
        format!("\"other\", {held}"),
        "*".to_owned(),
    ] {
        for verb in ["GET", "HEAD"] {
            let again = with(&stack, verb, LIST, ("if-none-match", &sent)).await;
            assert_eq!(again.status, 304, "{verb} {sent}");
            assert!(again.body.is_empty());
            assert_eq!(tag(&again), held);
            assert_eq!(again.headers["cache-control"], "private, no-cache");
        }
    }
    let other = with(&stack, "GET", LIST, ("if-none-match", "W/\"other\"")).await;
    assert_eq!((other.status.as_u16(), other.body), (200, first.body));
    let changed = get(stack.router, "/v1/applications?pageToken=next").await;
    assert_ne!(tag(&changed), held, "another answer has another tag");
}

#[tokio::test]
async fn what_is_secret_or_changes_something_or_fails_has_no_tag() {
    let stack = Stack::platform().await;
    let missing = "/v1/runtimes/prod/applications/argocd/missing";
    let any = ("if-none-match", "*");
    let answer = with(&stack, "GET", missing, any).await;
    assert_eq!(
        (answer.status.as_u16(), answer.headers.get("etag")),
        (404, None)
    );
    let plain = "/causeway.inventory.v1.ApplicationService/ListApplications";
    let request = request("POST", plain).header(any.0, any.1);
    let answer = send(stack.router, request.body(Full::from("{}")).unwrap()).await;
    assert_eq!(
        (answer.status.as_u16(), answer.headers.get("etag")),
        (200, None)
    );
    assert_eq!(answer.headers["cache-control"], "no-store");
}

#[tokio::test]
async fn only_the_fields_that_are_wanted_come() {
    let stack = Stack::platform().await;
    let expected = json!({"applications": [{"name": "guestbook"}, {"name": "web"}]});
    for key in ["fields", "$fields", "%24fields"] {
        let path = format!("{LIST}?{key}=applications.name&pageToken=next");
        assert_eq!(get(stack.router, &path).await.json(), expected);
    }
    let twice = format!("{LIST}?fields=applications.name&fields=nextPageToken&pageToken=next");
    assert_eq!(
        get(stack.router, &twice).await.json()["nextPageToken"],
        "next"
    );
    // This RPC has a field of that name itself.
    let facets = "/v1/applications:facets?fields=APPLICATION_FIELD_PROJECT&$fields=*";
    let answer = get(stack.router, facets).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let seen = stack.peers.last_seen().message;
    let seen = inventory::ListApplicationFacetsRequest::decode(seen.as_slice()).unwrap();
    assert_eq!(seen.fields.len(), 1);
}

#[tokio::test]
async fn fields_that_the_answer_lacks_and_those_of_a_change_reach_nobody() {
    let stack = Stack::platform().await;
    let answer = get(stack.router, "/v1/applications?fields=applications.nme").await;
    assert_eq!(answer.status, 400);
    assert_eq!(
        answer.message(),
        "'fields' names 'nme', which the answer lacks; did you mean 'name', 'namespace'?"
    );
    assert_eq!(
        answer.json()["details"][1]["fieldViolations"][0]["field"],
        "fields"
    );
    let sync = "/v1/runtimes/prod/applications/argocd/web:sync?fields=requestId";
    assert_eq!(post(stack.router, sync, "{}").await.status, 400);
    assert!(stack.peers.seen().is_empty());
}

#[tokio::test]
async fn every_rpc_has_a_path_for_json_whether_or_not_the_contract_gives_it_another() {
    let stack = Stack::platform().await;
    let path = "/causeway.inventory.v1.ApplicationService/ListApplications";
    let answer = post(
        stack.router,
        path,
        r#"{"pageToken": "next", "pageSize": 2}"#,
    )
    .await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.json()["nextPageToken"], "next");
    let answer = get(stack.router, path).await;
    assert_eq!(answer.status, 405);
    assert_eq!(answer.headers["allow"], "POST, OPTIONS");
    let report = "/causeway.inventory.v1.ReportService/Report";
    assert_eq!(post(stack.router, report, "{}").await.status, 404);
}

#[tokio::test]
async fn a_header_that_counts_once_is_refused_twice() {
    let stack = Stack::platform().await;
    for (name, values) in [
        ("causeway-timeout", ["1s", "2s"]),
        ("grpc-timeout", ["1S", "2S"]),
    ] {
        let request = request("GET", LIST);
        let request = values
            .iter()
            .fold(request, |request, value| request.header(name, *value));
        let answer = send(stack.router, request.body(Full::default()).unwrap()).await;
        assert_eq!(answer.status, 400, "{name}");
        assert!(answer.message().contains("more than once"), "{answer:?}");
    }
    assert!(stack.peers.seen().is_empty());
}
