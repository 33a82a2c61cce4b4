//! Several sources, and sources that make Applications.

use serde_json::{Value, json};

use super::{
    application::{Application, applications, config_map, ended, is, until_gone, until_object},
    world::World,
};

pub(crate) async fn several(world: &World) {
    let mut web = Application::prepare(world, "several").await;
    web.push(&[
        ("a.yaml", &config_map("a", "1")),
        ("more/b.yaml", &config_map("b", "1")),
    ])
    .await;
    let source = |path: &str| json!({"repoURL": world.repository_url(&web.name), "path": path, "targetRevision": "main"});
    let sources = json!([source("web"), source("web/more")]);
    web.create(
        json!({"spec": {"source": null, "sources": sources, "syncPolicy": {"automated": {}}}}),
    )
    .await;
    web.until(|state| ended(state, "Succeeded") && is(state, "Synced", "Healthy"))
        .await;
    web.push_and_refresh(&[("more/b.yaml", &config_map("b", "2"))])
        .await;
    let second = web.commit(2).to_owned();
    web.until(|state| {
        ended(state, "Succeeded")
            && is(state, "Synced", "Healthy")
            && state
                .pointer("/status/sync/revisions/1")
                .is_some_and(|it| *it == second)
    })
    .await;
    let path = format!("/revisions/{second}/metadata?sourceIndex=1");
    web.call_and_record(
        "revision",
        "GET",
        &path,
        None,
        |body| json!({"message": body["message"]}),
    )
    .await;
    web.matches("several").await;
}

pub(crate) async fn make_applications(world: &World) {
    let mut web = Application::prepare(world, "parent").await;
    let child = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
        "metadata": {"name": format!("{}-child", web.name), "namespace": world.namespace, "finalizers": ["resources-finalizer.argocd.argoproj.io"]},
        "spec": {
            "project": "default",
            "source": {"repoURL": world.repository_url(&web.name), "path": "web/child", "targetRevision": "main"},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": web.name},
            "syncPolicy": {"automated": {}},
        },
    });
    web.push(&[
        ("child.json", &child.to_string()),
        ("child/a.yaml", &config_map("a", "1")),
    ])
    .await;
    web.create(json!({"metadata": {"finalizers": ["resources-finalizer.argocd.argoproj.io"]}, "spec": {"syncPolicy": {"automated": {}}}})).await;
    web.until_settled_at(1).await;
    // what Argo CD has made and not yet seen again, it leaves behind when it deletes the child
    let (children, name) = (applications(world), format!("{}-child", web.name));
    let settled = |state: Value| is(&state, "Synced", "Healthy") && ended(&state, "Succeeded");
    until_object(&children, &name, |child| {
        child.is_some_and(|child| settled(serde_json::to_value(child).unwrap()))
    })
    .await;
    web.call_and_record("tree", "GET", "/resource-tree", None, |body| {
        body["nodes"].as_array().into_iter().flatten().map(|node| json!({"kind": node["kind"], "name": node["name"], "health": node["health"]})).collect()
    })
    .await;
    web.delete().await;
    web.until(Value::is_null).await;
    until_gone(&children, &name).await;
    until_gone(&web.config_maps(), "a").await;
    web.matches("make_applications").await;
}
