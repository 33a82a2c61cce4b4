//! What Jaeger and Prometheus say of the stack, as whoever has the machine asks them.

use std::collections::{BTreeMap, BTreeSet};

use causeway_testkit::run;
use serde_json::Value;

use crate::{
    file::{root, services},
    workplace::Workplace,
};

/// From the platform's port to the cluster, and with what became of it back to the platform.
const WAY: [&str; 7] = [
    "request-router",
    "platform",
    "tunnel-server",
    "tunnel-client",
    "app-proxy",
    "application-event-reporter",
    "inventory",
];
const SYNC: &str = "causeway.proxy.v1.ApplicationActionService/SyncApplication";

/// Whether Jaeger has a sync as one trace through all parts.
pub(crate) fn one_trace(workplace: &Workplace) -> Result<(), String> {
    let traces = get(
        workplace,
        16686,
        "/api/traces?service=app-proxy&lookback=1h&limit=200",
    )?;
    let traces = traces["data"].as_array().cloned().unwrap_or_default();
    let mut others = Vec::new();
    for trace in &traces {
        let called = texts(&trace["spans"], "operationName").contains(SYNC);
        let processes = trace["processes"].as_object().into_iter().flatten();
        let parts: BTreeSet<_> = processes
            .filter_map(|(_, process)| process["serviceName"].as_str())
            .collect();
        if called && WAY.iter().all(|part| parts.contains(part)) {
            return Ok(());
        }
        others.push(format!("{called} {parts:?}"));
    }
    Err(others.join("\n"))
}

/// Whether Prometheus reaches every part that compose.yaml has, and nothing else.
pub(crate) fn every_part_is_up(workplace: &Workplace, compose: &Value) -> Result<(), String> {
    let told = get(workplace, 9090, "/api/v1/query?query=up")?;
    let told = told["data"]["result"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let told: BTreeMap<_, _> = told
        .iter()
        .map(|one| {
            let name = one["metric"]["instance"].as_str().unwrap_or_default();
            (name.to_owned(), one["value"][1] == "1")
        })
        .collect();
    let parts = services(compose).iter().filter(|(_, service)| {
        let listens = service["environment"].get("CAUSEWAY_ADMIN_LISTEN");
        listens.is_some()
    });
    let wanted: BTreeMap<_, _> = parts
        .map(|(name, _)| (format!("{name}:9090"), true))
        .collect();
    if told == wanted && wanted.len() > 9 {
        Ok(())
    } else {
        Err(format!("{told:#?}"))
    }
}

/// Whether Prometheus has read every alert of the rules, and could ask for what each is about.
pub(crate) fn every_alert_is_there(workplace: &Workplace) -> Result<(), String> {
    let told = get(workplace, 9090, "/api/v1/rules")?;
    let groups = told["data"]["groups"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let rules: Vec<_> = groups
        .iter()
        .flat_map(|group| group["rules"].as_array().cloned().unwrap_or_default())
        .collect();
    let healthy = |rule: &&Value| rule["type"] == "alerting" && rule["health"] == "ok";
    let names = rules
        .iter()
        .filter(healthy)
        .filter_map(|rule| rule["name"].as_str());
    let names: BTreeSet<_> = names.map(str::to_owned).collect();
    let text = std::fs::read_to_string(root().join("compose/prometheus/rules.yaml")).unwrap();
    let wanted = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- alert: "));
    let wanted: BTreeSet<_> = wanted.map(str::to_owned).collect();
    if names == wanted && wanted.len() > 10 {
        Ok(())
    } else {
        Err(format!("{rules:#?}"))
    }
}

fn texts(list: &Value, field: &str) -> BTreeSet<String> {
    let list = list.as_array().into_iter().flatten();
    let found = list.filter_map(|one| one[field].as_str());
    found.map(str::to_owned).collect()
}

/// A JSON answer of a port that is open on this machine, which is the box. Its shell asks, for the box has no other program for it.
fn get(workplace: &Workplace, port: u16, path: &str) -> Result<Value, String> {
    let ask = format!(
        r"exec 3<>/dev/tcp/127.0.0.1/{port} && printf 'GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n' >&3 && cat <&3"
    );
    let answer = run(workplace.apart("bash").arg("-c").arg(ask));
    let body = answer.stdout.split_once("\r\n\r\n").map(|(_, body)| body);
    let body = body.ok_or_else(|| format!("{answer:?}"))?;
    serde_json::from_str(body).map_err(|error| format!("{error}: {answer:?}"))
}
