//! A program at a terminal: what is on its screen, and keys that are pressed. The terminal is the one that the program `script` makes.

use std::{
    io::{Read as _, Write as _},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread::JoinHandle,
};

use causeway_testkit::{wait_until_blocking, which};

use crate::program::SOON;

const ROWS: usize = 30;
const COLUMNS: usize = 150;

/// A program whose screen is read.
pub(crate) struct Screen {
    child: Child,
    keys: ChildStdin,
    drawn: Arc<Mutex<Drawn>>,
    reader: Option<JoinHandle<()>>,
}

/// What is on a screen.
#[derive(Debug, Clone)]
pub(crate) struct Drawn {
    cells: Vec<Vec<char>>,
    row: usize,
    column: usize,
    /// What came and is not drawn yet: the beginning of a code or of a letter.
    rest: Vec<u8>,
    /// All texts and codes that ever came.
    pub(crate) said: String,
}

impl Screen {
    /// Runs the lines of a shell at a terminal.
    pub(crate) fn start(lines: &str, variables: &[(&str, &str)]) -> Self {
        let sized = format!("stty rows {ROWS} cols {COLUMNS}; {lines}");
        let mut command = Command::new(which("script").unwrap());
        command.args(["-qec", &sized, "/dev/null"]);
        command.env("TERM", "xterm-256color").env_remove("NO_COLOR");
        command.envs(variables.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let keys = child.stdin.take().unwrap();
        let mut output = child.stdout.take().unwrap();
        let drawn = Arc::new(Mutex::new(Drawn::empty()));
        let screen = Arc::clone(&drawn);
        let reader = std::thread::spawn(move || {
            let mut bytes = [0; 65_536];
            while let Ok(read @ 1..) = output.read(&mut bytes) {
                let mut screen = screen.lock().unwrap_or_else(PoisonError::into_inner);
                screen.draw(&bytes[..read]);
            }
        });
        Self {
            child,
            keys,
            drawn,
            reader: Some(reader),
        }
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Waits until all of these texts are on the screen.
    pub(crate) fn wait_for(&self, what: &str, texts: &[&str]) -> String {
        wait_until_blocking(what, SOON, || {
            let text = self.drawn().text();
            if texts.iter().all(|it| text.contains(it)) {
                Ok(text)
            } else {
                Err(format!("no {texts:?} in\n{text}"))
            }
        })
    }

    /// Waits for the end, and gives all that came.
    pub(crate) fn end(mut self) -> String {
        wait_until_blocking("the end", SOON, || {
            let ended = self.child.try_wait().unwrap();
            ended.ok_or_else(|| self.drawn().text())
        });
        self.reader.take().unwrap().join().unwrap();
        self.drawn().said
    }

    fn drawn(&self) -> Drawn {
        let drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        drawn.clone()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drawn {
    fn empty() -> Self {
        Self {
            cells: vec![vec![' '; COLUMNS]; ROWS],
            row: 0,
            column: 0,
            rest: Vec::new(),
            said: String::new(),
        }
    }

    fn text(&self) -> String {
        let rows = self.cells.iter().map(|row| row.iter().collect::<String>());
        let rows = rows.map(|row| row.trim_end().to_owned());
        rows.collect::<Vec<_>>().join("\n")
    }

    fn draw(&mut self, bytes: &[u8]) {
        self.rest.extend(bytes);
        let whole = match std::str::from_utf8(&self.rest) {
            Ok(text) => text.len(),
            Err(error) => error.valid_up_to(),
        };
        let whole = self.rest.drain(..whole).collect();
        let whole = String::from_utf8(whole).unwrap();
        let mut text = whole.as_str();
        while let Some(sign) = text.chars().next() {
            let length = match (sign, code(text)) {
                ('\u{1b}', None) => break,
                ('\u{1b}', Some(length)) => {
                    self.obey(&text[..length]);
                    length
                }
                _ => {
                    self.put(sign);
                    sign.len_utf8()
                }
            };
            self.said.push_str(&text[..length]);
            text = &text[length..];
        }
        self.rest.splice(..0, text.bytes());
    }

    fn put(&mut self, sign: char) {
        match sign {
            '\r' => self.column = 0,
            '\n' => self.row = (self.row + 1).min(ROWS - 1),
            sign => {
                if let Some(cell) = self.cells[self.row].get_mut(self.column) {
                    *cell = sign;
                }
                self.column += 1;
            }
        }
    }

    fn obey(&mut self, code: &str) {
        let inner = code.trim_start_matches("\u{1b}[");
        if code == "\u{1b}[2J" {
            self.cells = vec![vec![' '; COLUMNS]; ROWS];
        } else if let Some(place) = inner.strip_suffix('H') {
            let mut numbers = place.split(';').map(|it| it.parse().unwrap_or(1_usize));
            self.row = numbers.next().unwrap_or(1).clamp(1, ROWS) - 1;
            self.column = numbers.next().unwrap_or(1).max(1) - 1;
        }
    }
}

/// How long the code is that a text begins with; nothing where its end has not come.
fn code(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('\u{1b}')?;
    match rest.chars().next()? {
        '[' => rest[1..]
            .find(|sign| ('@'..='~').contains(&sign))
            .map(|at| at + 3),
        '(' => (rest.len() > 1).then_some(3),
        sign => Some(1 + sign.len_utf8()),
    }
}
