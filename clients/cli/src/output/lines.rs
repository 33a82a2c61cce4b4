//! A table that is printed page by page, as it comes: its columns grow where a page needs it, and never shrink. For long lists; the
//! layout of [`super::Columns`] would take longer than the list does to arrive.

use unicode_width::UnicodeWidthStr as _;

use super::{Shape, Sheet, columns::color_of, printing};

/// The space behind a column.
const SPACE: usize = 3;

/// What stands in a column of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text {
    text: String,
    /// The code of its colour; empty for none.
    color: &'static str,
}

impl Text {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            color: "",
        }
    }

    /// In the colour of a state.
    pub(crate) fn state(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            color: color_of(text),
        }
    }
}

pub(crate) struct Lines {
    /// Until they have been printed.
    headings: Option<Vec<Text>>,
    rows: Vec<Vec<Text>>,
    /// How many columns there are without those that only `-o wide` shows.
    narrow: usize,
    widths: Vec<usize>,
}

impl Lines {
    /// Begins with the headings, and with those that only `-o wide` shows.
    pub(crate) fn new(headings: &[&str], wide: &[&str]) -> Self {
        let all = headings
            .iter()
            .chain(wide)
            .map(|heading| Text::new(*heading));
        Self {
            narrow: headings.len(),
            widths: Vec::new(),
            rows: Vec::new(),
            headings: Some(all.collect()).filter(|_| printing().headings),
        }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, row: Vec<Text>) {
        self.rows.push(row);
    }

    /// Prints all.
    pub(crate) fn print(mut self) -> anyhow::Result<()> {
        printing().check()?;
        let mut sheet = Sheet::open();
        sheet.write(&self.page())?;
        sheet.close()
    }

    /// The rows since the page before, as they are printed; the first page has the headings.
    pub(crate) fn page(&mut self) -> String {
        let mut rows = std::mem::take(&mut self.rows);
        if let Some(headings) = self.headings.take() {
            rows.insert(0, headings);
        }
        let wide = matches!(printing().shape, Shape::Table { wide: true });
        let shown = if wide { usize::MAX } else { self.narrow };
        for row in &rows {
            self.widths.resize(row.len().max(self.widths.len()), 0);
            for (width, text) in self.widths.iter_mut().zip(row) {
                *width = (*width).max(text.text.width());
            }
        }
        let mut page = String::new();
        for row in &rows {
            if !page.is_empty() {
                page.push('\n');
            }
            self.write(&row[..row.len().min(shown)], &mut page);
        }
        page
    }

    fn write(&self, row: &[Text], page: &mut String) {
        // Nothing stands behind the last text of a line.
        let last = row.iter().rposition(|it| !it.text.is_empty());
        let texts = row
            .iter()
            .zip(&self.widths)
            .take(last.map_or(0, |last| last + 1));
        let mut space = 0;
        for (Text { text, color }, width) in texts {
            page.extend(std::iter::repeat_n(' ', space));
            page.push_str(color);
            page.push_str(text);
            if !color.is_empty() {
                page.push_str("\u{1b}[39m");
            }
            space = width - text.width() + SPACE;
        }
    }
}
