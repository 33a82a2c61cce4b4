//! The judge: libyaml reads the text before and after an edit.
//!
//! It shares no code with the parser that found the spans. The operation is repeated on libyaml's tree of the text
//! before; the tree of the text after must be equal to the result. Styles, tags and anchors count.

use std::panic;

use libyaml_safer::{EventData, Parser, ScalarStyle};

use crate::{PatchError, Path, Segment, Value, edit::Operation, resolve};

/// As deep as the parser of spans goes.
const MAX_DEPTH: usize = 600;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tree {
    properties: Properties,
    content: Content,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Properties {
    anchor: Option<String>,
    tag: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Content {
    Scalar {
        text: String,
        is_plain: bool,
    },
    List(Vec<Tree>),
    Map(Vec<(Tree, Tree)>),
    Alias(String),
    /// Any form of the value that an edit asks for.
    New(Value),
}

impl Tree {
    fn new(value: Value) -> Self {
        Self {
            properties: Properties::default(),
            content: Content::New(value),
        }
    }

    fn is_absent(&self) -> bool {
        matches!(&self.content, Content::Scalar { text, is_plain: true } if text.is_empty())
    }

    fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Scalar { text, .. } => Some(text),
            Content::List(_) | Content::Map(_) | Content::Alias(_) | Content::New(_) => None,
        }
    }

    /// The value as an edit would write it.
    pub(crate) fn value(&self) -> Option<Value> {
        match &self.content {
            Content::Scalar { text, is_plain } => Some(scalar(text, *is_plain)),
            Content::List(items) => Some(Value::List(
                items.iter().map(Self::value).collect::<Option<_>>()?,
            )),
            Content::Map(entries) => {
                let entries = entries
                    .iter()
                    .map(|(key, value)| Some((key.text()?.to_owned(), value.value()?)));
                Some(Value::Map(entries.collect::<Option<_>>()?))
            }
            Content::Alias(_) => None,
            Content::New(value) => Some(value.clone()),
        }
    }

    /// The node at a path.
    pub(crate) fn get(&self, path: &Path) -> Option<&Self> {
        path.segments().iter().try_fold(self, |tree, segment| {
            let position = tree.position(segment)?;
            match &tree.content {
                Content::List(items) => items.get(position),
                Content::Map(entries) => entries.get(position).map(|(_, value)| value),
                Content::Scalar { .. } | Content::Alias(_) | Content::New(_) => None,
            }
        })
    }

    fn position(&self, segment: &Segment) -> Option<usize> {
        match (&self.content, segment) {
            (Content::Map(entries), Segment::Key(name)) => {
                entries.iter().position(|(key, _)| key.text() == Some(name))
            }
            (Content::List(items), Segment::Index(index)) => {
                (*index < items.len()).then_some(*index)
            }
            (Content::List(items), Segment::Match { key, value }) => {
                let key = Segment::Key(key.clone());
                let found = |item: &Self| {
                    item.get(&Path::new(vec![key.clone()]).ok()?)?
                        .text()
                        .map(|it| it == value)
                };
                items.iter().position(|item| found(item) == Some(true))
            }
            _ => None,
        }
    }

    /// Repeats an operation. False where it does not apply.
    fn apply(&mut self, segments: &[Segment], operation: &Operation) -> bool {
        let Some((first, rest)) = segments.split_first() else {
            return self.apply_here(operation);
        };
        let Some(position) = self.position(first) else {
            return self.create(first, rest, operation);
        };
        match &mut self.content {
            Content::List(items) if rest.is_empty() && *operation == Operation::Remove => {
                items.remove(position);
                true
            }
            Content::Map(entries) if rest.is_empty() && *operation == Operation::Remove => {
                entries.remove(position);
                true
            }
            Content::List(items) => items[position].apply(rest, operation),
            Content::Map(entries) => entries[position].1.apply(rest, operation),
            Content::Scalar { .. } | Content::Alias(_) | Content::New(_) => false,
        }
    }

    fn apply_here(&mut self, operation: &Operation) -> bool {
        let is_absent = self.is_absent();
        match (operation, &mut self.content) {
            (Operation::Set(value), _) => *self = Self::new(value.clone()),
            (Operation::Append(value), Content::List(items)) => {
                items.push(Self::new(value.clone()))
            }
            (Operation::Append(value), _) if is_absent => {
                *self = Self::new(Value::List(vec![value.clone()]))
            }
            _ => return false,
        }
        true
    }

    fn create(&mut self, first: &Segment, rest: &[Segment], operation: &Operation) -> bool {
        let Some(value) = created(rest, operation) else {
            return false;
        };
        if self.is_absent() {
            self.content = match first {
                Segment::Match { .. } => Content::List(Vec::new()),
                Segment::Key(_) | Segment::Index(_) => Content::Map(Vec::new()),
            };
        }
        match (&mut self.content, first) {
            (Content::Map(entries), Segment::Key(key)) => {
                entries.push((Self::new(Value::string(key)), Self::new(value)));
                true
            }
            (Content::List(items), Segment::Match { key, value: wanted }) => {
                let item = matched(key, wanted, value);
                item.is_some_and(|item| {
                    items.push(Self::new(item));
                    true
                })
            }
            _ => false,
        }
    }
}

