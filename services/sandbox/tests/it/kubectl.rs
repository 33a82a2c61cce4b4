//! The real `kubectl`, where there is one.

use std::{fs, path::Path, process::Stdio};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::Command,
};

use crate::world::{PATIENCE, world};

const KUBECTL: &str = "/usr/bin/kubectl";
const APPLICATION: &str = "
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: guestbook, namespace: shop}
spec:
  project: default
  destination: {server: https://kubernetes.default.svc, namespace: shop}
  source: {repoURL: https://example.com/shop.git, path: web, targetRevision: main}
";
const DEPLOYMENT: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: 'web:1', ports: [{containerPort: 80}]}
";

struct Kubectl<'a> {
    folder: &'a Path,
}

impl Kubectl<'_> {
    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(KUBECTL);
        command
            .args(arguments.split_whitespace())
            .env("KUBECONFIG", self.folder.join("kubeconfig"))
            .env("HOME", self.folder)
            .current_dir(self.folder)
            .stdin(Stdio::null())
            .kill_on_drop(true);
        command
    }

    async fn run(&self, arguments: &str) -> String {
        let output = tokio::time::timeout(PATIENCE, self.command(arguments).output())
            .await
            .unwrap()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(
            output.status.success(),
            "kubectl {arguments}: {}{}",
            text(&output.stdout),
            text(&output.stderr)
        );
        text(&output.stdout)
    }
}

#[tokio::test]
async fn the_real_kubectl_works_against_it() {
    if !Path::new(KUBECTL).exists() {
        #[expect(
            clippy::print_stderr,
            reason = "whoever runs the tests should see what was not run"
        )]
        {
            eprintln!("skipped: there is no {KUBECTL}");
        }
        return;
    }
    let world = world().await;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("kubeconfig"), world.sandbox.kubeconfig()).unwrap();
    fs::write(folder.path().join("app.yaml"), APPLICATION).unwrap();
    fs::write(folder.path().join("web.yaml"), DEPLOYMENT).unwrap();
    let kubectl = Kubectl {
        folder: folder.path(),
    };

    assert!(
        kubectl
            .run("api-resources")
            .await
            .contains("argoproj.io/v1alpha1")
    );
    kubectl.run("create namespace shop").await;
    let mut watching = kubectl
        .command("get applications -A -w")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut watched = BufReader::new(watching.stdout.take().unwrap()).lines();

    assert!(kubectl.run("apply -f app.yaml").await.contains("created"));
    assert!(kubectl.run("apply -f app.yaml").await.contains("unchanged"));
    let table = kubectl.run("get applications -A").await;
    assert!(
        table.starts_with("NAMESPACE   NAME        SYNC STATUS   HEALTH STATUS"),
        "{table}"
    );
    assert!(
        kubectl
            .run("get applications -n shop guestbook -o yaml")
            .await
            .contains("repoURL: https://example.com/shop.git")
    );
    kubectl.run("patch application -n shop guestbook --type merge -p {\"status\":{\"sync\":{\"status\":\"Synced\"}}}").await;
    kubectl
        .run("label application -n shop guestbook team=web")
        .await;
    kubectl
        .run("annotate application -n shop guestbook note=x")
        .await;
    assert!(
        kubectl
            .run("describe application -n shop guestbook")
            .await
            .contains("Target Revision:  main")
    );

    let mut lines = String::new();
    while !lines.contains("Synced") {
        let line = tokio::time::timeout(PATIENCE, watched.next_line())
            .await
            .unwrap()
            .unwrap()
            .unwrap();
        lines.push_str(&line);
        lines.push('\n');
    }
    assert!(lines.contains("guestbook"), "{lines}");

    assert!(
        kubectl
            .run("apply --server-side -f web.yaml")
            .await
            .contains("serverside-applied")
    );
    kubectl
        .run("rollout status -n shop deploy/web --timeout=15s")
        .await;
    assert!(
        kubectl
            .run("get pods,deploy,svc -A")
            .await
            .contains("deployment.apps/web   2/2     2            2")
    );
    kubectl.run("scale -n shop deploy/web --replicas=3").await;
    kubectl.run("set image -n shop deploy/web web=web:2").await;
    kubectl
        .run("rollout status -n shop deploy/web --timeout=15s")
        .await;
    kubectl.run("rollout undo -n shop deploy/web").await;
    assert_eq!(kubectl.run("auth can-i create pods").await.trim(), "yes");
    let pods: Value =
        serde_json::from_str(&kubectl.run("get pods -n shop -l app=web -o json").await).unwrap();
    assert!(
        pods["items"]
            .as_array()
            .is_some_and(|items| !items.is_empty())
    );

    kubectl.run("delete -f web.yaml").await;
    kubectl.run("delete application -n shop guestbook").await;
    kubectl.run("delete namespace shop").await;
    assert!(
        world
            .sandbox
            .truth()
            .find("Namespace", "", "shop")
            .is_none()
    );
}
