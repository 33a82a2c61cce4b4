mod bounds;
mod shapes;
mod tokens;

use base64::Engine as _;
use serde_json::{Value, json};

use super::{MAX_MESSAGE_BYTES, Redactor};
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
        configuration(json!({"app.yaml": format!("db:\n  password: |\n    one\n    {CANARY}\n")})),
        configuration(
            json!({"no.yaml": format!("{{{{ if }}}}\n  password: >-\n    one\n    {CANARY}\nnext: 1")}),
        ),
        configuration(json!({"app.toml": format!("password = \"two words {CANARY}\"")})),
        configuration(json!({"tail.pem": format!("{CANARY}\n-----END PRIVATE KEY-----\n")})),
        configuration(json!({"a": encode(&format!("password: {CANARY}"))})),
        configuration(json!({"a": encode(&encode(&format!("password: {CANARY}")))})),
        configuration(json!({"a": format!("callback=https%3A%2F%2Fx%2F%3Ftoken%3D{CANARY}%26y")})),
        json!({"binaryData": {"a": encode(&secret.to_string())}}),
        container(json!({"args": ["-u", format!("ann:{CANARY}")]})),
        container(json!({"command": ["sh", "-c", format!("curl --user ann:{CANARY} x")]})),
        container(
            json!({"args": ["-----BEGIN PRIVATE KEY-----", CANARY, "-----END PRIVATE KEY-----"]}),
        ),
        container(json!({"env": [format!("DB_PASSWORD={CANARY}")]})),
        container(json!({"env": {"SENTRY_DSN": CANARY, "AWS_KEY": {"value": CANARY}}})),
        json!({"spec": {"patch": format!("- op: add\n  path: /data/any\n  value: {CANARY}\n")}}),
        json!({"spec": {"patch": [{"op": "add", "path": "/spec/adminPassword", "value": CANARY}]}}),
        json!({"message": format!("applying {} failed", json!({"kind": "Secret", "data": {"any": CANARY}}))}),
        json!({"message": format!("applying {} failed", json!(secret.to_string()))}),
        json!({"message": format!("applying {{\"data\":{{\"any\":\"{CANARY}")}),
        json!({"message": format!("object map[apiVersion:v1 data:map[any:{CANARY}] kind:Secret] is wrong")}),
    ]
}

fn encode(text: &str) -> String {
    base64::engine::general_purpose::STANDARD.encode(text)
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
    let placeholder = |redactor: &Redactor, value: &str| redactor.text(&format!("token={value}"));
    let (one, other) = (redactor(), Redactor::new(b"the key of another runtime"));
    assert_eq!(placeholder(&one, "a1b2c3d4"), placeholder(&one, "a1b2c3d4"));
    assert_ne!(placeholder(&one, "a1b2c3d4"), placeholder(&one, "a1b2c3d5"));
    assert_ne!(
        placeholder(&one, "a1b2c3d4"),
        placeholder(&other, "a1b2c3d4")
    );
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
    let long = "ü".repeat(MAX_MESSAGE_BYTES);
    let capped = redactor().message(&long);
    assert!(capped.len() <= MAX_MESSAGE_BYTES && capped.ends_with('…'));
}