/// The value of an operation below keys that do not exist.
fn created(missing: &[Segment], operation: &Operation) -> Option<Value> {
    let Some((first, rest)) = missing.split_first() else {
        return match operation {
            Operation::Set(value) => Some(value.clone()),
            Operation::Append(value) => Some(Value::List(vec![value.clone()])),
            Operation::Remove => None,
        };
    };
    let below = created(rest, operation)?;
    match first {
        Segment::Key(key) => Some(Value::Map(vec![(key.clone(), below)])),
        Segment::Match { key, value } => Some(Value::List(vec![matched(key, value, below)?])),
        Segment::Index(_) => None,
    }
}

fn matched(key: &str, wanted: &str, value: Value) -> Option<Value> {
    let Value::Map(mut entries) = value else {
        return None;
    };
    if !entries.iter().any(|(name, _)| name == key) {
        entries.insert(0, (key.to_owned(), Value::string(wanted)));
    }
    Some(Value::Map(entries))
}

/// Whether the text after is the text before with exactly this operation.
pub(crate) fn prove(
    before: &[Tree],
    after: &[Tree],
    document: usize,
    path: &Path,
    operation: &Operation,
) -> bool {
    let Some(expected) = expected(before, document, path, operation) else {
        return false;
    };
    all(&expected, after, matches)
}

/// Whether the operation changes nothing.
pub(crate) fn is_done(
    before: &[Tree],
    document: usize,
    path: &Path,
    operation: &Operation,
) -> bool {
    let expected = expected(before, document, path, operation);
    expected.is_some_and(|expected| all(&expected, before, matches))
}

fn expected(
    before: &[Tree],
    document: usize,
    path: &Path,
    operation: &Operation,
) -> Option<Vec<Tree>> {
    let mut expected = before.to_vec();
    let applied = expected
        .get_mut(document)?
        .apply(path.segments(), operation);
    applied.then_some(expected)
}

fn all<A, B>(expected: &[A], found: &[B], matches: impl Fn(&A, &B) -> bool) -> bool {
    let mut pairs = expected.iter().zip(found);
    expected.len() == found.len() && pairs.all(|(expected, found)| matches(expected, found))
}

fn matches(expected: &Tree, found: &Tree) -> bool {
    if let Content::New(value) = &expected.content {
        return found.properties == Properties::default() && is_value(value, found);
    }
    let contents = match (&expected.content, &found.content) {
        (Content::List(expected), Content::List(found)) => all(expected, found, matches),
        (Content::Map(expected), Content::Map(found)) => all(expected, found, |a, b| {
            matches(&a.0, &b.0) && matches(&a.1, &b.1)
        }),
        (expected, found) => expected == found,
    };
    contents && expected.properties == found.properties
}

fn is_value(value: &Value, found: &Tree) -> bool {
    match (value, &found.content) {
        (Value::String(wanted), Content::Scalar { text, is_plain }) => {
            text == wanted && (!is_plain || resolve::is_string(text))
        }
        (Value::Null, Content::Scalar { text, is_plain }) => *is_plain && resolve::is_null(text),
        (Value::Bool(_) | Value::Number(_), Content::Scalar { text, is_plain }) => {
            *is_plain && Some(text.as_str()) == value.scalar()
        }
        (Value::List(items), Content::List(found)) => all(items, found, is_value),
        (Value::Map(entries), Content::Map(found)) => {
            all(entries, found, |(key, value), (name, found)| {
                is_value(&Value::string(key), name) && is_value(value, found)
            })
        }
        _ => false,
    }
}

