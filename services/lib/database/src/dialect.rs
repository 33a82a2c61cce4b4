//! Differences between the queries of SQLite and PostgreSQL.

/// Glob operator of SQLite; replaced by LIKE for PostgreSQL.
pub(crate) const GLOB: &str = " GLOB ";

/// Current Unix time in ms. PostgreSQL uses `clock_timestamp()`, because `now()` is the start of the transaction.
pub(crate) const SQLITE_NOW: &str = "SELECT CAST(unixepoch('now', 'subsec') * 1000 AS INTEGER)";
pub(crate) const NOW_OF_POSTGRES: &str =
    "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)";

/// Writes without a change, so that the commit shows whether the database accepts writes.
pub(crate) const SQLITE_WRITE: &str = "PRAGMA user_version = 0";
pub(crate) const POSTGRES_WRITE: &str = "SELECT txid_current()";

/// Forces index scans until the end of a PostgreSQL transaction; SQLite prefers indexes anyway.
pub(crate) const FORCE_INDEX_SCANS: &str = "SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off";

pub(crate) fn query_for_postgres(sql: &str) -> String {
    sql.replace(GLOB, " LIKE ")
}

/// Converts a glob to a LIKE pattern.
pub(crate) fn like(glob: &str) -> String {
    let mut like = String::with_capacity(glob.len());
    for letter in glob.chars() {
        match letter {
            '*' => like.push('%'),
            '?' => like.push('_'),
            '%' | '_' | '\\' => like.extend(['\\', letter]),
            other => like.push(other),
        }
    }
    like
}
