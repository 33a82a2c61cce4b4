//! Filters and sorts lists by kubectl's `--field-selector` and `--sort-by`.

use std::{cmp::Ordering, str::FromStr};

use serde_json::Value;

use super::{
    message::{NamedMessage, to_json},
    path::{self, Path},
};

// Flags that filter and sort a list. As a doc comment this would replace the help of each command.
#[derive(clap::Args, Debug, Clone, Default)]
pub(crate) struct Arrangement {
    /// Filter by fields as '-o json' names them, for example 'status.health.status=Degraded,name!=guestbook'
    #[arg(long, value_name = "SELECTOR")]
    field_selector: Option<FieldSelector>,
    /// Sort by a field as '-o json' names it, for example .status.health.status
    #[arg(long, value_name = "PATH", value_parser = Path::relaxed)]
    sort_by: Option<Path>,
}

/// Conditions on fields; all must match.
#[derive(Debug, Clone, PartialEq)]
struct FieldSelector(Vec<Requirement>);

#[derive(Debug, Clone, PartialEq)]
struct Requirement {
    field: Path,
    value: String,
    equal: bool,
}

impl FromStr for FieldSelector {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split(',').filter(|it| !it.trim().is_empty());
        parts
            .map(Requirement::parse)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl Requirement {
    fn parse(text: &str) -> Result<Self, String> {
        let apart = [("!=", false), ("==", true), ("=", true)]
            .into_iter()
            .find_map(|(sign, equal)| Some((text.split_once(sign)?, equal)));
        let ((field, value), equal) =
            apart.ok_or_else(|| format!("'{text}' is not FIELD=VALUE or FIELD!=VALUE"))?;
        // Fields of an object's metadata stand at the top level here.
        let field = field.trim().trim_start_matches("metadata.");
        Ok(Self {
            field: Path::relaxed(field).map_err(|error| error.to_string())?,
            value: value.trim().to_owned(),
            equal,
        })
    }

    fn matches(&self, item: &Value) -> bool {
        let text = self.field.first(item).map(path::text).unwrap_or_default();
        (text == self.value || is_state(&text, &self.value)) == self.equal
    }
}

/// True if a name of the contract, such as HEALTH_STATUS_DEGRADED, is the state Degraded.
fn is_state(value: &str, word: &str) -> bool {
    let written: String = word
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|sign| sign.to_ascii_uppercase())
        .collect();
    let constant = |sign: char| sign.is_ascii_uppercase() || sign.is_ascii_digit() || sign == '_';
    if written.is_empty() || !value.contains('_') || !value.chars().all(constant) {
        return false;
    }
    // OUT_OF_SYNC is OutOfSync: compare each suffix that starts at a word, without underscores.
    let starts = value.match_indices('_').map(|(at, _)| at + 1);
    let mut ends = starts.map(|at| value[at..].replace('_', ""));
    ends.any(|end| end == written)
}

impl Arrangement {
    /// The flags that it is made of.
    pub(crate) const IDS: [&str; 2] = ["field_selector", "sort_by"];

    /// True without any of the flags.
    pub(super) fn is_none(&self) -> bool {
        self.field_selector.is_none() && self.sort_by.is_none()
    }

    /// True if all items are needed before the first can be printed.
    pub(super) fn sorts(&self) -> bool {
        self.sort_by.is_some()
    }

    /// True if items may be left out.
    pub(super) fn narrows(&self) -> bool {
        self.field_selector.is_some()
    }

    /// Narrows and orders items, and the value of each with it.
    ///
    /// # Errors
    /// The contract has no such message.
    pub(super) fn apply<M: NamedMessage, T>(
        &self,
        items: &mut Vec<M>,
        values: Vec<T>,
    ) -> anyhow::Result<Vec<T>> {
        let mut values = values.into_iter();
        let mut keyed = std::mem::take(items)
            .into_iter()
            .map(|item| Ok((to_json(&item)?, (item, values.next()))))
            .collect::<anyhow::Result<Vec<_>>>()?;
        self.arrange(&mut keyed);
        let (arranged, values): (Vec<_>, Vec<_>) = keyed.into_iter().map(|(_, it)| it).unzip();
        *items = arranged;
        Ok(values.into_iter().flatten().collect())
    }

    fn arrange<T>(&self, items: &mut Vec<(Value, T)>) {
        if let Some(FieldSelector(requirements)) = &self.field_selector {
            items.retain(|(item, _)| requirements.iter().all(|it| it.matches(item)));
        }
        if let Some(path) = &self.sort_by {
            items.sort_by(|(one, _), (other, _)| order(path.first(one), path.first(other)));
        }
    }
}

/// Orders items without the value first.
fn order(one: Option<&Value>, other: Option<&Value>) -> Ordering {
    match (one, other) {
        (Some(one), Some(other)) => path::compare(one, other),
        _ => one.is_some().cmp(&other.is_some()),
    }
}

#[cfg(test)]
mod tests;
