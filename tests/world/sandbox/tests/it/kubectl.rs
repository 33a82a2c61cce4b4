//! The real `kubectl`, where there is one.

use std::{fs, path::Path, process::Stdio};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::Command,
};

use crate::world::{PATIENCE, world};

const KUBECTL: &str = "/usr/bin/kubectl";
const NAMESPACE: &str = "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}";
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

impl Kubectl<'_> {
    /// Gives `folder` what the commands need.
    fn set_up(folder: &Path, kubeconfig: &str) {
        fs::write(folder.join("kubeconfig"), kubeconfig).unwrap();
        fs::write(folder.join("namespace.yaml"), NAMESPACE).unwrap();
        fs::write(folder.join("app.yaml"), APPLICATION).unwrap();
        fs::write(folder.join("web.yaml"), DEPLOYMENT).unwrap();
    }

    async fn handles_applications(&self) {
        assert!(
            self.run("api-resources")
                .await
                .contains("argoproj.io/v1alpha1")
        );
        self.run("apply -f namespace.yaml").await;
        let mut watching = self
            .command("get applications -A -w")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut watched = BufReader::new(watching.stdout.take().unwrap()).lines();
        assert!(self.run("apply -f app.yaml").await.contains("created"));
        assert!(self.run("apply -f app.yaml").await.contains("unchanged"));
        let table = self.run("get applications -A").await;
        assert!(
            table.starts_with("NAMESPACE   NAME        SYNC STATUS   HEALTH STATUS"),
            "{table}"
        );
        let yaml = self.run("get applications -n shop guestbook -o yaml").await;
        assert!(
            yaml.contains("repoURL: https://example.com/shop.git"),
            "{yaml}"
        );
        let synced = "{\"status\":{\"sync\":{\"status\":\"Synced\"}}}";
        self.run(&format!(
            "patch application -n shop guestbook --type merge -p {synced}"
        ))
        .await;
        self.run("label application -n shop guestbook team=web")
            .await;
        self.run("annotate application -n shop guestbook note=x")
            .await;
        let described = self.run("describe application -n shop guestbook").await;
        assert!(described.contains("Target Revision:  main"), "{described}");
        let mut seen = String::new();
        while !seen.contains("Synced") {
            seen = tokio::time::timeout(PATIENCE, watched.next_line())
                .await
                .unwrap()
                .unwrap()
                .unwrap();
        }
        assert!(seen.contains("guestbook"), "{seen}");
    }

    async fn handles_workloads(&self) {
        assert!(
            self.run("apply --server-side -f web.yaml")
                .await
                .contains("serverside-applied")
        );
        self.run("rollout status -n shop deploy/web --timeout=15s")
            .await;
        let pods = self.run("get pods -n shop -l app=web -o json").await;
        let pods: Value = serde_json::from_str(&pods).unwrap();
        assert!(
            pods["items"]
                .as_array()
                .is_some_and(|items| !items.is_empty())
        );
    }

    async fn cleans_up(&self) {
        self.run("delete -f web.yaml").await;
        self.run("delete application -n shop guestbook").await;
        self.run("delete namespace shop").await;
    }
}

#[tokio::test]
#[expect(
    clippy::print_stderr,
    reason = "whoever runs the tests should see what was not run"
)]
async fn the_real_kubectl_works_against_it() {
    if !Path::new(KUBECTL).exists() {
        assert!(std::env::var_os("CI").is_none(), "there is no {KUBECTL}");
        eprintln!("SKIPPED: there is no {KUBECTL}");
        return;
    }
    let world = world().await;
    let folder = tempfile::tempdir().unwrap();
    Kubectl::set_up(folder.path(), &world.sandbox.kubeconfig());
    let kubectl = Kubectl {
        folder: folder.path(),
    };
    kubectl.handles_applications().await;
    kubectl.handles_workloads().await;
    kubectl.cleans_up().await;
    assert!(
        world
            .sandbox
            .snapshot()
            .find("Namespace", "", "shop")
            .is_none()
    );
}
