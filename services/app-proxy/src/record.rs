//! What an object remembers of the requests that changed it, in an annotation that is written together with the change: so that a
//! repeat, a new process and a second replica decide alike. It remembers the last few of them.

use causeway_proto::ids::RequestId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The annotation.
pub(crate) const ANNOTATION: &str = "causeway.dev/rollout-requests";
const REMEMBERED: usize = 8;
/// Maximum size of the annotation, in bytes; other clients may write it too.
const LONGEST: usize = 8 << 10;

/// The requests, the newest last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Record(Vec<Entry>);

/// One request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// Its id.
    pub(crate) id: String,
    /// A digest of what was asked for.
    pub(crate) asked: String,
    /// What the object was when it was taken up, as far as it decides whether all of it was done.
    #[serde(default)]
    pub(crate) from: String,
    /// How far it is.
    pub(crate) progress: Progress,
    /// When it was taken up, in seconds since 1970.
    pub(crate) at: u64,
}

/// How far a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Progress {
    /// It is taken up; what comes after may have been done or not.
    Begun,
    /// All of it is done.
    Done,
    /// There was nothing to do.
    Unchanged,
}

impl Record {
    /// What an object remembers. What cannot be read is forgotten.
    pub(crate) fn of(object: &Value) -> Self {
        Self::in_annotation(object, ANNOTATION)
    }

    /// The same of another annotation.
    pub(crate) fn in_annotation(object: &Value, annotation: &str) -> Self {
        let annotations = object.pointer("/metadata/annotations");
        let text = annotations.and_then(|it| it.get(annotation)?.as_str());
        let text = text.filter(|text| text.len() <= LONGEST).unwrap_or("[]");
        Self(serde_json::from_str(text).unwrap_or_default())
    }

    pub(crate) fn find(&self, id: &RequestId) -> Option<&Entry> {
        let wanted = id.to_string();
        self.0.iter().find(|entry| entry.id == wanted)
    }

    /// True if a request that it does not know, asked for at this time in seconds since 1970, may be one that it had to forget.
    pub(crate) fn may_have_forgotten(&self, asked_at: u64) -> bool {
        self.0.len() >= REMEMBERED && self.0.first().is_some_and(|oldest| oldest.at > asked_at)
    }

    /// The same with one more, or with one as it is now.
    pub(crate) fn with(mut self, entry: Entry) -> Self {
        match self.0.iter_mut().find(|it| it.id == entry.id) {
            Some(known) => *known = entry,
            None => self.0.push(entry),
        }
        let old = self.0.len().saturating_sub(REMEMBERED);
        self.0.drain(..old);
        self
    }

    /// The annotation's text.
    pub(crate) fn text(&self) -> String {
        serde_json::to_string(&self.0).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
