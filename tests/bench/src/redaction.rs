//! What redaction costs: objects of 1 MiB made to cost as much as they can, and an honest object beside them.

use std::{fmt::Write as _, io::Write, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use causeway_argocd::redact::Redactor;
use serde_json::{Value, json};
use tokio::{task::JoinSet, time::Instant};

const LARGE: usize = 1 << 20;
const RUNS: usize = 5;
/// Hostile objects at once, and honest ones beside them.
const HOSTILE: usize = 8;
const HONEST: usize = 500;
const GOAL: Duration = Duration::from_millis(50);
const GOAL_BESIDE: Duration = Duration::from_millis(200);

pub(crate) fn run() -> anyhow::Result<()> {
    let redactor = Redactor::new(b"the key of a runtime");
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "| 1 MiB of | ms, median of {RUNS} (goal {}) | output / input (goal 4) |\n|---|---|---|",
        GOAL.as_millis()
    )?;
    for (name, object) in hostile(LARGE) {
        let (time, ratio) = cost(&redactor, &object);
        writeln!(out, "| {name} | {:.1} | {ratio:.2} |", millis(time))?;
    }
    let aliases = configuration(&aliases(20));
    let (time, ratio) = cost(&redactor, &aliases);
    let kibibytes = aliases.to_string().len() as f64 / 1024.0;
    writeln!(
        out,
        "| (YAML aliases, {kibibytes:.1} KiB) | {:.1} | {ratio:.2} |\n",
        millis(time)
    )?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let (alone, beside) =
        runtime.block_on(async { (honest(&redactor, 0).await, honest(&redactor, HOSTILE).await) });
    writeln!(
        out,
        "| an honest object of 2 KiB | ms, longest of {HONEST} |\n|---|---|\n| alone | {:.2} |\n| beside {HOSTILE} hostile ones of 1 MiB at once | {:.2} (goal {} more) |\n",
        millis(alone),
        millis(beside),
        GOAL_BESIDE.as_millis()
    )?;
    Ok(())
}

fn cost(redactor: &Redactor, object: &Value) -> (Duration, f64) {
    let mut times = Vec::new();
    let mut output = 0;
    for _ in 0..RUNS {
        let mut copy = object.clone();
        let begin = Instant::now();
        redactor.manifest(&mut copy);
        times.push(begin.elapsed());
        output = copy.to_string().len();
    }
    times.sort_unstable();
    (
        times[RUNS / 2],
        output as f64 / object.to_string().len() as f64,
    )
}

/// The longest time of an honest object, while that many hostile ones are redacted again and again.
async fn honest(redactor: &Redactor, hostile_ones: usize) -> Duration {
    let mut load = JoinSet::new();
    let units = hostile(LARGE);
    for number in 0..hostile_ones {
        let (redactor, object) = (redactor.clone(), units[number % units.len()].1.clone());
        load.spawn(async move {
            loop {
                redactor.manifest_off_thread(object.clone()).await;
            }
        });
    }
    let object = configuration(&"replicas: 3\n".repeat(170));
    let mut longest = Duration::ZERO;
    for _ in 0..HONEST {
        let begin = Instant::now();
        // As a reporter does it: on a thread of the runtime, among all its other tasks.
        let (redactor, object) = (redactor.clone(), object.clone());
        let mut one = JoinSet::new();
        one.spawn(async move { redactor.manifest_off_thread(object).await });
        one.join_all().await;
        longest = longest.max(begin.elapsed());
        tokio::task::yield_now().await;
    }
    load.shutdown().await;
    longest
}

fn configuration(text: &str) -> Value {
    json!({"kind": "ConfigMap", "data": {"a": text}})
}

/// Aliases of aliases: expanded, this text would have 10^9 entries.
fn aliases(times: usize) -> String {
    let mut text = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
    for level in 1..9 {
        let inner = vec![format!("*a{}", level - 1); 10].join(",");
        let _ = writeln!(text, "a{level}: &a{level} [{inner}]");
    }
    text.repeat(times)
}

fn hostile(bytes: usize) -> Vec<(&'static str, Value)> {
    let unit = |text: &str| configuration(&text.repeat(bytes / text.len()));
    let mut nested = "password: x".to_owned();
    while nested.len() < bytes * 3 / 4 {
        nested = STANDARD.encode(&nested);
    }
    let secrets = (0..bytes / 12).map(|at| (at.to_string(), json!("a")));
    let secrets: serde_json::Map<_, _> = secrets.collect();
    vec![
        ("YAML aliases", configuration(&aliases(bytes / 600))),
        ("beginnings of private keys", unit("-----BEGIN ")),
        ("beginnings of objects", unit("{\"")),
        ("beginnings of addresses", unit("://a@")),
        ("short secret names", unit("auth ")),
        ("lines of .pgpass", unit("a:1:b:c:")),
        ("YAML mappings", unit("a: {b: c}\n")),
        (
            "base64",
            unit(&STANDARD.encode(b"nothing secret in here, at all")),
        ),
        ("base64 in base64", configuration(&nested)),
        ("percent encoding", unit("%25")),
        ("words as long as tokens", unit("ghost-of-a-token ")),
        (
            "secrets of one letter",
            json!({"tokens": vec!["a"; bytes / 4]}),
        ),
        (
            "entries of a Secret",
            json!({"kind": "Secret", "data": secrets}),
        ),
        ("a ReplicaSet of variables", replica_set(bytes)),
    ]
}

fn replica_set(bytes: usize) -> Value {
    let variable = |at: usize| json!({"name": format!("TOKEN_{at}"), "value": format!("{at:032}")});
    let env: Vec<Value> = (0..bytes / 72).map(variable).collect();
    json!({"kind": "ReplicaSet", "spec": {"template": {"spec": {"containers": [{"name": "main", "env": env}]}}}})
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
