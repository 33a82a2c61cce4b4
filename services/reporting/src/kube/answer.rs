//! What the API server answers to lists and watches, one object at a time, so that one that is odd does not spoil the others.

use futures::{AsyncBufRead, AsyncBufReadExt as _};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

/// The longest line of a watch that is read.
const LONGEST_LINE: usize = 32 << 20;

/// A page of a list. Its objects are read one by one: all of them at once would take several times the memory that stays.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Page<'a> {
    /// Of the list, for example "RolloutList".
    #[serde(default)]
    kind: String,
    #[serde(default)]
    api_version: String,
    #[serde(default)]
    pub(super) metadata: PageMetadata,
    #[serde(default, borrow)]
    items: Option<Vec<&'a RawValue>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PageMetadata {
    #[serde(rename = "resourceVersion")]
    resource_version: String,
    /// Asks for the next page; empty on the last one.
    #[serde(rename = "continue")]
    pub(super) token: String,
}

/// One line of a watch.
#[derive(Debug, PartialEq)]
pub(super) enum WatchEvent {
    Applied(Value),
    Deleted(Value),
    Bookmark(u64),
    /// The version is too old to go on from.
    Gone,
    Failed(String),
}

/// A watch as lines.
pub(super) struct Lines<R> {
    reader: R,
    line: Vec<u8>,
}

impl Page<'_> {
    pub(super) fn resource_version(&self) -> Option<u64> {
        self.metadata.resource_version.parse().ok()
    }

    /// The objects, each of which says what it is: in a list of built-in kinds only the list does. One that is nested too deep to
    /// be read is null.
    pub(super) fn objects(&self) -> impl Iterator<Item = Value> {
        self.items.iter().flatten().map(|item| self.object(item))
    }

    fn object(&self, item: &RawValue) -> Value {
        let mut object: Value = serde_json::from_str(item.get()).unwrap_or_default();
        let kind = self.kind.strip_suffix("List").unwrap_or_default();
        if let Some(fields) = object.as_object_mut() {
            for (field, text) in [("kind", kind), ("apiVersion", &*self.api_version)] {
                fields.entry(field).or_insert_with(|| text.into());
            }
        }
        object
    }
}

impl<R: AsyncBufRead + Unpin> Lines<R> {
    pub(super) fn new(reader: R) -> Self {
        let line = Vec::new();
        Self { reader, line }
    }

    /// The next event, or nothing at the end. What was read so far is kept when it is dropped.
    pub(super) async fn next(&mut self) -> Result<Option<WatchEvent>, String> {
        loop {
            let read = self.reader.fill_buf().await;
            let part = read.map_err(|error| format!("the watch broke: {error}"))?;
            if part.is_empty() {
                return Ok(None);
            }
            let end = part.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(part.len(), |at| at + 1);
            self.line.extend_from_slice(&part[..taken]);
            self.reader.consume_unpin(taken);
            if self.line.len() > LONGEST_LINE {
                return Err(format!("an event has more than {LONGEST_LINE} bytes"));
            }
            if end.is_some() {
                let line = std::mem::take(&mut self.line);
                if !line.trim_ascii().is_empty() {
                    return read_event(&line).map(Some);
                }
            }
        }
    }
}

fn read_event(line: &[u8]) -> Result<WatchEvent, String> {
    #[derive(Deserialize)]
    struct Event {
        #[serde(rename = "type")]
        kind: String,
        #[serde(default)]
        object: Value,
    }
    let event: Event = serde_json::from_slice(line)
        .map_err(|error| format!("an event cannot be read: {error}"))?;
    Ok(match event.kind.as_str() {
        "ADDED" | "MODIFIED" => WatchEvent::Applied(event.object),
        "DELETED" => WatchEvent::Deleted(event.object),
        "BOOKMARK" => WatchEvent::Bookmark(version(&event.object)),
        "ERROR" if event.object.get("code").and_then(Value::as_i64) == Some(410) => {
            WatchEvent::Gone
        }
        other => {
            let message = event.object.get("message").and_then(Value::as_str);
            let message: String = message.unwrap_or_default().chars().take(300).collect();
            WatchEvent::Failed(format!("the watch says {other}: {message}"))
        }
    })
}

/// The resource version of an object; 0 where it has none.
pub(super) fn version(object: &Value) -> u64 {
    metadata(object, "resourceVersion").parse().unwrap_or(0)
}

/// A text of an object's metadata; empty where it is not there.
pub(super) fn metadata<'a>(object: &'a Value, field: &str) -> &'a str {
    let value = object
        .get("metadata")
        .and_then(|metadata| metadata.get(field));
    value.and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests;
