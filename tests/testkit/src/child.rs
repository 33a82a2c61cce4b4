//! Child processes: the built `causeway` and installed programs.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::PathBuf,
    process::{Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread::JoinHandle,
    time::Duration,
};

use crate::{skip, wait_until_blocking};

/// Returns the path of the `causeway` built with the running test.
///
/// # Panics
/// It does not exist.
pub fn binary() -> PathBuf {
    let own = std::env::current_exe().expect("a program knows its own file");
    // Tests are in target/PROFILE/deps, programs in target/PROFILE.
    let mut places = own.ancestors().skip(1).take(2);
    let binary = places.find_map(|folder| Some(folder.join("causeway")).filter(|it| it.is_file()));
    binary.unwrap_or_else(|| {
        panic!(
            "no causeway beside {}: run 'make build' first",
            own.display()
        )
    })
}

/// Returns the path of an installed program; without it the test is skipped.
///
/// # Panics
/// It is missing in continuous integration.
#[track_caller]
pub fn which_or_skip(program: &str) -> Option<PathBuf> {
    let found = which(program);
    if found.is_none() {
        skip(&format!("{program} is not installed"));
    }
    found
}

/// Returns the path of an installed program.
pub fn which(program: &str) -> Option<PathBuf> {
    which_of(&[program])
}

/// Returns the path of the first installed program.
pub fn which_of(programs: &[&str]) -> Option<PathBuf> {
    let home = std::env::home_dir().unwrap_or_default();
    let mut folders = vec![
        home.join("go/bin"),
        PathBuf::from("/usr/local/bin"),
        PathBuf::from("/usr/bin"),
    ];
    folders.push(PathBuf::from("/bin"));
    programs
        .iter()
        .flat_map(|program| folders.iter().map(move |folder| folder.join(program)))
        .find(|file| file.exists())
}

/// Result of an ended program.
#[derive(Debug, Clone)]
pub struct Finished {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

impl Finished {
    /// Returns its output.
    ///
    /// # Panics
    /// The program failed.
    #[track_caller]
    pub fn expect_success(self) -> String {
        assert!(
            self.status.success(),
            "{}\n{}\n{}",
            self.status,
            self.stdout,
            self.stderr
        );
        self.stdout
    }

    /// Returns its exit code.
    pub fn code(&self) -> i32 {
        self.status.code().unwrap_or(-1)
    }
}

/// Runs a program until it ends.
///
/// # Panics
/// It cannot be started.
pub fn run(command: &mut Command) -> Finished {
    run_with_input(command, "")
}

/// Runs a program with this standard input until it ends.
///
/// # Panics
/// It cannot be started.
pub fn run_with_input(command: &mut Command, input: &str) -> Finished {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let mut stdin = child.stdin.take().expect("it is piped");
    // A program may end without reading its input.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("a child can be waited for");
    Finished {
        status: output.status,
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Running program that is killed when dropped.
pub struct Child {
    child: std::process::Child,
    lines: Arc<Mutex<Vec<String>>>,
    readers: Vec<JoinHandle<()>>,
}

impl Child {
    /// Starts a program and captures its output.
    ///
    /// # Panics
    /// It cannot be started.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let lines = Arc::new(Mutex::new(Vec::new()));
        let stdout = child.stdout.take().expect("it is piped");
        let stderr = child.stderr.take().expect("it is piped");
        let readers = vec![
            keep(stdout, Arc::clone(&lines)),
            keep(stderr, Arc::clone(&lines)),
        ];
        Self {
            child,
            lines,
            readers,
        }
    }

    /// Returns all lines of both outputs so far.
    pub fn lines(&self) -> Vec<String> {
        self.lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Waits for a line that `wanted` accepts.
    ///
    /// # Panics
    /// The program ends first, or `most` has passed.
    pub fn wait_for_line<T>(
        &mut self,
        what: &str,
        most: Duration,
        wanted: impl Fn(&str) -> Option<T>,
    ) -> T {
        let lines = Arc::clone(&self.lines);
        let child = &mut self.child;
        wait_until_blocking(what, most, || {
            let lines = lines.lock().unwrap_or_else(PoisonError::into_inner).clone();
            if let Some(found) = lines.iter().find_map(|line| wanted(line)) {
                return Ok(found);
            }
            let text = lines.join("\n");
            let ended = child.try_wait().ok().flatten();
            assert!(
                ended.is_none(),
                "{what}: the program ended: {ended:?}\n{text}"
            );
            Err(text)
        })
    }

    /// Returns its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns true while it runs.
    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// `most` has passed.
    pub fn wait(&mut self, most: Duration) -> ExitStatus {
        let child = &mut self.child;
        let status = wait_until_blocking("the program's end", most, || {
            child
                .try_wait()
                .ok()
                .flatten()
                .ok_or_else(|| "it runs".to_owned())
        });
        for reader in self.readers.drain(..) {
            reader.join().expect("a reader does not panic");
        }
        status
    }

    /// Kills it with SIGKILL.
    pub fn kill(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
    }
}

fn keep(
    output: impl std::io::Read + Send + 'static,
    lines: Arc<Mutex<Vec<String>>>,
) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let mut reader = BufReader::new(output);
        let mut line = String::new();
        while reader.read_line(&mut line).is_ok_and(|read| read > 0) {
            let text = line.trim_end().to_owned();
            lines
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(text);
            line.clear();
        }
    })
}
