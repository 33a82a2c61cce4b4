//! What replicas tell each other.

use causeway_database::{Listener, Transaction, query};

use super::SqlStore;
use crate::store::{Answer, ReplicaStore, StoreError};

const REVOCATIONS: &str = "revocations";

impl ReplicaStore for SqlStore {
    fn count_revocations(&self) -> Answer<'_, u64> {
        Box::pin(async move {
            let row = query("SELECT number FROM counters WHERE name = $1")
                .bind(REVOCATIONS)
                .fetch_optional(&self.database)
                .await?;
            let number: Option<i64> = row.map(|row| row.try_get(0)).transpose()?;
            Ok(number.unwrap_or(0).cast_unsigned())
        })
    }

    fn listen_to_replicas(&self) -> Listener {
        self.database.listen(REVOCATIONS)
    }
}

/// Counts that something was taken away, for every replica. To be called in the transaction that takes it.
pub(super) async fn revoked(transaction: &mut Transaction) -> Result<(), StoreError> {
    query(
        "INSERT INTO counters (name, number) VALUES ($1, 1) \
         ON CONFLICT (name) DO UPDATE SET number = counters.number + 1",
    )
    .bind(REVOCATIONS)
    .execute(transaction)
    .await?;
    Ok(transaction.notify(REVOCATIONS).await?)
}
