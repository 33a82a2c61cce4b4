//! A set of namespaces with a first process of its own.
//!
//! Owns: that nothing of it is left, however this process ends: the first process ends with a pipe whose other end is held
//! here, with it go all processes, mounts and networks of the box, and `host.sh`, which stands beside it, removes the rest.
//! Never: knows what runs in it.

use std::{
    fs::{self, File},
    io::{self, BufRead as _, BufReader, Lines, Write as _},
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use super::{NodeError, subnets::Subnets};
use crate::{log, process::Launch};

const SCRIPTS: [(&str, &str); 4] = [
    ("host.sh", include_str!("host.sh")),
    ("box.sh", include_str!("box.sh")),
    ("network.sh", include_str!("network.sh")),
    ("enter.sh", include_str!("enter.sh")),
];
/// One claim of a number is enough for all users of a machine.
const LOCKS: &str = "/run/lock/causeway";
const NAMESPACES: [&str; 6] = ["--mount", "--net", "--pid", "--uts", "--ipc", "--cgroup"];

/// Its drop ends it and waits for that.
#[derive(Debug)]
pub(super) struct NamespaceBox {
    subnets: Subnets,
    entrance: Entrance,
    host: Child,
    input: Option<ChildStdin>,
    log: PathBuf,
}

/// How to run something in a box.
#[derive(Debug, Clone)]
pub(crate) struct Entrance {
    process: u32,
    script: PathBuf,
}

impl NamespaceBox {
    /// Makes the scripts and the box, with the network between host and box. Blocks for about 0.1 s.
    pub(super) fn open(folder: &Path) -> Result<Self, NodeError> {
        let log = folder.join("log/box.log");
        let failed = |source| NodeError::Box {
            source,
            last: log::last_words(&log),
            log: log.clone(),
        };
        let scripts = write_scripts(folder).map_err(failed)?;
        let (mut host, mut said) = spawn(folder, &scripts, &log).map_err(failed)?;
        let number = next(&mut said, "number").map_err(failed)?;
        let process = next(&mut said, "process").map_err(failed)?;
        let opened = Self {
            subnets: Subnets::new(number),
            entrance: Entrance {
                process,
                script: scripts.join("enter.sh"),
            },
            input: host.stdin.take(),
            host,
            log: log.clone(),
        };
        opened.connect(&scripts).map_err(failed)?;
        Ok(opened)
    }

    pub(super) fn subnets(&self) -> Subnets {
        self.subnets
    }

    pub(super) fn entrance(&self) -> &Entrance {
        &self.entrance
    }

    /// Ends the box and waits until nothing of it is left. Blocks for about 0.5 s.
    ///
    /// Errors: something could not be removed.
    pub(super) fn end(&mut self) -> Result<(), NodeError> {
        drop(self.input.take());
        match self.host.wait() {
            Ok(status) if status.success() => Ok(()),
            Ok(_) | Err(_) => Err(NodeError::Left {
                last: log::last_words(&self.log),
                log: self.log.clone(),
            }),
        }
    }

    fn connect(&self, scripts: &Path) -> io::Result<()> {
        let errors = File::options().append(true).open(&self.log)?;
        let mut ip = Command::new("ip");
        ip.args(["-batch", "-"])
            .stdin(Stdio::piped())
            .stderr(errors.try_clone()?);
        let mut ip = ip.spawn()?;
        if let Some(mut input) = ip.stdin.take() {
            input.write_all(self.subnets.host_end(self.entrance.process).as_bytes())?;
        }
        let mut inside = Command::new("nsenter");
        inside
            .args(self.entrance.words())
            .arg("bash")
            .arg(scripts.join("network.sh"));
        inside.arg(self.subnets.number().to_string()).stderr(errors);
        if ip.wait()?.success() && inside.status()?.success() {
            return Ok(());
        }
        Err(io::Error::other(
            "the network between host and node cannot be made",
        ))
    }
}

impl Drop for NamespaceBox {
    fn drop(&mut self) {
        // What is left is removed before the number is used again.
        let _ = self.end();
    }
}

impl Entrance {
    /// Wraps a launch to run in the box.
    pub(crate) fn enter(&self, launch: Launch) -> Launch {
        let script = ["bash".to_owned(), self.script.display().to_string()];
        launch.through(Path::new("nsenter"), self.words().into_iter().chain(script))
    }

    /// Process id of the first process of the box on the host.
    pub(crate) fn process(&self) -> u32 {
        self.process
    }

    /// Arguments of nsenter before the command.
    pub(crate) fn words(&self) -> Vec<String> {
        let target = ["--target".to_owned(), self.process.to_string()];
        let namespaces = NAMESPACES.iter().map(|&namespace| namespace.to_owned());
        target.into_iter().chain(namespaces).collect()
    }
}

fn write_scripts(folder: &Path) -> io::Result<PathBuf> {
    let scripts = folder.join("scripts");
    fs::create_dir_all(&scripts)?;
    for (name, text) in SCRIPTS {
        fs::write(scripts.join(name), text)?;
    }
    Ok(scripts)
}

/// A group of its own, so that what ends this process by its group does not end the clean-up.
fn spawn(
    folder: &Path,
    scripts: &Path,
    log: &Path,
) -> io::Result<(Child, Lines<BufReader<ChildStdout>>)> {
    let errors = File::options().create(true).append(true).open(log)?;
    let mut command = Command::new("bash");
    command
        .arg(scripts.join("host.sh"))
        .arg(folder)
        .arg(LOCKS)
        .arg(scripts.join("box.sh"));
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(errors)
        .process_group(0);
    let mut child = command.spawn()?;
    let said = child
        .stdout
        .take()
        .ok_or_else(|| io::Error::other("no output"))?;
    Ok((child, BufReader::new(said).lines()))
}

/// The number in the next line, `NAME NUMBER`.
fn next<T: std::str::FromStr>(
    said: &mut Lines<BufReader<ChildStdout>>,
    name: &str,
) -> io::Result<T> {
    let line = said.next().transpose()?.unwrap_or_default();
    let number = line
        .strip_prefix(name)
        .and_then(|rest| rest.trim().parse().ok());
    number.ok_or_else(|| io::Error::other(format!("it did not tell its {name}")))
}
