//! Values of the chart that were given in Helm's own words, `--values` and `--set`, for what is not Helm.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde_json::Value;

/// Lays what is in the files over the values, the last file on top.
///
/// # Errors
/// A file cannot be read, or is no map in YAML.
pub(super) fn lay_over(values: &mut Value, files: &[PathBuf]) -> anyhow::Result<()> {
    for file in files {
        let read = read(file).with_context(|| format!("--values {}", file.display()))?;
        merge(values, read);
    }
    Ok(())
}

fn read(file: &Path) -> anyhow::Result<Value> {
    let text = std::fs::read_to_string(file)?;
    let read: Value = serde_saphyr::from_str(&text)?;
    anyhow::ensure!(read.is_object(), "it has no values by name");
    Ok(read)
}

fn merge(below: &mut Value, above: Value) {
    match (below, above) {
        (Value::Object(below), Value::Object(above)) => {
            for (name, value) in above {
                merge(below.entry(name).or_insert(Value::Null), value);
            }
        }
        (below, above) => *below = above,
    }
}

/// The paths and values of `PATH=VALUE[,PATH=VALUE…]`. A comma that has `\` before it, or is in `{}`, is the value's own.
///
/// # Errors
/// One of them has no `=`.
pub(super) fn pairs(set: &str) -> anyhow::Result<Vec<(String, String)>> {
    let mut pairs = Vec::new();
    for pair in split(set) {
        let (path, value) = pair
            .split_once('=')
            .with_context(|| format!("--set {set}: write PATH=VALUE"))?;
        pairs.push((path.to_owned(), value.to_owned()));
    }
    Ok(pairs)
}

fn split(set: &str) -> Vec<&str> {
    let (mut escaped, mut depth, mut begin) = (false, 0_u32, 0);
    let mut parts = Vec::new();
    for (at, character) in set.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&set[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&set[begin..]);
    parts
}
