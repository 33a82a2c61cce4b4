//! What pods request is what their parts were measured to take while nobody asks anything of them.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::Value;

use crate::{Chart, helm, refusals::RUNTIME};

const MEBIBYTE: f64 = 1_048_576.0;

/// What `causeway-bench idle` printed of a part: MiB that are its own or its share of what all have, and CPU.
#[derive(Clone, Copy, Debug)]
struct Measured {
    memory: f64,
    cpu: f64,
}

/// By SIDE/PART; what was measured with the most runtimes stands last and counts.
fn measured() -> BTreeMap<String, Measured> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bench/RESULTS.md");
    let text = fs::read_to_string(file).unwrap();
    let (_, text) = text.split_once("`causeway-bench idle`").unwrap();
    let text = text.split("\n## ").next().unwrap();
    let rows = text.lines().filter_map(|line| {
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        let &[_, part, _, _, memory, cpu, _] = cells.as_slice() else {
            return None;
        };
        let memory = memory.strip_suffix(" MiB")?.parse().ok()?;
        let cpu = cpu.parse().ok()?;
        Some((part.to_owned(), Measured { memory, cpu }))
    });
    rows.filter(|(part, _)| part.contains('/') && !part.contains(' '))
        .collect()
}

/// A quantity of Kubernetes: cores or bytes.
fn quantity(value: &Value) -> f64 {
    let text = value.as_str().unwrap();
    let units = [
        ("Gi", MEBIBYTE * 1024.0),
        ("Mi", MEBIBYTE),
        ("m", 0.001),
        ("", 1.0),
    ];
    let found = units
        .iter()
        .find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, factor)));
    let (number, factor) = found.unwrap();
    number.parse::<f64>().unwrap() * factor
}

#[test]
fn pods_request_what_their_parts_take_when_idle_and_may_take_four_times_that() {
    let measured = measured();
    for (chart, side, parts) in [
        (Chart::Platform, "platform", 5),
        (Chart::Runtime, "runtime", 7),
    ] {
        let values = fs::read_to_string(chart.folder().join("values.yaml")).unwrap();
        let values: Value = serde_saphyr::from_str(&values).unwrap();
        let of = |part: &&String| part.starts_with(&format!("{side}/"));
        let all: Vec<_> = measured.keys().filter(of).collect();
        assert_eq!(all.len(), parts, "{all:?}");
        for part in all {
            let Measured { memory, cpu } = measured[part];
            let own = &values[part.split('/').nth(1).unwrap()]["resources"];
            let requested = quantity(&own["requests"]["memory"]) / MEBIBYTE;
            // Rounded up, and not to something else.
            assert!(
                (memory..=memory + 8.0).contains(&requested),
                "{part}: {requested} MiB are requested, {memory} were measured"
            );
            let limit = quantity(&own["limits"]["memory"]) / MEBIBYTE;
            assert!(limit >= 4.0 * requested, "{part}: {limit} of {requested}");
            let requested = quantity(&own["requests"]["cpu"]);
            assert!(
                (cpu..=cpu * 1.5 + 0.002).contains(&requested),
                "{part}: {requested} cores are requested, {cpu} were measured"
            );
        }
    }
}

/// No measured part: it is the same program, and does as little.
#[test]
fn helm_test_pod_has_the_limits_of_the_preflight_pod() {
    let Some(helm) = helm() else { return };
    for (chart, values) in [(Chart::Platform, ""), (Chart::Runtime, RUNTIME)] {
        let release = chart.render(&helm, values);
        let pod = release.objects.iter().find(|it| it["kind"] == "Pod");
        let own = &pod.unwrap()["spec"]["containers"][0]["resources"];
        assert_eq!(own["requests"]["memory"], "20Mi");
        assert_eq!(own["limits"]["memory"], "128Mi");
    }
}
