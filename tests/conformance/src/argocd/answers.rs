//! Responses of the REST API, limited to the fields that Causeway reads.

use serde_json::{Value, json};

use super::{
    application::{Application, config_map},
    world::World,
};

const DEPLOYMENT: &str = include_str!("manifests/deployment.yaml");
const SECRET: &str =
    "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\nstringData:\n  word: secret\n";

fn list(value: &Value, field: &str) -> Vec<Value> {
    value[field].as_array().cloned().unwrap_or_default()
}

/// Keeps these fields, without empty ones.
fn picked(value: &Value, fields: &[&str]) -> Value {
    let held = fields.iter().filter(|field| {
        !matches!(value.get(**field), None | Some(Value::Null)) && value[**field] != ""
    });
    held.map(|field| ((*field).to_owned(), value[*field].clone()))
        .collect()
}

fn sorted(mut items: Vec<Value>) -> Value {
    items.sort_by_key(ToString::to_string);
    Value::Array(items)
}

/// Parses states from JSON text, without fields that other controllers write.
fn managed(body: &Value) -> Value {
    let state = |text: &Value| -> Value {
        let mut state: Value = text
            .as_str()
            .map_or(Value::Null, |text| serde_json::from_str(text).unwrap());
        if let Some(fields) = state.as_object_mut() {
            fields.remove("status");
        }
        state
    };
    let read = |item: &Value| {
        let mut read = picked(item, &["group", "kind", "namespace", "name"]);
        read["targetState"] = state(&item["targetState"]);
        read["liveState"] = state(&item["liveState"]);
        read
    };
    sorted(list(body, "items").iter().map(read).collect())
}

/// Replaces the suffix of generated names by a star.
fn tree(body: &Value) -> Value {
    let nodes = list(body, "nodes");
    let plain_name = |node: &Value| -> Value {
        match list(node, "parentRefs").first() {
            Some(parent) => format!("{}/*", parent["kind"].as_str().unwrap_or("")).into(),
            None => node["name"].clone(),
        }
    };
    let read = |node: &Value| {
        let mut read = picked(
            node,
            &["group", "version", "kind", "namespace", "health", "images"],
        );
        read["name"] = plain_name(node);
        read["hasUid"] = node["uid"].is_string().into();
        read["hasTime"] = node["createdAt"].is_string().into();
        let owner = |parent: &Value| {
            nodes
                .iter()
                .find(|other| other["uid"] == parent["uid"])
                .map(plain_name)
        };
        read["owners"] = list(node, "parentRefs").iter().filter_map(owner).collect();
        read
    };
    sorted(nodes.iter().map(read).collect())
}

pub(crate) async fn about_resources(world: &World) {
    let mut web = Application::prepare(world, "resources").await;
    let first = [
        ("a.yaml", config_map("a", "1")),
        ("s.yaml", SECRET.to_owned()),
        ("d.yaml", DEPLOYMENT.to_owned()),
    ];
    web.push(&first.each_ref().map(|(path, text)| (*path, text.as_str())))
        .await;
    web.create(json!({})).await;
    web.until_is("OutOfSync", "Missing").await;
    web.call_and_record(
        "managed resources before",
        "GET",
        "/managed-resources",
        None,
        managed_without_deployment,
    )
    .await;
    web.call_and_record("tree before", "GET", "/resource-tree", None, tree)
        .await;
    web.ask("POST", "/sync", Some(&json!({}))).await;
    web.until_settled_at(1).await;
    web.push_and_refresh(&[("a.yaml", &config_map("a", "2")), ("s.yaml", "")])
        .await;
    web.until_is("OutOfSync", "Healthy").await;
    web.call_and_record(
        "managed resources",
        "GET",
        "/managed-resources",
        None,
        managed_without_deployment,
    )
    .await;
    web.call_and_record("tree", "GET", "/resource-tree", None, tree)
        .await;
    web.matches_answers("about_resources").await;
}

