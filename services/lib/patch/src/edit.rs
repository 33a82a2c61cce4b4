//! One edit: checks, replacement, proof.

use crate::{
    DocumentSelector, PatchError, Path, Value,
    change::{Literals, Source, replacement},
    document,
    proof::{self, Tree},
    toml,
};

/// The largest document that is edited.
pub const MAX_DOCUMENT_BYTES: usize = 2 << 20;
/// How much one edit may add.
const MAX_GROWTH: usize = 256 << 10;

/// The syntax of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Yaml,
    Json,
    Toml,
}

impl Format {
    /// The format by the ending of a file name.
    #[must_use]
    pub fn of_file(name: &str) -> Option<Self> {
        match name.rsplit_once('.')?.1 {
            "yaml" | "yml" => Some(Self::Yaml),
            "json" => Some(Self::Json),
            "toml" => Some(Self::Toml),
            _ => None,
        }
    }
}

/// What happens at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// Writes a value; missing keys are inserted.
    Set(Value),
    /// Adds an item at the end of a list, which is created when it is missing.
    Append(Value),
    /// Removes a key or an item.
    Remove,
}

/// A change at one path of one document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    pub path: Path,
    pub operation: Operation,
    /// The value that must be there; null also stands for a missing one.
    pub expected: Option<Value>,
}

impl Edit {
    /// An edit without an expected value.
    #[must_use]
    pub fn new(path: Path, operation: Operation) -> Self {
        Self {
            path,
            operation,
            expected: None,
        }
    }

    /// Makes the edit a conflict when the present value is another one.
    #[must_use]
    pub fn expecting(self, expected: Option<Value>) -> Self {
        Self { expected, ..self }
    }
}

/// Applies edits in order. Each is proven; the first refused one refuses all.
pub fn apply(
    format: Format,
    content: &[u8],
    document: &DocumentSelector,
    edits: &[Edit],
) -> Result<Vec<u8>, PatchError> {
    let mut text = decode(content)?.to_owned();
    for edit in edits {
        check_values(edit)?;
        text = match format {
            Format::Toml => toml::apply(&text, edit)?,
            Format::Yaml | Format::Json => apply_one(format, &text, document, edit)?,
        };
        check_size(text.len())?;
    }
    if text.len() > content.len() + MAX_GROWTH {
        return Err(PatchError::GrowsTooMuch { limit: MAX_GROWTH });
    }
    Ok(text.into_bytes())
}

/// Reads the value at a path; nothing when a part of the path is missing.
pub fn read(
    format: Format,
    content: &[u8],
    document: &DocumentSelector,
    path: &Path,
) -> Result<Option<Value>, PatchError> {
    let text = decode(content)?;
    if format == Format::Toml {
        return toml::read(text, path);
    }
    let index = document::select(&document::parse(text)?, document)?;
    let trees = proof::parse(text)?;
    Ok(value_at(&trees, index, path))
}

pub(crate) fn decode(content: &[u8]) -> Result<&str, PatchError> {
    check_size(content.len())?;
    std::str::from_utf8(content).map_err(|_| PatchError::NotUtf8)
}

fn check_size(size: usize) -> Result<(), PatchError> {
    let limit = MAX_DOCUMENT_BYTES;
    if size > limit {
        Err(PatchError::TooLarge { size, limit })
    } else {
        Ok(())
    }
}

fn check_values(edit: &Edit) -> Result<(), PatchError> {
    match &edit.operation {
        Operation::Set(value) | Operation::Append(value) => value.check(),
        Operation::Remove => Ok(()),
    }
}

fn apply_one(
    format: Format,
    text: &str,
    document: &DocumentSelector,
    edit: &Edit,
) -> Result<String, PatchError> {
    let documents = document::parse(text)?;
    let index = document::select(&documents, document)?;
    let before = proof::parse(text)?;
    if format == Format::Json {
        check_json(text)?;
    }
    check_expected(edit, value_at(&before, index, &edit.path).as_ref())?;
    let source = |literals| Source {
        text,
        root: &documents[index],
        format,
        literals,
    };
    if proof::is_done(&before, index, &edit.path, &edit.operation) {
        // A path through an alias is refused even where nothing would change.
        replacement(&source(Literals::Block), &edit.path, &edit.operation)?;
        return Ok(text.to_owned());
    }
    let attempt = |literals| {
        let change = replacement(&source(literals), &edit.path, &edit.operation)?;
        let (start, end) = (&text[..change.range.start], &text[change.range.end..]);
        let edited = format!("{start}{}{end}", change.text);
        prove(format, &before, &edited, index, edit)?;
        Ok(edited)
    };
    match attempt(Literals::Block) {
        Err(PatchError::Unproven { .. }) => attempt(Literals::Quoted),
        other => other,
    }
}

fn prove(
    format: Format,
    before: &[Tree],
    edited: &str,
    index: usize,
    edit: &Edit,
) -> Result<(), PatchError> {
    let unproven = || PatchError::Unproven {
        path: edit.path.to_string(),
    };
    // The parser of spans must read it too, or the next edit would fail.
    document::parse(edited).map_err(|_| unproven())?;
    let after = proof::parse(edited).map_err(|_| unproven())?;
    if format == Format::Json {
        check_json(edited).map_err(|_| unproven())?;
    }
    let is_proven = proof::prove(before, &after, index, &edit.path, &edit.operation);
    is_proven.then_some(()).ok_or_else(unproven)
}

fn check_json(text: &str) -> Result<(), PatchError> {
    let parsed = serde_json::from_str::<serde_json::Value>(text);
    parsed
        .map(drop)
        .map_err(|error| PatchError::Syntax(error.to_string()))
}

fn value_at(trees: &[Tree], index: usize, path: &Path) -> Option<Value> {
    trees.get(index)?.get(path)?.value()
}

/// Compares the present value with the expected one.
pub(crate) fn check_expected(edit: &Edit, found: Option<&Value>) -> Result<(), PatchError> {
    let Some(expected) = &edit.expected else {
        return Ok(());
    };
    if is_same(expected, found.unwrap_or(&Value::Null)) {
        return Ok(());
    }
    let shorten = |text: String| text.chars().take(200).collect();
    Err(PatchError::Stale {
        path: edit.path.to_string(),
        expected: shorten(expected.to_string()),
        found: shorten(found.map_or_else(|| "absent".to_owned(), Value::to_string)),
    })
}

/// Scalars are compared by their text, so that a tag `1.10` without quotes is the text "1.10".
fn is_same(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::List(expected), Value::List(found)) => {
            expected.len() == found.len() && expected.iter().zip(found).all(|(a, b)| is_same(a, b))
        }
        (Value::Map(expected), Value::Map(found)) => {
            let has = |(key, value): &(String, Value)| {
                let mut same = found.iter().filter(|(name, _)| name == key);
                same.next().is_some_and(|(_, found)| is_same(value, found))
            };
            expected.len() == found.len() && expected.iter().all(has)
        }
        _ => expected.scalar().is_some() && expected.scalar() == found.scalar(),
    }
}
