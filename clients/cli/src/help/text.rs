//! Text of a help page, wrapped to its width.

use unicode_width::UnicodeWidthStr as _;

use super::WIDTH;

/// Column of the help of a flag.
const COLUMN: usize = 28;
/// Stands for a space at which no line ends.
const UNBROKEN: char = '\u{a0}';

/// A page in the making.
#[derive(Debug, Default)]
pub(super) struct Page(String);

impl Page {
    pub(super) fn heading(&mut self, heading: &str) {
        self.gap();
        self.0.push_str(heading);
        self.0.push_str(":\n");
    }

    pub(super) fn paragraph(&mut self, paragraph: &str) {
        self.gap();
        for line in wrap(paragraph, WIDTH) {
            self.line("", &line);
        }
    }

    /// A text whose further lines are indented.
    pub(super) fn hanging(&mut self, text: &str, indent: &str) {
        self.gap();
        for (index, line) in wrap(text, WIDTH - indent.len()).iter().enumerate() {
            self.line(if index == 0 { "" } else { indent }, line);
        }
    }

    /// A name, and beside it or below it what it is.
    pub(super) fn row(&mut self, name: &str, help: &str) {
        let mut first = format!("  {name}");
        if first.width() + 2 > COLUMN {
            for line in wrap(&first, WIDTH) {
                self.line("", &line);
            }
            first.clear();
        }
        let mut lines = wrap(help, WIDTH - COLUMN).into_iter();
        let beside = lines.next().unwrap_or_default();
        self.line("", &format!("{first:<COLUMN$}{beside}"));
        for line in lines {
            self.line(&" ".repeat(COLUMN), &line);
        }
    }

    pub(super) fn lines<'a>(&mut self, lines: impl IntoIterator<Item = &'a str>) {
        for line in lines {
            self.line("  ", line);
        }
    }

    pub(super) fn text(self) -> String {
        self.0.replace(UNBROKEN, " ")
    }

    fn line(&mut self, indent: &str, line: &str) {
        self.0.push_str(indent);
        self.0.push_str(line.trim_end());
        self.0.push('\n');
    }

    fn gap(&mut self) {
        if !self.0.is_empty() {
            self.0.push('\n');
        }
    }
}

/// Makes a text one word for wrapping.
pub(super) fn unbroken(text: &str) -> String {
    text.replace(' ', &UNBROKEN.to_string())
}

/// Breaks a text at its spaces, and a word that is too long after a `|`, `,`, `/` or `:`. Leading spaces stay.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let indent = &paragraph[..paragraph.len() - paragraph.trim_start().len()];
        let mut line = indent.to_owned();
        for word in paragraph.split(' ').filter(|word| !word.is_empty()) {
            for (index, piece) in pieces(word, width).into_iter().enumerate() {
                let space = usize::from(index == 0 && line.len() > indent.len());
                if line.width() + space + piece.width() > width {
                    lines.push(std::mem::take(&mut line));
                } else if space > 0 {
                    line.push(' ');
                }
                line.push_str(piece);
            }
        }
        lines.push(line);
    }
    lines
}

/// Shorter words are never broken.
const BREAKABLE: usize = 40;

/// A word in pieces that fit into a line.
fn pieces(word: &str, width: usize) -> Vec<&str> {
    if word.width() <= BREAKABLE.min(width) {
        return vec![word];
    }
    word.split_inclusive(['|', ',', '/', ':']).collect()
}
