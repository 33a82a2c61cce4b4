//! Secrets where people and tools leave them, each with a text of its own: objects, an Application, and what is said of them.
//! A test feeds them to a runtime and looks for the texts wherever they must not be.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Value, json};

/// A secret by where it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canary {
    /// Where, in words.
    pub place: &'static str,
    /// What nobody else writes.
    pub text: String,
}

/// Everything with a canary in it.
pub struct Canaries {
    /// All of them.
    pub all: Vec<Canary>,
    /// Objects of a cluster.
    pub manifests: Vec<Value>,
    /// `spec`, `status` and labels of an Application.
    pub application: Value,
    /// What Argo CD says of the health of a resource.
    pub health_message: String,
    /// A message of a commit.
    pub commit_message: String,
    /// What Argo CD says when it fails.
    pub failure: String,
}

/// The rules without which some of the places are as any other.
pub const RULES: &str = "
hide:
- annotation: vault.example.com/*
- label: customer-*
- environment: LICENSE_*
- path: spec.connection.uri
  kind: Database.db.example.com
- path: spec.template.spec.containers[name=web].env[*].value
  kind: Deployment.apps
";

impl Canary {
    /// Each way in which it may be written.
    pub fn forms(&self) -> Vec<Vec<u8>> {
        let in_base64 = (0..3).map(|before| {
            let bytes = [&b"\0\0\0"[..before], self.text.as_bytes()].concat();
            let encoded = BASE64_STANDARD.encode(bytes).into_bytes();
            // The letters at both ends depend on what stands beside it.
            encoded[4.min(before * 4)..encoded.len() - 4].to_vec()
        });
        let hex: String = self.text.bytes().map(|it| format!("{it:02x}")).collect();
        let plain = [self.text.clone().into_bytes(), hex.into_bytes()];
        plain.into_iter().chain(in_base64).collect()
    }

    /// Whether it is in these bytes in any of its forms.
    pub fn is_in(&self, bytes: &[u8]) -> bool {
        self.forms().iter().any(|form| contains(bytes, form))
    }
}

impl Canaries {
    /// What all of them begin with, in each form: bytes without any of these have none of them, and are soon looked through.
    pub fn beginnings(&self) -> Vec<Vec<u8>> {
        let mut beginnings = self.all[0].forms();
        for canary in &self.all {
            for (beginning, form) in beginnings.iter_mut().zip(canary.forms()) {
                let both = beginning.iter().zip(&form);
                let same = both.take_while(|(one, other)| one == other).count();
                beginning.truncate(same);
            }
        }
        beginnings
    }
}

fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|byte| *byte == needle[0]) {
        if rest[at..].starts_with(needle) {
            return true;
        }
        rest = &rest[at + 1..];
    }
    false
}

impl Default for Canaries {
    fn default() -> Self {
        let mut nest = Nest(Vec::new());
        let mut manifests = nest.secrets();
        manifests.extend(nest.copies());
        manifests.push(nest.annotated());
        manifests.extend(nest.custom());
        manifests.push(nest.deployment());
        manifests.extend(nest.configuration());
        manifests.push(nest.child());
        manifests.extend(nest.of_argo());
        manifests.extend(nest.events());
        let application = nest.application();
        let health_message = nest.said("the health of a node", "probe failed: password=");
        let commit_message = nest.said(
            "the message of a commit",
            "use token ghp_0123456789abcdef: api_key=",
        );
        let failure = nest.said(
            "a failure of Argo CD",
            "rpc error: cannot clone https://git.example.com/x.git?access_token=",
        );
        Self {
            all: nest.0,
            manifests,
            application,
            health_message,
            commit_message,
            failure,
        }
    }
}

struct Nest(Vec<Canary>);

fn object(version: &str, kind: &str, name: &str, rest: &Value) -> Value {
    let mut object = json!({
        "apiVersion": version,
        "kind": kind,
        "metadata": {"namespace": "default", "name": name},
    });
    for (field, value) in rest.as_object().into_iter().flatten() {
        object[field] = value.clone();
    }
    object
}

impl Nest {
    fn lay(&mut self, place: &'static str) -> String {
        let text = format!("c4n4ry-{:02}-9d2f7b", self.0.len());
        let canary = Canary {
            place,
            text: text.clone(),
        };
        self.0.push(canary);
        text
    }

    fn said(&mut self, place: &'static str, before: &str) -> String {
        format!("{before}{} and more", self.lay(place))
    }

    fn encoded(&mut self, place: &'static str) -> String {
        BASE64_STANDARD.encode(self.lay(place))
    }

    fn secrets(&mut self) -> Vec<Value> {
        let binary = [b"\xff\xfe", self.lay("binary data of a Secret").as_bytes()].concat();
        vec![
            object(
                "v1",
                "Secret",
                "data",
                &json!({"data": {"any": self.encoded("data of a Secret")}}),
            ),
            object(
                "v1",
                "Secret",
                "text",
                &json!({"stringData": {"any": self.lay("stringData of a Secret")}}),
            ),
            object(
                "v1",
                "Secret",
                "binary",
                &json!({"data": {"any": BASE64_STANDARD.encode(binary)}}),
            ),
        ]
    }

    /// Secrets in other objects.
    fn copies(&mut self) -> Vec<Value> {
        let secret = |value: String| json!({"kind": "Secret", "data": {"any": value}});
        let list = json!({"kind": "List", "items": [{"kind": "List", "items": [secret(self.encoded("a List in a List"))]}]});
        let kindless = json!({"kind": "SecretList", "items": [{"data": {"any": self.encoded("a SecretList without kinds")}}]});
        let template = secret(self.encoded("a template of a Secret"));
        vec![
            object("example.com/v1", "Bundle", "list", &json!({"spec": list})),
            object(
                "example.com/v1",
                "Bundle",
                "kindless",
                &json!({"spec": kindless}),
            ),
            object(
                "example.com/v1",
                "Bundle",
                "template",
                &json!({"spec": {"template": template}}),
            ),
        ]
    }

    fn annotated(&mut self) -> Value {
        let applied = json!({"kind": "Secret", "stringData": {"any": self.lay("last-applied")}});
        let json =
            json!({"kind": "Secret", "data": {"any": self.encoded("JSON in an annotation")}});
        let yaml = format!(
            "kind: Secret\nstringData:\n  any: {}\n",
            self.lay("YAML in an annotation")
        );
        let fields = self.lay("managedFields");
        let encoded = BASE64_STANDARD.encode(format!(
            "password: {}\n",
            self.lay("base64 in an annotation")
        ));
        let address = format!(
            "https%3A%2F%2Fann%3A{}%40git.example.com%2Fx",
            self.lay("a percent-encoded address")
        );
        let mut map = object("v1", "ConfigMap", "annotated", &json!({"data": {"a": "1"}}));
        map["metadata"]["managedFields"] = json!([{"fieldsV1": {format!("f:{fields}"): {}}}]);
        map["metadata"]["labels"] = json!({"customer-name": self.lay("a label by a rule")});
        map["metadata"]["annotations"] = json!({
            "kubectl.kubernetes.io/last-applied-configuration": applied.to_string(),
            "tool.example.com/copy": json.to_string(),
            "tool.example.com/text": yaml,
            "tool.example.com/encoded": encoded,
            "tool.example.com/address": address,
            "example.com/api-token": self.lay("an annotation by its name"),
            "vault.example.com/role": self.lay("an annotation by a rule"),
        });
        map
    }

    fn custom(&mut self) -> Vec<Value> {
        let named = json!({"spec": {"admin": {"password": self.lay("a field by its name")}}});
        let ruled = json!({"spec": {"connection": {"uri": self.lay("a field by a rule")}}});
        vec![
            object("example.com/v1", "Account", "named", &named),
            object("db.example.com/v1", "Database", "ruled", &ruled),
        ]
    }

    fn deployment(&mut self) -> Value {
        let url = format!(
            "postgres://app:{}@db/x",
            self.lay("an address in a variable")
        );
        let header = format!(
            "curl -H 'Authorization: Bearer {}' x",
            self.lay("a header in a command")
        );
        let user = format!("ann:{}", self.lay("the user of a command"));
        let containers = json!([
            {
                "name": "web",
                "image": "web:1",
                "env": [{"name": "MOTTO", "value": self.lay("a variable by a path")}],
                "command": ["sh", "-c", header],
                "args": [
                    format!("--password={}", self.lay("a flag with its value")),
                    "--api-key",
                    self.lay("a flag before its value"),
                    "-u",
                    user,
                ],
            },
            {
                "name": "side",
                "image": "side:1",
                "env": [
                    {"name": "API_TOKEN", "value": self.lay("a variable by its name")},
                    {"name": "SENTRY_DSN", "value": self.lay("a variable by a pattern that always holds")},
                    {"name": "LICENSE_TEXT", "value": self.lay("a variable by a rule")},
                    {"name": "URL", "value": url},
                ],
                "args": ["-----BEGIN EC PRIVATE KEY-----", self.lay("a key over several arguments"), "-----END EC PRIVATE KEY-----"],
            },
        ]);
        let template = json!({"spec": {"containers": containers}});
        object(
            "apps/v1",
            "Deployment",
            "web",
            &json!({"spec": {"template": template}}),
        )
    }

    fn configuration(&mut self) -> Vec<Value> {
        let manifest = format!(
            "a: 1\n---\nkind: Secret\ndata: {{any: {}}}\n",
            self.encoded("a manifest in a ConfigMap")
        );
        let block = format!(
            "db:\n  password: |\n    first\n    {}\n  port: 1\n",
            self.lay("a block of YAML")
        );
        let quoted = format!("password = \"two words {}\"", self.lay("a text in quotes"));
        let key = format!(
            "-----BEGIN RSA PRIVATE KEY-----\nMIIB\n{}\n-----END RSA PRIVATE KEY-----\n",
            self.lay("a key over several lines"),
        );
        let binary = format!(
            "kind: Secret\nstringData:\n  any: {}\n",
            self.lay("binary data of a ConfigMap")
        );
        let data = json!({
            "all.yaml": manifest,
            "app.yaml": block,
            "app.toml": quoted,
            "app.properties": format!("api.secret={}\nother=1", self.lay("a property")),
            "app.json": json!({"auth": {"token": self.lay("JSON in a ConfigMap")}}).to_string(),
            "repository": format!("https://ann:{}@git.example.com/x", self.lay("an address in a ConfigMap")),
            "key.pem": key,
        });
        let binary = json!({"binaryData": {"all.yaml": BASE64_STANDARD.encode(binary)}});
        vec![
            object("v1", "ConfigMap", "texts", &json!({"data": data})),
            object("v1", "ConfigMap", "bytes", &binary),
        ]
    }

    /// The sources of an Application that another one made.
    fn child(&mut self) -> Value {
        let spec = json!({"project": "default", "sources": self.sources()});
        object(
            "argoproj.io/v1alpha1",
            "Application",
            "child",
            &json!({"spec": spec}),
        )
    }

    fn sources(&mut self) -> Value {
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

    /// Events that nobody owns.
    fn events(&mut self) -> Vec<Value> {
        let message = self.said("the message of an event", "Failed to pull: password: ");
        let involved = |kind: &str| json!({"kind": kind, "namespace": "default", "name": "gone"});
        let invalid = format!(
            "data[any]: Invalid value: \"{}\": must be base64",
            self.lay("an event about a Secret"),
        );
        vec![
            object(
                "v1",
                "Event",
                "e.1",
                &json!({"message": message, "involvedObject": involved("Pod")}),
            ),
            object(
                "v1",
                "Event",
                "e.2",
                &json!({"message": invalid, "involvedObject": involved("Secret")}),
            ),
        ]
    }

    /// What Argo Rollouts and Argo Workflows run.
    fn of_argo(&mut self) -> Vec<Value> {
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

    fn application(&mut self) -> Value {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_canary_is_planted_and_found_in_each_of_its_forms() {
        let canaries = Canaries::default();
        assert!(canaries.beginnings().iter().all(|it| it.len() >= 5));
        assert!(canaries.all.len() >= 45, "{}", canaries.all.len());
        let texts = [
            &canaries.health_message,
            &canaries.commit_message,
            &canaries.failure,
        ];
        let all = json!([canaries.manifests, canaries.application, texts]).to_string();
        // The binary one begins with two bytes of its own, and another is in a text that is encoded whole.
        for canary in &canaries.all {
            assert!(canary.is_in(all.as_bytes()), "{}", canary.place);
            for before in ["", "a", "ab"] {
                let encoded = BASE64_STANDARD.encode(format!("{before}{} after", canary.text));
                assert!(canary.is_in(encoded.as_bytes()), "{}", canary.place);
            }
            assert!(!canary.is_in(b"c4n4ry-00-9d2f7"));
        }
    }
}
