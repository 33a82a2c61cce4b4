//! Templates of `-o jsonpath=…`: text, `{.path}`, `{"text"}`, and `{range .path}…{end}`.

use std::str::FromStr;

use serde_json::Value;

use super::path::{self, Path, read::PathError};

/// Maximum depth of nested ranges.
const MAX_DEPTH: usize = 16;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Template(Vec<Part>);

#[derive(Debug, Clone, PartialEq)]
enum Part {
    Text(String),
    Values(Path),
    Range(Path, Vec<Self>),
}

/// A syntax error of a template.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(crate) enum TemplateError {
    #[error("a '{{' of the template is not closed")]
    Open,
    #[error("the template has an {{end}} without a {{range}}")]
    End,
    #[error("a {{range}} of the template has no {{end}}")]
    Range,
    #[error("the template has more than {MAX_DEPTH} ranges within one another")]
    Deep,
    #[error(transparent)]
    Path(#[from] PathError),
}

impl FromStr for Template {
    type Err = TemplateError;

    fn from_str(text: &str) -> Result<Self, TemplateError> {
        if !text.contains('{') && text.starts_with(['.', '$']) {
            return Ok(Self(vec![Part::Values(Path::relaxed(text)?)]));
        }
        let mut open: Vec<(Path, Vec<Part>)> = Vec::new();
        let mut parts = Vec::new();
        for token in tokens(text)? {
            match token {
                Token::Text(text) => parts.push(Part::Text(text)),
                Token::Range(_) if open.len() == MAX_DEPTH => return Err(TemplateError::Deep),
                Token::Range(path) => open.push((path, std::mem::take(&mut parts))),
                Token::End => {
                    let (path, before) = open.pop().ok_or(TemplateError::End)?;
                    let inner = std::mem::replace(&mut parts, before);
                    parts.push(Part::Range(path, inner));
                }
                Token::Values(path) => parts.push(Part::Values(path)),
            }
        }
        if open.is_empty() {
            Ok(Self(parts))
        } else {
            Err(TemplateError::Range)
        }
    }
}

impl Template {
    /// Fills the template from a document; missing values are empty.
    pub(crate) fn fill(&self, document: &Value) -> String {
        let mut text = String::new();
        fill(&self.0, document, document, &mut text);
        text
    }
}

fn fill(parts: &[Part], document: &Value, current: &Value, into: &mut String) {
    for part in parts {
        match part {
            Part::Text(text) => into.push_str(text),
            Part::Values(path) => {
                let values = path.select(document, current);
                let values: Vec<_> = values.into_iter().map(path::text).collect();
                into.push_str(&values.join(" "));
            }
            Part::Range(path, inner) => {
                for entry in path.select(document, current) {
                    fill(inner, document, entry, into);
                }
            }
        }
    }
}

enum Token {
    Text(String),
    Values(Path),
    Range(Path),
    End,
}

fn tokens(text: &str) -> Result<Vec<Token>, TemplateError> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        if start > 0 {
            tokens.push(Token::Text(rest[..start].to_owned()));
        }
        let inner = &rest[start + 1..];
        let end = closing(inner).ok_or(TemplateError::Open)?;
        tokens.push(action(inner[..end].trim())?);
        rest = &inner[end + 1..];
    }
    if !rest.is_empty() {
        tokens.push(Token::Text(rest.to_owned()));
    }
    Ok(tokens)
}

/// Finds the brace that closes, outside of quotes.
fn closing(text: &str) -> Option<usize> {
    let mut quote = None;
    let mut signs = text.char_indices();
    while let Some((at, sign)) = signs.next() {
        match (quote, sign) {
            (_, '\\') => {
                signs.next();
            }
            (Some(open), _) if open == sign => quote = None,
            (None, '"' | '\'') => quote = Some(sign),
            (None, '}') => return Some(at),
            _ => {}
        }
    }
    None
}

fn action(text: &str) -> Result<Token, TemplateError> {
    if text == "end" {
        return Ok(Token::End);
    }
    if let Some(path) = text.strip_prefix("range ") {
        return Ok(Token::Range(Path::read(path.trim())?));
    }
    for quote in ['"', '\''] {
        let inner = text
            .strip_prefix(quote)
            .and_then(|it| it.strip_suffix(quote));
        if let Some(inner) = inner {
            return Ok(Token::Text(unescaped(inner)));
        }
    }
    Ok(Token::Values(Path::read(text)?))
}

fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        match (sign, sign == '\\') {
            (_, true) => match signs.next() {
                Some('n') => plain.push('\n'),
                Some('t') => plain.push('\t'),
                Some('r') => plain.push('\r'),
                other => plain.extend(other),
            },
            (sign, false) => plain.push(sign),
        }
    }
    plain
}

#[cfg(test)]
mod tests;
