//! Reads live manifests of many resources in parallel.

use causeway_proto::inventory::v1 as pb;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::Value;

use super::find;
use crate::{connection::Connection, output::Progress, words};

/// Parallel requests.
pub(super) const AT_ONCE: usize = 16;

/// A resource and its live manifest with secrets redacted; null if not reported.
pub(crate) struct Described {
    pub(crate) resource: pb::LiveResource,
    pub(crate) manifest: Value,
}

/// Reads the manifest of each resource, in their order.
pub(crate) async fn describe(
    connection: &Connection,
    resources: Vec<pb::LiveResource>,
) -> anyhow::Result<Vec<Described>> {
    let progress = Progress::items("reading manifests", resources.len());
    let described = resources.into_iter().map(|it| read(connection, it));
    let described = stream::iter(described).buffered(AT_ONCE);
    let described = described.inspect_ok(|_| progress.advance(1));
    described.try_collect().await
}

/// Reads the manifest of a resource.
pub(crate) async fn read(
    connection: &Connection,
    found: pb::LiveResource,
) -> anyhow::Result<Described> {
    let response = find::get(connection, find::exact_filter(found), true).await?;
    Ok(response.into())
}

impl From<pb::GetResourceResponse> for Described {
    fn from(response: pb::GetResourceResponse) -> Self {
        Self {
            resource: response.resource.unwrap_or_default(),
            manifest: serde_json::from_slice(&response.manifest).unwrap_or_default(),
        }
    }
}

impl Described {
    /// Returns a text of the manifest without control characters; empty if missing.
    pub(crate) fn text(&self, pointer: &str) -> String {
        text(self.manifest.pointer(pointer))
    }

    /// Returns a list of the manifest.
    pub(crate) fn list(&self, pointer: &str) -> &[Value] {
        let list = self.manifest.pointer(pointer).and_then(Value::as_array);
        list.map_or(&[], Vec::as_slice)
    }
}

/// Returns the first line of a text without control characters; other values as JSON.
pub(crate) fn text(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => words::plain(text),
        Some(value) => words::plain(&value.to_string()),
    }
}

/// Joins the texts of a list.
pub(crate) fn joined(value: Option<&Value>) -> String {
    let list = value.and_then(Value::as_array).into_iter().flatten();
    let texts: Vec<String> = list.map(|it| text(Some(it))).collect();
    texts.join(",")
}
