//! What a real Jaeger says of one action, where each part is a process of its own.

use std::collections::BTreeSet;

use causeway_cluster::{Jaeger, Program, Programs};
use causeway_sandbox::{Demo, Sandbox, SandboxOptions};
use causeway_testkit::{Processes, Setting, skip, wait_until};
use serde_json::Value;

use crate::{parts, program::SOON};

/// From the user to the cluster, and with what became of it back to the platform.
const WAY: [&str; 8] = [
    "causeway-cli",
    "request-router",
    "platform",
    "tunnel-server",
    "tunnel-client",
    "app-proxy",
    "application-event-reporter",
    "inventory",
];
/// The side of the router.
const SIDES: [&str; 2] = ["platform", "runtime"];
const SYNC: &str = "causeway.proxy.v1.ApplicationActionService/SyncApplication";

/// A trace as Jaeger tells it.
#[derive(Debug, Default)]
struct Told {
    services: BTreeSet<String>,
    /// Of the router.
    sides: BTreeSet<String>,
    operations: BTreeSet<String>,
    roots: usize,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_sync_is_one_trace_of_eight_parts_in_jaeger() {
    let Some(trial) = Trial::start(&[]).await else {
        return;
    };
    let sync = trial.sync("one trace of all parts", whole).await;
    assert_eq!(sync.roots, 1, "{sync:#?}");
    assert!(
        sync.operations.contains("argocd POST applications/{}/sync"),
        "{sync:#?}"
    );
    let sql = sync
        .operations
        .iter()
        .any(|name| name.starts_with("SELECT "));
    assert!(sql, "{sync:#?}");
    for name in &sync.operations {
        assert!(
            !name.contains("guestbook"),
            "a span is named after an object: {name}"
        );
    }
    trial.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn part_that_drops_the_trace_is_detected_in_jaeger() {
    let Some(trial) = Trial::start(&[("OTEL_PROPAGATORS", "none")]).await else {
        return;
    };
    // The part works and is traced, elsewhere.
    let apart = |told: &Told| {
        let alone = told.services.contains("app-proxy") && !told.services.contains("causeway-cli");
        (alone && told.operations.contains(SYNC))
            .then_some(())
            .ok_or_else(|| format!("{told:?}"))
    };
    trial.sync("the part's own trace", apart).await;
    let traces = trial.traces("causeway-cli").await;
    let missed: Vec<_> = traces.iter().filter_map(|told| whole(told).err()).collect();
    assert_eq!(missed.len(), traces.len(), "{traces:#?}");
    assert!(
        missed.iter().all(|why| why.contains("app-proxy")),
        "{missed:#?}"
    );
    trial.end().await;
}

fn whole(told: &Told) -> Result<(), String> {
    let missing: Vec<_> = WAY
        .iter()
        .filter(|part| !told.services.contains(**part))
        .collect();
    let sides = SIDES.iter().filter(|side| !told.sides.contains(**side));
    match (missing.is_empty(), sides.count()) {
        (true, 0) => Ok(()),
        _ => Err(format!("without {missing:?}: {told:?}")),
    }
}

struct Trial {
    jaeger: Jaeger,
    processes: Processes,
    environment: Vec<(&'static str, String)>,
    _sandbox: Sandbox,
}

impl Trial {
    /// Without Jaeger the test is skipped.
    async fn start(of_app_proxy: &[(&str, &str)]) -> Option<Self> {
        if let Err(error) = Programs::find(&[Program::Kubernetes, Program::Jaeger]) {
            skip(&error.to_string());
            return None;
        }
        let jaeger = Jaeger::start().await.unwrap();
        let environment = vec![
            ("OTEL_EXPORTER_OTLP_ENDPOINT", jaeger.collector()),
            ("OTEL_METRICS_EXPORTER", "none".to_owned()),
            ("OTEL_BSP_SCHEDULE_DELAY", "200".to_owned()),
        ];
        let options = SandboxOptions {
            demo: Demo::Three,
            ..SandboxOptions::in_memory()
        };
        let sandbox = Sandbox::start(options).await.unwrap();
        let processes = tokio::task::block_in_place(|| {
            let environment = borrowed(&environment);
            let setting = Setting {
                environment: &environment,
                app_proxy: of_app_proxy,
                ..Setting::default()
            };
            parts::start(&sandbox, setting)
        });
        Some(Self {
            jaeger,
            processes,
            environment,
            _sandbox: sandbox,
        })
    }

    /// Syncs, and waits until Jaeger knows a trace as it is wanted.
    async fn sync(&self, what: &str, wanted: impl Fn(&Told) -> Result<(), String>) -> Told {
        wait_until("a sync", SOON, async || {
            let environment = borrowed(&self.environment);
            let sync = ["app", "sync", "guestbook"];
            let synced = tokio::task::block_in_place(|| self.processes.cli_in(&sync, &environment));
            if synced.status.success() {
                Ok(())
            } else {
                Err(synced.stderr)
            }
        })
        .await;
        wait_until(what, SOON, async || {
            let mut others = Vec::new();
            for told in self.traces("app-proxy").await {
                match wanted(&told) {
                    Ok(()) => return Ok(told),
                    Err(why) => others.push(why),
                }
            }
            Err(others.join("\n"))
        })
        .await
    }

    /// The traces that a service is in.
    async fn traces(&self, service: &str) -> Vec<Told> {
        let url = format!(
            "{}/api/traces?service={service}&lookback=1h&limit=200",
            self.jaeger.query()
        );
        let answer = reqwest::get(url).await.unwrap();
        let answer: Value = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap();
        let traces = answer["data"].as_array().cloned().unwrap_or_default();
        traces.iter().map(Told::read).collect()
    }

    async fn end(self) {
        let ended = tokio::task::spawn_blocking(move || drop(self));
        ended.await.unwrap();
    }
}

impl Told {
    fn read(trace: &Value) -> Self {
        let mut told = Self::default();
        let spans = trace["spans"].as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        for span in &spans {
            let process = &trace["processes"][span["processID"].as_str().unwrap_or_default()];
            let service = text(&process["serviceName"]);
            let tags = span["tags"].as_array().cloned().unwrap_or_default();
            let side = tags.iter().find(|tag| tag["key"] == "causeway.side");
            if let Some(side) = side.filter(|_| service == "request-router") {
                told.sides.insert(text(&side["value"]));
            }
            told.services.insert(service);
            told.operations.insert(text(&span["operationName"]));
            told.roots += usize::from(span["references"].as_array().is_none_or(Vec::is_empty));
        }
        told
    }
}

fn borrowed<'a>(environment: &'a [(&'static str, String)]) -> Vec<(&'a str, &'a str)> {
    environment
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect()
}
