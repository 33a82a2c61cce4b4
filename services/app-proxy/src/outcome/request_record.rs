//! Request records in an annotation of the object.
//!
//! The patch with the effect writes the record, so that every later reader of the object finds it: a new process, another
//! replica, a repeat of the call.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Effect, RequestIdReused, RequestIdentity};

/// The annotation with the last requests that changed an object.
pub(crate) const REQUESTS_ANNOTATION: &str = "causeway.dev/request";
/// How many of each effect an object holds.
const KEPT: usize = 8;
/// The longest annotation that is read, in bytes.
const LONGEST: usize = 4_096;

/// The last requests that changed an object, the oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RequestRecords(Vec<RequestRecord>);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RequestRecord {
    id: String,
    digest: String,
    /// Milliseconds since 1970.
    at: i64,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    refresh: bool,
}

/// State of a request as the object records it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestState {
    /// It was not done.
    New,
    /// It was done at this time, in milliseconds since 1970.
    Done(i64),
    /// So many came since it was asked for that it may have been done before them.
    Forgotten,
}

impl RequestRecords {
    /// Parses the annotation. Content of other writers is ignored.
    pub(crate) fn of(annotations: &BTreeMap<String, String>) -> Self {
        let text = annotations.get(REQUESTS_ANNOTATION);
        let text = text.filter(|text| text.len() <= LONGEST);
        let marks = text.and_then(|text| serde_json::from_str(text).ok());
        Self(marks.unwrap_or_default())
    }

    /// `asked_at` is in seconds since 1970.
    ///
    /// # Errors
    /// The id was used for something else.
    pub(crate) fn standing(
        &self,
        asked: &RequestIdentity,
        asked_at: u64,
    ) -> Result<RequestState, RequestIdReused> {
        let id = asked.id.to_string();
        if let Some(mark) = self.0.iter().find(|mark| mark.id == id) {
            return if mark.digest == asked.digest {
                Ok(RequestState::Done(mark.at))
            } else {
                Err(RequestIdReused(asked.id))
            };
        }
        let asked_at = i64::try_from(asked_at).unwrap_or(i64::MAX);
        let mut alike = self.0.iter().filter(|it| it.is_like(asked));
        let oldest = alike.next().filter(|_| alike.count() + 1 >= KEPT);
        Ok(
            if oldest.is_some_and(|oldest| oldest.at / 1000 > asked_at) {
                RequestState::Forgotten
            } else {
                RequestState::New
            },
        )
    }

    /// The annotation with one more; `at` is in milliseconds since 1970.
    pub(crate) fn with(&self, asked: &RequestIdentity, at: i64) -> String {
        let mark = RequestRecord {
            id: asked.id.to_string(),
            digest: asked.digest.clone(),
            at,
            refresh: asked.effect == Effect::Refresh,
        };
        let others = || self.0.iter().filter(|it| it.id != mark.id);
        let alike = others().filter(|it| it.is_like(asked)).count();
        let mut surplus = (alike + 1).saturating_sub(KEPT);
        let mut kept = Vec::with_capacity(self.0.len() + 1);
        for other in others() {
            if surplus > 0 && other.is_like(asked) {
                surplus -= 1
            } else {
                kept.push(other)
            }
        }
        kept.push(&mark);
        serde_json::to_string(&kept).unwrap_or_default()
    }
}

impl RequestRecord {
    fn is_like(&self, asked: &RequestIdentity) -> bool {
        self.refresh == (asked.effect == Effect::Refresh)
    }
}

#[cfg(test)]
mod tests;
