//! `kustomize` and `helm` as child processes, on a copy of the repository at one commit.
//!
//! Never: more than two at once, none longer than a minute, none that asks a network for its settings.

use std::{io, path::Path, process::Stdio, time::Duration};

use tempfile::TempDir;
use tokio::{
    fs,
    io::{AsyncRead, AsyncReadExt},
    process::Command,
    sync::Semaphore,
    time::timeout,
};

use super::application::{Helm, Kustomize};
use crate::git::File;

const LIFETIME: Duration = Duration::from_mins(1);
const OUTPUT: u64 = 32 << 20;
const COMPLAINT: u64 = 8 << 10;
static TURNS: Semaphore = Semaphore::const_new(2);

/// Why a tool gave no manifests. The message is the rest of a `ComparisonError`.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ToolError {
    #[error("`{program}` is not installed where the sandbox runs: install it, or use plain YAML")]
    Missing { program: &'static str },
    #[error("`{command}` failed: {message}")]
    Failed { command: String, message: String },
    #[error("`{command}` took longer than {} s", LIFETIME.as_secs())]
    Slow { command: String },
    #[error("`{command}` gave more than {OUTPUT} bytes")]
    TooLarge { command: String },
    #[error("the repository could not be laid out for `{program}`: {source}")]
    Folder {
        program: &'static str,
        source: io::Error,
    },
}

/// For whom something is rendered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Audience {
    pub(crate) application: String,
    pub(crate) namespace: String,
}

/// A copy of a repository's files, and the program to be run in one of its folders.
struct ToolRun {
    program: &'static str,
    folder: TempDir,
}

/// The YAML that `kustomize build` gives for a folder.
pub(crate) async fn kustomize(
    files: &[File],
    path: &str,
    options: &Kustomize,
) -> Result<Vec<u8>, ToolError> {
    let workshop = ToolRun::fill("kustomize", files).await?;
    let mut edits: Vec<Vec<&str>> = Vec::new();
    if !options.name_prefix.is_empty() {
        edits.push(vec!["nameprefix", "--", &options.name_prefix]);
    }
    if !options.name_suffix.is_empty() {
        edits.push(vec!["namesuffix", "--", &options.name_suffix]);
    }
    if !options.images.is_empty() {
        let images = options.images.iter().map(String::as_str);
        edits.push(["image"].into_iter().chain(images).collect());
    }
    for edit in edits {
        let arguments: Vec<&str> = ["edit", "set"].into_iter().chain(edit).collect();
        workshop.run(path, &arguments).await?;
    }
    workshop.run(path, &["build", "."]).await
}

/// The YAML that `helm template` gives for a chart in a folder.
pub(crate) async fn helm(
    files: &[File],
    path: &str,
    options: &Helm,
    audience: &Audience,
) -> Result<Vec<u8>, ToolError> {
    let workshop = ToolRun::fill("helm", files).await?;
    let release = match options.release_name.as_str() {
        "" => &audience.application,
        name => name,
    };
    let namespace = &audience.namespace;
    let mut arguments: Vec<String> = [
        "template",
        release,
        ".",
        "--namespace",
        namespace,
        "--include-crds",
    ]
    .map(str::to_owned)
    .to_vec();
    for file in &options.value_files {
        arguments.extend(["--values".to_owned(), file.clone()]);
    }
    if !options.values.is_empty() {
        let file = workshop.folder.path().join(".values.yaml");
        let written = fs::write(&file, &options.values).await;
        written.map_err(|source| workshop.unusable(source))?;
        arguments.extend(["--values".to_owned(), file.to_string_lossy().into_owned()]);
    }
    for parameter in &options.parameters {
        let flag = if parameter.force_string {
            "--set-string"
        } else {
            "--set"
        };
        let set = format!("{}={}", parameter.name, parameter.value);
        arguments.extend([flag.to_owned(), set]);
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    workshop.run(path, &arguments).await
}

impl ToolRun {
    async fn fill(program: &'static str, files: &[File]) -> Result<Self, ToolError> {
        let unusable = |source| ToolError::Folder { program, source };
        let workshop = Self {
            program,
            folder: tempfile::tempdir().map_err(unusable)?,
        };
        for file in files {
            let place = workshop.folder.path().join("repository").join(&file.path);
            let above = place.parent().unwrap_or(Path::new("."));
            fs::create_dir_all(above).await.map_err(unusable)?;
            fs::write(&place, &file.content).await.map_err(unusable)?;
        }
        Ok(workshop)
    }

    fn unusable(&self, source: io::Error) -> ToolError {
        ToolError::Folder {
            program: self.program,
            source,
        }
    }

    async fn run(&self, path: &str, arguments: &[&str]) -> Result<Vec<u8>, ToolError> {
        let _turn = TURNS
            .acquire()
            .await
            .expect("the semaphore is never closed");
        let command = format!("{} {}", self.program, arguments.join(" "));
        let home = self.folder.path();
        let mut child = Command::new(self.program);
        child
            .args(arguments)
            .current_dir(home.join("repository").join(path))
            .env("HOME", home)
            .env("XDG_CACHE_HOME", home.join("cache"))
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env("XDG_DATA_HOME", home.join("data"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let slow = ToolError::Slow {
            command: command.clone(),
        };
        let converse = self.converse(child, command);
        timeout(LIFETIME, converse).await.map_err(|_| slow)?
    }

    async fn converse(&self, mut child: Command, command: String) -> Result<Vec<u8>, ToolError> {
        let mut child = child.spawn().map_err(|source| {
            if source.kind() == io::ErrorKind::NotFound {
                return ToolError::Missing {
                    program: self.program,
                };
            }
            self.unusable(source)
        })?;
        let stdout = child.stdout.take().expect("standard output is piped");
        let stderr = child.stderr.take().expect("standard error is piped");
        let (output, complaint) = tokio::join!(read(stdout, OUTPUT), read(stderr, COMPLAINT));
        let output = output.map_err(|source| self.unusable(source))?;
        if output.len() as u64 > OUTPUT {
            return Err(ToolError::TooLarge { command });
        }
        let status = child.wait().await.map_err(|source| self.unusable(source))?;
        if status.success() {
            return Ok(output);
        }
        let message = one_line(&complaint.unwrap_or_default());
        Err(ToolError::Failed { command, message })
    }
}

/// One byte more than the limit tells that there is more.
async fn read(from: impl AsyncRead + Unpin, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(limit + 1).read_to_end(&mut bytes).await?;
    Ok(bytes)
}

fn one_line(complaint: &[u8]) -> String {
    let text = String::from_utf8_lossy(complaint);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ")
}