#[test]
fn no_canary_leaves_in_the_texts_of_an_application() {
    let text = format!("cannot fetch https://u:{CANARY}@host/x: password={CANARY}");
    let mut application = Application::from_value(json!({
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

fn ruled(rules: &str) -> Redactor {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rules.yaml");
    std::fs::write(&file, rules).unwrap();
    Redactor::with_rules(b"the key of a runtime", &file).unwrap()
}

fn pod(value: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "namespace": "x", "name": "p",
            "annotations": {"vault.example.com/role": value, "other": value},
            "labels": {"customer-name": value},
        },
        "spec": {
            "containers": [{"name": "web", "env": [
                {"name": "MOTTO", "value": value},
                {"name": "API_TOKEN", "value": value},
                {"name": "REGION", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
            ]}],
            "uri": value,
            "port": 5432,
        },
    })
}

#[test]
fn a_rule_hides_what_it_names_and_equal_values_have_one_mark_wherever_they_stand() {
    let rules = "hide:\n- annotation: 'vault.example.com/*'\n- label: 'customer-*'\n- environment: MOTTO\n- path: spec.uri\n- path: spec.port\n";
    let redactor = ruled(rules);
    let seen = |value: &str| {
        let mut pod = pod(value);
        redactor.manifest(&mut pod);
        pod
    };
    let (one, other) = (seen("blue"), seen("green"));
    let placeholder = one["spec"]["uri"].as_str().unwrap();
    assert!(placeholder.starts_with("(redacted "), "{placeholder}");
    let hidden = [
        "/metadata/annotations/vault.example.com~1role",
        "/metadata/labels/customer-name",
        "/spec/containers/0/env/0/value",
        "/spec/containers/0/env/1/value",
        "/spec/uri",
    ];
    for place in hidden {
        assert_eq!(one.pointer(place).unwrap(), placeholder, "{place}");
        assert_ne!(
            other.pointer(place).unwrap(),
            placeholder,
            "{place}: drift is seen"
        );
    }
    assert_eq!(one["metadata"]["annotations"]["other"], "blue");
    assert_eq!(one["spec"]["port"], other["spec"]["port"]);
    assert_ne!(one["spec"]["port"], 5432);
    assert_eq!(
        one["spec"]["containers"][0]["env"][2],
        pod("")["spec"]["containers"][0]["env"][2]
    );
}

#[test]
fn what_a_secret_holds_has_the_mark_of_the_same_value_elsewhere() {
    let mut secret =
        json!({"kind": "Secret", "data": {"a": encode("blue")}, "stringData": {"a": "blue"}});
    let mut pod = json!({"env": [{"name": "API_TOKEN", "value": "blue"}]});
    redactor().manifest(&mut secret);
    redactor().manifest(&mut pod);
    assert_eq!(secret["data"]["a"], pod["env"][0]["value"]);
    assert_eq!(secret["data"]["a"], secret["stringData"]["a"]);
}

#[test]
fn every_literal_variable_is_hidden_where_a_rule_says_so() {
    let mut value = pod("blue");
    ruled("hide: [{environment: '*'}]").manifest(&mut value);
    let variables = value["spec"]["containers"][0]["env"].as_array().unwrap();
    let shown = variables.iter().filter_map(|it| it["value"].as_str());
    assert!(
        shown
            .into_iter()
            .all(|value| value.starts_with("(redacted "))
    );
    assert_eq!(value["spec"]["uri"], "blue");
}

#[test]
fn only_what_is_named_exactly_is_shown_and_never_what_a_secret_holds() {
    let rules = "
hide:
- path: spec.containers[*].env[*].value
show:
- {environment: API_TOKEN, kind: Pod, namespace: x}
- {path: 'data.a', kind: Secret}
- {path: 'items[0].data.a', kind: List}
- {path: spec.password, kind: Account.example.com}
";
    let redactor = ruled(rules);
    let mut value = pod("blue");
    redactor.manifest(&mut value);
    let variables = &value["spec"]["containers"][0]["env"];
    assert_ne!(variables[0]["value"], "blue");
    assert_ne!(
        variables[1]["value"], "blue",
        "a path hides it before its name is looked at"
    );
    let secret = json!({"kind": "Secret", "data": {"a": encode("blue")}});
    let list = json!({"kind": "List", "items": [secret]});
    let account = json!({"apiVersion": "example.com/v1", "kind": "Account", "spec": {"password": "https://u:blue@x", "token": "green"}});
    for (mut value, hidden, shown) in [
        (secret.clone(), "Ymx1ZQ", ""),
        (list, "Ymx1ZQ", ""),
        (account, "blue", "https://x"),
    ] {
        redactor.manifest(&mut value);
        let text = value.to_string();
        assert!(
            !text.contains(hidden) && !text.contains("green") && text.contains(shown),
            "{text}"
        );
    }
    let mut value = pod("blue");
    ruled("show: [{environment: API_TOKEN, kind: Pod}]").manifest(&mut value);
    assert_eq!(value["spec"]["containers"][0]["env"][1]["value"], "blue");
    let mut elsewhere = pod("blue");
    ruled("show: [{environment: API_TOKEN, kind: Pod, name: q}]").manifest(&mut elsewhere);
    assert_ne!(
        elsewhere["spec"]["containers"][0]["env"][1]["value"],
        "blue"
    );
}

#[test]
fn a_message_about_a_secret_quotes_nothing_of_it() {
    let check = |kind: &str, message: &str, wanted: bool| {
        let after = redactor().resource_message(kind, message);
        assert_eq!(!after.contains(CANARY), wanted, "{after}");
    };
    let quoted = format!("Invalid value: \"{CANARY}\": must be base64");
    check("Secret", &quoted, true);
    check(
        "",
        &format!("Secret \"keys\" is invalid: data[a]: {quoted}"),
        true,
    );
    check(
        "",
        &format!("spec.containers[0].env[0].value: {quoted}"),
        true,
    );
    check("", &format!("spec.adminPassword: {quoted}"), true);
    check(
        "",
        &format!("patch: Invalid value: \"map[data:map[a:{CANARY}] kind:Secret]\": wrong"),
        true,
    );
    let result = json!({"kind": "Secret", "name": "keys", "message": format!("data[a]: {quoted}")});
    let condition = json!({"message": format!("Secret \"keys\" is invalid: data[a]: {quoted}")});
    let after = redacted(json!({"status": {"conditions": [condition], "resources": [result]}}));
    assert!(!after.contains(CANARY), "{after}");
    let event = |field: &str, kind: &str, said: &str| {
        redacted(json!({"kind": "Event", field: {"kind": kind, "name": "keys"}, said: quoted}))
    };
    for (field, said) in [("involvedObject", "message"), ("regarding", "note")] {
        let after = event(field, "Secret", said);
        assert!(!after.contains(CANARY), "{after}");
        assert!(event(field, "Deployment", said).contains(CANARY));
    }
    // Messages about other kinds keep their details, because users need them.
    check("Deployment", &format!("spec.replicas: {quoted}"), false);
}

#[test]
fn hostile_texts_are_no_work() {
    let n = 20_000;
    for text in [
        "{\"".repeat(n),
        "{\"a\":[".repeat(n),
        "\"{".repeat(n),
        "Invalid value: {".repeat(n),
        "map[apiVersion:".repeat(n),
        "password: |\n".repeat(n),
        "a: [*a, ".repeat(n),
        "-----END ".repeat(n),
        "%70%61".repeat(n),
        "QUFB".repeat(n),
    ] {
        redactor().message(&text);
        redactor().text(&text);
    }
}

#[test]
fn a_secret_that_is_a_number_leaves_no_more_than_one_that_is_a_text() {
    let yaml = "password: 471104711\ntoken: abc\n";
    let values = json!({
        "password": 471_104_711, "db": {"passcode": 471_104_711}, "secrets": {"pin": 471_104_711},
    });
    let after = redacted(json!({
        "spec": {"source": {"helm": {"valuesObject": values}}},
        "data": {"config.json": r#"{"password": 471104711}"#, "values.yaml": yaml},
    }));
    assert!(!after.contains("471104711"), "{after}");
    let measures = json!({"tokenExpirationSeconds": 3600, "tokenLifetime": 60, "replicas": 3, "passwordEnabled": true});
    assert_eq!(redacted(measures.clone()), measures.to_string());
}
