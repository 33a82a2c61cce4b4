//! States: values of the contract and their words for people.

use std::{collections::BTreeMap, sync::LazyLock};

use prost_reflect::EnumDescriptor;
use serde_json::Value;

use super::path;

/// Enums whose values tables print in lower case, and the separator of their words.
const LOWER_CASE: [(&str, &str); 7] = [
    ("causeway.inventory.v1.ReporterMoveKind", " "),
    ("causeway.inventory.v1.RolloutRole", " "),
    ("causeway.inventory.v1.RolloutStrategy", "-"),
    ("causeway.platform.v1.Admission", "-"),
    ("causeway.platform.v1.Connection", " "),
    ("causeway.platform.v1.Health", " "),
    ("causeway.platform.v1.SigningKeyState", " "),
];

/// The word for each value; equal names have equal words in all enums.
static WORDS: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let pool = causeway_proto::descriptor_pool();
    let ours = pool
        .all_enums()
        .filter(|it| it.full_name().starts_with("causeway."));
    ours.flat_map(|it| words(&it)).collect()
});

/// Returns a value as people read it: a state by its word, all else unchanged.
pub(super) fn text(value: &Value) -> String {
    let text = path::text(value);
    match value.is_string().then(|| WORDS.get(&text)).flatten() {
        Some(word) => word.clone(),
        None => text,
    }
}

/// Returns the values of an enum and their words.
fn words(kind: &EnumDescriptor) -> Vec<(String, String)> {
    let lower_case = LOWER_CASE
        .iter()
        .find(|(name, _)| *name == kind.full_name());
    let values = kind.values().filter_map(|value| {
        let short = strip_enum_name(kind.name(), value.name())?;
        let words = short.split('_');
        let word = match lower_case {
            Some((_, between)) => short.to_ascii_lowercase().replace('_', between),
            None => words.map(capitalized).collect(),
        };
        Some((value.name().to_owned(), word))
    });
    values.collect()
}

/// Strips the name of its enum from a value, as HEALTH_STATUS_ of HealthStatus.
fn strip_enum_name<'a>(kind: &str, name: &'a str) -> Option<&'a str> {
    let mut rest = name;
    for sign in kind.chars() {
        // Values have underscores between words, names of enums have not.
        rest = rest.strip_prefix('_').unwrap_or(rest);
        rest = rest.strip_prefix(sign.to_ascii_uppercase())?;
    }
    rest.strip_prefix('_')
}

fn capitalized(word: &str) -> String {
    let (first, rest) = word.split_at(word.len().min(1));
    format!("{first}{}", rest.to_ascii_lowercase())
}

#[cfg(test)]
mod tests;
