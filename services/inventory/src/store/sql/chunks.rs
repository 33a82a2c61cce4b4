//! Splits rows into multi-row statements. Few fixed sizes keep the number of prepared statements small.

use std::iter;

/// Rows per statement, largest first.
const SIZES: [usize; 4] = [64, 16, 4, 1];
pub(super) const MAX_ROWS: usize = SIZES[0];

/// Splits rows into chunks of the fixed sizes.
pub(super) fn chunks<T>(rows: &[T]) -> impl Iterator<Item = &[T]> {
    let mut rest = rows;
    iter::from_fn(move || {
        let size = SIZES.into_iter().find(|size| *size <= rest.len())?;
        let (chunk, others) = rest.split_at(size);
        rest = others;
        Some(chunk)
    })
}

/// Splits values of an `IN` list into chunks, and repeats the last value of a chunk up to the next fixed size.
pub(super) fn padded<T: Clone>(values: &[T]) -> impl Iterator<Item = Vec<T>> {
    values.chunks(MAX_ROWS).map(|chunk| {
        let fits = |size: &&usize| **size >= chunk.len();
        let size = SIZES.iter().rev().find(fits).copied().unwrap_or(MAX_ROWS);
        let last = chunk.last().cloned();
        let padding = iter::repeat_with(|| last.clone()).flatten();
        chunk.iter().cloned().chain(padding).take(size).collect()
    })
}