/// The meaning of a scalar in YAML 1.2, with what YAML 1.1 reads otherwise left as text.
fn scalar(text: &str, is_plain: bool) -> Value {
    match text {
        _ if !is_plain => Value::string(text),
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ if resolve::is_null(text) => Value::Null,
        _ if serde_json::from_str::<serde_json::Number>(text).is_ok() => {
            Value::Number(text.to_owned())
        }
        _ => Value::string(text),
    }
}

/// Parses all documents with libyaml.
pub(crate) fn parse(text: &str) -> Result<Vec<Tree>, PatchError> {
    // This port of libyaml panics on some texts that end without a line break, and perhaps on others.
    let lines = if text.ends_with('\n') {
        text.to_owned()
    } else {
        format!("{text}\n")
    };
    let parsed = panic::catch_unwind(|| parse_lines(&lines));
    parsed.unwrap_or_else(|_| Err(PatchError::Syntax("libyaml cannot read it".to_owned())))
}

fn parse_lines(text: &str) -> Result<Vec<Tree>, PatchError> {
    let mut input = text.as_bytes();
    let mut parser: Parser<&mut &[u8]> = Parser::new();
    parser.set_input_string(&mut input);
    let mut reader = Reader { parser };
    let mut documents = Vec::new();
    loop {
        let event = reader.next()?;
        if matches!(event, EventData::StreamEnd) {
            return Ok(documents);
        }
        if !is_frame(&event) {
            documents.push(reader.tree(event, MAX_DEPTH)?);
        }
    }
}

fn is_frame(event: &EventData) -> bool {
    matches!(
        event,
        EventData::StreamStart { .. }
            | EventData::DocumentStart { .. }
            | EventData::DocumentEnd { .. }
    )
}

struct Reader<'r, 'b> {
    parser: Parser<&'r mut &'b [u8]>,
}

impl Reader<'_, '_> {
    fn next(&mut self) -> Result<EventData, PatchError> {
        let event = self.parser.parse();
        event
            .map(|it| it.data)
            .map_err(|error| PatchError::Syntax(error.to_string()))
    }

    fn tree(&mut self, event: EventData, depth: usize) -> Result<Tree, PatchError> {
        let too_deep = || PatchError::Syntax("nested too deep".to_owned());
        let depth = depth.checked_sub(1).ok_or_else(too_deep)?;
        let (content, anchor, tag) = match event {
            EventData::Alias { anchor } => (Content::Alias(anchor), None, None),
            EventData::Scalar {
                anchor,
                tag,
                value,
                style,
                ..
            } => {
                let is_plain = style == ScalarStyle::Plain;
                (
                    Content::Scalar {
                        text: value,
                        is_plain,
                    },
                    anchor,
                    tag,
                )
            }
            EventData::SequenceStart { anchor, tag, .. } => {
                (Content::List(self.items(depth)?), anchor, tag)
            }
            EventData::MappingStart { anchor, tag, .. } => {
                (Content::Map(self.entries(depth)?), anchor, tag)
            }
            EventData::StreamStart { .. }
            | EventData::StreamEnd
            | EventData::DocumentStart { .. }
            | EventData::DocumentEnd { .. }
            | EventData::SequenceEnd
            | EventData::MappingEnd => {
                return Err(PatchError::Syntax("a node was expected".to_owned()));
            }
        };
        Ok(Tree {
            properties: Properties { anchor, tag },
            content,
        })
    }

    fn items(&mut self, depth: usize) -> Result<Vec<Tree>, PatchError> {
        let mut items = Vec::new();
        loop {
            let event = self.next()?;
            if matches!(event, EventData::SequenceEnd) {
                return Ok(items);
            }
            items.push(self.tree(event, depth)?);
        }
    }

    fn entries(&mut self, depth: usize) -> Result<Vec<(Tree, Tree)>, PatchError> {
        let mut entries = Vec::new();
        loop {
            let event = self.next()?;
            if matches!(event, EventData::MappingEnd) {
                return Ok(entries);
            }
            let key = self.tree(event, depth)?;
            let event = self.next()?;
            entries.push((key, self.tree(event, depth)?));
        }
    }
}
