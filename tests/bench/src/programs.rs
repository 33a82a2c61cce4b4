//! `make cluster`: what it takes to build the programs of real clusters.

use std::{
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, bail};
use causeway_cluster::Program;
use tokio::time::Instant;

use crate::place::beside;

/// What is built.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct Args {
    /// Begin with nothing but the downloaded modules, in folders of its own: about 20 minutes of two cores and 13 GiB for the time
    #[arg(long)]
    cold: bool,
    /// The program that builds; the one beside this one if not given
    #[arg(long)]
    binary: Option<PathBuf>,
}

/// Seconds.
struct Took {
    wall: f64,
    cpu: f64,
}

/// Where a build finds and leaves what is built; absent is the user's own.
#[derive(Default)]
struct Caches {
    programs: Option<PathBuf>,
    go: Option<PathBuf>,
}

/// Measures and prints.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let binary = match &args.binary {
        Some(binary) => binary.clone(),
        None => beside("causeway-cluster")?,
    };
    if args.cold {
        return cold(&binary);
    }
    warm(&binary)
}

#[expect(clippy::print_stdout, reason = "the table is the result")]
fn warm(binary: &Path) -> anyhow::Result<()> {
    let found = Command::new(binary).arg("find").output()?;
    if !found.status.success() {
        let said = String::from_utf8_lossy(&found.stderr);
        println!("a warm 'make cluster' is left out: {}", said.trim());
        return Ok(());
    }
    let took = build(binary, &[], &Caches::default())?;
    println!("| `make cluster` after cargo | wall | CPU |\n|---|---|---|");
    println!(
        "| everything is built | {:.2} s | {:.2} s |\n",
        took.wall, took.cpu
    );
    Ok(())
}

#[expect(clippy::print_stdout, reason = "the table is the result")]
fn cold(binary: &Path) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let cold = Caches {
        programs: Some(folder.path().join("programs")),
        go: Some(folder.path().join("go")),
    };
    println!("| `make cluster` after cargo, modules downloaded | wall | CPU |\n|---|---|---|");
    let mut sum = Took {
        wall: 0.0,
        cpu: 0.0,
    };
    for program in Program::ALL {
        let took = build(binary, &[program.name()], &cold)?;
        println!(
            "| {program}, from nothing | {:.0} s | {:.0} s |",
            took.wall, took.cpu
        );
        sum.wall += took.wall;
        sum.cpu += took.cpu;
    }
    println!(
        "| all, from nothing | {:.0} s | {:.0} s |",
        sum.wall, sum.cpu
    );
    let compiled = Caches {
        programs: Some(folder.path().join("linked")),
        go: cold.go.clone(),
    };
    for (name, caches) in [("linked again", &compiled), ("everything is built", &cold)] {
        let took = build(binary, &[], caches)?;
        println!("| {name} | {:.1} s | {:.1} s |", took.wall, took.cpu);
    }
    println!(
        "\n{} in Go's cache, {} in programs\n",
        gib(folder.path(), "go")?,
        gib(folder.path(), "programs")?
    );
    Ok(())
}

fn build(binary: &Path, programs: &[&str], caches: &Caches) -> anyhow::Result<Took> {
    let mut command = Command::new(binary);
    command
        .arg("build")
        .args(programs)
        .stdin(Stdio::null())
        .stderr(Stdio::piped());
    let places = [
        ("CAUSEWAY_CLUSTER_CACHE", &caches.programs),
        ("GOCACHE", &caches.go),
    ];
    for (name, place) in places {
        if let Some(place) = place {
            command.env(name, place);
        }
    }
    let (before, begun) = (cpu_of_children()?, Instant::now());
    let output = command.output().context("start causeway-cluster")?;
    let wall = begun.elapsed().as_secs_f64();
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!(
            "{}",
            said.lines().last().unwrap_or("causeway-cluster failed")
        );
    }
    Ok(Took {
        wall,
        cpu: cpu_of_children()? - before,
    })
}

/// Of all that have ended, and of theirs.
fn cpu_of_children() -> anyhow::Result<f64> {
    /// What Linux counts in for every program, whatever it counts in itself.
    const TICKS: f64 = 100.0;
    let line = fs::read_to_string("/proc/self/stat")?;
    let (_, rest) = line.rsplit_once(") ").context("no name")?;
    // After the name: state is the first, cutime and cstime are the fourteenth and fifteenth.
    let times = rest.split(' ').skip(13).take(2);
    let times: Result<Vec<f64>, _> = times.map(str::parse).collect();
    Ok(times?.iter().sum::<f64>() / TICKS)
}

fn gib(folder: &Path, name: impl AsRef<OsStr>) -> io::Result<String> {
    let bytes = size(&folder.join(name.as_ref()))?;
    Ok(format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)))
}

fn size(path: &Path) -> io::Result<u64> {
    let found = fs::symlink_metadata(path)?;
    if !found.is_dir() {
        return Ok(found.len());
    }
    fs::read_dir(path)?.map(|entry| size(&entry?.path())).sum()
}
