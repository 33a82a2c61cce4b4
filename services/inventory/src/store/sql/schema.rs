//! Schema migrations. A database of a newer version is never touched.
//!
//! - List indexes begin with the columns of one order and continue with all columns that a list filters by, so that a row that does
//!   not match is never read. SQLite appends the row id to each index entry; PostgreSQL has it as a column.
//! - A membership is a row of `epoch`, since both belong to a scope and change together. `store.roster` numbers their changes. No
//!   index has `seat.heard_at`, which every heartbeat updates.
//! - Rows of `history` name their history (`story`) by id only, to stay short. Queries reach them through `story`, which has the
//!   account. `facts` is packed and unpacked in `history/insert.rs`.
//! - `story.thinnings` counts compactions, so that a plan which another replica overtook is not applied.
//! - `untold` lists applications whose resources after `after_id` have yet to follow a change.

use causeway_database::{Database, Error, Migration, migration, query};

use crate::page_key::PageKey;

/// Migrations in their order, from `schema/sqlite` and `schema/postgres`.
pub(super) const MIGRATIONS: [Migration; 16] = [
    migration!("0001_first_tables", "first tables"),
    migration!("0002_list_indexes", "orders, states and labels of lists"),
    migration!(
        "0003_encoded_states",
        "states as their reporters encoded them"
    ),
    migration!("0004_reporter_memberships", "seats of reporters"),
    migration!(
        "0005_resources_events_images",
        "resources, events and images"
    ),
    migration!("0006_history", "history"),
    migration!("0007_deployments", "operations that have ended"),
    migration!("0008_image_hashes", "stamps of images"),
    migration!("0009_maintenance", "upkeep beside the writer"),
    migration!("0010_restored_clusters", "clusters that were put back"),
    migration!(
        "0011_pending_propagation",
        "applications with changes that resources have yet to follow"
    ),
    migration!("0012_ids_in_list_indexes", "ids in the indexes of lists"),
    migration!("0013_revision_hashes", "stamps of revisions"),
    migration!("0014_page_key", "the key of page tokens"),
    migration!("0015_events_by_time", "events of an account by their time"),
    migration!("0016_manifest_owners", "runtimes that sent manifests"),
];

/// Reads the random number of the database; the first caller creates it.
pub(super) async fn incarnation(database: &Database) -> Result<u64, Error> {
    let mut transaction = database.begin().await?;
    query("INSERT INTO store (only_row, incarnation) VALUES (1, $1) ON CONFLICT DO NOTHING")
        .bind(rand::random::<i64>())
        .execute(&mut transaction)
        .await?;
    let row = query("SELECT incarnation FROM store").fetch_one(&mut transaction);
    let number: i64 = row.await?.try_get(0)?;
    transaction.commit().await?;
    Ok(number.cast_unsigned())
}

/// Reads the key that seals page tokens; the first caller generates it. None if the stored text is no key.
pub(super) async fn page_key(database: &Database) -> Result<Option<PageKey>, Error> {
    let mut transaction = database.begin().await?;
    query("UPDATE store SET page_key = $1 WHERE page_key = ''")
        .bind(PageKey::generate())
        .execute(&mut transaction)
        .await?;
    let row = query("SELECT page_key FROM store").fetch_one(&mut transaction);
    let text: String = row.await?.try_get(0)?;
    transaction.commit().await?;
    Ok(PageKey::from_text(&text))
}

#[cfg(test)]
mod tests;
