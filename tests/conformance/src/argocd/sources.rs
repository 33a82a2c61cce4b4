//! Several sources, sources that make Applications, and sources that a program renders.

use std::process::Command;

use serde_json::{Value, json};

use super::{
    application::{Application, applications, config_map, ended, is, until_gone, until_object},
    track::text,
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
    web.push_and_tell(&[("more/b.yaml", &config_map("b", "2"))])
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
    web.tell(
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
    web.tell("tree", "GET", "/resource-tree", None, |body| {
        body["nodes"].as_array().into_iter().flatten().map(|node| json!({"kind": node["kind"], "name": node["name"], "health": node["health"]})).collect()
    })
    .await;
    web.delete().await;
    web.until(Value::is_null).await;
    until_gone(&children, &name).await;
    until_gone(&web.config_maps(), "a").await;
    web.matches("make_applications").await;
}

pub(crate) async fn of_kustomize(world: &World) {
    let mut web = Application::prepare(world, "kustomize").await;
    let kustomization =
        "resources: [a.yaml]\nnamePrefix: pre-\ncommonAnnotations: {from: kustomize}\n";
    web.push(&[
        ("kustomization.yaml", kustomization),
        ("a.yaml", &config_map("a", "1")),
    ])
    .await;
    web.create(json!({"spec": {"syncPolicy": {"automated": {}}}}))
        .await;
    if !is_installed("kustomize") {
        return says_what_is_missing(&web, "kustomize").await;
    }
    web.until_settled_at(1).await;
    assert!(web.config_maps().get_opt("pre-a").await.unwrap().is_some());
    web.matches("kustomize").await;
}

pub(crate) async fn of_helm(world: &World) {
    let mut web = Application::prepare(world, "helm").await;
    let chart = "apiVersion: v2\nname: chart\nversion: 1.0.0\n";
    let template = config_map(
        "a",
        "{{ .Values.word }} {{ .Release.Name }} {{ .Release.Namespace }}",
    )
    .replace("name: a", "name: {{ .Release.Name }}");
    web.push(&[
        ("Chart.yaml", chart),
        ("values.yaml", "word: one\n"),
        ("templates/a.yaml", &template),
    ])
    .await;
    let helm = json!({"parameters": [{"name": "word", "value": "two"}]});
    web.create(json!({"spec": {"source": {"helm": helm}, "syncPolicy": {"automated": {}}}}))
        .await;
    if !is_installed("helm") {
        return says_what_is_missing(&web, "helm").await;
    }
    web.until_settled_at(1).await;
    let live = web.config_maps().get(&web.name).await.unwrap();
    assert_eq!(live.data["data"]["value"], format!("two {0} {0}", web.name));
    web.matches("helm").await;
}

/// A program that only some machines have; without it the behaviour is another one.
fn is_installed(program: &str) -> bool {
    let version = Command::new(program).arg("version").output();
    version.is_ok_and(|output| output.status.success())
}

async fn says_what_is_missing(web: &Application<'_>, program: &str) {
    let state = web
        .until(|state| state.pointer("/status/conditions/0").is_some())
        .await;
    let condition = &state["status"]["conditions"][0];
    assert_eq!(condition["type"], "ComparisonError");
    assert!(is(&state, "Unknown", "Healthy"), "{state:#}");
    let told = if web.world.differs("missing-program") {
        format!("`{program}` is not installed")
    } else {
        format!("exec: \"{program}\": executable file not found in $PATH")
    };
    assert!(text(condition, "/message").contains(&told), "{condition:#}");
}
