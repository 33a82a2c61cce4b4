//! Parses list and watch responses one object at a time, so that a malformed object does not affect the others.

use futures::{AsyncBufRead, AsyncBufReadExt as _};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json, value::RawValue};

use crate::object::Malformed;

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

/// An object as the server wrote it.
#[derive(Clone, Copy)]
pub(super) struct Item<'a> {
    text: &'a RawValue,
    /// The kind and the API version that a list says for it.
    of_list: Option<(&'a str, &'a str)>,
}

/// An object of a list, apart from its page.
pub(super) struct OwnItem {
    text: Box<RawValue>,
    of_list: Option<(String, String)>,
}

/// One line of a watch.
#[derive(Debug, PartialEq)]
pub(super) enum WatchEvent<T = Value> {
    Applied(T),
    /// The object is there and cannot be read.
    Quarantined(Malformed),
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

    /// The objects.
    pub(super) fn objects(&self) -> impl Iterator<Item = Item<'_>> {
        let kind = self.kind.strip_suffix("List").unwrap_or_default();
        let of_list = Some((kind, &*self.api_version));
        let items = self.items.iter().flatten();
        items.map(move |text| Item { text, of_list })
    }
}

impl OwnItem {
    pub(super) fn get(&self) -> Item<'_> {
        let of_list = self.of_list.as_ref();
        Item {
            text: &self.text,
            of_list: of_list.map(|(kind, version)| (kind.as_str(), version.as_str())),
        }
    }
}

impl<'a> Item<'a> {
    pub(super) fn to_own(self) -> OwnItem {
        let owned = |(kind, version): (&str, &str)| (kind.to_owned(), version.to_owned());
        OwnItem {
            text: self.text.to_owned(),
            of_list: self.of_list.map(owned),
        }
    }

    fn of_watch(text: &'a RawValue) -> Self {
        Self {
            text,
            of_list: None,
        }
    }

    pub(super) fn text(self) -> &'a str {
        self.text.get()
    }

    /// Parses the object. Items of built-in kinds take their kind and version from the list.
    pub(super) fn value(self) -> Result<Value, Malformed> {
        let mut object = read(self.text)?;
        let (Some(fields), Some((kind, api_version))) = (object.as_object_mut(), self.of_list)
        else {
            return Ok(object);
        };
        for (field, text) in [("kind", kind), ("apiVersion", api_version)] {
            fields.entry(field).or_insert_with(|| text.into());
        }
        Ok(object)
    }
}

impl<R: AsyncBufRead + Unpin> Lines<R> {
    pub(super) fn new(reader: R) -> Self {
        let line = Vec::new();
        Self { reader, line }
    }

    /// The next line, for [`read_event`], or nothing at the end. What was read so far is kept when it is dropped.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<u8>>, String> {
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
                    return Ok(Some(line));
                }
            }
        }
    }
}

/// Reads an event, with the object as `applied` reads it.
pub(super) fn read_event<T>(
    line: &[u8],
    applied: impl Fn(Item<'_>) -> Result<T, Malformed>,
) -> Result<WatchEvent<T>, String> {
    #[derive(Deserialize)]
    struct Event<'a> {
        #[serde(rename = "type")]
        kind: String,
        #[serde(default, borrow)]
        object: Option<&'a RawValue>,
    }
    let event: Event<'_> = serde_json::from_slice(line)
        .map_err(|error| format!("an event cannot be read: {error}"))?;
    if matches!(event.kind.as_str(), "ADDED" | "MODIFIED") {
        let item = Item::of_watch(event.object.unwrap_or(RawValue::NULL));
        return Ok(match applied(item) {
            Ok(object) => WatchEvent::Applied(object),
            Err(malformed) => WatchEvent::Quarantined(malformed),
        });
    }
    let object = match event.object.map(|object| (object, read(object))) {
        None => Value::Null,
        Some((_, Ok(object))) => object,
        Some((object, Err(_))) => head(object),
    };
    Ok(match event.kind.as_str() {
        "DELETED" => WatchEvent::Deleted(object),
        "BOOKMARK" => WatchEvent::Bookmark(version(&object)),
        "ERROR" if object.get("code").and_then(Value::as_i64) == Some(410) => WatchEvent::Gone,
        other => {
            let message = object.get("message").and_then(Value::as_str);
            let message: String = message.unwrap_or_default().chars().take(300).collect();
            WatchEvent::Failed(format!("the watch says {other}: {message}"))
        }
    })
}

fn read(object: &RawValue) -> Result<Value, Malformed> {
    serde_json::from_str(object.get()).map_err(|error| Malformed {
        key: super::key(&head(object)),
        resource_version: metadata(&head(object), "resourceVersion").to_owned(),
        cause: error.to_string(),
    })
}

/// Which object it is, whatever else it says: what is passed over may be nested however deep.
fn head(object: &RawValue) -> Value {
    #[derive(Default, Deserialize, Serialize)]
    #[serde(default)]
    struct Head {
        metadata: Metadata,
    }
    #[derive(Default, Deserialize, Serialize)]
    #[serde(default, rename_all = "camelCase")]
    struct Metadata {
        namespace: String,
        name: String,
        uid: String,
        resource_version: String,
    }
    let head: Head = serde_json::from_str(object.get()).unwrap_or_default();
    json!(head)
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
