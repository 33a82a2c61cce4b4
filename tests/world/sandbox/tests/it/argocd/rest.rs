//! The REST API, over its socket.

use reqwest::{Client, Method, StatusCode};

use super::*;

struct Rest<'a> {
    sandbox: &'a Sandbox,
    client: Client,
}

impl<'a> Rest<'a> {
    fn new(sandbox: &'a Sandbox) -> Self {
        Self {
            sandbox,
            client: Client::new(),
        }
    }

    async fn call(&self, method: Method, path: &str, body: Option<Value>) -> (StatusCode, Value) {
        let url = format!("{}/api/v1/{path}", self.sandbox.argocd_url());
        let request = self
            .client
            .request(method, url)
            .bearer_auth(self.sandbox.argocd_token())
            .header("content-type", "application/json");
        let request = body
            .into_iter()
            .fold(request, |request, body| request.json(&body));
        let response = request.send().await.unwrap();
        (response.status(), response.json().await.unwrap())
    }

    async fn get(&self, path: &str) -> Value {
        let (status, answer) = self.call(Method::GET, path, None).await;
        assert_eq!(status, StatusCode::OK, "{path}: {answer}");
        answer
    }

    async fn refused(&self, method: Method, path: &str, body: Option<Value>) -> (u16, i64, String) {
        let (status, answer) = self.call(method, path, body).await;
        assert_eq!(answer["error"], answer["message"]);
        let message = answer["message"].as_str().unwrap().to_owned();
        (status.as_u16(), answer["code"].as_i64().unwrap(), message)
    }
}

/// One ConfigMap, two commits, synced by hand at the first of them.
async fn web(sandbox: &Sandbox) -> [String; 2] {
    let first = sandbox
        .push("apps", &[("web/a.yaml", &config_map("a", "1"))], "first")
        .await
        .unwrap();
    create(sandbox, "web", json!({})).await;
    until(sandbox, "web", |state| is(state, "OutOfSync", "Missing")).await;
    let rest = Rest::new(sandbox);
    let (status, answer) = rest
        .call(Method::POST, "applications/web/sync", Some(json!({})))
        .await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    until(sandbox, "web", settled_at(&first)).await;
    let second = sandbox
        .push("apps", &[("web/a.yaml", &config_map("a", "2"))], "second")
        .await
        .unwrap();
    until(sandbox, "web", |state| {
        text(state, "/status/sync/revision") == second
    })
    .await;
    [first, second]
}

#[tokio::test]
async fn without_a_token_only_version_and_user_info_answer() {
    let sandbox = demo().await;
    let get = async |path: &str, token: &str| {
        let request = Client::new().get(format!("{}/api{path}", sandbox.argocd_url()));
        let response = request.bearer_auth(token).send().await.unwrap();
        (
            response.status().as_u16(),
            response.json::<Value>().await.unwrap(),
        )
    };
    let (status, answer) = get("/v1/applications", "wrong").await;
    assert_eq!((status, &answer["code"]), (401, &json!(16)));
    assert_eq!(get("/v1/session/userinfo", "wrong").await, (200, json!({})));
    assert_eq!(get("/version", "").await.0, 200);
    let (_, answer) = get("/v1/session/userinfo", sandbox.argocd_token()).await;
    assert_eq!(
        (&answer["loggedIn"], &answer["username"]),
        (&json!(true), &json!("admin"))
    );
}

#[tokio::test]
async fn applications_are_listed_got_refreshed_and_denied_when_unknown() {
    let sandbox = demo().await;
    let rest = Rest::new(&sandbox);
    until(&sandbox, "platform-apps", settled).await;
    let listed = rest.get("applications?projects=default").await;
    assert_eq!(listed["items"].as_array().unwrap().len(), 5);
    assert_eq!(
        rest.get("applications?projects=other").await["items"],
        Value::Null
    );
    let refreshed = rest
        .get("applications/guestbook?refresh=hard&appNamespace=argocd")
        .await;
    assert!(
        refreshed["metadata"]["annotations"]
            .get("argocd.argoproj.io/refresh")
            .is_none()
    );
    for path in [
        "applications/nope",
        "applications/guestbook?appNamespace=other",
    ] {
        assert_eq!(
            rest.refused(Method::GET, path, None).await,
            (403, 7, "permission denied".to_owned()),
            "{path}"
        );
    }
    let elsewhere = "applications/guestbook?project=other";
    let (status, code, _) = rest.refused(Method::GET, elsewhere, None).await;
    assert_eq!((status, code), (404, 5));
}

