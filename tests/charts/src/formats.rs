//! How texts among the values are written, and the sentence that refuses each that is not.

use std::fs;

use regex::Regex;
use serde_json::{Map, Value, json};

use crate::{
    Chart, helm,
    refusals::{RUNTIME, refuse},
};

/// No form takes it.
const BAD: &str = "~ bad ~";

/// What stands in a template of the chart under a name.
fn defined(chart: Chart, file: &str, name: &str) -> String {
    let file = chart.folder().join("templates").join(file);
    let text = fs::read_to_string(file).unwrap();
    let (_, text) = text
        .split_once(&format!("define \"{name}\" -}}}}\n"))
        .unwrap();
    text.split_once("{{- end").unwrap().0.to_owned()
}

fn of_both(chart: Chart, what: &str) -> String {
    let own = match chart {
        Chart::Platform => "_platform.tpl",
        Chart::Runtime => "_runtime.tpl",
    };
    let [every, own] = [("common/_formats.tpl", "causeway"), (own, "chart")]
        .map(|(file, prefix)| defined(chart, file, &format!("{prefix}.{what}")));
    format!("{every}{own}")
}

/// Each form's pattern and sentence.
fn formats(chart: Chart) -> Value {
    serde_saphyr::from_str(&of_both(chart, "formats")).unwrap()
}

/// Each path, and its form.
fn checked_values(chart: Chart) -> Vec<(String, String)> {
    let text = of_both(chart, "checked");
    let pairs = text.lines().filter_map(|line| line.split_once(' '));
    pairs
        .map(|(path, form)| (path.to_owned(), form.to_owned()))
        .collect()
}

/// Values with a bad text at a path, which the schema takes there.
fn bad(schema: &Value, keys: &[&str]) -> Value {
    let schema = match schema["$ref"].as_str() {
        Some("#/$defs/words") => return json!([BAD]),
        Some(other) => panic!("{other} has no texts"),
        None => schema,
    };
    match (keys, schema["type"].as_str()) {
        (["*"], Some("object")) => json!({"name": BAD}),
        (_, Some("array")) => json!([bad(&schema["items"], keys)]),
        ([], Some("object")) => json!({BAD: "value"}),
        ([], _) => json!(BAD),
        ([key, below @ ..], _) => {
            let value = bad(&schema["properties"][key], below);
            Value::Object(Map::from_iter([((*key).to_owned(), value)]))
        }
    }
}

#[test]
fn values_with_a_format_are_rejected_with_a_sentence() {
    let Some(helm) = helm() else { return };
    for chart in Chart::ALL {
        let file = chart.folder().join("values.schema.json");
        let schema = fs::read_to_string(file).unwrap();
        let schema: Value = serde_json::from_str(&schema).unwrap();
        let formats = formats(chart);
        for (path, form) in checked_values(chart) {
            let keys: Vec<_> = path.split('.').collect();
            let mut values = bad(&schema, &keys);
            // Of two fields of one object the other one is needed, too.
            if let Some(first) = values.pointer_mut("/runtimes/urls/0") {
                let all = first.as_object_mut().unwrap();
                all.entry("id").or_insert("east".into());
                all.entry("url").or_insert("https://east".into());
            }
            let refused = chart.attempt(&helm, "template", &values.to_string());
            let sentence = formats[&form]["sentence"].as_str().unwrap();
            let sentence = format!("{path}: '{BAD}' {sentence}");
            assert!(!refused.status.success(), "{path}");
            assert!(refused.stderr.contains(&sentence), "{}", refused.stderr);
        }
    }
}

#[test]
fn all_invalid_values_are_reported_together() {
    let Some(helm) = helm() else { return };
    let values = "{publicUrl: causeway, platform: {sessionAge: long}, request-router: {corsOrigins: [here, there]}}";
    let refused = Chart::Platform.attempt(&helm, "template", values).stderr;
    for told in [
        "publicUrl: 'causeway' is",
        "platform.sessionAge: 'long' is",
        "request-router.corsOrigins: 'here' is",
        "request-router.corsOrigins: 'there' is",
    ] {
        assert!(refused.contains(told), "{told}: {refused}");
    }
}

