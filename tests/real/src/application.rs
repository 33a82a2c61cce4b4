//! Applications that tests make.

use serde_json::{Value, json};

use crate::clusters::Shared;

/// One Application on a repository and a namespace of its own, all of one name.
pub(crate) struct Demo<'a> {
    pub(crate) shared: &'a Shared<'a>,
    pub(crate) name: &'a str,
    /// of the Argo CD
    pub(crate) namespace: &'a str,
}

impl Demo<'_> {
    /// Commits a Deployment of one replica, makes the Application; gives the commit's hash.
    pub(crate) fn make(&self, policy: &Value) -> String {
        let revision = self.scale(1, "One of them");
        self.create(policy);
        revision
    }

    /// Makes the Application.
    pub(crate) fn create(&self, policy: &Value) {
        let here = json!({"server": "https://kubernetes.default.svc", "namespace": self.name});
        self.create_at(&here, policy);
    }

    /// Makes the Application for a destination.
    pub(crate) fn create_at(&self, destination: &Value, policy: &Value) {
        self.shared.create(json!({
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
                "destination": destination,
                "syncPolicy": policy,
            },
        }));
    }

    /// Commits another number of replicas; gives the commit's hash.
    pub(crate) fn scale(&self, replicas: u32, message: &str) -> String {
        self.commit(&deployment(self.name, replicas), message)
    }

    /// Commits an object into a file of the kind's name; gives the commit's hash.
    pub(crate) fn commit(&self, object: &Value, message: &str) -> String {
        let file = format!(
            "app/{}.yaml",
            object["kind"].as_str().unwrap().to_lowercase()
        );
        self.shared
            .commit(self.name, &file, &object.to_string(), message)
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

pub(crate) fn deployment(name: &str, replicas: u32) -> Value {
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
