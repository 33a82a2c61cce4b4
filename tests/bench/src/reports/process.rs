//! A part of Causeway as a process of its own: where it listens, what it says on `/metrics`, what it takes of the machine.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use anyhow::{Context as _, bail, ensure};
use causeway_testkit::Child;
use tokio::time::{Instant, sleep};

const READY: Duration = Duration::from_secs(60);
const DRAINED: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(5);

/// Its drop kills it.
pub(super) struct Process {
    child: Child,
    /// `http://ADDRESS`, where others call it.
    pub(super) url: String,
    /// `http://ADDRESS` of its admin port.
    admin: String,
    http: reqwest::Client,
}

impl Process {
    /// Starts it, and gives it once it listens.
    pub(super) fn start(binary: &Path, part: &str, flags: &[String]) -> Self {
        let mut command = Command::new(binary);
        command.args(["serve", part, "--admin-listen", "127.0.0.1:0"]);
        command.args(flags);
        tokio::task::block_in_place(|| {
            let mut child = Child::start(&mut command);
            let admin = child.wait_for_line(part, READY, |line| {
                address(line).filter(|_| line.contains("admin server listens"))
            });
            let url = child.wait_for_line(part, READY, |line| {
                let own = line.contains("listens") && !line.contains("admin server");
                address(line).filter(|_| own)
            });
            Self {
                child,
                url,
                admin,
                http: reqwest::Client::new(),
            }
        })
    }

    /// Waits until it says that it is ready.
    pub(super) async fn ready(&self, within: Duration) -> anyhow::Result<()> {
        let (url, end) = (format!("{}/readyz", self.admin), Instant::now() + within);
        loop {
            let answer = self.http.get(&url).send().await?;
            if answer.status().is_success() {
                return Ok(());
            }
            if Instant::now() > end {
                bail!("not ready: {}", answer.text().await?);
            }
            sleep(POLL).await;
        }
    }

    /// One of its figures, summed over its labels; 0 while it has not told of it.
    pub(super) async fn metric(&self, name: &str) -> anyhow::Result<u64> {
        let answer = self.http.get(format!("{}/metrics", self.admin)).send();
        let text = answer.await?.text().await?;
        let of_metric = |line: &&str| {
            let rest = line.strip_prefix(name);
            rest.is_some_and(|rest| rest.starts_with(['{', ' ']))
        };
        let values = text.lines().filter(of_metric);
        let values = values.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
        Ok(values.sum::<f64>() as u64)
    }

    /// Resident memory now, in MiB.
    pub(super) fn resident(&self) -> anyhow::Result<f64> {
        self.memory("VmRSS:")
    }

    /// The most resident memory that it had since its start, or since that was forgotten, in MiB.
    pub(super) fn peak(&self) -> anyhow::Result<f64> {
        self.memory("VmHWM:")
    }

    /// Begins the peak anew.
    pub(super) fn forget_peak(&self) -> anyhow::Result<()> {
        let file = format!("/proc/{}/clear_refs", self.child.id());
        fs::write(&file, "5").context(file)
    }

    fn memory(&self, field: &str) -> anyhow::Result<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix(field));
        let line = line.context("no such memory")?.trim();
        let kib: f64 = line.trim_end_matches(" kB").trim().parse()?;
        Ok(kib / 1024.0)
    }

    /// Seconds of CPU since its start.
    pub(super) fn cpu(&self) -> anyhow::Result<f64> {
        cpu(&self.child.id().to_string())
    }

    /// Ends it as a roll-out does, and waits for that.
    pub(super) fn stop(mut self) -> anyhow::Result<()> {
        let mut kill = Command::new("kill");
        kill.args(["-TERM", &self.child.id().to_string()]);
        let sent = kill.stdin(Stdio::null()).status()?;
        ensure!(sent.success(), "the signal was not sent");
        let ended = tokio::task::block_in_place(|| self.child.wait(DRAINED));
        ensure!(ended.success(), "it ended with {ended}");
        Ok(())
    }
}

/// Seconds of CPU of a process, as `/proc` names it.
pub(crate) fn cpu(process: &str) -> anyhow::Result<f64> {
    /// What Linux counts in for every program, whatever it counts in itself.
    const TICKS: f64 = 100.0;
    let line = fs::read_to_string(format!("/proc/{process}/stat"))?;
    let (_, rest) = line.rsplit_once(") ").context("no name")?;
    // After the name: state is the first, utime and stime are the twelfth and thirteenth.
    let times = rest.split(' ').skip(11).take(2);
    let times: Result<Vec<f64>, _> = times.map(str::parse).collect();
    Ok(times?.iter().sum::<f64>() / TICKS)
}

fn address(line: &str) -> Option<String> {
    let rest = line.split_once("address=")?.1;
    let address = rest.split_whitespace().next()?;
    Some(format!("http://{address}"))
}