/// By an expression a schema refuses what is not in it, and says no more than the expression.
#[test]
fn schema_has_no_patterns() {
    fn check(schema: &Value, path: &str) {
        for (key, below) in schema.as_object().into_iter().flatten() {
            let path = format!("{path}/{key}");
            assert!(key != "pattern" || below.is_object(), "{path}");
            check(below, &path);
        }
    }
    for chart in Chart::ALL {
        let file = chart.folder().join("values.schema.json");
        let schema = fs::read_to_string(file).unwrap();
        check(&serde_json::from_str(&schema).unwrap(), "");
    }
}

/// What the program would refuse in a pod is refused before there is one, and nothing else.
#[test]
fn allow_entries_match_the_grammar_of_the_program() {
    let formats = formats(Chart::Runtime);
    let pattern = Regex::new(formats["right"]["pattern"].as_str().unwrap()).unwrap();
    for (entry, good) in [
        ("read", true),
        ("read,sync", true),
        ("read, sync", true),
        ("terminate+rollback+update:project=shop", true),
        (
            "read,sync:namespace=team-*:label.tier=test:user=ada:user=ci-*",
            true,
        ),
        (
            "logs+exec:label.app.kubernetes.io/name=web:cluster=in-cluster",
            true,
        ),
        (
            "resource-action+resource-delete+rollout+workflow+delete+refresh:name=a?c",
            true,
        ),
        ("", false),
        ("*", false),
        ("reed", false),
        ("Read", false),
        ("read,", false),
        ("read+", false),
        ("read sync", false),
        ("read:project", false),
        ("read:project=", false),
        ("read:team=shop", false),
        ("read:label.=x", false),
        ("read:label.tier=te*", false),
    ] {
        assert_eq!(pattern.is_match(entry), good, "the chart of '{entry}'");
        let flag = format!("--allow={entry}");
        let words = [
            "causeway",
            "serve",
            "app-proxy",
            "--runtime-folder=/runtime",
            &flag,
        ];
        let read = causeway_cli::command().try_get_matches_from(words);
        assert_eq!(
            read.is_ok(),
            good,
            "the program of '{entry}': {:?}",
            read.err()
        );
    }
    let refused = format!("{RUNTIME}app-proxy: {{allow: [read, reed]}}");
    let sentence = "app-proxy.allow: 'reed' is not a valid entry; actions: read, sync,";
    refuse(Chart::Runtime, &[(&refused, sentence)]);
}

/// An empty namespace would be every namespace.
#[test]
fn empty_list_entries_are_rejected() {
    for (values, sentence) in [
        (
            "scope: {mode: namespaced, namespaces: ['']}",
            "scope.namespaces: '' is not a valid namespace",
        ),
        (
            "scope: {mode: namespaced}\nargocd: {others: ['']}",
            "argocd.others: '' is not a valid namespace",
        ),
        (
            "resource-event-reporter: {managedClusters: {west: ''}}",
            "resource-event-reporter.managedClusters.*: '' is not a valid object name",
        ),
        (
            "imagePullSecrets: [{name: ''}]",
            "imagePullSecrets.name: '' is not a valid object name",
        ),
    ] {
        let values = format!("{RUNTIME}{values}");
        refuse(Chart::Runtime, &[(&values, sentence)]);
    }
}

