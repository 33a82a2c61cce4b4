//! Steps of one aspect of an Application as a watcher sees them, without repeats.

use serde_json::Value;

use super::plain::Names;

/// Writes one state of an aspect.
pub(crate) type Side = fn(&Value, &Names) -> String;

/// Aspects of an Application.
pub(crate) const SIDES: [(&str, Side); 5] = [
    ("sync", sync),
    ("health", health),
    ("operation", operation),
    ("history", history),
    ("conditions", conditions),
];

pub(crate) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or("")
}

fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value
        .pointer(pointer)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// Steps of one aspect over all states.
pub(crate) fn steps(states: &[Value], side: Side, names: &Names) -> Vec<String> {
    let mut steps: Vec<String> = states
        .iter()
        .map(|state| {
            if state.is_null() {
                "gone".to_owned()
            } else {
                side(state, names)
            }
        })
        .collect();
    steps.dedup();
    steps
}

fn or_dash(text: String) -> String {
    if text.trim().is_empty() {
        "-".to_owned()
    } else {
        text
    }
}

fn revisions(of: &Value) -> String {
    let several = list(of, "/revisions")
        .iter()
        .filter_map(Value::as_str)
        .collect::<Vec<_>>()
        .join(",");
    if several.is_empty() {
        text(of, "/revision").to_owned()
    } else {
        several
    }
}

fn sync(state: &Value, names: &Names) -> String {
    let Some(sync) = state.pointer("/status/sync") else {
        return "-".to_owned();
    };
    names.text(format!("{} {}", text(sync, "/status"), revisions(sync)).trim())
}

fn health(state: &Value, _: &Names) -> String {
    or_dash(text(state, "/status/health/status").to_owned())
}

/// `asked` while `.operation` is there; then the phase, `-` where there is none; then the message.
fn operation(state: &Value, names: &Names) -> String {
    let asked = state.get("operation").map_or("", |_| "asked, ");
    let Some(operation) = state.pointer("/status/operationState") else {
        return format!("{asked}nothing");
    };
    let phase = or_dash(text(operation, "/phase").to_owned());
    let retries = operation
        .pointer("/retryCount")
        .and_then(Value::as_i64)
        .unwrap_or(0);
    let retries = if retries > 0 {
        format!(" (retry {retries})")
    } else {
        String::new()
    };
    let message = names.text(text(operation, "/message"));
    format!("{asked}{phase}{retries}: {message}")
        .trim_end_matches([':', ' '])
        .to_owned()
}

fn history(state: &Value, names: &Names) -> String {
    let entries = list(state, "/status/history")
        .iter()
        .map(|entry| format!("{} {}", entry["id"], revisions(entry)));
    or_dash(names.text(&entries.collect::<Vec<_>>().join(", ")))
}

fn conditions(state: &Value, names: &Names) -> String {
    let tell = |one: &Value| {
        names.text(&format!(
            "{}: {}",
            text(one, "/type"),
            text(one, "/message")
        ))
    };
    let mut told: Vec<String> = list(state, "/status/conditions").iter().map(tell).collect();
    told.sort_unstable();
    or_dash(told.join(" | "))
}

pub(crate) fn sync_word(state: &Value) -> &str {
    text(state, "/status/sync/status")
}

pub(crate) fn health_word(state: &Value) -> &str {
    text(state, "/status/health/status")
}

/// Events that accompany the transitions of a status field.
pub(crate) fn transitions(states: &[Value], what: &str, word: fn(&Value) -> &str) -> Vec<String> {
    let mut words: Vec<&str> = states
        .iter()
        .filter(|state| !state.is_null())
        .map(word)
        .collect();
    words.dedup();
    let tell = |pair: &[&str]| {
        format!(
            "Normal ResourceUpdated: Updated {what} status: {} -> {}",
            pair[0], pair[1]
        )
    };
    words.windows(2).map(tell).collect()
}

/// Asserts the invariants of every state.
pub(crate) fn check(states: &[Value]) {
    for state in states.iter().filter(|state| !state.is_null()) {
        let asked = state.get("operation").is_some();
        let over = matches!(
            text(state, "/status/operationState/phase"),
            "Succeeded" | "Failed" | "Error"
        );
        let is_there = state.pointer("/status/operationState").is_some();
        assert!(
            asked || over || !is_there,
            "an operation runs that was not requested: {state:#}"
        );
        let finished = !text(state, "/status/operationState/finishedAt").is_empty();
        assert!(
            finished || !over,
            "an operation is over and not finished: {state:#}"
        );
        let ids: Vec<i64> = list(state, "/status/history")
            .iter()
            .filter_map(|entry| entry["id"].as_i64())
            .collect();
        assert!(ids.is_sorted(), "history is not in order: {ids:?}");
    }
}
