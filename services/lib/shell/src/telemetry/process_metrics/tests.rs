use std::{collections::BTreeMap, hint::black_box};

use prometheus::core::Collector as _;

use super::{ProcessMetrics, number_after};

fn figures(figures: &ProcessMetrics) -> BTreeMap<String, f64> {
    let families = figures.collect();
    let value = |family: &prometheus::proto::MetricFamily| {
        let metric = &family.get_metric()[0];
        metric.get_gauge().get_value() + metric.get_counter().get_value()
    };
    families
        .iter()
        .map(|family| (family.name().to_owned(), value(family)))
        .collect()
}

#[test]
fn process_metrics_have_plausible_values() {
    let own = ProcessMetrics::new().unwrap();
    let before = figures(&own);
    let now = std::time::SystemTime::now();
    let now = now.duration_since(std::time::UNIX_EPOCH).unwrap();
    let started = before["process_start_time_seconds"];
    assert!(
        started > 1e9 && started <= now.as_secs_f64() + 1.0,
        "{before:?}"
    );
    assert!(before["process_resident_memory_bytes"] > 1e5, "{before:?}");
    assert!(before["process_virtual_memory_bytes"] >= before["process_resident_memory_bytes"]);
    assert!(before["process_threads"] >= 1.0, "{before:?}");
    assert!(before["process_open_fds"] >= 3.0, "{before:?}");
    assert!(
        before["process_max_fds"] >= before["process_open_fds"],
        "{before:?}"
    );
    loop {
        black_box((0..1_000_000_u64).sum::<u64>());
        let after = figures(&own);
        if after["process_cpu_seconds_total"] > before["process_cpu_seconds_total"] {
            return;
        }
    }
}

#[test]
fn unlimited_limit_has_no_value() {
    let limits = "Max cpu time  unlimited\nMax open files            unlimited            files\n";
    assert_eq!(number_after(limits, "Max open files"), None);
    let limits = "Max open files            1024                 524288               files\n";
    assert_eq!(number_after(limits, "Max open files"), Some(1024.0));
}
