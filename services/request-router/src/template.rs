//! Path templates of `google.api.http` as far as the contract uses them: literals, `{field}` and a `:verb` at the end.
//!
//! A path is taken apart and decoded exactly once, and what could be read in two ways is refused rather than
//! normalised: the value that is authorised is then the value that is sent on.

use std::{borrow::Cow, fmt, str::FromStr};

use percent_encoding::percent_decode_str;

const SEGMENT_BYTES: usize = 253;
const SEGMENTS: usize = 16;

/// A template such as `/v1/runtimes/{name}:revoke`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Template {
    segments: Vec<Segment>,
    verb: Option<String>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
enum Segment {
    Literal(String),
    Field(String),
}

/// A template that is outside of the grammar.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "path template '{template}': {problem}; write '/literal/{{field}}' with an optional ':verb' at the end"
)]
pub(crate) struct TemplateError {
    template: String,
    problem: &'static str,
}

/// The path of one request, decoded.
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct RequestPath<'a> {
    segments: Vec<Cow<'a, str>>,
    verb: Option<Cow<'a, str>>,
}

/// A path that could be read in more than one way.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub(crate) enum PathError {
    #[error("the path must begin with '/'")]
    Relative,
    #[error("segment {0} of the path is empty")]
    Empty(usize),
    #[error("segment {0} of the path is '.' or '..'")]
    Dots(usize),
    #[error("segment {0} of the path holds one of / \\ ; % or a control character, encoded or not")]
    Character(usize),
    #[error("segment {0} of the path is not UTF-8")]
    Encoding(usize),
    #[error("segment {0} of the path is longer than {SEGMENT_BYTES} bytes")]
    TooLong(usize),
    #[error("the path has more than {SEGMENTS} segments")]
    TooMany,
}

impl Template {
    /// A path with nothing to fill in.
    pub(crate) fn of_literals(literals: impl IntoIterator<Item = String>) -> Self {
        Self {
            segments: literals.into_iter().map(Segment::Literal).collect(),
            verb: None,
        }
    }

    /// The fields that the path fills, in their order.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &str> {
        self.segments.iter().filter_map(|segment| match segment {
            Segment::Field(name) => Some(name.as_str()),
            Segment::Literal(_) => None,
        })
    }

    /// The values of [`Self::fields`], in the same order, if the path is of this shape.
    pub(crate) fn values<'p>(&self, path: &'p RequestPath<'_>) -> Option<Vec<&'p str>> {
        let same_verb = self.verb.as_deref() == path.verb.as_deref();
        if !same_verb || self.segments.len() != path.segments.len() {
            return None;
        }
        let mut values = Vec::new();
        for (segment, part) in self.segments.iter().zip(&path.segments) {
            match segment {
                Segment::Literal(literal) if literal != part => return None,
                Segment::Literal(_) => {}
                Segment::Field(_) => values.push(part.as_ref()),
            }
        }
        Some(values)
    }

    /// True if some path is of both shapes.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.verb == other.verb
            && self.segments.len() == other.segments.len()
            && self
                .segments
                .iter()
                .zip(&other.segments)
                .all(|pair| match pair {
                    (Segment::Literal(left), Segment::Literal(right)) => left == right,
                    (Segment::Field(_), _) | (_, Segment::Field(_)) => true,
                })
    }

    /// What a request touches, for the audit, for example `applications/argocd/guestbook`: the path without version,
    /// runtime and verb. A field without a value stays out.
    pub(crate) fn describe<'v>(&self, value: impl Fn(&str) -> Option<&'v str>) -> String {
        let segments = self.segments.get(1..).unwrap_or_default();
        let segments = match segments {
            [Segment::Literal(literal), Segment::Field(field), rest @ ..]
                if literal == "runtimes" && field == "runtime" =>
            {
                rest
            }
            all => all,
        };
        let parts = segments.iter().filter_map(|segment| match segment {
            Segment::Literal(literal) => Some(literal.as_str()),
            Segment::Field(field) => value(field),
        });
        parts.collect::<Vec<_>>().join("/")
    }
}

impl FromStr for Template {
    type Err = TemplateError;

    fn from_str(text: &str) -> Result<Self, TemplateError> {
        let error = |problem| TemplateError {
            template: text.to_owned(),
            problem,
        };
        let path = text
            .strip_prefix('/')
            .ok_or_else(|| error("it does not begin with '/'"))?;
        let (path, verb) = split_verb(path);
        let segments = path
            .split('/')
            .map(segment)
            .collect::<Result<Vec<_>, _>>()
            .map_err(error)?;
        if verb.is_some_and(|verb| !is_name(verb)) {
            return Err(error("its verb is not a word"));
        }
        Ok(Self {
            segments,
            verb: verb.map(str::to_owned),
        })
    }
}

fn segment(text: &str) -> Result<Segment, &'static str> {
    if let Some(field) = text
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'))
    {
        return if is_name(field) {
            Ok(Segment::Field(field.to_owned()))
        } else {
            Err("a field is not a plain name")
        };
    }
    if is_name(text) {
        Ok(Segment::Literal(text.to_owned()))
    } else {
        Err("a literal is not a word")
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// A ':' in the last segment always begins a verb; in a value it must be written as %3A.
fn split_verb(path: &str) -> (&str, Option<&str>) {
    let last = path.rfind('/').map_or(0, |slash| slash + 1);
    match path[last..].rfind(':') {
        Some(colon) => (&path[..last + colon], Some(&path[last + colon + 1..])),
        None => (path, None),
    }
}

impl fmt::Display for Template {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for segment in &self.segments {
            match segment {
                Segment::Literal(literal) => write!(formatter, "/{literal}")?,
                Segment::Field(field) => write!(formatter, "/{{{field}}}")?,
            }
        }
        match &self.verb {
            Some(verb) => write!(formatter, ":{verb}"),
            None => Ok(()),
        }
    }
}

impl<'a> RequestPath<'a> {
    /// Takes apart and decodes the path of a request, without its query.
    pub(crate) fn parse(path: &'a str) -> Result<Self, PathError> {
        let path = path.strip_prefix('/').ok_or(PathError::Relative)?;
        let (path, verb) = split_verb(path);
        if path.bytes().filter(|byte| *byte == b'/').count() >= SEGMENTS {
            return Err(PathError::TooMany);
        }
        let mut segments = Vec::with_capacity(8);
        for (index, raw) in path.split('/').enumerate() {
            segments.push(decode(raw, index + 1)?);
        }
        let verb = verb.map(|verb| decode(verb, segments.len())).transpose()?;
        Ok(Self { segments, verb })
    }
}

fn decode(raw: &str, number: usize) -> Result<Cow<'_, str>, PathError> {
    if raw.len() > 3 * SEGMENT_BYTES {
        return Err(PathError::TooLong(number));
    }
    let segment = percent_decode_str(raw)
        .decode_utf8()
        .map_err(|_| PathError::Encoding(number))?;
    let forbidden = |found: char| matches!(found, '/' | '\\' | ';' | '%') || found.is_control();
    match segment.as_ref() {
        "" => Err(PathError::Empty(number)),
        "." | ".." => Err(PathError::Dots(number)),
        text if text.len() > SEGMENT_BYTES => Err(PathError::TooLong(number)),
        text if text.contains(forbidden) => Err(PathError::Character(number)),
        _ => Ok(segment),
    }
}

#[cfg(test)]
mod tests;
