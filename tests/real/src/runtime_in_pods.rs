//! The whole runtime as pods of a real node, all from one image, beside an Argo CD in pods; the platform is on this machine.

mod door;
pub(crate) mod platform;

use std::{fs, path::Path, time::Duration};

use causeway_cluster::{ArgocdOptions, Cluster, Image, Options, Scheme};
use causeway_sandbox::git::Commit;
use causeway_testkit::{Finished, PODS, Stage, binary, play, run, run_with_input, wait_until};
use serde_json::{Value, json};
use tokio::runtime::Handle;

use crate::{
    node::tools,
    stage::{kubectl, node},
};
use platform::Platform;

const SOON: Duration = Duration::from_secs(180);
const IMAGE: &str = "registry.local/causeway:1";
const NAMESPACE: &str = "causeway";

/// The binary that a user installs, and what it needs of this machine.
fn image() -> Image {
    Image::new(IMAGE)
        .program("/usr/local/bin/causeway", &binary())
        .unwrap()
        .entrypoint(&["/usr/local/bin/causeway"])
        .user("65532:65532")
}

fn apply(cluster: &Cluster, objects: &[Value]) {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string();
    run_with_input(&mut kubectl(cluster, &["apply", "-f", "-"]), &list).expect_success();
}

/// What the runtime may do in its cluster: what helm/OPERATING.md says, and no more.
fn account() -> Vec<Value> {
    let api = "rbac.authorization.k8s.io";
    let subject = json!([{"kind": "ServiceAccount", "name": "causeway", "namespace": NAMESPACE}]);
    let rules = json!([
        {"apiGroups": ["argoproj.io"], "resources": ["applications"], "verbs": ["get", "list", "watch", "patch", "delete"]},
        {"apiGroups": [""], "resources": ["namespaces"], "resourceNames": ["kube-system"], "verbs": ["get"]},
        {"apiGroups": ["argoproj.io"], "resources": ["rollouts", "analysisruns", "workflows"], "verbs": ["get", "list", "watch"]},
        {"apiGroups": ["argoproj.io"], "resources": ["applicationsets", "appprojects"], "verbs": ["list", "watch"]},
        {"apiGroups": ["argoproj.io"], "resources": ["rollouts", "rollouts/status"], "verbs": ["patch"]},
        {"apiGroups": ["argoproj.io"], "resources": ["workflows"], "verbs": ["create", "patch"]},
        {"apiGroups": ["argoproj.io"], "resources": ["workflowtemplates", "cronworkflows"], "verbs": ["get"]},
        {"apiGroups": ["apps"], "resources": ["replicasets"], "verbs": ["get", "list", "watch"]},
        {"apiGroups": [""], "resources": ["events"], "verbs": ["list", "watch"]},
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]},
        {"apiGroups": [""], "resources": ["pods/log"], "verbs": ["get"]},
        {"apiGroups": [""], "resources": ["pods/exec"], "verbs": ["get", "create"]},
        {"apiGroups": [""], "resources": ["services", "endpoints", "persistentvolumeclaims", "replicationcontrollers"], "verbs": ["get"]},
        {"apiGroups": ["networking.k8s.io"], "resources": ["ingresses"], "verbs": ["get"]},
        {"apiGroups": ["autoscaling"], "resources": ["horizontalpodautoscalers"], "verbs": ["get"]},
        {"apiGroups": ["policy"], "resources": ["poddisruptionbudgets"], "verbs": ["get"]},
        {"apiGroups": ["apps"], "resources": ["deployments", "statefulsets", "daemonsets"], "verbs": ["get"]},
        {"apiGroups": ["batch"], "resources": ["jobs", "cronjobs"], "verbs": ["get"]},
    ]);
    let services = json!([{"apiGroups": [""], "resources": ["services"], "verbs": ["list"]}]);
    let role = |kind: &str, namespace: Option<&str>, rules: &Value| {
        json!({"apiVersion": format!("{api}/v1"), "kind": kind,
            "metadata": {"name": "causeway", "namespace": namespace}, "rules": rules})
    };
    let binding = |kind: &str, namespace: Option<&str>| {
        json!({"apiVersion": format!("{api}/v1"), "kind": format!("{kind}Binding"),
            "metadata": {"name": "causeway", "namespace": namespace}, "subjects": subject,
            "roleRef": {"apiGroup": api, "kind": kind, "name": "causeway"}})
    };
    vec![
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}),
        json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "causeway", "namespace": NAMESPACE}}),
        role("ClusterRole", None, &rules),
        binding("ClusterRole", None),
        role("Role", Some("argocd"), &services),
        binding("Role", Some("argocd")),
    ]
}

/// A Secret of files.
fn secret<'a>(name: &str, files: impl IntoIterator<Item = (String, &'a Path)>) -> Value {
    let data: serde_json::Map<String, Value> = files
        .into_iter()
        .map(|(key, path)| (key, fs::read_to_string(path).unwrap().into()))
        .collect();
    json!({"apiVersion": "v1", "kind": "Secret", "stringData": data,
        "metadata": {"name": name, "namespace": NAMESPACE}})
}

