//! A child process with bounds: time, output, and bytes in a folder. Its whole group ends with it.

use std::{path::Path, process::Stdio, time::Duration};

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _},
    process::{Child, Command},
    time::{interval, timeout},
};

use crate::GitError;

const MAX_OUTPUT: u64 = 1 << 20;
const MEASURE_INTERVAL: Duration = Duration::from_millis(100);

pub(crate) struct Bounds<'a> {
    pub(crate) time: Duration,
    /// The folder that may not grow beyond a number of bytes.
    pub(crate) folder: (&'a Path, u64),
}

pub(crate) struct Output {
    pub(crate) is_success: bool,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A program with nothing of this process's environment.
pub(crate) fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear();
    command
}

/// Runs a command to its end or to a bound.
pub(crate) async fn run(
    mut command: Command,
    input: Vec<u8>,
    bounds: Bounds<'_>,
) -> Result<Output, GitError> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.process_group(0).kill_on_drop(true);
    let child = command
        .spawn()
        .map_err(|error| GitError::Git(format!("cannot start git: {error}")))?;
    let mut group = Group { child };
    let finished = tokio::select! {
        finished = timeout(bounds.time, group.finish(input)) => finished,
        () = outgrown(bounds.folder.0, bounds.folder.1) => {
            return Err(GitError::TooLarge { what: "what the Git server sent", limit: bounds.folder.1 });
        }
    };
    if size_of(bounds.folder.0) > bounds.folder.1 {
        return Err(GitError::TooLarge {
            what: "what the Git server sent",
            limit: bounds.folder.1,
        });
    }
    let seconds = bounds.time.as_secs();
    finished.map_err(|_| GitError::Timeout { seconds })?
}

/// Kills all processes of the group when it is dropped.
struct Group {
    child: Child,
}

impl Group {
    async fn finish(&mut self, input: Vec<u8>) -> Result<Output, GitError> {
        let stdin = self.child.stdin.take();
        let write = async move {
            if let Some(mut stdin) = stdin {
                // A child that ends early closes its end; its exit status tells why.
                let _ = stdin.write_all(&input).await;
            }
        };
        let stdout = read(self.child.stdout.take());
        let stderr = read(self.child.stderr.take());
        let ((), stdout, stderr) = tokio::join!(write, stdout, stderr);
        let status = self.child.wait().await?;
        Ok(Output {
            is_success: status.success(),
            stdout: stdout?,
            stderr: stderr?,
        })
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let id = self.child.id().and_then(|id| i32::try_from(id).ok());
        if let Some(group) = id.and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

async fn read(pipe: Option<impl AsyncRead + Unpin>) -> Result<String, GitError> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        pipe.take(MAX_OUTPUT).read_to_end(&mut bytes).await?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

async fn outgrown(folder: &Path, limit: u64) {
    let mut ticks = interval(MEASURE_INTERVAL);
    loop {
        ticks.tick().await;
        if size_of(folder) > limit {
            return;
        }
    }
}

/// Bytes of the files below a folder.
pub(crate) fn size_of(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() => size_of(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    });
    sizes.sum()
}
