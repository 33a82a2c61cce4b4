//! Trees drawn with lines.

use std::collections::BTreeSet;

/// Draws items behind the lines that lead to them, each once.
pub(crate) struct Tree<'a, T, C> {
    items: &'a [T],
    children: C,
    seen: BTreeSet<usize>,
    lines: Vec<(String, &'a T)>,
}

impl<'a, T, C: Fn(usize) -> Vec<usize>> Tree<'a, T, C> {
    /// `children` returns the indices below an item.
    pub(crate) fn new(items: &'a [T], children: C) -> Self {
        Self {
            items,
            children,
            seen: BTreeSet::new(),
            lines: Vec::new(),
        }
    }

    /// Draws an item without a branch, and all below it.
    pub(crate) fn draw_root(&mut self, index: usize) {
        if self.seen.insert(index) {
            self.lines.push((String::new(), &self.items[index]));
            self.draw((self.children)(index), "");
        }
    }

    /// Draws items with their branches, and all below them.
    pub(crate) fn draw(&mut self, mut indices: Vec<usize>, indent: &str) {
        indices.retain(|index| !self.seen.contains(index));
        indices.dedup();
        let last = indices.len().saturating_sub(1);
        for (position, index) in indices.into_iter().enumerate() {
            // An item that also stands below an earlier sibling was drawn there.
            if !self.seen.insert(index) {
                continue;
            }
            let (branch, stem) = branch(position == last);
            let line = (format!("{indent}{branch}"), &self.items[index]);
            self.lines.push(line);
            self.draw((self.children)(index), &format!("{indent}{stem}"));
        }
    }

    pub(crate) fn into_lines(self) -> Vec<(String, &'a T)> {
        self.lines
    }
}

/// Returns the lines that lead to an item, and those beside what is below it.
pub(crate) fn branch(is_last: bool) -> (&'static str, &'static str) {
    if is_last {
        ("└─ ", "   ")
    } else {
        ("├─ ", "│  ")
    }
}
