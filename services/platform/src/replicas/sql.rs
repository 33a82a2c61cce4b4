//! SQL store of messages between replicas.

use causeway_database::{Error, Listener, Row, Transaction, query};

use crate::store::sql::SqlStore;
use crate::{
    replicas::exchange::Message,
    store::{ReplicaStore, RootKeyNote, StoreError, StoreFuture},
};

const REVOCATIONS: &str = "revocations";
/// Under what the root key is noted.
const ROOT_KEY: &str = "root key";
const WORDS_AT_ONCE: usize = 200;
/// Number of words that are taken up at once at most, the newest.
const MOST_HEARD: u32 = 20_000;
/// How long a word counts that is not said again, in milliseconds.
const COUNTS_FOR: i64 = 30_000;
/// How long a word is kept, for clocks that are apart, in milliseconds.
const KEPT_FOR: i64 = 10 * 60 * 1000;

impl ReplicaStore for SqlStore {
    fn count_revocations(&self) -> StoreFuture<'_, u64> {
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

    fn register_root<'a>(
        &'a self,
        fingerprint: &'a str,
        first: RootKeyNote,
    ) -> StoreFuture<'a, String> {
        Box::pin(async move {
            let mut transaction = self.begin().await?;
            let sql = match first {
                RootKeyNote::Stays => {
                    "INSERT INTO notes (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING"
                }
                RootKeyNote::IsThis => {
                    "INSERT INTO notes (name, value) VALUES ($1, $2) \
                     ON CONFLICT (name) DO UPDATE SET value = excluded.value"
                }
            };
            query(sql)
                .bind(ROOT_KEY)
                .bind(fingerprint)
                .execute(&mut transaction)
                .await?;
            let row = query("SELECT value FROM notes WHERE name = $1")
                .bind(ROOT_KEY)
                .fetch_one(&mut transaction)
                .await?;
            let noted = row.try_get(0)?;
            transaction.commit().await?;
            Ok(noted)
        })
    }

    fn is_shared(&self) -> bool {
        self.database.is_shared()
    }

    fn exchange<'a>(
        &'a self,
        replica: &'a str,
        told: Vec<Message>,
        now: i64,
    ) -> StoreFuture<'a, Vec<Message>> {
        Box::pin(async move {
            let mut transaction = self.begin().await?;
            for some in told.chunks(WORDS_AT_ONCE) {
                leave(&mut transaction, replica, some).await?;
            }
            query("DELETE FROM heard WHERE heard_at < $1")
                .bind(now - KEPT_FOR)
                .execute(&mut transaction)
                .await?;
            transaction.commit().await?;
            let rows = query(
                "SELECT name, heard_at, body FROM heard WHERE replica <> $1 AND heard_at > $2 \
                 ORDER BY heard_at DESC LIMIT $3",
            )
            .bind(replica)
            .bind(now - COUNTS_FOR)
            .bind(MOST_HEARD)
            .fetch_all(&self.database)
            .await?;
            Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
        })
    }
}

async fn leave(
    transaction: &mut Transaction,
    replica: &str,
    words: &[Message],
) -> Result<(), StoreError> {
    let mut insert = query("INSERT INTO heard (name, replica, heard_at, body) VALUES ");
    let mut separator = "";
    for word in words {
        insert
            .push(separator)
            .push("(")
            .push_bind(word.name.as_str());
        insert.push(", ").push_bind(replica);
        insert.push(", ").push_bind(word.heard_at);
        insert.push(", ").push_bind(word.body.as_str()).push(")");
        separator = ", ";
    }
    insert.push(
        " ON CONFLICT (name) DO UPDATE SET replica = excluded.replica, heard_at = excluded.heard_at, \
         body = excluded.body WHERE heard.heard_at <= excluded.heard_at",
    );
    insert.execute(transaction).await?;
    Ok(())
}

fn read(row: &Row) -> Result<Message, Error> {
    Ok(Message {
        name: row.try_get("name")?,
        heard_at: row.try_get("heard_at")?,
        body: row.try_get("body")?,
    })
}

/// Counts that something was taken away, for every replica. To be called in the transaction that takes it.
pub(crate) async fn revoked(transaction: &mut Transaction) -> Result<(), StoreError> {
    query(
        "INSERT INTO counters (name, number) VALUES ($1, 1) \
         ON CONFLICT (name) DO UPDATE SET number = counters.number + 1",
    )
    .bind(REVOCATIONS)
    .execute(transaction)
    .await?;
    Ok(transaction.notify(REVOCATIONS).await?)
}
