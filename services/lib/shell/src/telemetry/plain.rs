//! Escapes control characters in log fields and limits their length, against log injection.

use std::fmt::{self, Write};

/// The longest text of one field, in bytes.
const LONGEST: usize = 16 * 1024;

/// Writer that escapes control characters.
pub(super) struct Plain<W> {
    writer: W,
    left: usize,
}

impl<W: Write> Plain<W> {
    pub(super) fn new(writer: W) -> Self {
        Self {
            writer,
            left: LONGEST,
        }
    }

    fn write_piece(&mut self, piece: &str) -> fmt::Result {
        let end = piece.floor_char_boundary(self.left);
        self.left -= end;
        self.writer.write_str(&piece[..end])?;
        if end < piece.len() {
            self.left = 0;
            self.writer.write_char('…')?;
        }
        Ok(())
    }
}

impl<W: Write> Write for Plain<W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for piece in text.split_inclusive(char::is_control) {
            if self.left == 0 {
                return Ok(());
            }
            let last = piece.chars().next_back().filter(|last| last.is_control());
            let plain = piece.len() - last.map_or(0, char::len_utf8);
            self.write_piece(&piece[..plain])?;
            if let Some(last) = last {
                self.write_piece(&last.escape_default().to_string())?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