/// Removes the defaults that the API server sets on a Deployment.
fn managed_without_deployment(body: &Value) -> Value {
    let mut read = managed(body);
    for item in read
        .as_array_mut()
        .into_iter()
        .flatten()
        .filter(|item| item["kind"] == "Deployment")
    {
        item["liveState"] = item["liveState"].is_object().into();
    }
    read
}

pub(crate) async fn about_revisions(world: &World) {
    let mut web = Application::prepare(world, "revisions").await;
    web.push(&[("a.yaml", &config_map("a", "1"))]).await;
    web.create(json!({})).await;
    web.until_is("OutOfSync", "Missing").await;
    let read = |body: &Value| {
        let mut read = picked(body, &["author", "message"]);
        read["hasDate"] = body["date"]
            .as_str()
            .is_some_and(|date| date.ends_with('Z'))
            .into();
        read
    };
    let path = format!("/revisions/{}/metadata?sourceIndex=0", web.commit(1));
    web.call_and_record("known", "GET", &path, None, read).await;
    let unknown = format!("/revisions/{}/metadata", "0".repeat(40));
    let answer = web.ask("GET", &unknown, None).await;
    web.note(
        "unknown",
        &json!({"status": answer.status, "code": answer.body["code"]}),
    );
    web.matches_answers("about_revisions").await;
}

pub(crate) async fn to_unauthenticated_callers(world: &World) {
    let mut web = Application::prepare(world, "unauthenticated").await;
    web.push(&[("a.yaml", &config_map("a", "1"))]).await;
    web.create(json!({})).await;
    web.until_is("OutOfSync", "Missing").await;
    let path = format!("applications/{}", web.name);
    for (title, token) in [
        ("without a token", None),
        ("with another token", Some("nonsense")),
    ] {
        let answer = world.ask_as(token, "GET", &path, None).await;
        let mut body = answer.body;
        if title == "with another token" {
            body = picked(&body, &["code"]);
        }
        web.note(title, &json!({"status": answer.status, "body": body}));
    }
    for (title, method, path) in [
        ("unknown application", "GET", "applications/unknown"),
        (
            "unknown application, its tree",
            "GET",
            "applications/unknown/resource-tree",
        ),
        (
            "unknown application, its resources",
            "GET",
            "applications/unknown/managed-resources",
        ),
        (
            "unknown application, a sync",
            "POST",
            "applications/unknown/sync",
        ),
        (
            "unknown application, a deletion",
            "DELETE",
            "applications/unknown",
        ),
    ] {
        let body = (method == "POST").then(|| json!({}));
        let answer = world.ask(method, path, body.as_ref()).await;
        web.note(
            title,
            &json!({"status": answer.status, "body": answer.body}),
        );
    }
    let other = world
        .ask("GET", &format!("{path}?project=other"), None)
        .await;
    web.note(
        "in another project",
        &json!({"status": other.status, "body": other.body}),
    );
    web.matches_answers("to_unauthenticated_callers").await;
}

pub(crate) async fn to_what_makes_no_sense(world: &World) {
    let mut web = Application::prepare(world, "nonsense").await;
    web.push(&[("a.yaml", &config_map("a", "1"))]).await;
    web.create(json!({"spec": {"syncPolicy": {"automated": {}}}}))
        .await;
    web.until_settled_at(1).await;
    let whole = Value::clone;
    web.call_and_record(
        "rollback under automated sync",
        "POST",
        "/rollback",
        Some(&json!({"id": 0})),
        whole,
    )
    .await;
    web.call_and_record(
        "sync elsewhere under automated sync",
        "POST",
        "/sync",
        Some(&json!({"revision": "other"})),
        whole,
    )
    .await;
    web.call_and_record("nothing to end", "DELETE", "/operation", None, whole)
        .await;
    web.patch(json!({"spec": {"syncPolicy": null}})).await;
    web.call_and_record(
        "rollback to nothing",
        "POST",
        "/rollback",
        Some(&json!({"id": 7})),
        whole,
    )
    .await;
    web.call_and_record(
        "sync to an unknown revision",
        "POST",
        "/sync",
        Some(&json!({"revision": "nowhere"})),
        |_| Value::Null,
    )
    .await;
    web.matches_answers("to_what_makes_no_sense").await;
}

