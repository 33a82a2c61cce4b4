//! The syntax tree of a document: nodes with the bytes that they occupy.

use std::{borrow::Cow, fmt};

use granit_parser::{Event, Options, Parser, ScalarStyle, Span, StrInput, StructureStyle};

use crate::PatchError;

/// The document of a file that an edit applies to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DocumentSelector {
    /// The only document of the file.
    Only,
    /// The document at this position, from 0.
    Index(usize),
    /// The Kubernetes object with this kind and name.
    Object { kind: String, name: String },
}

impl fmt::Display for DocumentSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Only => f.write_str("0"),
            Self::Index(index) => write!(f, "{index}"),
            Self::Object { kind, name } => write!(f, "{kind}/{name}"),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    /// The first byte of the content. For a block collection, that of its first entry.
    pub(crate) start: usize,
    /// The byte after the content, without comments and blank lines behind it.
    pub(crate) end: usize,
    pub(crate) is_anchored: bool,
    pub(crate) is_tagged: bool,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Scalar {
        value: String,
        style: Style,
    },
    List {
        items: Vec<Node>,
        is_flow: bool,
    },
    Map {
        entries: Vec<(Node, Node)>,
        is_flow: bool,
    },
    Alias,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Single,
    Double,
    /// A literal or folded block scalar.
    Block,
}

impl Node {
    /// The text of a scalar.
    pub(crate) fn scalar(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar { value, .. } => Some(value),
            Kind::List { .. } | Kind::Map { .. } | Kind::Alias => None,
        }
    }

    /// Whether nothing is written, as behind `key:`.
    pub(crate) fn is_absent(&self) -> bool {
        self.start == self.end && self.plain().is_some()
    }

    pub(crate) fn plain(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar {
                value,
                style: Style::Plain,
            } => Some(value),
            Kind::Scalar { .. } | Kind::List { .. } | Kind::Map { .. } | Kind::Alias => None,
        }
    }

    pub(crate) fn describe(&self) -> &'static str {
        match &self.kind {
            Kind::Scalar { .. } => "scalar",
            Kind::List { .. } => "list",
            Kind::Map { .. } => "mapping",
            Kind::Alias => "alias",
        }
    }

    /// The value of a key, for the selection of a document.
    fn get(&self, name: &str) -> Option<&Self> {
        let Kind::Map { entries, .. } = &self.kind else {
            return None;
        };
        let mut found = entries.iter().filter(|(key, _)| key.scalar() == Some(name));
        found.next().map(|(_, value)| value)
    }
}

/// Parses all documents of a file.
pub(crate) fn parse(text: &str) -> Result<Vec<Node>, PatchError> {
    let mut options = Options::default();
    options.set_emit_comments(false);
    // A key is bounded by the size of the document.
    options.simple_key_max_lookahead = 65_536;
    let parser = Parser::new_from_str_with_options(text, options);
    let mut builder = Builder { text, parser };
    let mut documents = Vec::new();
    loop {
        match builder.next()? {
            (Event::StreamEnd, _) => return Ok(documents),
            (Event::StreamStart | Event::DocumentStart(..) | Event::DocumentEnd, _) => {}
            (event, span) => documents.push(builder.node(event, span)?),
        }
    }
}

/// The position of the selected document.
pub(crate) fn select(documents: &[Node], selector: &DocumentSelector) -> Result<usize, PatchError> {
    let count = documents.len();
    let not_found = || PatchError::DocumentNotFound {
        selector: selector.to_string(),
        count,
    };
    match selector {
        DocumentSelector::Only if count > 1 => Err(PatchError::AmbiguousDocument { count }),
        DocumentSelector::Only if count == 0 => Err(not_found()),
        DocumentSelector::Only => Ok(0),
        DocumentSelector::Index(index) if *index < count => Ok(*index),
        DocumentSelector::Index(_) => Err(not_found()),
        DocumentSelector::Object { kind, name } => {
            let mut found = (0..count).filter(|index| is_object(&documents[*index], kind, name));
            let first = found.next().ok_or_else(not_found)?;
            match found.count() {
                0 => Ok(first),
                more => Err(PatchError::AmbiguousDocument { count: more + 1 }),
            }
        }
    }
}

fn is_object(document: &Node, kind: &str, name: &str) -> bool {
    let named = document.get("metadata").and_then(|it| it.get("name"));
    document.get("kind").and_then(Node::scalar) == Some(kind)
        && named.and_then(Node::scalar) == Some(name)
}

struct Builder<'a> {
    text: &'a str,
    parser: Parser<'a, StrInput<'a>>,
}

