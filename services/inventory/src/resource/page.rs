//! How resources are handed out.

use super::{ResourceKey, ResourceRecord};
use crate::application::ANSWER_BYTES;

/// A page in the order of keys.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResourcePage {
    /// The resources.
    pub items: Vec<ResourceRecord>,
    /// Last scanned resource, visible or not, while more may follow.
    pub looked: Option<(ResourceKey, u64)>,
    bytes: usize,
}

/// Where a list goes on. Its caller holds it sealed.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResourceToken {
    /// The last resource that was told of.
    pub place: Option<ResourceKey>,
    /// The number of the last change of a resource after it that was looked at.
    pub looked: Option<u64>,
    /// Which account and scope it was made for.
    pub stamp: u64,
}

impl ResourcePage {
    /// Adds a record unless the page is full; `false` once nothing more fits.
    pub fn push(&mut self, record: ResourceRecord, limit: usize) -> bool {
        let fits = self.items.is_empty() || self.bytes + record.size() <= ANSWER_BYTES;
        if self.items.len() >= limit || !fits {
            self.looked = self.items.last().map(|it| (it.key.clone(), it.change));
            return false;
        }
        self.bytes += record.size();
        self.items.push(record);
        true
    }

    /// Where the next page begins, when this one began at `from`; nothing where this is the last.
    #[must_use]
    pub fn next(&self, from: Option<&ResourceToken>, stamp: u64) -> Option<ResourceToken> {
        let (_, looked) = self.looked.as_ref()?;
        let last = self.items.last().map(|record| record.key.clone());
        Some(ResourceToken {
            place: last.or_else(|| from.and_then(|from| from.place.clone())),
            looked: Some(*looked),
            stamp,
        })
    }
}
