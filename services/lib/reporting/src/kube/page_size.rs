//! Adapts the page size of lists to the size of objects, to bound the memory that one page takes.

/// Of the first page.
const FIRST: usize = 100;
/// A page has no more, and no fewer.
const BOUNDS: (usize, usize) = (20, 500);
const PAGE_BYTES: usize = 2 << 20;

/// How many objects the next page has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PageSize(usize);

impl PageSize {
    pub(super) const FIRST: Self = Self(FIRST);

    /// After a page of so many bytes, which was asked for with this size.
    pub(super) fn after(self, bytes: usize) -> Self {
        let fit = self.0.saturating_mul(PAGE_BYTES) / bytes.max(1);
        Self(fit.clamp(BOUNDS.0, BOUNDS.1))
    }

    pub(super) fn limit(self) -> usize {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_of_as_many_objects_as_are_some_bytes_together() {
        let after = |size: PageSize, object: usize| size.after(size.limit() * object);
        for (object, expected) in [(1 << 10, 500), (10 << 10, 204), (1 << 20, 20), (0, 500)] {
            let mut size = PageSize::FIRST;
            for _ in 0..3 {
                size = after(size, object);
            }
            assert_eq!(size.limit(), expected, "objects of {object} bytes");
        }
    }
}
