//! One child process: its log, its tie to this process, and the wait for what it serves.
//!
//! Owns: the standard streams of each child. Never: a child that outlives this process, however that ends: each child holds the
//! reading end of a pipe as its standard input, and ends itself when the writing end, which only this process has, is gone.

use std::{
    fs::File,
    future::Future,
    io::{self, PipeReader, PipeWriter},
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::{
    process::{Child, Command},
    time::{Instant, sleep, timeout},
};

use crate::log;

/// Read by every program of ours: the descriptor whose end is its end.
const PARENT: &str = "CAUSEWAY_PARENT_FD";
/// What a child keeps of this process' environment: settings of a person's own tools must not change a cluster.
const KEPT: [&str; 5] = [
    "PATH",
    "LANG",
    "GOTRACEBACK",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];
const POLL: Duration = Duration::from_millis(25);

/// Ties children to this process; its drop ends them all.
#[derive(Debug)]
pub(crate) struct ProcessGuard {
    reader: PipeReader,
    _writer: PipeWriter,
}

/// The folders of children: each one's log is in one, and their homes and temporary files in the other.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) logs: PathBuf,
    pub(crate) home: PathBuf,
}

/// What to run.
#[derive(Debug, Clone)]
pub(crate) struct Launch {
    name: String,
    program: PathBuf,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
}

/// A child that was started.
#[derive(Debug)]
pub(crate) struct Process {
    name: String,
    child: Child,
    log: PathBuf,
}

/// Why a child is not as wanted. Each message is one line with the place of the log.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    #[error("{name} cannot be started: {source}")]
    Start { name: String, source: io::Error },
    #[error("{name} ended by itself ({status}): {last}; its log is {}", log.display())]
    Ended {
        name: String,
        status: ExitStatus,
        last: String,
        log: PathBuf,
    },
    #[error("{name} is not ready after {seconds} s: {last}; its log is {}", log.display())]
    NotReady {
        name: String,
        seconds: u64,
        last: String,
        log: PathBuf,
    },
}

impl ProcessError {
    /// True if another port would help.
    pub(crate) fn is_address_in_use(&self) -> bool {
        match self {
            Self::Ended { log, .. } | Self::NotReady { log, .. } => {
                log::tail(log).contains("address already in use")
            }
            Self::Start { .. } => false,
        }
    }
}

impl ProcessGuard {
    pub(crate) fn new() -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        Ok(Self {
            reader,
            _writer: writer,
        })
    }

    /// A reading end, for a child's standard input.
    pub(crate) fn end(&self) -> io::Result<Stdio> {
        Ok(Stdio::from(self.reader.try_clone()?))
    }
}

impl Launch {
    /// A program under a name, which its log has too.
    pub(crate) fn new(name: impl Into<String>, program: &Path) -> Self {
        Self {
            name: name.into(),
            program: program.to_owned(),
            arguments: Vec::new(),
            environment: Vec::new(),
        }
    }

