//! What cells of built-in kinds show.

use jiff::Timestamp;
use serde_json::Value;

use super::{human, since};

pub(super) fn number(object: &Value, path: &str) -> u64 {
    object.pointer(path).and_then(Value::as_u64).unwrap_or(0)
}

pub(super) fn size(object: &Value, path: &str) -> usize {
    object
        .pointer(path)
        .and_then(Value::as_object)
        .map_or(0, serde_json::Map::len)
}

pub(super) fn or_none(object: &Value, path: &str) -> Value {
    object
        .pointer(path)
        .and_then(Value::as_str)
        .filter(|found| !found.is_empty())
        .unwrap_or("<none>")
        .into()
}

pub(super) fn or_empty(object: &Value, path: &str) -> Value {
    let found = object.pointer(path).and_then(Value::as_str);
    found.unwrap_or_default().into()
}

pub(super) fn or_unknown(object: &Value, path: &str) -> Value {
    let found = object.pointer(path).and_then(Value::as_str);
    found
        .filter(|found| !found.is_empty())
        .unwrap_or("<unknown>")
        .into()
}

pub(super) fn time_or_unknown(object: &Value, path: &str, now: Timestamp) -> Value {
    let found = object.pointer(path).and_then(Value::as_str);
    found.map_or_else(|| "<unknown>".into(), |time| since(time, now).into())
}

pub(super) fn time_or_none(object: &Value, path: &str, now: Timestamp) -> Value {
    match object.pointer(path).and_then(Value::as_str) {
        Some(time) => since(time, now).into(),
        None => "<none>".into(),
    }
}

pub(super) fn of_replicas(object: &Value, ready: &str) -> Value {
    format!(
        "{}/{}",
        number(object, ready),
        number(object, "/spec/replicas")
    )
    .into()
}

pub(super) fn statuses(pod: &Value) -> &[Value] {
    pod.pointer("/status/containerStatuses")
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

pub(super) fn pod_ready(pod: &Value) -> String {
    let all = pod["spec"]["containers"].as_array().map_or(0, Vec::len);
    let ready = statuses(pod)
        .iter()
        .filter(|status| status["ready"] == true)
        .count();
    format!("{ready}/{all}")
}

/// The reason of the first container that waits or ended, or the phase.
pub(super) fn pod_status(pod: &Value) -> String {
    if pod["metadata"]["deletionTimestamp"].is_string() {
        return "Terminating".to_owned();
    }
    let reason = |status: &Value| {
        let state = &status["state"];
        let found = state["waiting"]["reason"]
            .as_str()
            .or_else(|| state["terminated"]["reason"].as_str());
        found.map(str::to_owned)
    };
    let phase = pod["status"]["phase"].as_str().unwrap_or("Unknown");
    statuses(pod)
        .iter()
        .find_map(reason)
        .unwrap_or_else(|| phase.to_owned())
}

pub(super) fn containers(object: &Value, field: &str) -> Value {
    let containers = object
        .pointer("/spec/template/spec/containers")
        .and_then(Value::as_array);
    let texts = containers
        .into_iter()
        .flatten()
        .filter_map(|container| container[field].as_str());
    texts.collect::<Vec<_>>().join(",").into()
}

pub(super) fn pairs(object: &Value, path: &str) -> String {
    let map = object.pointer(path).and_then(Value::as_object);
    let pairs = map
        .into_iter()
        .flatten()
        .map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()));
    let text = pairs.collect::<Vec<_>>().join(",");
    if text.is_empty() {
        "<none>".to_owned()
    } else {
        text
    }
}

pub(super) fn ports(service: &Value) -> String {
    let ports = service["spec"]["ports"].as_array().into_iter().flatten();
    let port = |port: &Value| {
        let node = port["nodePort"]
            .as_u64()
            .map(|node| format!(":{node}"))
            .unwrap_or_default();
        format!(
            "{}{node}/{}",
            port["port"],
            port["protocol"].as_str().unwrap_or("TCP")
        )
    };
    let text = ports.map(port).collect::<Vec<_>>().join(",");
    if text.is_empty() {
        "<none>".to_owned()
    } else {
        text
    }
}

pub(super) fn hosts(ingress: &Value) -> String {
    let rules = ingress["spec"]["rules"].as_array().into_iter().flatten();
    let text = rules
        .filter_map(|rule| rule["host"].as_str())
        .collect::<Vec<_>>()
        .join(",");
    if text.is_empty() {
        "*".to_owned()
    } else {
        text
    }
}

pub(super) fn is_complete(job: &Value) -> bool {
    let conditions = job["status"]["conditions"].as_array().into_iter().flatten();
    conditions
        .into_iter()
        .any(|condition| condition["type"] == "Complete" && condition["status"] == "True")
}

pub(super) fn duration(job: &Value, now: Timestamp) -> Value {
    let time = |field: &str| {
        job["status"][field]
            .as_str()
            .and_then(|time| time.parse::<Timestamp>().ok())
    };
    match (time("startTime"), time("completionTime")) {
        (Some(start), Some(end)) => human(end.duration_since(start).as_secs()).into(),
        (Some(start), None) => human(now.duration_since(start).as_secs()).into(),
        _ => "".into(),
    }
}
