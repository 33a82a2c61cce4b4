//! Reads the end of a log.

use std::{
    fs::File,
    io::{Read as _, Seek as _, SeekFrom},
    path::Path,
};

const TAIL: u64 = 16 << 10;
const LINES: usize = 3;
const LINE: usize = 300;

/// The end of a log; empty when there is none.
pub(crate) fn tail(log: &Path) -> String {
    let mut bytes = Vec::new();
    // A log that cannot be read has nothing to say.
    let _ = File::open(log).and_then(|mut file| {
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
        file.read_to_end(&mut bytes)
    });
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The last lines that say something, as one line.
pub(crate) fn last_words(log: &Path) -> String {
    let text = tail(log);
    let lines: Vec<_> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let spoken = lines.iter().rev().take(LINES).rev();
    let short: Vec<String> = spoken
        .map(|line| line.chars().take(LINE).collect())
        .collect();
    if short.is_empty() {
        "nothing".to_owned()
    } else {
        short.join(" | ")
    }
}

#[cfg(test)]
mod tests;
