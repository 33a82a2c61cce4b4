//! SQL of histories: inserts as reports are accepted, reads, compaction and the backfill of rows of older versions.

pub(super) mod backfill;
pub(super) mod compaction;
pub(super) mod insert;
pub(super) mod read;
