//! Process metrics from `/proc`, under the names of all Prometheus clients.
//!
//! The feature `process` of the prometheus crate counts CPU time in whole seconds only, too coarse for rates.

use std::fs;

use prometheus::{
    Counter, Gauge,
    core::{Collector, Desc},
    proto::MetricFamily,
};

/// Clock ticks per second in `/proc`, the same on all Linux platforms.
const TICKS: f64 = 100.0;

/// Metrics that are read at each scrape. A value that cannot be read keeps its previous value, initially zero.
#[derive(Debug)]
pub(super) struct ProcessMetrics {
    cpu: Counter,
    started: Gauge,
    resident: Gauge,
    virtual_memory: Gauge,
    threads: Gauge,
    open_files: Gauge,
    max_files: Gauge,
}

impl ProcessMetrics {
    pub(super) fn new() -> prometheus::Result<Self> {
        Ok(Self {
            cpu: Counter::new(
                "process_cpu_seconds_total",
                "Total user and system CPU time spent in seconds",
            )?,
            started: Gauge::new(
                "process_start_time_seconds",
                "Start time of the process since unix epoch in seconds",
            )?,
            resident: Gauge::new(
                "process_resident_memory_bytes",
                "Resident memory size in bytes",
            )?,
            virtual_memory: Gauge::new(
                "process_virtual_memory_bytes",
                "Virtual memory size in bytes",
            )?,
            threads: Gauge::new("process_threads", "Number of threads of the process")?,
            open_files: Gauge::new("process_open_fds", "Number of open file descriptors")?,
            max_files: Gauge::new("process_max_fds", "Maximum number of open file descriptors")?,
        })
    }

    fn gauges(&self) -> [&Gauge; 6] {
        [
            &self.started,
            &self.resident,
            &self.virtual_memory,
            &self.threads,
            &self.open_files,
            &self.max_files,
        ]
    }

    fn read(&self) {
        if let Some((cpu, started)) = times() {
            self.cpu.inc_by((cpu - self.cpu.get()).max(0.0));
            self.started.set(started);
        }
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let bytes = |name| number_after(&status, name).map(|kilobytes| kilobytes * 1024.0);
        set(&self.resident, bytes("VmRSS:"));
        set(&self.virtual_memory, bytes("VmSize:"));
        set(&self.threads, number_after(&status, "Threads:"));
        let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
        set(&self.max_files, number_after(&limits, "Max open files"));
        // One of the descriptors is the folder that is being read.
        let open = fs::read_dir("/proc/self/fd").map(|files| files.count().saturating_sub(1));
        let open = open.ok().and_then(|open| u32::try_from(open).ok());
        set(&self.open_files, open.map(f64::from));
    }
}

impl Collector for ProcessMetrics {
    fn desc(&self) -> Vec<&Desc> {
        let gauges = self.gauges().into_iter().flat_map(Gauge::desc);
        self.cpu.desc().into_iter().chain(gauges).collect()
    }

    fn collect(&self) -> Vec<MetricFamily> {
        self.read();
        let gauges = self.gauges().into_iter().flat_map(Gauge::collect);
        self.cpu.collect().into_iter().chain(gauges).collect()
    }
}

fn set(gauge: &Gauge, value: Option<f64>) {
    if let Some(value) = value {
        gauge.set(value);
    }
}

/// Returns the CPU time in seconds, and the start time in seconds since 1970.
fn times() -> Option<(f64, f64)> {
    let process = fs::read_to_string("/proc/self/stat").ok()?;
    let machine = fs::read_to_string("/proc/stat").ok()?;
    // The program name may contain any character; it ends at the last parenthesis. The state follows.
    let (_, fields) = process.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks = |index: usize| fields.get(index)?.parse::<f64>().ok();
    let cpu = (ticks(11)? + ticks(12)?) / TICKS;
    let booted = number_after(&machine, "btime")?;
    Some((cpu, booted + ticks(19)? / TICKS))
}

/// Returns the first number after `name` at the beginning of a line.
fn number_after(text: &str, name: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests;
