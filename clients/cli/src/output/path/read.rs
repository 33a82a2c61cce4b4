//! Parser of paths.

use serde_json::Value;

use super::{Comparison, Condition, Operand, Path, Root, Slice, Step};

/// A syntax error and its position.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("'{text}' is no path: {what} at character {at}")]
pub(crate) struct PathError {
    text: String,
    what: &'static str,
    at: usize,
}

impl Path {
    /// Parses a path from a flag: `.name`, `{.name}` and `name` are the same.
    ///
    /// # Errors
    /// It is no path.
    pub(crate) fn relaxed(text: &str) -> Result<Self, PathError> {
        let text = text.trim();
        let inner = text.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
        let text = inner.unwrap_or(text).trim();
        if text.starts_with(['.', '$', '@', '[']) {
            Self::read(text)
        } else {
            Self::read(&format!(".{text}"))
        }
    }

    /// # Errors
    /// It is no path.
    pub(in crate::output) fn read(text: &str) -> Result<Self, PathError> {
        let mut reader = Reader::new(text);
        let path = reader.path()?;
        reader.end()?;
        Ok(path)
    }
}

/// Maximum depth of nested conditions.
const MAX_DEPTH: usize = 8;

/// Cursor over a text.
pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
        }
    }

    /// # Errors
    /// Something is left.
    pub(super) fn end(&self) -> Result<(), PathError> {
        if self.rest().is_empty() {
            Ok(())
        } else {
            Err(self.error("nothing more was expected"))
        }
    }

    pub(super) fn path(&mut self) -> Result<Path, PathError> {
        let root = if self.skip("$") {
            Root::Document
        } else {
            self.skip("@");
            Root::Current
        };
        let mut steps = Vec::new();
        loop {
            if self.skip("..") {
                steps.push(Step::Descendants);
                if !self.rest().starts_with('[') {
                    steps.push(self.field()?);
                }
            } else if self.skip(".") {
                // kubectl also accepts `.[0]` and a single `.`.
                if !self.rest().starts_with('[') && !self.is_name_end() {
                    steps.push(self.field()?);
                }
            } else if self.skip("[") {
                steps.push(self.bracket()?);
            } else {
                return Ok(Path { root, steps });
            }
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn error(&self, what: &'static str) -> PathError {
        PathError {
            text: self.text.to_owned(),
            what,
            at: self.text[..self.at].chars().count() + 1,
        }
    }

    fn skip(&mut self, word: &str) -> bool {
        let there = self.rest().starts_with(word);
        if there {
            self.at += word.len();
        }
        there
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// True if no name can start here.
    fn is_name_end(&self) -> bool {
        self.rest().chars().next().is_none_or(|it| !is_name(it))
    }

    /// Reads a name up to the next special character; a backslash escapes one.
    fn field(&mut self) -> Result<Step, PathError> {
        if self.skip("*") {
            return Ok(Step::All);
        }
        let mut name = String::new();
        let mut signs = self.rest().char_indices();
        let mut length = self.rest().len();
        while let Some((at, sign)) = signs.next() {
            match sign {
                '\\' => name.extend(signs.next().map(|(_, it)| it)),
                _ if is_name(sign) => name.push(sign),
                _ => {
                    length = at;
                    break;
                }
            }
        }
        self.at += length;
        if name.is_empty() {
            Err(self.error("a name was expected"))
        } else {
            Ok(Step::Fields(vec![name]))
        }
    }

    fn bracket(&mut self) -> Result<Step, PathError> {
        self.skip_space();
        let step = if self.skip("*") {
            Step::All
        } else if self.skip("?(") {
            Step::Filter(self.condition()?)
        } else if self.rest().starts_with(['\'', '"']) {
            Step::Fields(self.separated(Self::quoted)?)
        } else {
            self.places()?
        };
        self.skip_space();
        if self.skip("]") {
            Ok(step)
        } else {
            Err(self.error("']' was expected"))
        }
    }

    fn separated<T>(
        &mut self,
        one: impl Fn(&mut Self) -> Result<T, PathError>,
    ) -> Result<Vec<T>, PathError> {
        let mut all = Vec::new();
        loop {
            self.skip_space();
            all.push(one(self)?);
            self.skip_space();
            if !self.skip(",") {
                return Ok(all);
            }
        }
    }

    /// Reads indices, or the bounds of a slice.
    fn places(&mut self) -> Result<Step, PathError> {
        let start = self.number();
        if !self.skip(":") {
            let first = start.ok_or_else(|| self.error("a number, a name or '*' was expected"))?;
            let mut places = vec![first];
            if self.skip(",") {
                let number =
                    |it: &mut Self| it.number().ok_or_else(|| it.error("a number was expected"));
                places.extend(self.separated(number)?);
            }
            return Ok(Step::Indices(places));
        }
        let end = self.number();
        let step = if self.skip(":") {
            self.number().unwrap_or(1)
        } else {
            1
        };
        let step = usize::try_from(step).ok().filter(|it| *it > 0);
        let step = step.ok_or_else(|| self.error("a step above 0 was expected"))?;
        Ok(Step::Slice(Slice { start, end, step }))
    }

    fn number(&mut self) -> Option<i64> {
        let rest = self.rest();
        let sign = usize::from(rest.starts_with('-'));
        let digits = rest[sign..].bytes().take_while(u8::is_ascii_digit).count();
        let number = rest[..sign + digits].parse().ok()?;
        self.at += sign + digits;
        Some(number)
    }

    pub(super) fn quoted(&mut self) -> Result<String, PathError> {
        let mut signs = self.rest().char_indices();
        let Some((_, quote @ ('\'' | '"'))) = signs.next() else {
            return Err(self.error("a text in quotes was expected"));
        };
        let mut text = String::new();
        while let Some((at, sign)) = signs.next() {
            match sign {
                '\\' => text.extend(signs.next().map(|(_, it)| it)),
                _ if sign == quote => {
                    self.at += at + sign.len_utf8();
                    return Ok(text);
                }
                _ => text.push(sign),
            }
        }
        Err(self.error("the quotes are not closed"))
    }

    fn condition(&mut self) -> Result<Condition, PathError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error("there are too many conditions within conditions"));
        }
        self.skip_space();
        let left = self.operand()?;
        self.skip_space();
        let right = match self.comparison() {
            Some(comparison) => {
                self.skip_space();
                Some((comparison, self.operand()?))
            }
            None => None,
        };
        self.skip_space();
        self.depth -= 1;
        if self.skip(")") {
            Ok(Condition { left, right })
        } else {
            Err(self.error("a comparison or ')' was expected"))
        }
    }

    fn comparison(&mut self) -> Option<Comparison> {
        let all = [
            ("==", Comparison::Equal),
            ("!=", Comparison::NotEqual),
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::GreaterOrEqual),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ];
        let found = all.into_iter().find(|(word, _)| self.skip(word));
        found.map(|(_, comparison)| comparison)
    }

    fn operand(&mut self) -> Result<Operand, PathError> {
        let rest = self.rest();
        if rest.starts_with(['@', '$', '.', '[']) {
            return self.path().map(Operand::Path);
        }
        if rest.starts_with(['\'', '"']) {
            return self.quoted().map(Value::String).map(Operand::Literal);
        }
        let length = rest
            .find(|it: char| !(it.is_ascii_alphanumeric() || "+-.".contains(it)))
            .unwrap_or(rest.len());
        let value = serde_json::from_str(&rest[..length]);
        let value =
            value.map_err(|_| self.error("a path, a text in quotes or a number was expected"))?;
        self.at += length;
        Ok(Operand::Literal(value))
    }
}

/// True if a character belongs to an unquoted name.
fn is_name(sign: char) -> bool {
    !sign.is_whitespace() && !".[](){}'\",=!<>?@$".contains(sign)
}