/// A part as a Deployment, and the Service by which others find it.
fn part(name: &str, flags: &[&str]) -> [Value; 2] {
    let own = [
        "serve",
        name,
        "--admin-listen=0.0.0.0:7501",
        "--listen=0.0.0.0:7500",
    ];
    let words: Vec<_> = own.iter().chain(flags).collect();
    let mount =
        |name: &str| json!({"name": name, "mountPath": format!("/{name}"), "readOnly": true});
    // What is behind a tunnel has no door, and no certificate of it.
    let volume = |name: &str| json!({"name": name, "secret": {"secretName": name, "optional": name == "door"}});
    let container = json!({
        "name": name, "image": IMAGE, "args": words,
        "readinessProbe": {"httpGet": {"path": "/readyz", "port": 7501}, "periodSeconds": 1},
        "securityContext": {"readOnlyRootFilesystem": true, "allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}},
        "volumeMounts": [mount("runtime"), mount("argocd"), mount("door")],
    });
    let labels = json!({"app.kubernetes.io/name": name});
    let metadata = json!({"name": name, "namespace": NAMESPACE});
    let pod = json!({
        "serviceAccountName": "causeway", "terminationGracePeriodSeconds": 0,
        "containers": [container], "volumes": [volume("runtime"), volume("argocd"), volume("door")],
    });
    [
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod}}}),
        json!({"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {
            "selector": labels, "ports": [{"port": 7500}]}}),
    ]
}

fn runtime() -> Vec<Value> {
    let folder = "--runtime-folder=/runtime";
    let argocd = [
        "--argocd-server=auto",
        "--argocd-token-file=/argocd/token",
        "--argocd-ca-file=/argocd/ca.crt",
    ];
    let with_argocd = |flags: &[&'static str]| [&[folder], &argocd[..], flags].concat();
    let route = "--route=router=http://request-router:7500";
    let source_server = "--source-server=http://source-server:7500";
    let parts = [
        part("source-server", &with_argocd(&[])),
        part(
            "app-proxy",
            &with_argocd(&["--allow=read,sync,refresh,rollout,logs,exec"]),
        ),
        router(&["--tls-terminated-in-front"]),
        part("tunnel-client", &[folder, route]),
        part("application-event-reporter", &[folder, source_server]),
        part("resource-event-reporter", &[folder]),
    ];
    parts.into_iter().flatten().collect()
}

/// The entry of the runtime.
fn router(flags: &[&str]) -> [Value; 2] {
    let own = [
        "--runtime-folder=/runtime",
        "--side=runtime",
        "--upstream=app-proxy=http://app-proxy:7500",
    ];
    part("request-router", &[&own[..], flags].concat())
}

fn install(cluster: &Cluster, runtime_folder: &Path) {
    let argocd = &cluster.argocd()[0];
    let entries = fs::read_dir(runtime_folder).unwrap();
    let paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    let files = paths.iter().filter(|path| path.is_file());
    let keys = files.map(|path| {
        (
            path.file_name().unwrap().to_str().unwrap().to_owned(),
            path.as_path(),
        )
    });
    let mut objects = account();
    objects.push(secret("runtime", keys));
    let authority = argocd.ca_file.as_deref().unwrap();
    let token = argocd.admin_token_file.as_path();
    objects.push(secret(
        "argocd",
        [
            ("token".to_owned(), token),
            ("ca.crt".to_owned(), authority),
        ],
    ));
    objects.extend(runtime());
    apply(cluster, &objects);
}

/// A commit whose Deployment is healthy as soon as its pods run.
fn commit(message: &str, replicas: u32) -> Commit {
    let labels = json!({"app": "demo"});
    let container = json!({"name": "demo", "image": "registry.local/pause:1"});
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "demo"},
        "spec": {"replicas": replicas, "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}}},
    });
    Commit::new(message).write("app/demo.yaml", deployment.to_string())
}

fn application(repository: &str) -> Value {
    json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
        "metadata": {"name": "demo", "namespace": "argocd"},
        "spec": {
            "project": "default",
            "source": {"repoURL": repository, "path": "app", "targetRevision": "main"},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
            "syncPolicy": {"automated": {}},
        },
    })
}

/// Waits until the platform shows the application in good order at a revision.
async fn seen(cluster: &Cluster, platform: &Platform, revision: &str) -> Value {
    wait_until("the commit on the platform", SOON, async || {
        let got = platform.cli(&["app", "get", "demo", "-o", "json"]);
        let application: Value = serde_json::from_str(&got.stdout).unwrap_or_default();
        let status = &application["status"];
        let there = status["sync"]["status"] == "SYNC_STATUS_SYNCED"
            && status["health"]["status"] == "HEALTH_STATUS_HEALTHY"
            && status["sync"]["revisions"][0] == revision;
        if there {
            Ok(application)
        } else {
            Err(format!("{got:?}\n{}", pods(cluster)))
        }
    })
    .await
}

