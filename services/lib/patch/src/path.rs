//! The place of a value: keys, indices and `[key=value]` matches.

use std::fmt;

use crate::PatchError;

const MAX_BYTES: usize = 4096;
const MAX_SEGMENTS: usize = 64;

/// One step into a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// A key of a mapping.
    Key(String),
    /// The position of an item in a list, from 0.
    Index(usize),
    /// The item of a list whose key has this value.
    Match { key: String, value: String },
}

/// A path such as `spec.source.helm.parameters[name=image.tag].value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path(Vec<Segment>);

impl Path {
    /// Parses `a.b[0].c[name=x]["key.with.dots"]`.
    pub fn parse(text: &str) -> Result<Self, PatchError> {
        let invalid = |problem| PatchError::InvalidPath {
            path: text.chars().take(100).collect(),
            problem,
        };
        if text.len() > MAX_BYTES {
            return Err(invalid("longer than 4096 bytes"));
        }
        let mut segments = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let (segment, after) = next_segment(rest).map_err(invalid)?;
            segments.push(segment);
            rest = separator(after).map_err(invalid)?;
        }
        Self::new(segments).map_err(|_| invalid("needs 1 to 64 segments"))
    }

    /// Builds a path from its segments.
    pub fn new(segments: Vec<Segment>) -> Result<Self, PatchError> {
        if segments.is_empty() || segments.len() > MAX_SEGMENTS {
            return Err(PatchError::InvalidPath {
                path: String::new(),
                problem: "needs 1 to 64 segments",
            });
        }
        Ok(Self(segments))
    }

    /// The steps from the root of the document.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    /// The path of a value below this one.
    #[must_use]
    pub fn join(&self, segment: Segment) -> Self {
        let mut segments = self.0.clone();
        segments.push(segment);
        Self(segments)
    }
}

/// Drops the dot before the next key. A dot at the end is an error.
fn separator(rest: &str) -> Result<&str, &'static str> {
    match rest.strip_prefix('.') {
        Some("") => Err("ends with a dot"),
        Some(after) => Ok(after),
        None if rest.is_empty() || rest.starts_with('[') => Ok(rest),
        None => Err("needs a dot or a bracket after ]"),
    }
}

fn next_segment(text: &str) -> Result<(Segment, &str), &'static str> {
    match text.strip_prefix('[') {
        Some(inside) => bracket(inside),
        None => key(text),
    }
}

fn key(text: &str) -> Result<(Segment, &str), &'static str> {
    let end = text.find(['.', '[']).unwrap_or(text.len());
    if end == 0 {
        return Err("has an empty key");
    }
    Ok((Segment::Key(text[..end].to_owned()), &text[end..]))
}

fn bracket(inside: &str) -> Result<(Segment, &str), &'static str> {
    if inside.starts_with(['"', '\'']) {
        let (name, rest) = quoted(inside)?;
        let rest = rest.strip_prefix(']').ok_or("needs ] after the quote")?;
        return Ok((Segment::Key(name), rest));
    }
    let Some((name, value)) = condition(inside) else {
        return index(inside);
    };
    let (value, rest) = if value.starts_with(['"', '\'']) {
        let (value, rest) = quoted(value)?;
        (
            value,
            rest.strip_prefix(']').ok_or("needs ] after the quote")?,
        )
    } else {
        let (value, rest) = value.split_once(']').ok_or("has no closing ]")?;
        (value.to_owned(), rest)
    };
    let key = name.to_owned();
    Ok((Segment::Match { key, value }, rest))
}

/// Splits `name=value]` at the equals sign, when it comes before the bracket.
fn condition(inside: &str) -> Option<(&str, &str)> {
    let (name, value) = inside.split_once('=')?;
    (!name.is_empty() && !name.contains(']')).then_some((name, value))
}

fn index(inside: &str) -> Result<(Segment, &str), &'static str> {
    let (number, rest) = inside.split_once(']').ok_or("has no closing ]")?;
    let number = number.parse();
    let number = number.map_err(|_| "needs an index, key=value or a quoted key in brackets")?;
    Ok((Segment::Index(number), rest))
}

/// Reads a quoted text. A backslash takes the next character as it is.
fn quoted(text: &str) -> Result<(String, &str), &'static str> {
    let mut letters = text.chars();
    let quote = letters.next();
    let mut value = String::new();
    while let Some(letter) = letters.next() {
        if Some(letter) == quote {
            return Ok((value, letters.as_str()));
        }
        let escaped = if letter == '\\' { letters.next() } else { None };
        value.push(escaped.unwrap_or(letter));
    }
    Err("has no closing quote")
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, segment) in self.0.iter().enumerate() {
            let is_plain = |key: &str| !key.is_empty() && !key.contains(['.', '[', '"', '\'', ']']);
            match segment {
                Segment::Key(key) if !is_plain(key) => write!(f, "[{}]", quote(key))?,
                Segment::Key(key) if position == 0 => f.write_str(key)?,
                Segment::Key(key) => write!(f, ".{key}")?,
                Segment::Index(index) => write!(f, "[{index}]")?,
                Segment::Match { key, value } if value.contains([']', '"', '\'']) => {
                    write!(f, "[{key}={}]", quote(value))?;
                }
                Segment::Match { key, value } => write!(f, "[{key}={value}]")?,
            }
        }
        Ok(())
    }
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_parsed_and_shown_in_the_same_form() {
        for text in [
            "a",
            "spec.source.helm.parameters[name=image.tag].value",
            "images[0].newTag",
            "[0][1].x",
            "metadata.annotations[\"example.com/a.b\"]",
            "list[name=\"a]b\"].x",
        ] {
            assert_eq!(Path::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn malformed_paths_are_refused() {
        for text in [
            "", ".", "a.", ".a", "a..b", "a[", "a[x", "a[]", "a[-1]", "a[0]b", "a['x", "a['x'",
        ] {
            let found = Path::parse(text);
            assert!(
                matches!(found, Err(PatchError::InvalidPath { .. })),
                "{text}: {found:?}"
            );
        }
        assert!(Path::parse(&"a.".repeat(3000)).is_err());
        assert!(Path::parse(&vec!["a"; 65].join(".")).is_err());
    }
}
