//! Figures, rules and the dashboard: what is asked for is told, in names that stay few however much there is.

mod promtool;
mod schema;
mod scrape;
mod series;

use std::{collections::BTreeSet, path::PathBuf};

use causeway_testkit::wait_until;
use serde_json::Value;

use crate::program::{SOON, Up};
use promtool::Promtool;
use scrape::Scrape;

/// What Prometheus itself tells of each target.
const OF_PROMETHEUS: [&str; 2] = ["up", "ALERTS"];

fn file(name: &str) -> PathBuf {
    let repository = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    repository.join("compose").join(name)
}

fn read(name: &str) -> String {
    let path = file(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All expressions of the dashboard, as Prometheus gets them.
fn expressions() -> Vec<String> {
    fn find(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                found.extend(
                    fields
                        .get("expr")
                        .and_then(Value::as_str)
                        .map(str::to_owned),
                );
                fields.values().for_each(|field| find(field, found));
            }
            Value::Array(items) => items.iter().for_each(|item| find(item, found)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let dashboard = serde_json::from_str(&read("grafana/dashboards/causeway.json")).unwrap();
    let mut found = Vec::new();
    find(&dashboard, &mut found);
    let filled = |expression: String| {
        let expression = expression.replace("$__rate_interval", "5m");
        expression.replace("$job", ".*").replace("$part", ".*")
    };
    found.into_iter().map(filled).collect()
}

/// The names of metrics of ours in a text of expressions.
fn metrics(text: &str) -> BTreeSet<String> {
    let separates = |letter: char| !(letter.is_ascii_alphanumeric() || "_:".contains(letter));
    let words = text.split(separates);
    let ours = |word: &&str| {
        let own = word.starts_with("causeway_") || word.starts_with("process_");
        own && !word.ends_with('_') && *word != "causeway_side"
    };
    words.filter(ours).map(str::to_owned).collect()
}

#[test]
fn alert_rules_fire_exactly_when_expected() {
    let Some(promtool) = Promtool::find() else {
        return;
    };
    promtool.check(&["check", "rules"], &file("prometheus/rules.yaml"));
    promtool.check(&["test", "rules"], &file("prometheus/rules_test.yaml"));
    promtool.check(&["check", "config"], &file("prometheus/prometheus.yaml"));
}

#[test]
fn rule_that_never_fires_is_detected() {
    let Some(promtool) = Promtool::find() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let rules = read("prometheus/rules.yaml");
    let deaf = rules.replace(
        "causeway_platform_runtime_online) == 0\n",
        "causeway_platform_runtime_online) == 2\n",
    );
    assert_ne!(deaf, rules);
    std::fs::write(folder.path().join("rules.yaml"), deaf).unwrap();
    let tests = folder.path().join("rules_test.yaml");
    std::fs::write(&tests, read("prometheus/rules_test.yaml")).unwrap();
    let finished = promtool.run(&["test", "rules"], &tests);
    assert!(!finished.status.success(), "{finished:?}");
    assert!(
        finished.stdout.contains("CausewayRuntimeOffline")
            || finished.stderr.contains("CausewayRuntimeOffline"),
        "{finished:?}"
    );
}

#[test]
fn every_alert_has_a_test_that_fires_it() {
    let rules = read("prometheus/rules.yaml");
    let tests = read("prometheus/rules_test.yaml");
    let alerts = rules
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- alert: "));
    let heard: Vec<&str> = tests.split("alertname: ").skip(1).collect();
    for alert in alerts {
        let said = |test: &&str| {
            let (name, rest) = test.split_once('\n').unwrap();
            name == alert && rest.trim_start().starts_with("exp_alerts:\n")
        };
        assert!(heard.iter().any(said), "{alert} is never heard in a test");
    }
}

#[test]
fn every_expression_of_the_dashboard_can_be_read() {
    let Some(promtool) = Promtool::find() else {
        return;
    };
    let expressions = expressions();
    assert!(expressions.len() > 30, "{expressions:?}");
    let rules = expressions.iter().enumerate().map(|(number, expression)| {
        serde_json::json!({"record": format!("dashboard:{number}"), "expr": expression})
    });
    let groups =
        serde_json::json!({"groups": [{"name": "dashboard", "rules": rules.collect::<Vec<_>>()}]});
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rules.json");
    // Of YAML, JSON is a part.
    std::fs::write(&path, groups.to_string()).unwrap();
    promtool.check(&["check", "rules"], &path);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn metrics_of_rules_and_dashboard_are_exposed_and_documented() {
    let (up, admin) = tokio::task::block_in_place(|| Up::start_measured(&[]));
    tokio::task::block_in_place(|| {
        up.wait_for_health("guestbook", "HEALTHY");
        up.cli(&["app", "sync", "guestbook"]).expect_success();
    });
    let texts = [
        read("prometheus/rules.yaml"),
        expressions().join("\n"),
        read("../helm/OPERATING.md"),
    ];
    let wanted = metrics(&texts.join("\n"));
    assert!(wanted.len() > 30, "{wanted:?}");
    wait_until("every metric", SOON, async || {
        let told = Scrape::of(&admin).await;
        let missing: Vec<_> = wanted.iter().filter(|name| !told.has(name)).collect();
        if missing.is_empty() {
            Ok(())
        } else {
            Err(format!("{missing:?}"))
        }
    })
    .await;
    let told = Scrape::of(&admin).await;
    assert_eq!(told.unexplained(), Vec::<String>::new());
    assert_eq!(told.against_conventions(), Vec::<String>::new());
}

#[test]
fn missing_metric_is_detected() {
    let text =
        r#"sum(rate(causeway_reporter_gone_total{job="x"}[5m])) / process_open_fds and up == 1"#;
    let names: Vec<String> = metrics(text).into_iter().collect();
    assert_eq!(names, ["causeway_reporter_gone_total", "process_open_fds"]);
    let told = Scrape::read(
        "# HELP process_open_fds Files\n# TYPE process_open_fds gauge\nprocess_open_fds 3\n",
    );
    assert!(told.has("process_open_fds") && !told.has("causeway_reporter_gone_total"));
    assert!(
        OF_PROMETHEUS
            .iter()
            .all(|name| !metrics(name).contains(*name))
    );
}
