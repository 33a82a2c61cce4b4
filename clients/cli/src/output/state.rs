//! States: the names that the contract has for them, and the words that people see.

use std::{collections::BTreeMap, sync::LazyLock};

use prost_reflect::EnumDescriptor;
use serde_json::Value;

use super::path;

/// Whose words tables print in small letters, with this between them.
const SMALL: [(&str, &str); 7] = [
    ("causeway.inventory.v1.ReporterMoveKind", " "),
    ("causeway.inventory.v1.RolloutRole", " "),
    ("causeway.inventory.v1.RolloutStrategy", "-"),
    ("causeway.platform.v1.Admission", "-"),
    ("causeway.platform.v1.Connection", " "),
    ("causeway.platform.v1.Health", " "),
    ("causeway.platform.v1.SigningKeyState", " "),
];

/// The word for each name, which no two states of the contract share in different words.
static WORDS: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let pool = causeway_proto::descriptor_pool();
    let ours = pool
        .all_enums()
        .filter(|it| it.full_name().starts_with("causeway."));
    ours.flat_map(|it| words(&it)).collect()
});

/// A value as people read it: a state by its word, everything else as it is.
pub(super) fn text(value: &Value) -> String {
    let text = path::text(value);
    match value.is_string().then(|| WORDS.get(&text)).flatten() {
        Some(word) => word.clone(),
        None => text,
    }
}

/// The names of an enum, which begin with its own, each with its word.
fn words(of: &EnumDescriptor) -> Vec<(String, String)> {
    let small = SMALL.iter().find(|(name, _)| *name == of.full_name());
    let values = of.values().filter_map(|value| {
        let short = without(of.name(), value.name())?;
        let words = short.split('_');
        let word = match small {
            Some((_, between)) => short.to_ascii_lowercase().replace('_', between),
            None => words.map(capitalized).collect(),
        };
        Some((value.name().to_owned(), word))
    });
    values.collect()
}

/// What stands behind HEALTH_STATUS_ in a name of HealthStatus.
fn without<'a>(of: &str, name: &'a str) -> Option<&'a str> {
    let mut rest = name;
    for sign in of.chars() {
        // The words of a name are parted, those of its enum are not.
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
