use serde_json::{Value, json};

use super::{LONGEST_MESSAGE, Redactor};
use crate::application::Application;

const CANARY: &str = "c4n4ry-5up3r-s3cr3t";

fn redactor() -> Redactor {
    Redactor::new(b"the key of a runtime")
}

fn redacted(mut value: Value) -> String {
    redactor().manifest(&mut value);
    value.to_string()
}

fn manifests() -> Vec<Value> {
    let secret = json!({"kind": "Secret", "data": {"any": CANARY}, "stringData": {"x": CANARY}});
    let configuration = |data: Value| json!({"kind": "ConfigMap", "data": data});
    let container = |container: Value| json!({"kind": "Pod", "spec": {"containers": [container]}});
    let annotated = |name: &str, value: String| json!({"metadata": {"annotations": {name: value}}});
    let last_applied = "kubectl.kubernetes.io/last-applied-configuration";
    vec![
        secret.clone(),
        json!({"kind": "Secret", "data": [CANARY]}),
        json!({"kind": "Secret", "data": {"nested": {"deep": CANARY}}}),
        json!({"kind": "SecretList", "items": [{"data": {"a": CANARY}}]}),
        json!({"kind": "List", "items": [secret.clone()]}),
        json!({"kind": "List", "items": [{"kind": "List", "items": [secret.clone()]}]}),
        json!({"kind": "Custom", "spec": {"template": secret.clone()}}),
        annotated(last_applied, secret.to_string()),
        annotated("other.io/copy", secret.to_string()),
        annotated(
            "other.io/yaml",
            format!("kind: Secret\ndata:\n  a: {CANARY}\n"),
        ),
        annotated("example.com/api-token", CANARY.to_owned()),
        annotated(
            "example.com/repository",
            format!("https://user:{CANARY}@host/x"),
        ),
        configuration(json!({"DB_PASSWORD": CANARY})),
        configuration(json!({"app.yaml": format!("database:\n  password: {CANARY}\n")})),
        configuration(json!({"app.json": format!("{{\"auth\": {{\"token\": \"{CANARY}\"}}}}")})),
        configuration(json!({"app.properties": format!("api.secret={CANARY}\nother=1")})),
        configuration(
            json!({"docs": format!("a: 1\n---\nkind: \"Secret\"\ndata: {{a: {CANARY}}}")}),
        ),
        configuration(json!({"key.pem": format!(
            "-----BEGIN EC PRIVATE KEY-----\n{CANARY}\n-----END EC PRIVATE KEY-----"
        )})),
        container(json!({"env": [{"name": "API_TOKEN", "value": CANARY}]})),
        container(
            json!({"env": [{"name": "URL", "value": format!("postgres://app:{CANARY}@db/x")}]}),
        ),
        container(json!({"args": [format!("--password={CANARY}")]})),
        container(json!({"args": ["--password", CANARY]})),
        container(
            json!({"command": ["sh", "-c", format!("curl -H 'Authorization: Bearer {CANARY}' x")]}),
        ),
        json!({"spec": {"credentials": {"anything": CANARY, "list": [{"a": CANARY}]}}}),
        json!({"spec": {"passwords": [CANARY]}}),
        json!({"spec": {"helm": {"parameters": [{"name": "db.password", "value": CANARY}]}}}),
        json!({"spec": {"helm": {"values": format!("db:\n  password: '{CANARY}'\n")}}}),
        json!({"spec": {"helm": {"valuesObject": {"secrets": {"a": {"b": CANARY}}}}}}),
        json!({"metadata": {"managedFields": [{"fieldsV1": {"f:data": {format!("f:{CANARY}"): {}}}}]}}),
        json!({"status": {"message": format!("fetching https://{CANARY}@git.example.com/x failed")}}),
        json!({"status": {"message": format!("login failed: token={CANARY}&x=1")}}),
        json!({"status": {"message": format!("body was {{\\\"password\\\": \\\"{CANARY}\\\"}}")}}),
    ]
}

