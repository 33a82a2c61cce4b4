//! Pull requests on a real Gitea: from an edit in the command line to what Argo CD makes of the merge.

use std::{fs, process::Command};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use causeway_cluster::{Gitea, GiteaUser, Program, Programs};
use causeway_testkit::{Finished, run, skip};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::program::Up;

const REPOSITORY: &str = "acme/shop";
const FILE: &str = "web/deployment.yaml";
const DEPLOYMENT: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 2\n  selector:\n    \
                          matchLabels:\n      app: web\n  template:\n    metadata:\n      labels:\n        app: web\n    spec:\n      \
                          containers:\n        - name: web\n          image: nginx:1.27\n";
const EDIT: [&str; 2] = ["--set-json", "web/deployment.yaml:spec.replicas=3"];

/// Causeway beside a Gitea with a repository that an application comes from.
struct Trial {
    up: Up,
    gitea: Gitea,
    reader: String,
    // Outlives what runs on it.
    runtime: Runtime,
}

impl Trial {
    fn start() -> Option<Self> {
        if let Err(error) = Programs::find(&[Program::Kubernetes, Program::Gitea]) {
            skip(&error.to_string());
            return None;
        }
        let runtime = Runtime::new().unwrap();
        let (gitea, ada, reader) = runtime.block_on(host());
        let rule = format!("{}/*;branch=main;path=web/*", gitea.url());
        let up = Up::start_on(&["--allow-git".to_owned(), rule]);
        let trial = Self {
            up,
            gitea,
            reader,
            runtime,
        };
        trial.integrate("gitea", "gitea", &ada.token);
        Some(trial)
    }

    fn integrate(&self, name: &str, provider: &str, token: &str) {
        let file = self.up.folder.path().join(format!("token-{name}"));
        fs::write(&file, token).unwrap();
        let (url, file) = (self.gitea.url(), file.display().to_string());
        let create = ["integration", "create", name, "--provider", provider];
        let create = [&create[..], &["--url", &url, "--token-file", &file]].concat();
        self.up.cli(&create).expect_success();
    }

    fn pull_request(&self, verb: &str, rest: &[&str]) -> Finished {
        let place = ["git", "pr", verb, "acme/shop.git"];
        self.up.cli(&[&place[..], rest, &["-i", "gitea"]].concat())
    }

    fn as_admin(&self, method: Method, path: &str, body: Value) -> Value {
        let path = format!("/repos/{REPOSITORY}/{path}");
        let done = self.gitea.as_admin(method, &path, body);
        self.runtime.block_on(done).unwrap()
    }

    /// An application that syncs itself from the repository.
    fn apply_application(&self) {
        let repository = format!("{}/{REPOSITORY}.git", self.gitea.url());
        let application = json!({
            "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
            "metadata": { "name": "web", "namespace": "argocd" },
            "spec": {
                "project": "default",
                "source": { "repoURL": repository, "path": "web", "targetRevision": "main" },
                "destination": { "server": "https://kubernetes.default.svc", "namespace": "web" },
                "syncPolicy": { "automated": {}, "syncOptions": ["CreateNamespace=true"] },
            },
        });
        let file = self.up.folder.path().join("application.json");
        fs::write(&file, application.to_string()).unwrap();
        let kubeconfig = self.up.kubeconfig().display().to_string();
        let mut kubectl = Command::new("kubectl");
        kubectl.args(["--kubeconfig", &kubeconfig, "apply", "-f"]);
        run(kubectl.arg(file)).expect_success();
    }
}

async fn host() -> (Gitea, GiteaUser, String) {
    let gitea = Gitea::start().await.unwrap();
    gitea.create_organisation("acme").await.unwrap();
    gitea.create_repository("acme", "shop").await.unwrap();
    let writes = ["write:repository", "write:issue", "read:user"];
    let ada = gitea.create_user("ada", &writes).await.unwrap();
    gitea.add_writer(REPOSITORY, "ada").await.unwrap();
    let reads = ["read:repository", "read:user"];
    let reader = gitea.create_token(&ada, "reader", &reads).await.unwrap();
    let at = format!("/repos/{REPOSITORY}");
    let public = json!({ "private": false });
    gitea.as_admin(Method::PATCH, &at, public).await.unwrap();
    let content = BASE64_STANDARD.encode(DEPLOYMENT);
    let file = json!({ "content": content, "message": "web", "branch": "main" });
    let path = format!("{at}/contents/{FILE}");
    gitea.as_admin(Method::POST, &path, file).await.unwrap();
    (gitea, ada, reader)
}

