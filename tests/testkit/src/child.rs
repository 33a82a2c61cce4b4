//! Programs as child processes: the built `causeway`, and others that are installed.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::PathBuf,
    process::{Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread::JoinHandle,
    time::Duration,
};

use crate::wait_until_blocking;

/// The `causeway` that was built beside the running test.
///
/// # Panics
/// When it is not there.
pub fn binary() -> PathBuf {
    let own = std::env::current_exe().expect("a program knows its own file");
    // A test lies in target/PROFILE/deps, another program in target/PROFILE.
    let mut places = own.ancestors().skip(1).take(2);
    let binary = places.find_map(|folder| Some(folder.join("causeway")).filter(|it| it.is_file()));
    binary.unwrap_or_else(|| {
        panic!(
            "no causeway beside {}: run 'make build' first",
            own.display()
        )
    })
}

/// Where a program is installed, or a line that says what is left out without it.
pub fn which(program: &str) -> Option<PathBuf> {
    which_of(&[program])
}

/// The same of the first one that is installed.
pub fn which_of(programs: &[&str]) -> Option<PathBuf> {
    let home = std::env::home_dir().unwrap_or_default();
    let mut folders = vec![
        home.join("go/bin"),
        PathBuf::from("/usr/local/bin"),
        PathBuf::from("/usr/bin"),
    ];
    folders.push(PathBuf::from("/bin"));
    let found = programs
        .iter()
        .flat_map(|program| folders.iter().map(move |folder| folder.join(program)))
        .find(|file| file.exists());
    if found.is_none() {
        #[expect(clippy::print_stderr, reason = "a check that is left out must be seen")]
        {
            eprintln!("SKIPPED: {} is not installed", programs.join(" or "));
        }
    }
    found
}

/// A program that has ended.
#[derive(Debug, Clone)]
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// What it printed.
    pub stdout: String,
    /// What it complained of.
    pub stderr: String,
}

impl Finished {
    /// What it printed, if it ended well.
    ///
    /// # Panics
    /// When it did not.
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

    /// Its exit code.
    pub fn code(&self) -> i32 {
        self.status.code().unwrap_or(-1)
    }
}

/// Runs a program to its end.
///
/// # Panics
/// When it cannot be started.
pub fn run(command: &mut Command) -> Finished {
    run_with_input(command, "")
}

/// Runs a program to its end with this on its standard input.
///
/// # Panics
/// When it cannot be started.
pub fn run_with_input(command: &mut Command, input: &str) -> Finished {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let mut stdin = child.stdin.take().expect("it is piped");
    // A program that does not read its input is no failure of the test.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("a child can be waited for");
    Finished {
        status: output.status,
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// A program that runs beside the test and is killed with it.
pub struct Child {
    child: std::process::Child,
    lines: Arc<Mutex<Vec<String>>>,
    readers: Vec<JoinHandle<()>>,
}

impl Child {
    /// Starts a program and keeps all that it prints.
    ///
    /// # Panics
    /// When it cannot be started.
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

    /// All lines so far, of both outputs.
    pub fn lines(&self) -> Vec<String> {
        self.lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Waits for a line that `wanted` accepts.
    ///
    /// # Panics
    /// When the program ends before, or `most` is over.
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

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has not ended.
    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// When `most` is over.
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

    /// Kills it at once, as `kill -9` does.
    pub fn kill(&mut self) {
        // It may have ended by itself.
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