#[test]
fn no_canary_leaves_in_a_manifest() {
    for manifest in manifests() {
        let before = manifest.to_string();
        let after = redacted(manifest);
        assert!(!after.contains(CANARY), "{before}\nbecame\n{after}");
    }
}

#[test]
fn what_is_no_secret_stays() {
    let manifest = json!({
        "kind": "Deployment",
        "metadata": {"name": "web", "labels": {"app": "web"}},
        "spec": {
            "serviceAccountName": "web",
            "automountServiceAccountToken": true,
            "volumes": [{"name": "tls", "secret": {"secretName": "web-tls", "items": [{"key": "tls.crt"}]}}],
            "env": [{"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}],
            "image": "registry.example.com/web:1.2.3",
            "imagePullSecrets": [{"name": "registry"}],
            "args": ["--port", "8080", "--secret-name", "x"],
        },
    });
    let mut after = manifest.clone();
    redactor().manifest(&mut after);
    assert_eq!(after, manifest);
}

#[test]
fn equal_secrets_have_equal_marks_under_one_key_only() {
    let mark = |redactor: &Redactor, value: &str| redactor.text(&format!("token={value}"));
    let (one, other) = (redactor(), Redactor::new(b"the key of another runtime"));
    assert_eq!(mark(&one, "a1b2c3d4"), mark(&one, "a1b2c3d4"));
    assert_ne!(mark(&one, "a1b2c3d4"), mark(&one, "a1b2c3d5"));
    assert_ne!(mark(&one, "a1b2c3d4"), mark(&other, "a1b2c3d4"));
}

#[test]
fn a_second_pass_changes_nothing() {
    for mut manifest in manifests() {
        redactor().manifest(&mut manifest);
        let once = manifest.clone();
        redactor().manifest(&mut manifest);
        assert_eq!(manifest, once);
    }
}

#[test]
fn a_credential_is_cut_out_of_an_address() {
    let check = |text: &str, wanted: &str| assert_eq!(redactor().text(text), wanted);
    check(
        "https://user:pass@github.com/a/b.git",
        "https://github.com/a/b.git",
    );
    check("https://tok@github.com/a/b", "https://github.com/a/b");
    check("https://a:b@c@github.com/a/b", "https://github.com/a/b");
    check("ssh://git@github.com/a/b", "ssh://git@github.com/a/b");
    check("git@github.com:a/b.git", "git@github.com:a/b.git");
    check("https://github.com/a/b@v1", "https://github.com/a/b@v1");
    check("größe ://@ x", "größe :// x");
}

#[test]
fn a_credential_is_known_by_its_form() {
    for token in [
        "ghp_0123456789abcdefABCDEF",
        "glpat-0123456789abcdef",
        "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl",
    ] {
        let after = redactor().text(&format!("said {token}, then ended"));
        assert!(!after.contains(token), "{after}");
        assert!(after.starts_with("said (redacted "), "{after}");
        assert!(after.ends_with("), then ended"), "{after}");
    }
}

#[test]
fn messages_are_capped_between_characters() {
    let long = "ü".repeat(LONGEST_MESSAGE);
    let capped = redactor().message(&long);
    assert!(capped.len() <= LONGEST_MESSAGE && capped.ends_with('…'));
}

#[test]
fn no_canary_leaves_in_the_texts_of_an_application() {
    let text = format!("cannot fetch https://u:{CANARY}@host/x: password={CANARY}");
    let mut application = Application::read(json!({
        "metadata": {"name": "a", "uid": "u", "resourceVersion": "1"},
        "spec": {
            "source": {"repoURL": format!("https://u:{CANARY}@host/x")},
            "sources": [{"repoURL": format!("https://{CANARY}@host/x")}],
        },
        "status": {
            "health": {"message": text},
            "conditions": [{"type": "ComparisonError", "message": text}],
            "resources": [{"health": {"status": "Degraded", "message": text}}],
            "operationState": {"message": text, "syncResult": {"resources": [{"message": text}]}},
        },
    }))
    .unwrap();
    redactor().application(&mut application);
    assert!(
        !format!("{application:?}").contains(CANARY),
        "{application:?}"
    );
}
