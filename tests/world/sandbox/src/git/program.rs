//! The `git` program as a child process.
//!
//! Never: more than four children at once, none longer than 30 s, none with more output than its caller can hold.

use std::{io, path::Path, process::Stdio, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::{Child, Command},
    sync::Semaphore,
    time::timeout,
};

use super::GitError;

/// Children of one kind at a time.
pub(super) const CHILDREN: usize = 4;
/// Time limit of a child process.
pub(super) const LIFETIME: Duration = Duration::from_secs(30);
const OUTPUT: usize = 32 << 20;

/// Starts `git` for short questions and writes; streaming children are the server's.
#[derive(Debug)]
pub(crate) struct GitProgram {
    children: Semaphore,
}

impl GitProgram {
    /// Errors: [`GitError::Missing`] when there is no `git` on PATH.
    pub(crate) async fn find() -> Result<Self, GitError> {
        let program = Self {
            children: Semaphore::new(CHILDREN),
        };
        program.run(Path::new("."), &["--version"], &[]).await?;
        Ok(program)
    }

    /// Standard output of `git <arguments>` in `folder`, with `input` on its standard input.
    pub(crate) async fn run(
        &self,
        folder: &Path,
        arguments: &[&str],
        input: &[u8],
    ) -> Result<Vec<u8>, GitError> {
        let _turn = self
            .children
            .acquire()
            .await
            .expect("the semaphore is never closed");
        let name = name_of(arguments);
        let mut command = command();
        command.args(arguments).current_dir(folder);
        let child = spawn(command, name)?;
        timeout(LIFETIME, converse(child, input, name))
            .await
            .map_err(|_| GitError::Slow {
                command: name.to_owned(),
                seconds: LIFETIME.as_secs(),
            })?
    }
}

/// The command among arguments that may begin with settings.
fn name_of<'a>(arguments: &[&'a str]) -> &'a str {
    let is_setting = |pair: &&[&str]| pair.first() == Some(&"-c");
    let settings = arguments.chunks(2).take_while(is_setting).count();
    arguments.get(2 * settings).copied().unwrap_or_default()
}

/// `git` without the caller's Git settings: no system or user configuration, no prompt, no inherited repository.
pub(super) fn command() -> Command {
    let mut command = Command::new("git");
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GIT_") {
            command.env_remove(name);
        }
    }
    command
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_ASKPASS", "true")
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "safe.directory")
        .env("GIT_CONFIG_VALUE_0", "*")
        .env("LC_ALL", "C")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

pub(super) fn spawn(mut command: Command, name: &str) -> Result<Child, GitError> {
    command.spawn().map_err(|source| {
        if source.kind() == io::ErrorKind::NotFound {
            return GitError::Missing;
        }
        GitError::Start {
            command: name.to_owned(),
            source,
        }
    })
}

async fn converse(mut child: Child, input: &[u8], name: &str) -> Result<Vec<u8>, GitError> {
    let mut stdin = child.stdin.take().expect("standard input is piped");
    let mut stdout = child
        .stdout
        .take()
        .expect("standard output is piped")
        .take(OUTPUT as u64 + 1);
    let mut stderr = child
        .stderr
        .take()
        .expect("standard error is piped")
        .take(4096);
    let (mut output, mut complaint) = (Vec::new(), Vec::new());
    let write = async {
        // a child that stops reading early says why by its exit code
        let _ = stdin.write_all(input).await;
        drop(stdin);
    };
    let read = stdout.read_to_end(&mut output);
    let ((), read, _) = tokio::join!(write, read, stderr.read_to_end(&mut complaint));
    let failed = |message: String| GitError::Failed {
        command: name.to_owned(),
        message,
    };
    read.map_err(|error| failed(error.to_string()))?;
    if output.len() > OUTPUT {
        return Err(GitError::TooLarge {
            command: name.to_owned(),
            limit: OUTPUT,
        });
    }
    let status = child
        .wait()
        .await
        .map_err(|error| failed(error.to_string()))?;
    if status.success() {
        Ok(output)
    } else {
        Err(failed(first_line(&complaint)))
    }
}

/// The first line that git complained with; progress and hints follow it.
fn first_line(complaint: &[u8]) -> String {
    let text = String::from_utf8_lossy(complaint);
    let line = text
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("no message");
    line.trim().trim_start_matches("fatal: ").to_owned()
}
