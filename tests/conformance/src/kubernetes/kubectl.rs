//! Output of `kubectl` by line, without spacing, revisions, identities and times.

use std::{fs, process::Stdio};

use causeway_cluster::{Program, Programs};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::Command,
};

use crate::{
    kubernetes::widgets::DEFINITIONS,
    target::{TIMEOUT, World, preinstalled},
};

const APPLICATION: &str = "\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: guestbook}
spec:
  project: default
  destination: {server: https://kubernetes.default.svc, namespace: shop}
  source: {repoURL: https://example.com/shop.git, path: web, targetRevision: main}
";
const MAP: &str = "\
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, labels: {app: web}}
data: {color: red}
";
const SYNCED: &str =
    r#"{"status":{"sync":{"status":"Synced","revision":"abc"},"health":{"status":"Healthy"}}}"#;

struct Kubectl<'a> {
    world: &'a World,
}

impl<'a> Kubectl<'a> {
    /// Installs the Application kind and writes the files of the commands.
    async fn new(world: &'a World) -> Self {
        let definition = preinstalled("applications.argoproj.io").await;
        let answer = world.post(DEFINITIONS, &definition).await;
        assert!([201, 409].contains(&answer.status), "{}", answer.text);
        let path = world.path("argoproj.io/v1alpha1", "applications");
        world.until(&path, |answer| answer.status == 200).await;
        for (name, text) in [
            ("app.yaml", APPLICATION.to_owned()),
            ("map.yaml", MAP.to_owned()),
        ] {
            fs::write(world.folder().join(name), text).unwrap();
        }
        Self { world }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        // the one that is built beside the API server, else the user's own
        let mut command = match Programs::find(&[Program::Kubernetes]) {
            Ok(programs) => {
                let mut command = Command::new(programs.path(Program::Kubernetes));
                command.arg("kubectl");
                command
            }
            Err(_) => Command::new("kubectl"),
        };
        command
            .args(["--namespace", self.world.namespace()])
            .args(arguments)
            .env("KUBECONFIG", self.world.kubeconfig())
            .env("HOME", self.world.folder())
            .current_dir(self.world.folder())
            .stdin(Stdio::null())
            .kill_on_drop(true);
        command
    }

    /// Runs a command and returns both streams, whatever its exit code.
    async fn run(&self, arguments: &str) -> String {
        let arguments: Vec<_> = arguments.split_whitespace().collect();
        let output = tokio::time::timeout(TIMEOUT, self.command(&arguments).output());
        let output = output
            .await
            .unwrap()
            .expect("kubectl is installed, or `make cluster` has built it");
        let text = [output.stdout, output.stderr].concat();
        self.plain(&String::from_utf8(text).unwrap())
    }

    /// Runs a command and compares what it prints.
    async fn prints(&self, arguments: &str, expected: &str) {
        assert_eq!(
            self.run(arguments).await,
            expected.trim_end(),
            "kubectl {arguments}"
        );
    }

    /// Replaces what differs between runs.
    fn plain(&self, text: &str) -> String {
        let text = text.replace(self.world.namespace(), "NAMESPACE");
        // said by newer ones only
        let text = text.replace(" from NAMESPACE namespace", "");
        text.lines()
            .map(plain_line)
            .collect::<Vec<_>>()
            .join("\n")
            .trim_end()
            .to_owned()
    }
}

/// Normalizes one line: single spaces, placeholders for ages, revisions, identities and times.
fn plain_line(line: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    let mut words: Vec<_> = line.split_whitespace().map(plain_word).collect();
    if words.starts_with(&["Resource".to_owned(), "Version:".to_owned()]) {
        words.truncate(2);
        words.push("REVISION".to_owned());
    }
    format!("{}{}", &line[..indent], words.join(" "))
}

fn plain_word(word: &str) -> String {
    let bare = word.trim_matches('"');
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_time = bare.len() == 20 && bare.ends_with('Z') && bare.contains('T');
    let is_identity = bare.len() == 36 && bare.matches('-').count() == 4;
    if is_time {
        "TIME".to_owned()
    } else if is_identity {
        "UID".to_owned()
    } else if bare.strip_suffix('s').is_some_and(is_number) {
        "AGE".to_owned()
    } else if bare != word && is_number(bare) {
        "REVISION".to_owned()
    } else {
        word.to_owned()
    }
}

pub(crate) async fn applications_are_applied_and_shown(world: &World) {
    let kubectl = Kubectl::new(world).await;
    kubectl
        .prints(
            "get applications",
            "No resources found in NAMESPACE namespace.",
        )
        .await;
    kubectl
        .prints(
            "apply -f app.yaml",
            "application.argoproj.io/guestbook created",
        )
        .await;
    kubectl
        .prints(
            "apply -f app.yaml",
            "application.argoproj.io/guestbook unchanged",
        )
        .await;
    kubectl
        .prints(
            "get applications -o wide",
            "NAME SYNC STATUS HEALTH STATUS REVISION PROJECT\nguestbook default",
        )
        .await;
    let patch = format!("patch application guestbook --type merge -p {SYNCED}");
    kubectl
        .prints(&patch, "application.argoproj.io/guestbook patched")
        .await;
    kubectl
        .prints(
            &patch,
            "application.argoproj.io/guestbook patched (no change)",
        )
        .await;
    kubectl
        .prints(
            "get app",
            "NAME SYNC STATUS HEALTH STATUS\nguestbook Synced Healthy",
        )
        .await;
    kubectl
        .prints(
            "get apps guestbook -o wide",
            "NAME SYNC STATUS HEALTH STATUS REVISION PROJECT\nguestbook Synced Healthy abc default",
        )
        .await;
    kubectl
        .prints(
            "get applications --show-labels",
            "NAME SYNC STATUS HEALTH STATUS LABELS\nguestbook Synced Healthy <none>",
        )
        .await;
    kubectl
        .prints(
            "get applications -o name",
            "application.argoproj.io/guestbook",
        )
        .await;
    kubectl
        .prints(
            "get applications -o jsonpath={.items[*].status.sync.status}",
            "Synced",
        )
        .await;
    let everywhere = kubectl.run("get applications -A").await;
    let lines: Vec<_> = everywhere.lines().collect();
    assert_eq!(lines[0], "NAMESPACE NAME SYNC STATUS HEALTH STATUS");
    assert!(
        lines.contains(&"NAMESPACE guestbook Synced Healthy"),
        "{everywhere}"
    );
}

pub(crate) async fn an_application_is_printed_in_full(world: &World) {
    let kubectl = Kubectl::new(world).await;
    kubectl
        .prints(
            "create -f app.yaml",
            "application.argoproj.io/guestbook created",
        )
        .await;
    kubectl
        .prints(
            "label application guestbook team=web",
            "application.argoproj.io/guestbook labeled",
        )
        .await;
    kubectl
        .prints(
            "annotate application guestbook note=x",
            "application.argoproj.io/guestbook annotated",
        )
        .await;
    kubectl
        .prints("get application guestbook -o yaml", YAML)
        .await;
    kubectl
        .prints("describe application guestbook", DESCRIBED)
        .await;
}

const YAML: &str = r#"apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  annotations:
    note: x
  creationTimestamp: TIME
  generation: 1
  labels:
    team: web
  name: guestbook
  namespace: NAMESPACE
  resourceVersion: REVISION
  uid: UID
spec:
  destination:
    namespace: shop
    server: https://kubernetes.default.svc
  project: default
  source:
    path: web
    repoURL: https://example.com/shop.git
    targetRevision: main"#;

const DESCRIBED: &str = "Name: guestbook
Namespace: NAMESPACE
Labels: team=web
Annotations: note: x
API Version: argoproj.io/v1alpha1
Kind: Application
Metadata:
  Creation Timestamp: TIME
  Generation: 1
  Resource Version: REVISION
  UID: UID
Spec:
  Destination:
    Namespace: shop
    Server: https://kubernetes.default.svc
  Project: default
  Source:
    Path: web
    Repo URL: https://example.com/shop.git
    Target Revision: main
Events: <none>";

pub(crate) async fn applications_are_watched(world: &World) {
    let kubectl = Kubectl::new(world).await;
    kubectl.run("apply -f app.yaml").await;
    let mut watching = kubectl
        .command(&["get", "applications", "-w"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(watching.stdout.take().unwrap()).lines();
    let mut next = async || {
        let line = tokio::time::timeout(TIMEOUT, lines.next_line())
            .await
            .expect("a line in time");
        plain_line(&line.unwrap().unwrap())
    };
    assert_eq!(next().await, "NAME SYNC STATUS HEALTH STATUS");
    assert_eq!(next().await, "guestbook");
    kubectl
        .run(&format!(
            "patch application guestbook --type merge -p {SYNCED}"
        ))
        .await;
    assert_eq!(next().await, "guestbook Synced Healthy");
    kubectl
        .prints(
            "delete application guestbook",
            "application.argoproj.io \"guestbook\" deleted",
        )
        .await;
    assert_eq!(
        next().await,
        "guestbook Synced Healthy",
        "the last state once more"
    );
}

pub(crate) async fn built_in_objects_are_applied_and_deleted(world: &World) {
    let kubectl = Kubectl::new(world).await;
    kubectl
        .prints("apply -f map.yaml", "configmap/settings created")
        .await;
    kubectl
        .prints("get cm -l app=web -o name", "configmap/settings")
        .await;
    kubectl.prints("describe configmap settings", "Name: settings\nNamespace: NAMESPACE\nLabels: app=web\nAnnotations: <none>\n\nData\n====\ncolor:\n----\nred\n\n\nBinaryData\n====\n\nEvents: <none>").await;
    kubectl
        .prints(
            "apply --server-side -f map.yaml --force-conflicts",
            "configmap/settings serverside-applied",
        )
        .await;
    kubectl
        .prints("delete -f map.yaml", "configmap \"settings\" deleted")
        .await;
}

pub(crate) async fn mistakes_are_reported_in_one_line(world: &World) {
    let kubectl = Kubectl::new(world).await;
    kubectl
        .prints(
            "get applications absent",
            "Error from server (NotFound): applications.argoproj.io \"absent\" not found",
        )
        .await;
    kubectl
        .prints(
            "get bogus",
            "error: the server doesn't have a resource type \"bogus\"",
        )
        .await;
    kubectl
        .prints(
            "delete application guestbook",
            "Error from server (NotFound): applications.argoproj.io \"guestbook\" not found",
        )
        .await;
    kubectl.run("apply -f app.yaml").await;
    kubectl.prints("create -f app.yaml", "Error from server (AlreadyExists): error when creating \"app.yaml\": applications.argoproj.io \"guestbook\" already exists").await;
}

pub(crate) async fn a_client_finds_its_way(world: &World) {
    let kubectl = Kubectl::new(world).await;
    let kinds = kubectl.run("api-resources --api-group=argoproj.io").await;
    assert!(
        kinds.contains("applications app,apps argoproj.io/v1alpha1 true Application"),
        "{kinds}"
    );
    kubectl.prints("get --raw /readyz", "ok").await;
    // the schema of a new kind follows its discovery after a while
    let explain = async {
        loop {
            let explained = kubectl.run("explain application.spec.project").await;
            if !explained.starts_with("error:") {
                return explained;
            }
        }
    };
    let explained = tokio::time::timeout(TIMEOUT, explain).await.unwrap();
    assert_eq!(
        explained,
        "GROUP: argoproj.io\nKIND: Application\nVERSION: v1alpha1\n\nFIELD: project <string>\n\n\nDESCRIPTION:\n    <empty>"
    );
    kubectl.run("apply -f app.yaml").await;
    kubectl
        .run(&format!(
            "patch application guestbook --type merge -p {SYNCED}"
        ))
        .await;
    kubectl
        .prints(
            "wait --for=jsonpath={.status.sync.status}=Synced application/guestbook --timeout=20s",
            "application.argoproj.io/guestbook condition met",
        )
        .await;
}
