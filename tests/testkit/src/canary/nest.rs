//! Cluster objects with canaries.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Value, json};

use super::Canary;

/// Creates canaries, each in a unique location.
pub(super) struct Nest(pub(super) Vec<Canary>);

pub(super) fn object(version: &str, kind: &str, name: &str, rest: &Value) -> Value {
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
    pub(super) fn lay(&mut self, place: &'static str) -> String {
        let text = format!("c4n4ry-{:02}-9d2f7b", self.0.len());
        let canary = Canary {
            place,
            text: text.clone(),
        };
        self.0.push(canary);
        text
    }

    pub(super) fn said(&mut self, place: &'static str, before: &str) -> String {
        format!("{before}{} and more", self.lay(place))
    }

    pub(super) fn encoded(&mut self, place: &'static str) -> String {
        BASE64_STANDARD.encode(self.lay(place))
    }

    pub(super) fn secrets(&mut self) -> Vec<Value> {
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

    /// Canaries in other objects.
    pub(super) fn copies(&mut self) -> Vec<Value> {
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

    pub(super) fn annotated(&mut self) -> Value {
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

    pub(super) fn custom(&mut self) -> Vec<Value> {
        let named = json!({"spec": {"admin": {"password": self.lay("a field by its name")}}});
        let ruled = json!({"spec": {"connection": {"uri": self.lay("a field by a rule")}}});
        vec![
            object("example.com/v1", "Account", "named", &named),
            object("db.example.com/v1", "Database", "ruled", &ruled),
        ]
    }

    pub(super) fn deployment(&mut self) -> Value {
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

    pub(super) fn configuration(&mut self) -> Vec<Value> {
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

    /// Events without an owner.
    pub(super) fn events(&mut self) -> Vec<Value> {
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
}