#[tokio::test]
async fn a_sync_carries_its_infos_and_a_second_one_is_refused_while_it_waits() {
    let sandbox = empty().await;
    let stuck = include_str!("../../../src/demo/broken/deployment.yaml")
        .replace("name: mended", "name: broken")
        .replace("orders", "does-not-exist")
        .replace(
            "  name: broken\nspec",
            "  name: stuck\n  annotations: {argocd.argoproj.io/sync-wave: \"-1\"}\nspec",
        );
    let files = [
        ("web/stuck.yaml", stuck.as_str()),
        ("web/a.yaml", &config_map("a", "1")),
    ];
    sandbox.push("apps", &files, "first").await.unwrap();
    create(&sandbox, "web", json!({})).await;
    until(&sandbox, "web", |state| is(state, "OutOfSync", "Missing")).await;
    let rest = Rest::new(&sandbox);
    let body = json!({"infos": [{"name": "request", "value": "7"}], "syncOptions": {"items": ["CreateNamespace=true"]}});
    let (status, answer) = rest
        .call(Method::POST, "applications/web/sync", Some(body.clone()))
        .await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(
        answer["operation"]["info"],
        json!([{"name": "request", "value": "7"}])
    );
    assert_eq!(
        answer["operation"]["initiatedBy"],
        json!({"username": "admin"})
    );
    until(&sandbox, "web", |state| {
        text(state, "/status/operationState/message")
            == "waiting for healthy state of apps/Deployment/stuck"
    })
    .await;
    let busy = rest
        .refused(Method::POST, "applications/web/sync", Some(body))
        .await;
    assert_eq!(
        busy,
        (
            400,
            9,
            "another operation is already in progress".to_owned()
        )
    );
    let (status, _) = rest
        .call(Method::DELETE, "applications/web/operation", None)
        .await;
    assert_eq!(status, StatusCode::OK);
    let states = until(&sandbox, "web", |state| ended(state, "Failed")).await;
    assert_eq!(
        text(states.last().unwrap(), "/status/operationState/message"),
        "Operation terminated"
    );
    assert_eq!(
        rest.refused(Method::DELETE, "applications/web/operation", None)
            .await
            .1,
        3
    );
}

#[tokio::test]
async fn a_rollback_goes_to_a_history_entry_and_not_under_automation() {
    let sandbox = empty().await;
    let [first, second] = web(&sandbox).await;
    let rest = Rest::new(&sandbox);
    rest.call(
        Method::POST,
        "applications/web/sync",
        Some(json!({"revision": "main"})),
    )
    .await;
    until(&sandbox, "web", settled_at(&second)).await;
    assert_eq!(
        rest.refused(
            Method::POST,
            "applications/web/rollback",
            Some(json!({"id": 9}))
        )
        .await
        .1,
        3
    );
    let (status, answer) = rest
        .call(
            Method::POST,
            "applications/web/rollback",
            Some(json!({"id": 0})),
        )
        .await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let rolled = |state: &Value| {
        is(state, "OutOfSync", "Healthy") && text(state, "/status/history/2/revision") == first
    };
    until(&sandbox, "web", rolled).await;
    patch(
        &sandbox,
        "web",
        json!({"spec": {"syncPolicy": {"automated": {}}}}),
    )
    .await;
    let refused = rest
        .refused(
            Method::POST,
            "applications/web/rollback",
            Some(json!({"id": 0})),
        )
        .await;
    assert_eq!(
        refused,
        (
            400,
            9,
            "rollback cannot be initiated when auto-sync is enabled".to_owned()
        )
    );
}

