//! Of traces that begin at the platform a part is recorded, and what is recorded of one is all of it, where each part is a process.

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
};

use causeway_sandbox::{Demo, Sandbox, SandboxOptions};
use causeway_testkit::{Collector, Setting, Span, wait_until};

use crate::{parts, program::SOON};

/// What both sides of the tunnel call what they do with a call.
const HOP: &str = "forward";
const CALL: &str = "causeway.proxy.v1.ApplicationActionService/GetLiveApplication";
/// Of those that answer a call into the runtime.
const WAY: [&str; 4] = [
    "request-router",
    "tunnel-server",
    "tunnel-client",
    "app-proxy",
];
/// That none of so many are recorded, of which one in ten should be, happens once in 10^9 runs, that half of them are never.
const CALLS: usize = 200;
/// Of calls that are made before all parts are there: its caller says that it is not recorded.
const EARLIER: &str = "0194b4a663f27d259a3c5ad0f1d1a005";
/// Of a call behind all others, of which its caller says that it is recorded: once it has arrived, so have they.
const MARKER: &str = "0194b4a663f27d259a3c5ad0f1d1a006";

type Traces = BTreeMap<String, BTreeSet<String>>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn at_ten_percent_some_traces_are_recorded_and_each_of_them_by_all_parts() {
    let options = SandboxOptions {
        demo: Demo::Three,
        ..SandboxOptions::in_memory()
    };
    let sandbox = Sandbox::start(options).await.unwrap();
    let collector = Collector::start().await;
    let endpoint = collector.endpoint();
    let environment = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str()),
        ("OTEL_METRICS_EXPORTER", "none"),
        ("OTEL_TRACES_SAMPLER", "parentbased_traceidratio"),
        ("OTEL_TRACES_SAMPLER_ARG", "0.1"),
        ("OTEL_BSP_SCHEDULE_DELAY", "200"),
    ];
    let setting = Setting {
        environment: &environment,
        ..Setting::default()
    };
    let processes = tokio::task::block_in_place(|| parts::start(&sandbox, setting));
    let key = processes.folder.path().join("platform/admin.key");
    let key = std::fs::read_to_string(key).unwrap();
    let url = format!(
        "{}/v1/runtimes/east/applications/argocd/guestbook/live",
        processes.address()
    );
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let ask = || client.get(&url).bearer_auth(key.trim());
    let traced = |trace, flags| {
        let parent = format!("00-{trace}-9a3c5ad0f1d1a005-{flags}");
        ask().header("traceparent", parent)
    };
    let early = async || answered(traced(EARLIER, "00")).await;
    wait_until("the runtime's answer", SOON, early).await;
    // A machine that is busy may leave a call without an answer, and its trace without an end.
    let failed = Cell::new(0);
    for _ in 0..CALLS {
        let call = async || {
            let answered = answered(ask()).await;
            failed.set(failed.get() + usize::from(answered.is_err()));
            answered
        };
        wait_until("an answer", SOON, call).await;
    }
    let last = async || answered(traced(MARKER, "01")).await;
    wait_until("the last answer", SOON, last).await;
    let recorded = wait_until("whole traces", SOON, async || {
        let mut traces = traces(&collector.spans());
        let partial = partial(&traces).len();
        let marker = traces.remove(MARKER);
        if marker.is_some_and(|it| is_whole(&it)) && partial <= failed.get() {
            Ok(traces.len() - partial)
        } else {
            Err(format!("{traces:#?}"))
        }
    })
    .await;
    let expected = 1..CALLS / 2;
    assert!(expected.contains(&recorded), "{recorded} of {CALLS}");
    let earlier = |span: &Span| span.trace_id == EARLIER;
    assert!(!collector.spans().iter().any(earlier));
    tokio::task::block_in_place(|| drop(processes));
}

/// An answer that is none is told with its text.
async fn answered(call: reqwest::RequestBuilder) -> Result<(), String> {
    let answer = call.send().await.map_err(|error| error.to_string())?;
    if answer.status().is_success() {
        Ok(())
    } else {
        Err(answer.text().await.unwrap_or_default())
    }
}

/// The services of each trace of a call.
fn traces(spans: &[Span]) -> Traces {
    let called = spans
        .iter()
        .filter(|span| [CALL, HOP].contains(&span.name.as_str()));
    let called: BTreeSet<_> = called.map(|span| &span.trace_id).collect();
    let mut traces = Traces::new();
    for span in spans.iter().filter(|it| called.contains(&it.trace_id)) {
        let services = traces.entry(span.trace_id.clone()).or_default();
        services.insert(span.service.clone());
    }
    traces
}

/// The traces that a part has left out.
fn partial(traces: &Traces) -> Vec<&str> {
    let partial = traces.iter().filter(|(_, services)| !is_whole(services));
    partial.map(|(trace, _)| trace.as_str()).collect()
}

fn is_whole(services: &BTreeSet<String>) -> bool {
    WAY.iter().all(|part| services.contains(*part))
}

#[test]
fn independently_sampled_trace_is_detected_as_partial() {
    let span = |trace: &str, service: &str| Span {
        service: service.to_owned(),
        name: CALL.to_owned(),
        trace_id: trace.to_owned(),
        span_id: String::new(),
        parent_id: String::new(),
    };
    let mut spans: Vec<_> = WAY.iter().map(|part| span("whole", part)).collect();
    spans.extend(WAY[..3].iter().map(|part| span("partial", part)));
    spans.push(Span {
        name: HOP.to_owned(),
        ..span("a hop alone", "tunnel-client")
    });
    assert_eq!(partial(&traces(&spans)), ["a hop alone", "partial"]);
}