/// How the pods are and what they said, for a test that fails.
fn pods(cluster: &Cluster) -> String {
    let listed = run(&mut kubectl(cluster, &["get", "pods", "-A", "-o", "wide"])).stdout;
    let names = [
        "source-server",
        "app-proxy",
        "request-router",
        "tunnel-client",
        "application-event-reporter",
        "resource-event-reporter",
    ];
    let logs = names.map(|name| {
        let words = [
            "logs",
            "-n",
            NAMESPACE,
            &format!("deployment/{name}"),
            "--tail=5",
        ];
        run(&mut kubectl(cluster, &words)).stdout
    });
    format!("{listed}\n{}", logs.join("\n"))
}

/// Pods that write logs, and a runtime in pods that reads them.
struct Pods<'a> {
    cluster: &'a Cluster,
    platform: &'a Platform,
    runtime: Handle,
}

impl<'a> Pods<'a> {
    fn of(cluster: &'a Cluster, platform: &'a Platform, runtime: &Handle) -> Self {
        Self {
            cluster,
            platform,
            runtime: runtime.clone(),
        }
    }
}

impl Stage for Pods<'_> {
    fn cli(&self, arguments: &[&str]) -> Finished {
        self.platform.cli(arguments)
    }

    fn commit(&self, repository: &str, files: &[(String, String)]) -> String {
        let commit = Commit::new("A commit of the play");
        let commit = files.iter().fold(commit, |commit, (file, text)| {
            commit.write(file, text.as_str())
        });
        let git = self.cluster.git();
        self.runtime.block_on(async {
            git.create(repository).await.unwrap();
            git.commit(repository, &commit).await.unwrap().to_string()
        })
    }

    fn url(&self, repository: &str) -> String {
        self.cluster.git().url(repository)
    }

    fn create(&self, object: Value) {
        apply(self.cluster, &[object]);
    }

    fn said(&self) -> String {
        pods(self.cluster)
    }
}

/// By whatever way the platform reaches the runtime.
fn logs_and_commands(stage: &Pods<'_>, name: &str) {
    play(stage, name, PODS);
    let cat = ["app", "exec", name, "-i", "--", "cat"];
    let input = "a line\n".repeat(50_000);
    let echoed = run_with_input(&mut stage.platform.command(&cat), &input);
    assert!(echoed.expect_success() == input, "it came back otherwise");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_commit_is_seen_and_acted_on_through_a_runtime_of_pods() {
    let argocd = ArgocdOptions {
        scheme: Scheme::Https,
        ..ArgocdOptions::default()
    };
    let options = Options {
        argocds: vec![argocd],
        ..Options::default()
    };
    let Some(cluster) = node(options).await else {
        return;
    };
    cluster.import(image()).await.unwrap();
    let host = cluster.host().unwrap();
    let mut platform = tokio::task::block_in_place(|| Platform::start(host));
    tokio::task::block_in_place(|| install(&cluster, &platform.join("east")));

    cluster.git().create("demo").await.unwrap();
    let first = cluster
        .git()
        .commit("demo", &commit("One of them", 1))
        .await
        .unwrap();
    apply(&cluster, &[application(&cluster.git().url("demo"))]);
    seen(&cluster, &platform, first.as_str()).await;

    let second = cluster
        .git()
        .commit("demo", &commit("Two of them", 2))
        .await
        .unwrap();
    // What reports may be there before what acts is.
    wait_until("a refresh", SOON, async || {
        let refreshed = platform.cli(&["app", "refresh", "demo"]);
        let done = refreshed.status.success();
        done.then_some(()).ok_or(refreshed.stderr)
    })
    .await;
    let application = seen(&cluster, &platform, second.as_str()).await;
    let commit = &application["status"]["commit"];
    assert_eq!(commit["sha"], second.as_str(), "{application}");
    assert!(
        commit["message"]
            .as_str()
            .unwrap()
            .starts_with("Two of them"),
        "{commit}"
    );

    let tree = platform.cli(&["app", "tree", "demo"]).expect_success();
    assert_eq!(tree.matches("Pod/").count(), 2, "{tree}");
    let synced = platform.cli(&["app", "sync", "demo"]).expect_success();
    assert!(synced.contains("demo: Succeeded"), "{synced}");
    wait_until("ten healthy parts", SOON, async || {
        let status = platform.cli(&["status"]);
        let all = status.status.success() && status.stdout.lines().count() == 11;
        all.then_some(()).ok_or(status.stdout)
    })
    .await;
    cluster.import(tools()).await.unwrap();
    let runtime = Handle::current();
    tokio::task::block_in_place(|| {
        logs_and_commands(&Pods::of(&cluster, &platform, &runtime), "talking");
        door::open(&cluster, &mut platform);
        logs_and_commands(&Pods::of(&cluster, &platform, &runtime), "dialled");
    });
    cluster.check().await.unwrap();
    cluster.stop().await;
}
