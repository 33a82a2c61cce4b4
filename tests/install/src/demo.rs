//! An application that is deployed by Argo CD: a Deployment that writes a line, a Rollout that waits to be promoted, and a number.

use causeway_sandbox::git::Commit;
use serde_json::{Value, json};

use crate::{console::Console, image::SHELL, stage::Stage};

/// One application on a repository and in a namespace of its own, all of one name.
pub(crate) struct Demo<'a> {
    pub(crate) stage: &'a Stage,
    pub(crate) name: &'a str,
    /// of its Argo CD
    pub(crate) argocd: &'a str,
}

impl Demo<'_> {
    /// Commits the first number and makes the Application; gives the commit's hash.
    pub(crate) fn make(&self) -> String {
        let commit = Commit::new("Number 1")
            .write("app/deployment.yaml", self.deployment().to_string())
            .write("app/rollout.yaml", self.rollout().to_string())
            .write("app/number.yaml", self.number(1).to_string());
        let first = self.stage.commit(self.name, &commit);
        let namespace =
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.name}});
        self.stage.apply(&[namespace, self.application()]);
        first
    }

    /// Commits another number; gives the commit's hash.
    pub(crate) fn push(&self, number: u32) -> String {
        let commit = Commit::new(&format!("Number {number}"));
        let commit = commit.write("app/number.yaml", self.number(number).to_string());
        self.stage.commit(self.name, &commit)
    }

    /// Waits until the platform tells it to be in good order at a revision.
    pub(crate) fn wait_for(&self, console: &Console, revision: &str) -> Value {
        console.until(&["app", "get", self.name], |application| {
            let status = &application["status"];
            status["sync"]["status"] == "SYNC_STATUS_SYNCED"
                && status["health"]["status"] == "HEALTH_STATUS_HEALTHY"
                && status["sync"]["revisions"][0] == revision
        })
    }

    /// Takes it away with all that it deployed.
    pub(crate) fn remove(&self) {
        let words = [
            "delete",
            "application",
            self.name,
            "--namespace",
            self.argocd,
            "--ignore-not-found",
        ];
        self.stage.kubectl(&words).expect_success();
        let words = ["delete", "namespace", self.name, "--ignore-not-found"];
        self.stage.kubectl(&words).expect_success();
    }

    fn application(&self) -> Value {
        json!({
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "Application",
            "metadata": {"name": self.name, "namespace": self.argocd},
            "spec": {
                "project": "default",
                "source": {"repoURL": self.stage.git().url(self.name), "path": "app", "targetRevision": "main"},
                "destination": {"server": "https://kubernetes.default.svc", "namespace": self.name},
            },
        })
    }

    fn deployment(&self) -> Value {
        self.workload("apps/v1", "Deployment", &json!({}))
    }

    fn rollout(&self) -> Value {
        let steps = json!({"strategy": {"canary": {"steps": [{"setWeight": 50}, {"pause": {}}]}}});
        self.workload("argoproj.io/v1alpha1", "Rollout", &steps)
    }

    fn workload(&self, version: &str, kind: &str, more: &Value) -> Value {
        let labels = json!({"app": format!("{}-{}", self.name, kind.to_lowercase())});
        let talk = "echo \"hello from $HOSTNAME\"; exec sleep 100000";
        let container = json!({"name": "main", "image": SHELL, "command": ["bash", "-c", talk]});
        let mut spec = json!({
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [container], "terminationGracePeriodSeconds": 0},
            },
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            spec[name] = value.clone();
        }
        json!({"apiVersion": version, "kind": kind, "metadata": {"name": self.name}, "spec": spec})
    }

    fn number(&self, number: u32) -> Value {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": self.name},
            "data": {"number": number.to_string()}})
    }
}