#[test]
fn durations_match_the_grammar_of_the_program() {
    let formats = formats(Chart::Platform);
    for (form, flag) in [
        ("duration", "session-age"),
        ("retention", "audit-retention"),
    ] {
        let pattern = Regex::new(formats[form]["pattern"].as_str().unwrap()).unwrap();
        for (time, good) in [
            ("24hours", true),
            ("1440min", true),
            ("1d12h", true),
            ("1d 12 hours", true),
            (" 1.5d ", true),
            ("86400000ms", true),
            ("3wks", true),
            ("2M", true),
            ("1year", true),
            ("7", false),
            ("d", false),
            ("7D", false),
            ("-7d", false),
            ("7d12", false),
            ("1 fortnight", false),
        ] {
            assert_eq!(pattern.is_match(time), good, "the chart of '{time}'");
            let flag = format!("--{flag}={time}");
            let words = ["causeway", "serve", "platform", "--data=/data", &flag];
            let read = causeway_cli::command().try_get_matches_from(words);
            let why = read.as_ref().err();
            assert_eq!(
                read.is_ok(),
                good,
                "the program of '{time}' as {flag}: {why:?}"
            );
        }
    }
}

#[test]
fn scrape_interval_matches_the_grammar_of_prometheus() {
    let formats = formats(Chart::Runtime);
    let pattern = Regex::new(formats["interval"]["pattern"].as_str().unwrap()).unwrap();
    for (time, good) in [
        ("30s", true),
        ("1m30s", true),
        ("500ms", true),
        ("1d12h", true),
        ("", false),
        ("30", false),
        ("30sec", false),
        ("1m 30s", false),
        ("30s1m", false),
    ] {
        assert_eq!(pattern.is_match(time), good, "'{time}'");
    }
}

#[test]
fn errors_do_not_repeat_passwords() {
    let Some(helm) = helm() else { return };
    let git = format!("{RUNTIME}preflight: {{gitUrls: ['https://me:secr@t@git.example.com/a']}}");
    let proxy = "proxy: {url: 'http://me:secr@t@proxy/way'}";
    let database = "database: {inventory: {url: 'mysql://me:secr@t@db/a'}}";
    for (chart, values, told) in [
        (
            Chart::Runtime,
            git.as_str(),
            "'https://…@git.example.com/a'",
        ),
        (Chart::Platform, proxy, "'http://…@proxy/way'"),
        (Chart::Platform, database, "'mysql://…@db/a'"),
    ] {
        let refused = chart.attempt(&helm, "template", values).stderr;
        assert!(refused.contains(told), "{refused}");
        assert!(!refused.contains("secr"), "{refused}");
    }
}

#[test]
fn names_start_with_a_letter() {
    for chart in Chart::ALL {
        let base = if chart == Chart::Runtime { RUNTIME } else { "" };
        let values = format!("{base}fullnameOverride: 9a");
        let sentence = "fullnameOverride: '9a' is not a valid name prefix";
        refuse(chart, &[(&values, sentence)]);
    }
}

/// Of each map in the schema whose fields have names of their own.
fn sections(schema: &Value, path: &str, found: &mut Vec<String>) {
    for (key, below) in schema["properties"].as_object().into_iter().flatten() {
        if below["properties"].is_object() {
            let path = format!("{path}{key}");
            sections(below, &format!("{path}."), found);
            found.push(path);
        }
    }
}

#[test]
fn null_sections_are_rejected() {
    let Some(helm) = helm() else { return };
    for chart in Chart::ALL {
        let schema = fs::read_to_string(chart.folder().join("values.schema.json")).unwrap();
        let mut paths = Vec::new();
        sections(&serde_json::from_str(&schema).unwrap(), "", &mut paths);
        // The schema refuses this one, since that chart's values stand in for ours.
        paths.retain(|path| path != "argo-cd");
        assert!(paths.len() > 20, "{paths:?}");
        for path in paths {
            let values = path
                .rsplit('.')
                .fold(Value::Null, |below, key| json!({key: below}));
            let refused = chart.attempt(&helm, "template", &values.to_string());
            let sentence = format!("{path}: leave it out instead of null");
            assert!(refused.stderr.contains(&sentence), "{}", refused.stderr);
        }
    }
    // What is a list or a map of names is empty by it.
    Chart::Platform.render(&helm, "{imagePullSecrets: null, runtimes: {urls: null}}");
    let none = "imagePullSecrets: null\nresource-event-reporter: {managedClusters: null}";
    Chart::Runtime.render(&helm, &format!("{RUNTIME}{none}"));
}
