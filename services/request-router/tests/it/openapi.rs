//! The contract as OpenAPI, held to what the public says OpenAPI is.

use std::{path::PathBuf, process::Command};

use crate::{
    caller::{get, request, send},
    stack::Stack,
};
use causeway_testkit::skip;
use http_body_util::Full;

/// A Python that has the validator: the one of `.ci/install`, or this machine's.
fn validator() -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let pythons = [root.join(".ci/tools/python/bin/python3"), "python3".into()];
    let found = pythons.into_iter().find(|python| {
        let mut command = Command::new(python);
        let asked = command
            .args(["-c", "import openapi_spec_validator"])
            .output();
        asked.is_ok_and(|asked| asked.status.success())
    });
    if found.is_none() {
        skip("openapi-spec-validator is not installed");
    }
    found
}

#[tokio::test]
async fn the_document_is_served_to_anyone_and_a_public_validator_finds_nothing_wrong() {
    let stack = Stack::platform().await;
    let nobody = http::Request::get("/openapi.json").header("host", "x");
    let answer = send(stack.router, nobody.body(Full::default()).unwrap()).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.headers["content-type"], "application/json");
    assert_eq!(answer.json()["openapi"], "3.1.0");
    let folder = tempfile::tempdir().unwrap();
    let yaml = get(stack.router, "/openapi.yaml").await;
    assert_eq!(yaml.headers["content-type"], "application/yaml");
    let Some(python) = validator() else {
        return;
    };
    for (name, text) in [("openapi.json", answer.body), ("openapi.yaml", yaml.body)] {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        let mut command = Command::new(&python);
        command.args(["-m", "openapi_spec_validator", "--schema", "3.1"]);
        let said = command.arg(&file).output().unwrap();
        assert!(said.status.success(), "{name}: {said:?}");
    }
    let mut broken = get(stack.router, "/openapi.json").await.json();
    broken["paths"]["/v1/applications"]["get"]["parameters"][0]["in"] = "nowhere".into();
    let file = folder.path().join("broken.json");
    std::fs::write(&file, broken.to_string()).unwrap();
    let mut command = Command::new(&python);
    command.args(["-m", "openapi_spec_validator", "--schema", "3.1"]);
    let said = command.arg(&file).output().unwrap();
    assert!(!said.status.success(), "what is broken is found");
}

#[tokio::test]
async fn who_has_the_document_gets_it_once() {
    let stack = Stack::platform().await;
    for path in ["/openapi.json", "/openapi.yaml"] {
        let first = get(stack.router, path).await;
        let tag = first.headers["etag"].clone();
        let again = request("GET", path).header("if-none-match", tag);
        let again = send(stack.router, again.body(Full::default()).unwrap()).await;
        assert_eq!((again.status.as_u16(), again.body.len()), (304, 0));
        let other = request("POST", path).body(Full::default()).unwrap();
        assert_eq!(send(stack.router, other).await.status, 405);
    }
    assert!(stack.peers.seen().is_empty());
}