impl<'a> Builder<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Span), PatchError> {
        match self.parser.next_event() {
            Some(Ok(found)) => Ok(found),
            Some(Err(error)) => Err(PatchError::Syntax(error.to_string())),
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    /// The depth is bounded by the parser's nesting limits.
    fn node(&mut self, event: Event<'a>, span: Span) -> Result<Node, PatchError> {
        let (start, end) = bytes(span)?;
        let node = |kind, start, end, anchor: usize, is_tagged| Node {
            kind,
            start,
            end,
            is_anchored: anchor != 0,
            is_tagged,
        };
        match event {
            Event::Scalar(value, style, anchor, tag) => {
                let (kind, end) = self.scalar(value, style, (start, end));
                Ok(node(kind, start, end, anchor, tag.is_some()))
            }
            Event::SequenceStart(style, anchor, tag) => {
                let is_flow = style == StructureStyle::Flow;
                let (items, flow_end) = self.items(is_flow)?;
                let (start, end) = extent((start, flow_end), is_flow, items.first(), items.last());
                let dash = dash_before(self.text, start).filter(|_| !is_flow);
                let start = dash.unwrap_or(start);
                let kind = Kind::List { items, is_flow };
                Ok(node(kind, start, end, anchor, tag.is_some()))
            }
            Event::MappingStart(style, anchor, tag) => {
                let is_flow = style == StructureStyle::Flow;
                let (entries, flow_end) = self.entries()?;
                let first = entries.first().map(|(key, _)| key);
                let last = entries.last().map(|(_, value)| value);
                let (start, end) = extent((start, flow_end), is_flow, first, last);
                let kind = Kind::Map { entries, is_flow };
                Ok(node(kind, start, end, anchor, tag.is_some()))
            }
            Event::Alias(_) => Ok(node(Kind::Alias, start, end, 1, false)),
            Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(..)
            | Event::DocumentEnd
            | Event::SequenceEnd
            | Event::MappingEnd
            | _ => Err(PatchError::Syntax("a node was expected".to_owned())),
        }
    }

    fn scalar(
        &self,
        value: Cow<'a, str>,
        style: ScalarStyle,
        (start, end): (usize, usize),
    ) -> (Kind, usize) {
        let style = match style {
            ScalarStyle::Plain => Style::Plain,
            ScalarStyle::SingleQuoted => Style::Single,
            ScalarStyle::DoubleQuoted => Style::Double,
            ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
        };
        let is_absent = style == Style::Plain && start == end;
        // Blank lines behind a block scalar belong to it only when it keeps them.
        let keeps = value.ends_with("\n\n") || value == "\n";
        let end = match self.text.get(start..end) {
            Some(content) if style == Style::Block && !keeps => start + content.trim_end().len(),
            _ => end,
        };
        let value = if is_absent {
            String::new()
        } else {
            value.into_owned()
        };
        (Kind::Scalar { value, style }, end)
    }

    fn items(&mut self, is_flow: bool) -> Result<(Vec<Node>, usize), PatchError> {
        let mut items = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::SequenceEnd) {
                return Ok((items, bytes(span)?.1));
            }
            let mut item = self.node(event, span)?;
            if item.is_absent() && !is_flow {
                let dash = dash_before(self.text, item.start);
                let at = dash.map_or(item.start, |dash| dash + 1);
                (item.start, item.end) = (at, at);
            }
            items.push(item);
        }
    }

    fn entries(&mut self) -> Result<(Vec<(Node, Node)>, usize), PatchError> {
        let mut entries = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::MappingEnd) {
                return Ok((entries, bytes(span)?.1));
            }
            let key = self.node(event, span)?;
            let (event, span) = self.next()?;
            let mut value = self.node(event, span)?;
            if value.is_absent() {
                let at = self.after_colon(&key).unwrap_or(value.start);
                (value.start, value.end) = (at, at);
            }
            entries.push((key, value));
        }
    }

    fn after_colon(&self, key: &Node) -> Option<usize> {
        after_colon(self.text, key.end)
    }
}

/// The byte behind the colon that follows a key on its line.
pub(crate) fn after_colon(text: &str, key_end: usize) -> Option<usize> {
    let behind = text.get(key_end..)?;
    let blanks = behind.len() - behind.trim_start_matches([' ', '\t']).len();
    behind[blanks..]
        .starts_with(':')
        .then_some(key_end + blanks + 1)
}

/// The dash before an item: only blanks, comments and the indicator of a block scalar may be between.
pub(crate) fn dash_before(text: &str, start: usize) -> Option<usize> {
    let mut end = start;
    loop {
        let line_start = text[..end].rfind('\n').map_or(0, |newline| newline + 1);
        let line = &text[line_start..end];
        let code = if end == start {
            line
        } else {
            before_comment(line)
        };
        match without_indicator(code.trim_end()) {
            "" if line_start == 0 => return None,
            "" => end = line_start - 1,
            code => return code.ends_with('-').then(|| line_start + code.len() - 1),
        }
    }
}

fn before_comment(line: &str) -> &str {
    if line.trim_start().starts_with('#') {
        return "";
    }
    &line[..line.find(" #").unwrap_or(line.len())]
}

/// Drops the indicator of a block scalar, such as `|2-`.
fn without_indicator(code: &str) -> &str {
    let word = code.rsplit(' ').next().unwrap_or_default();
    let options = word.strip_prefix(['|', '>']);
    let is_indicator =
        options.is_some_and(|it| it.chars().all(|c| "+-".contains(c) || c.is_ascii_digit()));
    if is_indicator {
        code[..code.len() - word.len()].trim_end()
    } else {
        code
    }
}

/// A block collection has no brackets, so its first and last entry bound it.
fn extent(
    span: (usize, usize),
    is_flow: bool,
    first: Option<&Node>,
    last: Option<&Node>,
) -> (usize, usize) {
    match (is_flow, first, last) {
        (false, Some(first), Some(last)) => (first.start, last.end),
        _ => span,
    }
}

fn bytes(span: Span) -> Result<(usize, usize), PatchError> {
    let found = span.start.byte_offset().zip(span.end.byte_offset());
    found.ok_or_else(|| PatchError::Syntax("a position is unknown".to_owned()))
}
