//! One run of `go build`: its output becomes steps and a log.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read, Write},
    path::PathBuf,
    process::{ChildStderr, Stdio},
};

use crate::{
    Program, ProgramsError, Step, build_cache::folder_error, progress::Reader, toolchain::Go,
};

/// One program to build, with its source and target folders.
#[derive(Debug)]
pub(crate) struct BuildOrder<'a> {
    pub(crate) program: Program,
    pub(crate) go: &'a Go,
    /// The folder of the module.
    pub(crate) source: PathBuf,
    /// The program; what belongs beside it comes into the same folder.
    pub(crate) file: PathBuf,
    pub(crate) log: PathBuf,
}

/// Bytes of a line of Go's output that are parsed.
const LONGEST_LINE: u64 = 64 * 1024;
/// Letters of Go's last message that an error quotes.
const LONGEST_REASON: usize = 300;

impl BuildOrder<'_> {
    pub(crate) fn failed(&self, reason: &str) -> ProgramsError {
        ProgramsError::Failed {
            program: self.program,
            reason: reason.trim().chars().take(LONGEST_REASON).collect(),
            log: self.log.clone(),
        }
    }
}

/// Compiles and links; what an earlier run compiled is in Go's own cache and not compiled again.
pub(crate) fn run(
    order: &BuildOrder<'_>,
    report: &mut dyn FnMut(Step),
) -> Result<(), ProgramsError> {
    let recipe = order.program.recipe();
    let mut log = File::create(&order.log).map_err(folder_error(&order.log))?;
    let mut command = order.go.command();
    command
        .args(["build", "-v", "-mod=readonly", "-buildvcs=false"])
        .args(["-ldflags", recipe.link, "-o"])
        .arg(&order.file)
        .arg(recipe.package)
        .envs(recipe.environment.iter().copied())
        .current_dir(&order.source)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let started = command
        .spawn()
        .map_err(|error| order.failed(&error.to_string()));
    let mut child = started?;
    let output = child.stderr.take().expect("it is piped");
    let mut reader = Reader::new(recipe.package, recipe.packages);
    let last = follow(output, &mut log, |line| {
        let step = reader.read(line);
        step.map(&mut *report).is_some()
    });
    let ended = child
        .wait()
        .map_err(|error| order.failed(&error.to_string()))?;
    if ended.success() {
        return Ok(());
    }
    Err(order.failed(&last.unwrap_or_else(|| ended.to_string())))
}

/// Copies lines into the log, and gives back the last one that was no progress. What cannot be logged is still read,
/// since Go would stop at a full pipe.
fn follow(
    output: ChildStderr,
    log: &mut File,
    mut is_progress: impl FnMut(&str) -> bool,
) -> Option<String> {
    let mut output = BufReader::new(output);
    let mut last = None;
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut output)
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line);
        if !matches!(read, Ok(1..)) {
            return last;
        }
        let _ = log.write_all(&line);
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end();
        if !text.is_empty() && !is_progress(text) {
            last = Some(text.to_owned());
        }
    }
}