#[test]
fn an_edit_becomes_a_pull_request_is_merged_and_synced() {
    let Some(trial) = Trial::start() else {
        return;
    };
    trial.apply_application();
    let before = trial.up.wait_for("web", "synced", |application| {
        application["status"]["sync"]["status"] == "SYNC_STATUS_SYNCED"
    });

    let id = ["--request-id", "5f0c9a52-3d4e-4a71-9c31-0f6f3a2f8a11"];
    let create = [&["-b", "main", "-t", "Three of them"][..], &EDIT, &id].concat();
    let opened = trial.pull_request("create", &create).expect_success();
    assert!(opened.contains("opened pull request 1:"), "{opened}");
    let again = trial.pull_request("create", &create).expect_success();
    assert!(
        again.contains("opened pull request 1 by an earlier request"),
        "{again}"
    );
    let listed = trial.pull_request("list", &[]).expect_success();
    assert!(listed.contains("Three of them"), "{listed}");

    let stale = ["1", "--head", "0123456789012345678901234567890123456789"];
    let moved = trial.pull_request("merge", &stale);
    assert!(moved.stderr.contains("its head is"), "{moved:?}");
    let merged = trial
        .pull_request("merge", &["1", "--wait"])
        .expect_success();
    let commit = merged.split_whitespace().last().unwrap().to_owned();
    assert!(merged.contains("pull request 1 merged as"), "{merged}");
    let repeated = trial
        .pull_request("merge", &["1", "--wait"])
        .expect_success();
    assert!(repeated.contains(&commit), "{repeated}");
    let after = trial.pull_request("create", &create).expect_success();
    assert!(after.contains("opened pull request 1 by"), "{after}");

    trial.up.cli(&["app", "refresh", "web"]).expect_success();
    let synced = trial.up.wait_for("web", "at the merge", |application| {
        let status = &application["status"];
        status["sync"]["status"] == "SYNC_STATUS_SYNCED"
            && status["commit"]["sha"] == commit.as_str()
    });
    assert_ne!(before["status"]["commit"], synced["status"]["commit"]);
    let audited = trial
        .up
        .cli(&["audit", "list", "-o", "json"])
        .expect_success();
    for permission in [
        "repository.open-pull-request",
        "repository.merge-pull-request",
    ] {
        assert!(audited.contains(permission), "{audited}");
    }
}

#[test]
fn a_merge_of_paths_that_no_rule_allows_is_refused() {
    let Some(trial) = Trial::start() else {
        return;
    };
    let file = json!({
        "content": BASE64_STANDARD.encode("x\n"), "message": "x", "branch": "main", "new_branch": "foreign",
    });
    trial.as_admin(Method::POST, "contents/infra/x.txt", file);
    let foreign = json!({ "head": "foreign", "base": "main", "title": "Foreign" });
    trial.as_admin(Method::POST, "pulls", foreign);
    let refused = trial.pull_request("merge", &["1", "--wait"]);
    assert!(
        refused
            .stderr
            .contains("does not allow the path infra/x.txt"),
        "{refused:?}"
    );
    let outside = ["-b", "main", "-t", "x", "--delete", "README.md"];
    let outside = trial.pull_request("create", &outside);
    assert!(
        outside.stderr.contains("does not allow the path README.md"),
        "{outside:?}"
    );
    trial
        .pull_request("close", &["1", "--yes"])
        .expect_success();
    let shown = trial.pull_request("get", &["1"]).expect_success();
    assert!(shown.contains("closed"), "{shown}");
}

#[test]
fn an_integration_is_tested_in_words() {
    let Some(trial) = Trial::start() else {
        return;
    };
    let repository = ["--repository", "acme/shop.git"];
    let test = |name: &str| {
        let arguments = ["integration", "test", name];
        trial.up.cli(&[&arguments[..], &repository].concat())
    };
    let works = test("gitea").expect_success();
    for (name, value) in [
        ("Works", "yes"),
        ("User", "ada"),
        ("Can push", "yes"),
        ("Default branch", "main"),
    ] {
        let row = works.lines().find(|line| line.starts_with(name));
        assert!(
            row.is_some_and(|row| row.ends_with(value)),
            "{name}: {works}"
        );
    }
    trial.integrate("reader", "gitea", &trial.reader);
    let weak = test("reader");
    assert!(
        weak.stdout.contains("may read") && weak.stdout.contains("not push"),
        "{weak:?}"
    );
    trial.integrate("wrong", "gitea", "canary-4b7d21");
    let wrong = test("wrong");
    assert!(
        wrong.stdout.contains("Gitea refused the credential"),
        "{wrong:?}"
    );
    assert!(!wrong.stdout.contains("canary") && !wrong.stderr.contains("canary"));
    trial.integrate("other", "gitlab", &trial.reader);
    let other = test("other");
    assert!(other.stdout.contains("choose its provider"), "{other:?}");
}
