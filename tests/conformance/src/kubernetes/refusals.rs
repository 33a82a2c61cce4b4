//! Error responses: authentication, unknown objects and paths, throttling.

use http::Method;
use serde_json::{Value, json};

use crate::{
    kubernetes::widgets::{Widgets, widget},
    target::{Answer, World, config_map, text},
};

pub(crate) async fn a_wrong_token_is_unauthorized(world: &World) {
    let request = world
        .request(Method::GET, "/api/v1/namespaces")
        .token(Some("wrong"));
    let refused = request.send().await.refused(401, "Unauthorized");
    assert_eq!(refused["message"], "Unauthorized");
}

pub(crate) async fn anonymous_callers_read_health_and_no_objects(world: &World) {
    let path = world.path("v1", "configmaps");
    let refused = world
        .request(Method::GET, &format!("{path}/a"))
        .token(None)
        .send()
        .await;
    let refused = refused.refused(403, "Forbidden");
    assert!(
        text(&refused["message"]).contains("system:anonymous"),
        "{refused}"
    );
    world
        .request(Method::GET, "/apis")
        .token(None)
        .send()
        .await
        .refused(403, "Forbidden");
    for path in ["/healthz", "/livez", "/readyz"] {
        let answer = world.request(Method::GET, path).token(None).send().await;
        assert_eq!((answer.status, answer.text.as_str()), (200, "ok"), "{path}");
    }
    let version = world
        .request(Method::GET, "/version")
        .token(None)
        .send()
        .await
        .ok();
    assert_eq!(version["major"], "1");
}

pub(crate) async fn what_is_not_served_is_not_found(world: &World) {
    let absent = world
        .get(&world.path("v1", "things"))
        .await
        .refused(404, "NotFound");
    assert_eq!(
        absent["message"],
        "the server could not find the requested resource"
    );
    assert_eq!(absent["details"], json!({}));
    for path in ["/api/v9", "/apis/apps/v9"] {
        world.get(path).await.refused(404, "NotFound");
    }
    for path in [
        "/apis/absent.example.com",
        "/apis/absent.example.com/v1/things",
        "/absent",
    ] {
        let answer = world.get(path).await;
        assert_eq!(
            (answer.status, answer.text.as_str()),
            (404, "404 page not found\n"),
            "{path}"
        );
        assert!(content_type(&answer).starts_with("text/plain"), "{path}");
    }
}

pub(crate) async fn a_missing_object_is_named_with_its_group(world: &World) {
    let answer = world
        .get(&format!("{}/absent", world.path("apps/v1", "deployments")))
        .await;
    let refused = answer.refused(404, "NotFound");
    assert_eq!(refused["message"], "deployments.apps \"absent\" not found");
    assert_eq!(
        refused["details"],
        json!({ "name": "absent", "group": "apps", "kind": "deployments" })
    );
}

pub(crate) async fn a_method_that_is_not_for_the_path_is_named(world: &World) {
    let path = world.path("v1", "configmaps");
    world.create(&path, &config_map("a", json!({}))).await;
    let put = world.put(&path, &json!({})).await;
    let post = world.post(&format!("{path}/a"), &json!({})).await;
    for answer in [put, post] {
        let refused = answer.refused(405, "MethodNotAllowed");
        assert_eq!(
            refused["message"],
            "the server does not allow this method on the requested resource"
        );
        assert_eq!(refused["details"], json!({}));
    }
}

pub(crate) async fn a_form_that_cannot_be_written_is_not_acceptable(world: &World) {
    let path = world.path("v1", "configmaps");
    let answer = world
        .request(Method::GET, &path)
        .header("accept", "text/html")
        .send()
        .await;
    answer.refused(406, "NotAcceptable");
    let answer = world
        .request(Method::GET, &path)
        .header("accept", "application/*")
        .send()
        .await;
    answer.refused(406, "NotAcceptable");
    for accept in [
        "*/*",
        "text/html, application/json;q=0.5",
        "application/json",
    ] {
        let answer = world
            .request(Method::GET, &path)
            .header("accept", accept)
            .send()
            .await;
        assert_eq!(
            (answer.status, content_type(&answer).as_str()),
            (200, "application/json"),
            "{accept}"
        );
    }
}

pub(crate) async fn throttled_requests_get_a_retry_time(world: &World) {
    let answer = world.provoke_throttling().await;
    let after: u64 = answer.headers["retry-after"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!(after > 0);
    let refused = answer.refused(429, "TooManyRequests");
    assert_eq!(refused["details"]["retryAfterSeconds"], after);
}

pub(crate) async fn the_client_library_reads_the_refusals(world: &World) {
    let widgets = Widgets::install(world).await;
    world.create(&widgets.path, &widget(&widgets, "a")).await;
    let client = world.client().await;
    let request = |path: &str| http::Request::get(path).body(Vec::new()).unwrap();
    for (path, code, reason) in [
        (format!("{}/absent", widgets.path), 404, "NotFound"),
        (
            format!("{}?resourceVersion=x", widgets.path),
            400,
            "BadRequest",
        ),
    ] {
        let error = client.request::<Value>(request(&path)).await.unwrap_err();
        let kube::Error::Api(status) = error else {
            panic!("{error}")
        };
        assert_eq!(
            (status.code, status.reason.as_str()),
            (code, reason),
            "{path}"
        );
    }
}

fn content_type(answer: &Answer) -> String {
    text(&json!(answer.headers["content-type"].to_str().unwrap()))
}

pub(crate) async fn a_log_is_of_one_container_that_there_is(world: &World) {
    let pods = world.path("v1", "pods");
    let log = async |question: &str| {
        let path = format!("{pods}/two/log{question}");
        world.request(Method::GET, &path).send().await
    };
    let absent = log("").await.refused(404, "NotFound");
    assert_eq!(absent["message"], "pods \"two\" not found");
    let container = |name: &str| json!({ "name": name, "image": "registry.example.com/one" });
    let pod = json!({
        "metadata": { "name": "two" },
        "spec": {
            "automountServiceAccountToken": false,
            "containers": [container("one"), container("other")],
            "initContainers": [container("first")],
        },
    });
    let account = json!({ "metadata": { "name": "default" } });
    // Where no controller makes it, pods are refused for want of it.
    let accounts = world.path("v1", "serviceaccounts");
    let made = world.post(&accounts, &account).await;
    assert!(matches!(made.status, 201 | 409), "{}", made.text);
    world.create(&pods, &pod).await;
    let unnamed = log("").await.refused(400, "BadRequest");
    assert_eq!(
        unnamed["message"],
        "a container name must be specified for pod two, choose one of: [first one other]"
    );
    let unknown = log("?container=third").await.refused(400, "BadRequest");
    assert_eq!(
        unknown["message"],
        "container third is not valid for pod two"
    );
}
