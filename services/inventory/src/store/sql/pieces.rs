//! Many rows in one statement.

use std::iter;

/// Rows in one statement; what is left over goes in fewer, so that there are few statements to know.
const SIZES: [usize; 3] = [64, 8, 1];
/// The most of them.
pub(super) const MOST: usize = SIZES[0];

/// Pieces of so many as go into one statement.
pub(super) fn pieces<T>(all: &[T]) -> impl Iterator<Item = &[T]> {
    let mut rest = all;
    iter::from_fn(move || {
        let size = SIZES.into_iter().find(|size| *size <= rest.len())?;
        let (some, others) = rest.split_at(size);
        rest = others;
        Some(some)
    })
}
