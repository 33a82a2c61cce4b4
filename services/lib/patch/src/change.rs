//! The one replacement of bytes that an operation needs.

use std::ops::Range;

use crate::{
    PatchError, Path, Segment, Value,
    document::{Kind, Node, Style, after_colon, dash_before},
    edit::{Format, Operation},
    locate::{Location, Target, locate},
    render::{self, Place, Syntax},
};

#[derive(Debug)]
pub(crate) struct Replacement {
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
}

/// A document, and the file that its spans refer to.
pub(crate) struct Source<'a> {
    pub(crate) text: &'a str,
    pub(crate) root: &'a Node,
    pub(crate) format: Format,
    /// Whether new texts of several lines are written as block scalars.
    pub(crate) literals: Literals,
}

/// A block scalar takes in comments that follow it with the same indent; quotes do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Literals {
    Block,
    Quoted,
}

/// What is added to a collection.
enum Addition {
    Entry(String, Value),
    Item(Value),
}

/// Computes the replacement of an operation at a path.
pub(crate) fn replacement(
    source: &Source<'_>,
    path: &Path,
    operation: &Operation,
) -> Result<Replacement, PatchError> {
    match (operation, locate(source.root, path)?) {
        (Operation::Set(value), Location::Found(target)) => source.replace(target, value, path),
        (Operation::Set(value), Location::Missing { parent, depth }) => {
            let addition = addition(path, depth, value.clone())?;
            source.add(parent, addition, path)
        }
        (Operation::Append(value), Location::Found(target)) => {
            source.add(target, Addition::Item(value.clone()), path)
        }
        (Operation::Append(value), Location::Missing { parent, depth }) => {
            let list = Value::List(vec![value.clone()]);
            source.add(parent, addition(path, depth, list)?, path)
        }
        (Operation::Remove, Location::Found(target)) => source.remove(target, path),
        (Operation::Remove, Location::Missing { .. }) => Err(PatchError::NotFound {
            path: path.to_string(),
        }),
    }
}

/// What the first missing segment adds: the value, wrapped in what the later segments name.
fn addition(path: &Path, depth: usize, value: Value) -> Result<Addition, PatchError> {
    let missing = &path.segments()[depth..];
    let mut value = value;
    for segment in missing[1..].iter().rev() {
        value = match wrap(segment, value)? {
            Addition::Entry(key, value) => Value::Map(vec![(key, value)]),
            Addition::Item(item) => Value::List(vec![item]),
        };
    }
    wrap(&missing[0], value)
}

fn wrap(segment: &Segment, value: Value) -> Result<Addition, PatchError> {
    match segment {
        Segment::Key(key) if key == "<<" => Err(PatchError::InvalidValue("a key is <<")),
        Segment::Key(key) => Ok(Addition::Entry(key.clone(), value)),
        Segment::Index(_) => Err(PatchError::InvalidValue(
            "a missing list has no index: append instead",
        )),
        Segment::Match { key, value: wanted } => item(key, wanted, value).map(Addition::Item),
    }
}

/// The new item of a list that `[key=wanted]` did not find.
fn item(key: &str, wanted: &str, value: Value) -> Result<Value, PatchError> {
    let Value::Map(mut entries) = value else {
        return Err(PatchError::InvalidValue(
            "a new item that is matched by a key must be a mapping",
        ));
    };
    match entries.iter().find(|(name, _)| name == key) {
        Some((_, found)) if found.scalar() == Some(wanted) => {}
        Some(_) => {
            return Err(PatchError::InvalidValue(
                "a new item has another value for the matched key",
            ));
        }
        None => entries.insert(0, (key.to_owned(), Value::string(wanted))),
    }
    Ok(Value::Map(entries))
}

