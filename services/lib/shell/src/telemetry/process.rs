//! What the kernel says of this process, under the names that all clients of Prometheus give it.

use std::fs;

use prometheus::{
    Counter, Gauge,
    core::{Collector, Desc},
    proto::MetricFamily,
};

/// How many of its ticks the kernel tells as a second, to whoever asks.
const TICKS: f64 = 100.0;

/// Read anew at each scrape. What cannot be read stays as it was, which is zero where there is no such kernel.
#[derive(Debug)]
pub(super) struct ProcessFigures {
    cpu: Counter,
    started: Gauge,
    resident: Gauge,
    mapped: Gauge,
    threads: Gauge,
    open_files: Gauge,
    most_files: Gauge,
}

impl ProcessFigures {
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
            mapped: Gauge::new(
                "process_virtual_memory_bytes",
                "Virtual memory size in bytes",
            )?,
            threads: Gauge::new("process_threads", "Number of threads of the process")?,
            open_files: Gauge::new("process_open_fds", "Number of open file descriptors")?,
            most_files: Gauge::new("process_max_fds", "Maximum number of open file descriptors")?,
        })
    }

    fn gauges(&self) -> [&Gauge; 6] {
        [
            &self.started,
            &self.resident,
            &self.mapped,
            &self.threads,
            &self.open_files,
            &self.most_files,
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
        set(&self.mapped, bytes("VmSize:"));
        set(&self.threads, number_after(&status, "Threads:"));
        let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
        set(&self.most_files, number_after(&limits, "Max open files"));
        // One of them is the folder that is read.
        let open = fs::read_dir("/proc/self/fd").map(|files| files.count().saturating_sub(1));
        let open = open.ok().and_then(|open| u32::try_from(open).ok());
        set(&self.open_files, open.map(f64::from));
    }
}

impl Collector for ProcessFigures {
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

/// Seconds of CPU, and the start in seconds since 1970.
fn times() -> Option<(f64, f64)> {
    let of_process = fs::read_to_string("/proc/self/stat").ok()?;
    let of_machine = fs::read_to_string("/proc/stat").ok()?;
    // The name of the program, which may hold anything, ends at the last parenthesis; the state comes next.
    let (_, fields) = of_process.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks = |place: usize| fields.get(place)?.parse::<f64>().ok();
    let cpu = (ticks(11)? + ticks(12)?) / TICKS;
    let booted = number_after(&of_machine, "btime")?;
    Some((cpu, booted + ticks(19)? / TICKS))
}

/// The first number in the line that begins so.
fn number_after(text: &str, name: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests;
