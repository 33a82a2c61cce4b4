//! A pseudo terminal, as far as a full screen is drawn on it: texts at places.

use std::{
    io::{Read as _, Write as _},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{Arc, Mutex},
    thread::JoinHandle,
};

use causeway_testkit::{binary, wait_until_blocking, which};

use crate::program::{SOON, Up};

const ROWS: usize = 30;
const COLUMNS: usize = 150;

/// A command that draws on a whole screen.
pub(super) struct Screen {
    child: Child,
    keys: ChildStdin,
    grid: Arc<Mutex<Grid>>,
    reader: Option<JoinHandle<()>>,
}

/// What is drawn.
struct Grid {
    cells: Vec<Vec<char>>,
    row: usize,
    column: usize,
    /// A sequence of which more is to come.
    rest: String,
}

impl Screen {
    pub(super) fn start(up: &Up, words: &str) -> Self {
        let sized = format!(
            "stty rows {ROWS} cols {COLUMNS}; {} {words}",
            binary().display()
        );
        let mut command = Command::new(which("script").unwrap());
        command.args(["-qfec", &sized, "/dev/null"]);
        command.env("CAUSEWAY_CONFIG", up.contexts());
        command.env("TERM", "xterm-256color");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let keys = child.stdin.take().unwrap();
        let mut output = child.stdout.take().unwrap();
        let grid = Arc::new(Mutex::new(Grid::new()));
        let drawn = Arc::clone(&grid);
        let reader = std::thread::spawn(move || {
            let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
            while let Ok(read @ 1..) = output.read(&mut buffer) {
                bytes.extend_from_slice(&buffer[..read]);
                // A character may be cut in two.
                let whole = match std::str::from_utf8(&bytes) {
                    Ok(_) => bytes.len(),
                    Err(error) => error.valid_up_to(),
                };
                let text = String::from_utf8_lossy(&bytes[..whole]).into_owned();
                bytes.drain(..whole);
                drawn.lock().unwrap().draw(&text);
            }
        });
        Self {
            child,
            keys,
            grid,
            reader: Some(reader),
        }
    }

    pub(super) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Waits until all of these texts are on the screen.
    #[track_caller]
    pub(super) fn wait_for(&self, what: &str, texts: &[&str]) {
        wait_until_blocking(what, SOON, || {
            let shown = self.grid.lock().unwrap().text();
            let all = texts.iter().all(|text| shown.contains(text));
            all.then_some(()).ok_or(shown)
        });
    }

    /// Waits until the command has ended well.
    #[track_caller]
    pub(super) fn ended(mut self) {
        let status = self.child.wait().unwrap();
        self.reader.take().unwrap().join().unwrap();
        assert!(status.success(), "{status}");
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // Where the test has failed before.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Grid {
    fn new() -> Self {
        Self {
            cells: vec![vec![' '; COLUMNS]; ROWS],
            row: 0,
            column: 0,
            rest: String::new(),
        }
    }

    fn text(&self) -> String {
        let lines = self.cells.iter().map(|line| line.iter().collect());
        lines.collect::<Vec<String>>().join("\n")
    }

    fn draw(&mut self, text: &str) {
        let text = std::mem::take(&mut self.rest) + text;
        let mut left = text.as_str();
        while let Some(first) = left.chars().next() {
            if first != '\x1b' {
                self.put(first);
                left = &left[first.len_utf8()..];
                continue;
            }
            let Some(length) = sequence(left) else {
                left.clone_into(&mut self.rest);
                return;
            };
            self.obey(&left[..length]);
            left = &left[length..];
        }
    }

    fn put(&mut self, character: char) {
        match character {
            '\r' => self.column = 0,
            '\n' => self.row += 1,
            _ => {
                if let Some(cell) =
                    (self.cells.get_mut(self.row)).and_then(|row| row.get_mut(self.column))
                {
                    *cell = character;
                }
                self.column += 1;
            }
        }
    }

    /// Moves and clears; colours are nothing here.
    fn obey(&mut self, sequence: &str) {
        let place = |text: &str| {
            let mut numbers = text
                .split(';')
                .map(|number| number.parse().unwrap_or(1_usize));
            let mut next = || numbers.next().unwrap_or(1).max(1) - 1;
            (next(), next())
        };
        match sequence.strip_prefix("\x1b[") {
            Some("2J") => self.cells = Self::new().cells,
            Some(moved) if moved.ends_with('H') => {
                (self.row, self.column) = place(moved.trim_end_matches('H'));
            }
            _ => {}
        }
    }
}

/// How long the sequence is that a text begins with; nothing where its end is still to come.
fn sequence(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    match bytes.get(1)? {
        b'[' => {
            let end = bytes[2..]
                .iter()
                .position(|byte| (0x40..=0x7e).contains(byte))?;
            Some(2 + end + 1)
        }
        _ => Some(2),
    }
}
