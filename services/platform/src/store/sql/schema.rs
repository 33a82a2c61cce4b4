//! Schema migrations. A released migration never changes.

use causeway_database::{Migration, migration};

/// Migrations in their order, from `schema/sqlite` and `schema/postgres`.
pub(crate) const MIGRATIONS: [Migration; 7] = [
    migration!("0001_first_tables", "first tables"),
    migration!(
        "0002_rejoin_and_notes",
        "runtimes join again; the root key is noted"
    ),
    migration!("0003_sign_in", "sign-in"),
    migration!("0004_client_secret_ids", "ids of client secrets"),
    migration!("0005_sessions_by_age", "sessions by age"),
    migration!("0006_sessions_of_keys", "sessions of API keys"),
    migration!("0007_preferences", "preferences and saved views"),
];

#[cfg(test)]
mod tests;
