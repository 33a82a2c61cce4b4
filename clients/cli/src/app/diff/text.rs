//! Differences as text: a document as YAML, the lines of a unified diff, their colours.

use std::time::Duration;

use anyhow::Context as _;
use owo_colors::OwoColorize as _;
use serde_json::Value;
use similar::TextDiff;

use crate::output;

const CONTEXT: usize = 3;
/// After so long a diff of one text is not the shortest one any more.
const PATIENCE: Duration = Duration::from_secs(2);

/// Header of a unified diff.
pub(super) struct NamedDiff<'a> {
    pub(super) name: &'a str,
    pub(super) sides: [&'a str; 2],
}

impl NamedDiff<'_> {
    /// A unified diff; no lines where both are the same.
    pub(super) fn lines(&self, from: &str, to: &str) -> Vec<String> {
        let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(from, to);
        let head = |side: &str| format!("{}\t{side}", self.name);
        let text = diff
            .unified_diff()
            .context_radius(CONTEXT)
            .header(&head(self.sides[0]), &head(self.sides[1]))
            .to_string();
        text.lines().map(str::to_owned).collect()
    }
}

/// A document as YAML, without some of its fields.
pub(super) fn yaml_of(mut value: Value, without: &[&[&str]]) -> anyhow::Result<String> {
    for path in without {
        remove(&mut value, path);
    }
    serde_saphyr::to_string(&value).context("writing YAML")
}

pub(super) fn remove(value: &mut Value, path: &[&str]) {
    let Some(object) = value.as_object_mut() else {
        return;
    };
    match path {
        [] => {}
        [last] => {
            object.remove(*last);
        }
        [first, rest @ ..] => {
            if let Some(inner) = object.get_mut(*first) {
                remove(inner, rest);
            }
        }
    }
}

/// Prints lines, in colours where a terminal shows them.
pub(super) fn show(lines: &[String]) -> anyhow::Result<()> {
    lines.iter().try_for_each(|line| {
        let line = plain(line);
        output::line(match line.as_bytes() {
            [b'-', b'-', b'-', ..] | [b'+', b'+', b'+', ..] => line.bold().to_string(),
            [b'@', ..] => line.cyan().to_string(),
            [b'-', ..] => line.red().to_string(),
            [b'+', ..] => line.green().to_string(),
            _ => line,
        })
    })
}

/// A line that moves nothing but the cursor to its end.
pub(super) fn plain(line: &str) -> String {
    let shown = |character: char| match character {
        '\t' => "\t".to_owned(),
        control if control.is_control() => control.escape_default().to_string(),
        other => other.to_string(),
    };
    line.chars().map(shown).collect()
}