/// Lists the actions of a workload and runs one.
pub(crate) async fn about_actions(world: &World) {
    let mut web = Application::prepare(world, "acted").await;
    let first = [
        ("a.yaml", config_map("a", "1")),
        ("d.yaml", DEPLOYMENT.to_owned()),
    ];
    web.push(&first.each_ref().map(|(path, text)| (*path, text.as_str())))
        .await;
    web.create(json!({})).await;
    web.until_is("OutOfSync", "Missing").await;
    web.ask("POST", "/sync", Some(&json!({}))).await;
    web.until_settled_at(1).await;
    let namespace = web.name.clone();
    let of = |group: &str, kind: &str, name: &str| {
        format!(
            "/resource/actions?group={group}&version=v1&kind={kind}&namespace={namespace}&resourceName={name}"
        )
    };
    let actions = |body: &Value| {
        let read = |action: &Value| picked(action, &["name", "disabled"]);
        sorted(list(body, "actions").iter().map(read).collect())
    };
    for (title, kind, name) in [
        ("of a Deployment", "Deployment", "web"),
        ("of a Deployment that there is not", "Deployment", "other"),
    ] {
        let path = of("apps", kind, name);
        web.call_and_record(title, "GET", &path, None, actions)
            .await;
    }
    let path = of("", "ConfigMap", "a");
    web.call_and_record("of a ConfigMap", "GET", &path, None, actions)
        .await;
    let run = |name: &str, action: &str| {
        json!({
            "namespace": namespace, "resourceName": name, "version": "v1", "group": "apps",
            "kind": "Deployment", "action": action,
        })
    };
    let scale = |replicas: &str| {
        let mut body = run("web", "scale");
        body["resourceActionParameters"] = json!([{"name": "replicas", "value": replicas}]);
        body
    };
    let whole = Value::clone;
    for (title, replicas) in [("scaled", "3"), ("scaled to a word", "many")] {
        let body = scale(replicas);
        web.call_and_record(title, "POST", "/resource/actions/v2", Some(&body), whole)
            .await;
    }
    for (title, name, action) in [
        ("restarted", "web", "restart"),
        ("paused", "web", "pause"),
        ("an action that there is not", "web", "explode"),
        ("a Deployment that there is not", "other", "restart"),
    ] {
        let body = run(name, action);
        web.call_and_record(title, "POST", "/resource/actions/v2", Some(&body), whole)
            .await;
    }
    let path = of("apps", "Deployment", "web");
    web.call_and_record("of a paused Deployment", "GET", &path, None, actions)
        .await;
    let live = web
        .api("apps", "v1", "Deployment")
        .get("web")
        .await
        .unwrap();
    let restarted = live.data.pointer("/spec/template/metadata/annotations");
    let restarted = restarted.is_some_and(|it| it["kubectl.kubernetes.io/restartedAt"].is_string());
    web.note(
        "effect",
        &json!({
            "paused": live.data["spec"]["paused"],
            "replicas": live.data["spec"]["replicas"],
            "restarted": restarted,
        }),
    );
    web.matches_answers("about_actions").await;
}

/// Checks permissions, and the refusal of unknown actions and resources.
pub(crate) async fn about_permissions(world: &World) {
    let mut web = Application::prepare(world, "permitted").await;
    for (title, path) in [
        ("a sync", "applications/sync/default/web"),
        ("a deletion", "applications/delete/default/web"),
        ("logs", "logs/get/default/web"),
        (
            "an action that there is not",
            "applications/explode/default/web",
        ),
        ("a resource that there is not", "wishes/get/default/web"),
    ] {
        let path = format!("account/can-i/{path}");
        let answer = world.ask("GET", &path, None).await;
        let body = match answer.status {
            200 => answer.body,
            _ => picked(&answer.body, &["code"]),
        };
        web.note(title, &json!({"status": answer.status, "body": body}));
    }
    web.matches_answers("about_permissions").await;
}
