//! A container's bytes as texts of whole lines, many at once where many are there, and only those that are wanted.

use std::{io, mem, pin::Pin};

use futures::{AsyncBufRead, AsyncBufReadExt as _, FutureExt as _};
use regex::bytes::{Regex, RegexBuilder};

/// How much goes out at once. A line that is longer comes in pieces.
const MOST: usize = 256 << 10;
const LONGEST_PATTERN: usize = 1024;
/// Of a compiled pattern and of what it keeps while it looks, in bytes. What a regular expression takes for a byte grows with its
/// size, and what a plain text takes does not.
const LARGEST_PATTERN: usize = 64 << 10;
const LARGEST_TEXT: usize = 1 << 20;

/// What lines must have in them.
#[derive(Debug, Clone)]
pub(crate) struct Grep {
    pattern: Regex,
    wanted: LineMatch,
}

/// Selects matching lines, or the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineMatch {
    /// Those that match.
    Matching,
    /// The others.
    Others,
}

/// Interpretation of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PatternOptions {
    /// True if it is a regular expression.
    pub(crate) regex: bool,
    /// True if upper and lower case are alike.
    pub(crate) ignore_case: bool,
}

/// A pattern that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum GrepError {
    #[error("grep must have at most {LONGEST_PATTERN} bytes")]
    Long,
    #[error("grep is no regular expression: {0}")]
    Syntax(String),
}

/// Splits the output of one container into lines.
#[derive(Debug, Default)]
pub(crate) struct LineBuffer {
    grep: Option<Grep>,
    buffer: Vec<u8>,
    /// How much of the buffer are whole lines.
    whole: usize,
    ended: bool,
}

impl Grep {
    pub(crate) fn read(
        text: &str,
        reading: PatternOptions,
        wanted: LineMatch,
    ) -> Result<Self, GrepError> {
        if text.len() > LONGEST_PATTERN {
            return Err(GrepError::Long);
        }
        let (pattern, largest) = if reading.regex {
            (text.to_owned(), LARGEST_PATTERN)
        } else {
            (regex::escape(text), LARGEST_TEXT)
        };
        let pattern = RegexBuilder::new(&pattern)
            // Classes of all scripts, such as \w, would leave room for two or three of them.
            .unicode(!reading.regex)
            .case_insensitive(reading.ignore_case)
            .size_limit(largest)
            .dfa_size_limit(LARGEST_TEXT)
            .build();
        let pattern = pattern.map_err(|error| {
            let text = error.to_string();
            let last = text.lines().last().unwrap_or_default();
            GrepError::Syntax(last.trim_start_matches("error: ").to_owned())
        })?;
        Ok(Self { pattern, wanted })
    }

    /// True if a line is selected.
    pub(super) fn wants(&self, line: &[u8]) -> bool {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        self.pattern.is_match(line) == (self.wanted == LineMatch::Matching)
    }

    fn keep(&self, lines: &[u8]) -> Vec<u8> {
        let kept = lines.split_inclusive(|byte| *byte == b'\n');
        kept.filter(|line| self.wants(line))
            .flatten()
            .copied()
            .collect()
    }
}

impl LineBuffer {
    pub(crate) fn new(grep: Option<Grep>) -> Self {
        Self {
            grep,
            ..Self::default()
        }
    }

    /// The next lines: all that are there by now. Nothing after the last one.
    pub(crate) async fn next<R>(&mut self, source: &mut R) -> io::Result<Option<String>>
    where
        R: AsyncBufRead + Unpin,
    {
        loop {
            self.fill(source).await?;
            let lines = self.take();
            let kept = match &self.grep {
                Some(grep) => grep.keep(&lines),
                None => lines,
            };
            if !kept.is_empty() {
                return Ok(Some(to_text(kept)));
            }
            if self.ended && self.buffer.is_empty() {
                return Ok(None);
            }
        }
    }

    /// Waits until there is a line, then takes what more there is without waiting.
    async fn fill<R: AsyncBufRead + Unpin>(&mut self, source: &mut R) -> io::Result<()> {
        while !self.ended && self.buffer.len() < MOST {
            let read = {
                let filled = match self.whole {
                    0 => source.fill_buf().await?,
                    _ => match source.fill_buf().now_or_never() {
                        Some(filled) => filled?,
                        None => return Ok(()),
                    },
                };
                let room = MOST - self.buffer.len();
                let read = &filled[..filled.len().min(room)];
                if let Some(end) = read.iter().rposition(|byte| *byte == b'\n') {
                    self.whole = self.buffer.len() + end + 1;
                }
                self.buffer.extend_from_slice(read);
                self.ended = read.is_empty();
                read.len()
            };
            Pin::new(&mut *source).consume(read);
        }
        Ok(())
    }

    fn take(&mut self) -> Vec<u8> {
        let end = match self.whole {
            0 if self.ended => self.buffer.len(),
            0 => whole_characters(&self.buffer),
            whole => whole,
        };
        self.whole = 0;
        let rest = self.buffer.split_off(end);
        mem::replace(&mut self.buffer, rest)
    }
}

/// Without the beginning of a character that goes on in the next piece.
fn whole_characters(piece: &[u8]) -> usize {
    let begins = |byte: &u8| (*byte & 0xc0) != 0x80;
    let last = piece.iter().rev().take(4).position(begins);
    match last {
        Some(back) if piece[piece.len() - 1 - back] >= 0xc0 => piece.len() - 1 - back,
        _ => piece.len(),
    }
}

fn to_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests;