#[tokio::test]
async fn bodies_that_are_not_right_are_refused_as_such() {
    let sandbox = empty().await;
    web(&sandbox).await;
    let rest = Rest::new(&sandbox);
    assert_eq!(
        rest.refused(
            Method::POST,
            "applications/web/sync",
            Some(json!({"prune": "yes"}))
        )
        .await
        .1,
        3
    );
    let huge = json!({"revision": "x".repeat(2 << 20)});
    assert_eq!(
        rest.refused(Method::POST, "applications/web/sync", Some(huge))
            .await
            .1,
        3
    );
    assert_eq!(
        rest.refused(
            Method::POST,
            "applications/web/sync",
            Some(json!({"revision": "nope"}))
        )
        .await
        .1,
        9
    );
    assert_eq!(
        rest.refused(Method::GET, "applications/web?refresh=maybe", None)
            .await
            .1,
        3
    );
}

#[tokio::test]
async fn manifests_states_and_commits_are_told_and_secrets_are_hidden() {
    let sandbox = demo().await;
    until(&sandbox, "redis", settled).await;
    let rest = Rest::new(&sandbox);
    let managed = rest.get("applications/redis/managed-resources").await;
    let secret = managed["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|item| item["kind"] == "Secret")
        .unwrap();
    let state =
        |field: &str| serde_json::from_str::<Value>(secret[field].as_str().unwrap()).unwrap();
    assert_eq!(state("liveState")["data"]["password"], "++++++++");
    assert_eq!(state("targetState")["data"]["password"], "++++++++");
    let manifests = rest.get("applications/redis/manifests?revision=main").await;
    assert_eq!(manifests["manifests"].as_array().unwrap().len(), 3);
    for answer in [&managed, &manifests] {
        let text = answer.to_string();
        assert!(
            !text.contains("not-a-real-one") && !text.contains("bm90LWEtcmVhbC1vbmU"),
            "{text}"
        );
    }
    let revision = manifests["revision"].as_str().unwrap();
    let metadata = rest
        .get(&format!("applications/redis/revisions/{revision}/metadata"))
        .await;
    assert_eq!(metadata["author"], "Causeway Demo <demo@causeway.invalid>");
    assert_eq!(metadata["message"], "Add the demo applications");
    let unknown = format!("applications/redis/revisions/{}/metadata", "0".repeat(40));
    assert_eq!(rest.refused(Method::GET, &unknown, None).await.0, 500);
}

#[tokio::test]
async fn the_tree_leads_from_the_deployment_to_its_pods() {
    let sandbox = demo().await;
    until(&sandbox, "guestbook", settled).await;
    let tree = Rest::new(&sandbox)
        .get("applications/guestbook/resource-tree")
        .await;
    let nodes = tree["nodes"].as_array().unwrap();
    let of = |kind: &str| {
        nodes
            .iter()
            .filter(|node| node["kind"] == kind)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (
            of("Deployment").len(),
            of("ReplicaSet").len(),
            of("Pod").len()
        ),
        (1, 1, 2)
    );
    assert_eq!(of("Pod")[0]["parentRefs"][0]["kind"], "ReplicaSet");
    assert_eq!(of("Deployment")[0]["health"]["status"], "Healthy");
}

#[tokio::test]
async fn deleting_without_cascade_leaves_the_resources() {
    let sandbox = empty().await;
    web(&sandbox).await;
    let rest = Rest::new(&sandbox);
    let (status, _) = rest
        .call(Method::DELETE, "applications/web?cascade=false", None)
        .await;
    assert_eq!(status, StatusCode::OK);
    watch_until(applications(&sandbox), "web", |state| state.is_none()).await;
    assert!(
        api(&sandbox, "", "ConfigMap", "web")
            .get_opt("a")
            .await
            .unwrap()
            .is_some()
    );
}
