//! Applications that tests make.

use kube::api::{DynamicObject, PostParams};
use serde_json::{Value, json};

use crate::shared::Shared;

/// One Application on a repository and a namespace of its own, all of one name.
pub(crate) struct Demo<'a> {
    pub(crate) shared: &'a Shared,
    pub(crate) name: &'a str,
    /// of the Argo CD
    pub(crate) namespace: &'a str,
}

impl Demo<'_> {
    /// Commits a Deployment of one replica, makes the Application; gives the commit's hash.
    pub(crate) fn make(&self, policy: Value) -> String {
        let revision = self.scale(1, "One of them");
        let object = json!({
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "Application",
            "metadata": {"name": self.name, "namespace": self.namespace},
            "spec": {
                "project": "default",
                "source": {
                    "repoURL": self.shared.cluster.git().url(self.name),
                    "path": "app",
                    "targetRevision": "main",
                },
                "destination": {"server": "https://kubernetes.default.svc", "namespace": self.name},
                "syncPolicy": policy,
            },
        });
        let object: DynamicObject = serde_json::from_value(object).unwrap();
        let api = self.shared.api("Application", self.namespace);
        let made = self
            .shared
            .block_on(api.create(&PostParams::default(), &object));
        made.unwrap();
        revision
    }

    /// Commits another number of replicas; gives the commit's hash.
    pub(crate) fn scale(&self, replicas: u32, message: &str) -> String {
        let text = deployment(self.name, replicas).to_string();
        self.shared
            .commit(self.name, "app/deployment.yaml", &text, message)
    }
}

/// Synced by itself, into a namespace that is made.
pub(crate) fn automated() -> Value {
    json!({"automated": {"prune": true, "selfHeal": true}, "syncOptions": ["CreateNamespace=true"]})
}

/// Synced when somebody says so.
pub(crate) fn manual() -> Value {
    json!({"syncOptions": ["CreateNamespace=true"]})
}

fn deployment(name: &str, replicas: u32) -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": [{"name": "main", "image": "registry.example/main:1"}]},
            },
        },
    })
}
