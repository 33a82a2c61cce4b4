//! Builds that are broken on purpose, to show that the tests notice.

use std::{collections::BTreeMap, sync::Mutex};

use crate::{
    Change, FileEdit,
    history::History,
    tree::{FileEntry, Item, Tree},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Twin {
    Sound,
    /// A repeated step is not looked up in the history.
    NoLookup,
    /// A push overwrites a branch whose tip is another one.
    NoExpectedValue,
    /// A raced change is put on the new tip as it was made for the old one, as a rebase of whole files does.
    Rebase,
}

/// Steps with this beginning are rebased by the twin.
pub(crate) const REBASED: &str = "rebased-";

/// What the first try of a step made of each path.
static FIRST: Mutex<BTreeMap<(String, String), FileEntry>> = Mutex::new(BTreeMap::new());

/// Puts the files of the first try in the place of those of a later one.
pub(crate) fn rebase(change: &Change, tree: &mut Tree<'_>) {
    let step = change.step.to_string();
    if !step.starts_with(REBASED) || !tree.missing.is_empty() {
        return;
    }
    let mut first = FIRST.lock().unwrap();
    for path in change.edits.iter().map(FileEdit::path) {
        if let Ok(Some(Item::File(file))) = tree.get(path) {
            let kept = *first
                .entry((step.clone(), path.to_string()))
                .or_insert(file);
            tree.put(path, &Item::File(kept)).unwrap();
        }
    }
}

impl Twin {
    pub(crate) fn lease(self, lease: String) -> String {
        if self == Self::NoExpectedValue {
            "--force".to_owned()
        } else {
            lease
        }
    }

    pub(crate) fn history(self, history: History) -> History {
        if self == Self::NoLookup {
            history.without_steps()
        } else {
            history
        }
    }
}
