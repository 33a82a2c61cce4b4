//! An Application, and objects of Argo Rollouts and Argo Workflows, with canaries.

use serde_json::{Value, json};

use super::nest::{Nest, object};

impl Nest {
    /// Sources of a child Application.
    pub(super) fn child(&mut self) -> Value {
        let spec = json!({"project": "default", "sources": self.sources()});
        object(
            "argoproj.io/v1alpha1",
            "Application",
            "child",
            &json!({"spec": spec}),
        )
    }

    pub(super) fn sources(&mut self) -> Value {
        let values = format!("db:\n  password: '{}'\n", self.lay("values of Helm"));
        let patch = format!(
            "- op: replace\n  path: /data/any\n  value: {}\n",
            self.encoded("a JSON patch of Kustomize"),
        );
        let strategic = format!(
            "apiVersion: v1\nkind: Secret\nmetadata: {{name: a}}\nstringData:\n  any: {}\n",
            self.lay("a patch of Kustomize"),
        );
        json!([
            {"repoURL": "https://git.example.com/x", "helm": {
                "parameters": [{"name": "db.password", "value": self.lay("a parameter of Helm")}],
                "values": values,
                "valuesObject": {"secrets": {"a": {"b": self.lay("an object of Helm values")}}},
            }},
            {"repoURL": "https://git.example.com/x", "plugin": {
                "env": [{"name": "AGE_KEY", "value": self.lay("a variable of a plugin")}],
            }},
            {"repoURL": "https://git.example.com/x", "kustomize": {
                "patches": [{"patch": patch}, {"patch": strategic}],
                "commonAnnotations": {"vault.example.com/role": self.lay("an annotation of Kustomize")},
            }},
        ])
    }

    /// Objects of Argo Rollouts and Argo Workflows.
    pub(super) fn of_argo(&mut self) -> Vec<Value> {
        let env = json!([{"name": "DB_PASSWORD", "value": self.lay("a variable of a Rollout")}]);
        let template =
            json!({"spec": {"containers": [{"name": "web", "image": "web:1", "env": env}]}});
        let said = self.said("the message of a Rollout", "cannot log in: password=");
        let rollout = json!({"spec": {"template": template}, "status": {"phase": "Degraded", "message": said}});
        let argument =
            json!({"name": "api-token", "value": self.lay("an argument of an AnalysisRun")});
        let measured = self.said("a metric of an AnalysisRun", "got Authorization: Bearer ");
        let run = json!({
            "spec": {"args": [argument]},
            "status": {"phase": "Error", "metricResults": [{"name": "errors", "phase": "Error", "message": measured}]},
        });
        let parameter = json!({"name": "password", "value": self.lay("a parameter of a Workflow")});
        let failed = self.said("a node of a Workflow", "exit 1: token=");
        let workflow = json!({
            "spec": {"arguments": {"parameters": [parameter]}},
            "status": {"phase": "Failed", "nodes": {"a": {"displayName": "a", "type": "Pod", "message": failed}}},
        });
        let argo = |kind, rest| object("argoproj.io/v1alpha1", kind, "nest", rest);
        vec![
            argo("Rollout", &rollout),
            argo("AnalysisRun", &run),
            argo("Workflow", &workflow),
        ]
    }

    pub(super) fn application(&mut self) -> Value {
        let source = format!(
            "https://ann:{}@git.example.com/x.git",
            self.lay("the address of a repository")
        );
        let quoted = json!({"apiVersion": "v1", "data": {"any": self.encoded("an object that a message quotes")}, "kind": "Secret"});
        let cut = format!(
            "{{\"apiVersion\":\"v1\",\"data\":{{\"any\":\"{}",
            self.lay("an object that was cut off")
        );
        let go = format!(
            "map[apiVersion:v1 data:map[any:{}]]",
            self.lay("an object as Go shows it")
        );
        let invalid = format!(
            "Secret \"keys\" is invalid: data[any]: Invalid value: \"{}\": must be base64",
            self.lay("what is invalid in a Secret"),
        );
        let degraded = self.said("the health of a resource", "login failed: secret=");
        json!({
            "labels": {"customer-name": self.lay("a label of an Application")},
            "spec": {
                "project": "default",
                "source": {"repoURL": source, "path": "x", "targetRevision": "main"},
                "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
            },
            "status": {
                "sync": {"status": "OutOfSync", "revision": "0123456789abcdef0123456789abcdef01234567"},
                "health": {"status": "Degraded", "message": self.said("the health of an Application", "password=")},
                "conditions": [
                    {"type": "ComparisonError", "message": format!("cannot fetch https://ann:{}@git.example.com/x", self.lay("a condition"))},
                    {"type": "SyncError", "message": format!("cannot apply: {quoted}")},
                    {"type": "UnknownError", "message": format!("cannot apply {cut}")},
                    {"type": "InvalidSpecError", "message": format!("cannot apply {go}")},
                ],
                "operationState": {
                    "phase": "Failed",
                    "message": self.said("an operation", "Authorization: Bearer "),
                    "startedAt": "2026-01-01T00:00:00Z",
                    "operation": {},
                    "syncResult": {"revision": "", "resources": [
                        {"version": "v1", "kind": "Secret", "namespace": "a", "name": "keys", "status": "SyncFailed", "message": invalid},
                    ]},
                },
                "resources": [
                    {"version": "v1", "kind": "Pod", "namespace": "default", "name": "p", "status": "Synced", "health": {"status": "Degraded", "message": degraded}},
                ],
                "summary": {"externalURLs": [format!("https://ann:{}@shop.example.com/", self.lay("an external address"))]},
                "sourceHydrator": {"currentOperation": {"phase": "Failed", "message": self.said("a hydration", "password=")}},
            },
        })
    }
}
