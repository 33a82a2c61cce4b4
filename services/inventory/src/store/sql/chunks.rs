//! Many rows in one statement.

use std::iter;

/// Rows in one statement; what is left over goes in fewer, so that there are few statements to know.
const SIZES: [usize; 4] = [64, 16, 4, 1];
/// The most of them.
pub(super) const MOST: usize = SIZES[0];

/// Pieces of so many as go into one statement.
pub(super) fn chunks<T>(all: &[T]) -> impl Iterator<Item = &[T]> {
    let mut rest = all;
    iter::from_fn(move || {
        let size = SIZES.into_iter().find(|size| *size <= rest.len())?;
        let (some, others) = rest.split_at(size);
        rest = others;
        Some(some)
    })
}

/// The same for lists of what is looked for: the last one is said again until there are as many as go into one statement.
pub(super) fn padded<T: Clone>(all: &[T]) -> impl Iterator<Item = Vec<T>> {
    all.chunks(MOST).map(|some| {
        let fits = |size: &&usize| **size >= some.len();
        let size = SIZES.iter().rev().find(fits).copied().unwrap_or(MOST);
        let again = some.last().cloned();
        let again = iter::repeat_with(|| again.clone()).flatten();
        some.iter().cloned().chain(again).take(size).collect()
    })
}
