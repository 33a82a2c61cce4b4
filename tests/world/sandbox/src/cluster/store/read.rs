//! Lists: a consistent snapshot at one revision, in pages.

use std::{
    collections::BTreeMap,
    ops::Bound::{Excluded, Included, Unbounded},
    sync::Arc,
};

use super::{
    super::{
        object::{ObjectKey, Stored},
        refusal::Refusal,
        selector::Selector,
    },
    Collection, Store,
};

/// Parameters of a list. `limit` 0 is unlimited; `at` reads the state of that revision.
pub(crate) struct ListQuery<'a> {
    pub(crate) namespace: &'a str,
    pub(crate) selector: &'a Selector,
    pub(crate) limit: usize,
    pub(crate) after: Option<ObjectKey>,
    pub(crate) at: Option<u64>,
}

/// One page of a list.
pub(crate) struct Page {
    pub(crate) objects: Vec<Arc<Stored>>,
    pub(crate) revision: u64,
    /// the last key of this page and how many are left, when there is more
    pub(crate) rest: Option<(ObjectKey, usize)>,
}

impl Store {
    /// # Errors
    /// `Expired` when `at` is no longer known; not found when the kind is not served.
    pub(crate) fn list(&self, id: &str, query: &ListQuery<'_>) -> Result<Page, Refusal> {
        let collection = self.collection(id).ok_or_else(Refusal::unknown_path)?;
        let snapshot;
        let objects = match query.at {
            Some(at) if at < self.revision() => {
                snapshot = collection.rolled_back_to(at)?;
                &snapshot
            }
            _ => &collection.objects,
        };
        let mut page = Page {
            objects: Vec::new(),
            revision: query.at.unwrap_or(self.revision()),
            rest: None,
        };
        let mut left = 0;
        for stored in between(objects, query) {
            if query.selector.matches(stored) {
                if query.limit == 0 || page.objects.len() < query.limit {
                    page.objects.push(Arc::clone(stored));
                } else {
                    left += 1;
                }
            }
        }
        if left > 0
            && let Some(last) = page.objects.last()
        {
            page.rest = Some((last.key.clone(), left));
        }
        Ok(page)
    }
}

fn between<'a>(
    objects: &'a BTreeMap<ObjectKey, Arc<Stored>>,
    query: &ListQuery<'a>,
) -> impl Iterator<Item = &'a Arc<Stored>> {
    let first = ObjectKey::new(query.namespace, "");
    let lower = query.after.clone().map_or(Included(first), Excluded);
    let namespace = query.namespace;
    objects
        .range((lower, Unbounded))
        .map(|(_, stored)| stored)
        .take_while(move |stored| namespace.is_empty() || stored.key.namespace == namespace)
}

impl Collection {
    fn rolled_back_to(&self, revision: u64) -> Result<BTreeMap<ObjectKey, Arc<Stored>>, Refusal> {
        let events = self
            .window
            .after(revision, usize::MAX)
            .ok_or_else(|| Refusal::expired(revision, self.window.floor()))?;
        let mut objects = self.objects.clone();
        for event in events.iter().rev() {
            match &event.previous {
                Some(previous) => objects.insert(previous.key.clone(), Arc::clone(previous)),
                None => objects.remove(&event.object.key),
            };
        }
        Ok(objects)
    }
}
