//! Resource usage of idle pods, from their cgroups.

use std::{collections::BTreeMap, fmt, fs, path::PathBuf, time::Duration};

use causeway_testkit::wait_until_blocking;
use tokio::time::Instant;

use crate::{pods::Pod, stage::SOON};

/// Memory and CPU of one part.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    /// without what is only a copy of a file
    pub(crate) memory: u64,
    /// of one core
    pub(crate) cpu: f64,
}

/// Looks on for a while; by `NAMESPACE/PART`.
pub(crate) fn idle(pods: &[Pod], most: Duration) -> BTreeMap<String, Usage> {
    let begun = Instant::now();
    let before: Vec<_> = pods.iter().map(processor_time).collect();
    wait_until_blocking("an idle while", most + SOON, || match begun.elapsed() {
        elapsed if elapsed >= most => Ok(()),
        elapsed => Err(format!("{elapsed:?}")),
    });
    let seconds = begun.elapsed().as_secs_f64();
    let mut parts: BTreeMap<String, Usage> = BTreeMap::new();
    for (pod, before) in pods.iter().zip(before) {
        let taken = processor_time(pod).saturating_sub(before);
        let part = parts
            .entry(format!("{}/{}", pod.namespace, pod.part))
            .or_default();
        part.memory += memory(pod);
        part.cpu += taken.as_secs_f64() / seconds;
    }
    parts
}

/// Of all parts together.
pub(crate) fn sum<'a>(parts: impl IntoIterator<Item = &'a Usage>) -> Usage {
    let parts = parts.into_iter();
    parts.fold(Usage::default(), |sum, part| Usage {
        memory: sum.memory + part.memory,
        cpu: sum.cpu + part.cpu,
    })
}

fn processor_time(pod: &Pod) -> Duration {
    let text = read(&pod.cgroup("cpuacct").join("cpuacct.usage"));
    Duration::from_nanos(text.trim().parse().unwrap())
}

fn memory(pod: &Pod) -> u64 {
    let text = read(&pod.cgroup("memory").join("memory.stat"));
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("total_rss "));
    line.unwrap().parse().unwrap()
}

fn read(path: &PathBuf) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

impl fmt::Display for Usage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mebibytes = self.memory as f64 / f64::from(1 << 20);
        write!(formatter, "{mebibytes:6.1} MiB {:6.3} CPU", self.cpu)
    }
}