    #[must_use]
    pub(crate) fn argument(mut self, argument: impl Into<String>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    #[must_use]
    pub(crate) fn arguments<T: Into<String>>(mut self, all: impl IntoIterator<Item = T>) -> Self {
        self.arguments.extend(all.into_iter().map(Into::into));
        self
    }

    /// `--name=value`
    #[must_use]
    pub(crate) fn flag(self, name: &str, value: impl std::fmt::Display) -> Self {
        self.argument(format!("--{name}={value}"))
    }

    /// The same run by another program, which takes it as its last words.
    #[must_use]
    pub(crate) fn through(self, program: &Path, words: impl IntoIterator<Item = String>) -> Self {
        let own = [self.program.display().to_string()];
        let arguments = words.into_iter().chain(own).chain(self.arguments);
        Self {
            arguments: arguments.collect(),
            program: program.to_owned(),
            ..self
        }
    }

    #[must_use]
    pub(crate) fn variable(mut self, name: &str, value: impl std::fmt::Display) -> Self {
        self.environment.push((name.to_owned(), value.to_string()));
        self
    }
}

impl Process {
    /// Starts a child that writes to `NAME.log` in the folder of logs, after what an earlier child of the name wrote.
    pub(crate) fn start(
        launch: &Launch,
        guard: &ProcessGuard,
        place: &Place,
    ) -> Result<Self, ProcessError> {
        let log = place.logs.join(format!("{}.log", launch.name));
        let spawned = spawn(launch, guard, &log, &place.home);
        let child = spawned.map_err(|source| ProcessError::Start {
            name: launch.name.clone(),
            source,
        })?;
        Ok(Self {
            name: launch.name.clone(),
            child,
            log,
        })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Absent when it has ended and that was seen.
    pub(crate) fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Repeats a request until it returns something.
    ///
    /// Errors: the child ended, or `most` is over.
    pub(crate) async fn wait_until<T, F>(
        &mut self,
        most: Duration,
        mut look: impl FnMut() -> F,
    ) -> Result<T, ProcessError>
    where
        F: Future<Output = Result<T, String>>,
    {
        let end = Instant::now() + most;
        loop {
            self.check()?;
            let answer = timeout(most, look()).await;
            match answer.unwrap_or_else(|_| Err("no answer".to_owned())) {
                Ok(found) => return Ok(found),
                Err(last) if Instant::now() >= end => return Err(self.not_ready(most, &last)),
                Err(_) => sleep(POLL).await,
            }
        }
    }

    /// Waits until it has ended well.
    pub(crate) async fn finish(mut self, most: Duration) -> Result<(), ProcessError> {
        match timeout(most, self.child.wait()).await {
            Ok(Ok(status)) if status.success() => Ok(()),
            Ok(Ok(status)) => Err(self.ended(status)),
            Ok(Err(source)) => Err(ProcessError::Start {
                name: self.name.clone(),
                source,
            }),
            Err(_) => Err(self.not_ready(most, "it runs")),
        }
    }

    /// Errors: the child has ended.
    pub(crate) fn check(&mut self) -> Result<(), ProcessError> {
        let Ok(Some(status)) = self.child.try_wait() else {
            return Ok(());
        };
        Err(self.ended(status))
    }

    /// Ends it at once with all that it started, as a crash would.
    pub(crate) async fn kill(&mut self) {
        self.signal(Signal::KILL);
        // It may have ended by itself; then there is nothing to wait for.
        let _ = self.child.wait().await;
    }

    /// Asks it to end, and ends it when `most` is over.
    pub(crate) async fn end(&mut self, most: Duration) {
        self.signal(Signal::TERM);
        let _ = timeout(most, self.child.wait()).await;
        self.kill().await;
    }

    fn signal(&self, signal: Signal) {
        let id = self.child.id().and_then(|id| i32::try_from(id).ok());
        if let Some(group) = id.and_then(Pid::from_raw) {
            // A group that is gone needs no signal.
            let _ = kill_process_group(group, signal);
        }
    }

    fn ended(&self, status: ExitStatus) -> ProcessError {
        ProcessError::Ended {
            name: self.name.clone(),
            status,
            last: log::last_words(&self.log),
            log: self.log.clone(),
        }
    }

    fn not_ready(&self, most: Duration, last: &str) -> ProcessError {
        let words = log::last_words(&self.log);
        ProcessError::NotReady {
            name: self.name.clone(),
            seconds: most.as_secs(),
            last: format!("{last}; it said last: {words}"),
            log: self.log.clone(),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
    }
}

/// Each child leads a group of its own: Ctrl-C at a terminal reaches this process only, which then stops them in order.
fn spawn(launch: &Launch, guard: &ProcessGuard, log: &Path, home: &Path) -> io::Result<Child> {
    let output = File::options().create(true).append(true).open(log)?;
    let mut command = Command::new(&launch.program);
    let kept = std::env::vars_os().filter(|(name, _)| KEPT.iter().any(|kept| name == kept));
    command
        .env_clear()
        .envs(kept)
        .args(&launch.arguments)
        .env("HOME", home)
        .env("TMPDIR", home)
        .env(PARENT, "0")
        .envs(launch.environment.iter().map(|(name, value)| (name, value)))
        .stdin(guard.end()?)
        .stdout(output.try_clone()?)
        .stderr(output)
        .process_group(0)
        .kill_on_drop(true);
    command.spawn()
}
