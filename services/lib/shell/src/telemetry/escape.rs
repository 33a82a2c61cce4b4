//! Escapes control characters in log fields and limits their length, against log injection.

use std::fmt::{self, Write};

/// Maximum bytes of one field.
const MAX_BYTES: usize = 16 * 1024;

/// Writer that escapes control characters and truncates long text.
pub(super) struct EscapingWriter<W> {
    writer: W,
    remaining: usize,
}

impl<W: Write> EscapingWriter<W> {
    pub(super) fn new(writer: W) -> Self {
        Self {
            writer,
            remaining: MAX_BYTES,
        }
    }

    fn write_piece(&mut self, piece: &str) -> fmt::Result {
        let end = piece.floor_char_boundary(self.remaining);
        self.remaining -= end;
        self.writer.write_str(&piece[..end])?;
        if end < piece.len() {
            self.remaining = 0;
            self.writer.write_char('…')?;
        }
        Ok(())
    }
}

impl<W: Write> Write for EscapingWriter<W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for piece in text.split_inclusive(char::is_control) {
            if self.remaining == 0 {
                return Ok(());
            }
            let last = piece.chars().next_back().filter(|last| last.is_control());
            let printable = piece.len() - last.map_or(0, char::len_utf8);
            self.write_piece(&piece[..printable])?;
            if let Some(last) = last {
                self.write_piece(&last.escape_default().to_string())?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
