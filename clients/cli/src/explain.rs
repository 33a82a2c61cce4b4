//! `causeway explain`: what a word means that Causeway says, why it comes and what to do next.

mod exit_codes;
mod reasons;
mod states;

use anyhow::bail;
use causeway_shell::suggest_names;
use serde_json::{Value, json};

use crate::output::{self, Arrangement, Cell, Format, OutputArgs, Table};

/// Explain a state, error reason or exit code
#[derive(clap::Args, Debug)]
pub(crate) struct ExplainArgs {
    /// The word, for example Degraded, 'desired unknown', RUNTIME_NOT_CONNECTED or 'exit code 5'; all words if not given
    #[arg(value_name = "WORD")]
    words: Vec<String>,
    #[command(flatten)]
    output: OutputArgs,
}

/// What is explained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Explanation {
    pub(crate) word: &'static str,
    /// What the word is said of.
    pub(crate) kind: &'static str,
    means: &'static str,
    why: &'static [&'static str],
    next: &'static [&'static str],
}

impl ExplainArgs {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let format = self.output.begin(Arrangement::default());
        let word = self.words.join(" ");
        if word.is_empty() {
            return index(format);
        }
        let found = meant(&word);
        if found.is_empty() {
            bail!("{}", unknown(&word));
        }
        if format != Format::Table {
            return documents(&found, format);
        }
        let texts: Vec<_> = found.into_iter().map(Explanation::text).collect();
        output::line(texts.join("\n\n"))
    }
}

/// Every word that is explained.
pub(crate) fn all() -> impl Iterator<Item = &'static Explanation> {
    let all = [states::ALL, reasons::ALL, exit_codes::ALL];
    all.into_iter().flatten()
}

/// All that a word means: the same one may be said of several things.
fn meant(word: &str) -> Vec<&'static Explanation> {
    let whole = plain(word);
    let reason = whole.strip_prefix(reasons::KIND);
    let wanted = reason.unwrap_or(&whole);
    // As the contract writes it it is a reason and nothing else.
    all()
        .filter(|it| reason.is_none() || it.kind == reasons::KIND)
        .filter(|it| plain(it.word) == wanted || plain(it.word) == format!("exitcode{wanted}"))
        .collect()
}

/// A word without what people write in several ways.
fn plain(word: &str) -> String {
    let signs = word.chars().filter(|it| it.is_alphanumeric());
    signs.flat_map(char::to_lowercase).collect()
}

fn unknown(word: &str) -> String {
    let near = suggest_names(word, all().map(|it| it.word));
    match near.as_slice() {
        [] => format!("'{word}' is not explained; see 'causeway explain' for all words"),
        words => format!(
            "'{word}' is not explained; did you mean {}?",
            words.join(", ")
        ),
    }
}

fn index(format: Format) -> anyhow::Result<()> {
    if format != Format::Table {
        return documents(&all().collect::<Vec<_>>(), format);
    }
    let mut columns = Table::new(&["WORD", "SAID OF", "MEANS"]);
    for it in all() {
        columns.row(vec![
            Cell::new(it.word),
            Cell::new(it.kind),
            Cell::new(it.means),
        ]);
    }
    columns.print()
}

fn documents(explanations: &[&Explanation], format: Format) -> anyhow::Result<()> {
    let documents: Vec<_> = explanations.iter().map(|it| it.document()).collect();
    output::value(&json!({ "explanations": documents }), format)
}

impl Explanation {
    fn document(&self) -> Value {
        json!({"name": self.word, "kind": self.kind, "means": self.means, "why": self.why, "next": self.next})
    }

    fn text(&self) -> String {
        let mut lines = vec![
            format!("{} ({})", self.word, self.kind),
            format!("  {}", self.means),
        ];
        for (heading, entries) in [("Why it comes:", self.why), ("What to do:", self.next)] {
            if !entries.is_empty() {
                lines.push(heading.to_owned());
                lines.extend(entries.iter().map(|entry| format!("  - {entry}")));
            }
        }
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests;
