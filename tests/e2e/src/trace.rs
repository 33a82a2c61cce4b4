//! One trace from the command line to the call of Argo CD.

mod real;

use std::collections::BTreeSet;

use causeway_testkit::{Collector, wait_until};

use crate::program::{SOON, Up};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_sync_is_one_trace_from_the_command_line_to_argo_cd() {
    let collector = Collector::start().await;
    let endpoint = collector.endpoint();
    let up = tokio::task::spawn_blocking(move || {
        let environment = [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str()),
            ("OTEL_BSP_SCHEDULE_DELAY", "200"),
        ];
        let up = Up::start_in(tempfile::tempdir().unwrap(), &environment);
        up.wait_for_health("guestbook", "HEALTHY");
        let mut command = up.cli_command(&["app", "sync", "guestbook"]);
        command.envs(environment);
        causeway_testkit::run(&mut command).expect_success();
        up
    });
    let up = up.await.unwrap();
    let wanted = [
        "causeway-cli",
        "request-router",
        "platform",
        "tunnel-server",
        "tunnel-client",
        "app-proxy",
    ];
    wait_until("one trace through all parts", SOON, async || {
        let spans = collector.spans();
        let roots = spans
            .iter()
            .filter(|span| span.service == "causeway-cli" && span.parent_id.is_empty());
        let traces: Vec<_> = roots.map(|span| span.trace_id.clone()).collect();
        let parts = |trace: &String| -> BTreeSet<String> {
            let own = spans.iter().filter(|span| span.trace_id == *trace);
            own.map(|span| span.service.clone()).collect()
        };
        let argocd = |trace: &String| {
            spans
                .iter()
                .any(|span| span.trace_id == *trace && span.name.to_lowercase().contains("argo"))
        };
        let whole = |trace: &&String| {
            wanted.iter().all(|part| parts(trace).contains(*part)) && argocd(trace)
        };
        match traces.iter().find(whole) {
            Some(_) => Ok(()),
            None => Err(format!(
                "{:?}",
                traces.iter().map(parts).collect::<Vec<_>>()
            )),
        }
    })
    .await;
    tokio::task::spawn_blocking(move || drop(up)).await.unwrap();
}