impl Source<'_> {
    fn replace(
        &self,
        target: Target<'_>,
        value: &Value,
        path: &Path,
    ) -> Result<Replacement, PatchError> {
        let node = target.node;
        let place = self.place(target);
        if target.in_flow || self.is_flow_root(target) {
            let lead = if node.is_absent() { " " } else { "" };
            let text = format!("{lead}{}", render::inline(value, style(node), place));
            return Ok(Replacement {
                range: node.start..node.end,
                text,
            });
        }
        let is_inline = match value {
            Value::List(items) => items.is_empty(),
            Value::Map(entries) => entries.is_empty(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
        };
        if is_inline && matches!(node.kind, Kind::Scalar { .. }) && !node.is_absent() {
            return self.replace_scalar(target, value, path);
        }
        let range = self.lead(target, path)?..node.end;
        let text = if is_item(target) {
            render::after_dash(value, place)
        } else {
            render::after_colon(value, place)
        };
        Ok(self.keep_comment(Replacement { range, text }))
    }

    /// A comment behind the old value stays behind the first line of the new one.
    fn keep_comment(&self, new: Replacement) -> Replacement {
        let comment = self.line_rest(new.range.end).trim_end();
        let first = new.text.find(['\r', '\n']);
        let (Some(first), false) = (first, comment.is_empty()) else {
            return new;
        };
        let text = format!("{}{comment}{}", &new.text[..first], &new.text[first..]);
        let range = new.range.start..new.range.end + comment.len();
        Replacement { range, text }
    }

    fn replace_scalar(
        &self,
        target: Target<'_>,
        value: &Value,
        path: &Path,
    ) -> Result<Replacement, PatchError> {
        let (node, place) = (target.node, self.place(target));
        if style(node) == Some(Style::Block) {
            let start = self.lead(target, path)?;
            return self.replace_block_scalar(start..node.end, value, place);
        }
        let text = render::inline(value, style(node), place);
        let range = node.start..node.end;
        Ok(self.keep_comment(Replacement { range, text }))
    }

    /// Keeps a comment behind the indicator of the old block scalar.
    fn replace_block_scalar(
        &self,
        range: Range<usize>,
        value: &Value,
        place: Place<'_>,
    ) -> Result<Replacement, PatchError> {
        let old = &self.text[range.clone()];
        let header = old.lines().next().unwrap_or_default();
        let comment = header.find(" #").map_or("", |at| header[at..].trim_end());
        let new = format!(" {}", render::inline(value, Some(Style::Block), place));
        let first = new.find(place.newline).unwrap_or(new.len());
        let text = format!("{}{comment}{}", &new[..first], &new[first..]);
        let break_after = if old.ends_with('\n') {
            place.newline
        } else {
            ""
        };
        Ok(Replacement {
            range,
            text: text + break_after,
        })
    }

    fn add(
        &self,
        target: Target<'_>,
        addition: Addition,
        path: &Path,
    ) -> Result<Replacement, PatchError> {
        let node = target.node;
        match (&node.kind, addition) {
            _ if node.is_absent() && target.parent.is_none() => {
                Err(layout(path, "the document is empty"))
            }
            (_, Addition::Entry(key, value)) if node.is_absent() => {
                self.replace(target, &Value::Map(vec![(key, value)]), path)
            }
            (_, Addition::Item(value)) if node.is_absent() => {
                self.replace(target, &Value::List(vec![value]), path)
            }
            (
                Kind::Map {
                    entries,
                    is_flow: true,
                },
                Addition::Entry(key, value),
            ) => {
                let new = render::entry(&key, &value, self.flow_place());
                let bounds = entries.first().zip(entries.last());
                Ok(self.add_in_flow(
                    node,
                    bounds.map(|(first, last)| (first.0.start, last.1.end)),
                    &new,
                ))
            }
            (
                Kind::List {
                    items,
                    is_flow: true,
                },
                Addition::Item(value),
            ) => {
                let new = render::inline(&value, None, self.flow_place());
                let bounds = items.first().zip(items.last());
                Ok(self.add_in_flow(
                    node,
                    bounds.map(|(first, last)| (first.start, last.end)),
                    &new,
                ))
            }
            (Kind::Map { is_flow: false, .. }, Addition::Entry(key, value)) => {
                let place = self.block_place(self.column(node.start));
                Ok(self.add_line(node.end, &render::entry(&key, &value, place), place))
            }
            (
                Kind::List {
                    items,
                    is_flow: false,
                },
                Addition::Item(value),
            ) => {
                let dash = items.iter().find_map(|item| self.dash(item.start));
                let dash = dash.ok_or_else(|| layout(path, "the dash of no item was found"))?;
                let place = self.block_place(self.column(dash));
                Ok(self.add_line(
                    node.end,
                    &format!("-{}", render::after_dash(&value, place)),
                    place,
                ))
            }
            (_, addition) => Err(PatchError::WrongKind {
                path: path.to_string(),
                found: node.describe(),
                wanted: match addition {
                    Addition::Entry(..) => "mapping",
                    Addition::Item(_) => "list",
                },
            }),
        }
    }

    /// Repeats the line break and indent before the first entry.
    fn add_in_flow(&self, node: &Node, bounds: Option<(usize, usize)>, new: &str) -> Replacement {
        let Some((first, last)) = bounds else {
            let at = node.start + 1;
            return Replacement {
                range: at..at,
                text: new.to_owned(),
            };
        };
        let lead = &self.text[node.start + 1..first];
        let lead = if lead.trim().is_empty() && lead.contains('\n') {
            lead
        } else {
            " "
        };
        Replacement {
            range: last..last,
            text: format!(",{lead}{new}"),
        }
    }

    fn add_line(&self, end: usize, line: &str, place: Place<'_>) -> Replacement {
        let indent = " ".repeat(place.indent);
        let newline = place.newline;
        if self.text[..end].ends_with('\n') {
            return Replacement {
                range: end..end,
                text: format!("{indent}{line}{newline}"),
            };
        }
        match self.text[end..].find('\n') {
            Some(offset) => {
                let at = end + offset + 1;
                Replacement {
                    range: at..at,
                    text: format!("{indent}{line}{newline}"),
                }
            }
            None => {
                let at = self.text.len();
                Replacement {
                    range: at..at,
                    text: format!("{newline}{indent}{line}"),
                }
            }
        }
    }

    fn remove(&self, target: Target<'_>, path: &Path) -> Result<Replacement, PatchError> {
        let missing = || PatchError::NotFound {
            path: path.to_string(),
        };
        let (parent, position) = target.parent.ok_or_else(missing)?;
        let (spans, is_flow, empty) = match &parent.kind {
            Kind::Map { entries, is_flow } => {
                let spans = entries
                    .iter()
                    .map(|(key, value)| Some(key.start..value.end));
                (spans.collect::<Vec<_>>(), *is_flow, "{}")
            }
            Kind::List {
                items,
                is_flow: true,
            } => (
                items
                    .iter()
                    .map(|item| Some(item.start..item.end))
                    .collect(),
                true,
                "[]",
            ),
            Kind::List {
                items,
                is_flow: false,
            } => {
                let spans = items
                    .iter()
                    .map(|item| Some(self.dash(item.start)?..item.end));
                (spans.collect(), false, "[]")
            }
            Kind::Scalar { .. } | Kind::Alias => return Err(missing()),
        };
        let span = |at: usize| spans.get(at).cloned().flatten();
        let own =
            span(position).ok_or_else(|| layout(path, "the dash of the item was not found"))?;
        if is_flow {
            let before = position.checked_sub(1).and_then(span);
            return Ok(self.remove_in_flow(own, before, span(position + 1)));
        }
        match spans.len() {
            1 => Ok(self.empty(own, empty)),
            _ => Ok(self.remove_lines(own)),
        }
    }

    fn remove_in_flow(
        &self,
        own: Range<usize>,
        before: Option<Range<usize>>,
        after: Option<Range<usize>>,
    ) -> Replacement {
        let text = String::new();
        let is_blank = |range: Range<usize>| !self.text[range].contains('#');
        let range = match (before, after) {
            (_, Some(after)) => own.start..after.start,
            (Some(before), None) if is_blank(before.end..own.start) => before.end..own.end,
            _ => own,
        };
        Replacement { range, text }
    }

    /// The last entry leaves an empty collection, since nothing at all would be null.
    fn empty(&self, own: Range<usize>, empty: &str) -> Replacement {
        let before = self.text[..own.start].trim_end();
        let (start, lead) = if before.ends_with(':') {
            (before.len(), " ")
        } else {
            (own.start, "")
        };
        Replacement {
            range: start..own.end,
            text: format!("{lead}{empty}"),
        }
    }

    fn remove_lines(&self, own: Range<usize>) -> Replacement {
        let line = self.line_start(own.start);
        let end = if self.text[..own.end].ends_with('\n') {
            own.end
        } else {
            let rest = self.text[own.end..].find('\n');
            rest.map_or(self.text.len(), |offset| own.end + offset + 1)
        };
        if self.text[line..own.start].trim().is_empty() {
            return Replacement {
                range: line..end,
                text: String::new(),
            };
        }
        // The first entry behind a dash: the next one takes its place.
        let behind = &self.text[end..];
        let blanks = behind.len() - behind.trim_start().len();
        Replacement {
            range: own.start..end + blanks,
            text: String::new(),
        }
    }

    /// The byte behind the colon or dash of the target.
    fn lead(&self, target: Target<'_>, path: &Path) -> Result<usize, PatchError> {
        let found = match target
            .parent
            .map(|(parent, position)| (&parent.kind, position))
        {
            Some((Kind::Map { entries, .. }, position)) => {
                after_colon(self.text, entries[position].0.end)
            }
            Some((Kind::List { .. }, _)) => self.dash(target.node.start).map(|dash| dash + 1),
            _ => None,
        };
        found.ok_or_else(|| layout(path, "its key or dash is not on the line before it"))
    }

    fn dash(&self, start: usize) -> Option<usize> {
        // The start of a block list is its first dash, which may be the first thing of an outer item.
        dash_before(self.text, start)
    }

    fn place(&self, target: Target<'_>) -> Place<'_> {
        if target.in_flow || self.is_flow_root(target) {
            return self.flow_place();
        }
        let indent = match target.parent.map(|(parent, _)| &parent.kind) {
            Some(Kind::Map { entries, .. }) => {
                entries.first().map_or(0, |(key, _)| self.column(key.start))
            }
            Some(Kind::List { .. }) => self
                .dash(target.node.start)
                .map_or(0, |dash| self.column(dash)),
            _ => 0,
        };
        self.block_place(indent)
    }

    fn is_flow_root(&self, target: Target<'_>) -> bool {
        self.format == Format::Json || target.parent.is_none()
    }

    fn block_place(&self, indent: usize) -> Place<'_> {
        Place {
            indent,
            newline: self.newline(),
            syntax: Syntax::Block,
            literals: self.literals,
        }
    }

    fn flow_place(&self) -> Place<'_> {
        let syntax = match self.format {
            Format::Json => Syntax::Json,
            Format::Yaml | Format::Toml => Syntax::Flow,
        };
        Place {
            indent: 0,
            newline: self.newline(),
            syntax,
            literals: self.literals,
        }
    }

    fn newline(&self) -> &'static str {
        let first = self.text.find('\n').unwrap_or_default();
        if self.text[..first].ends_with('\r') {
            "\r\n"
        } else {
            "\n"
        }
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |newline| newline + 1)
    }

    fn line_rest(&self, at: usize) -> &str {
        self.text[at..].lines().next().unwrap_or_default()
    }

    /// Characters, since YAML counts those.
    fn column(&self, at: usize) -> usize {
        let line = &self.text[self.line_start(at)..at];
        line.trim_start_matches('\u{feff}').chars().count()
    }
}

fn style(node: &Node) -> Option<Style> {
    match &node.kind {
        Kind::Scalar { style, .. } if !node.is_absent() => Some(*style),
        Kind::Scalar { .. } | Kind::List { .. } | Kind::Map { .. } | Kind::Alias => None,
    }
}

fn is_item(target: Target<'_>) -> bool {
    let parent = target.parent.map(|(parent, _)| &parent.kind);
    matches!(parent, Some(Kind::List { .. }))
}

fn layout(path: &Path, problem: &'static str) -> PatchError {
    PatchError::Layout {
        path: path.to_string(),
        problem,
    }
}
