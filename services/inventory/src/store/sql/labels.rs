//! Label index: one row per label of a live application, in list order for each label and value.

use causeway_database::{Database, Error, Transaction, query};

use super::read::{from_json, key};
use crate::{
    application::{Key, Labels, is_label, is_value},
    store::StoreError,
};

/// Rows per statement; each binds nine values.
const MAX_ROWS: usize = 50;
const BACKFILL_APPLICATIONS: i64 = 500;

/// Application of the labels.
pub(super) struct LabelOwner<'a> {
    pub(super) id: i64,
    pub(super) account: &'a str,
    pub(super) key: &'a Key,
}

pub(super) async fn delete(transaction: &mut Transaction, id: i64) -> Result<(), Error> {
    query("DELETE FROM application_label WHERE application_id = $1")
        .bind(id)
        .execute(transaction)
        .await?;
    Ok(())
}

pub(super) async fn insert(
    transaction: &mut Transaction,
    owner: &LabelOwner<'_>,
    labels: &Labels,
) -> Result<(), Error> {
    // The API server accepts no others; this bounds what a faulty reporter can write into the index.
    let known = labels
        .iter()
        .filter(|(label, value)| is_label(label) && is_value(value));
    let known: Vec<_> = known.collect();
    for chunk in known.chunks(MAX_ROWS) {
        let mut query = query(
            "INSERT INTO application_label (of_account, label, value, at_runtime, at_namespace, at_name, at_cluster, at_id, application_id) VALUES ",
        );
        let mut separator = "(";
        for (label, value) in chunk {
            query.push(separator);
            let texts = [
                owner.account,
                label.as_str(),
                value.as_str(),
                &owner.key.runtime_name,
                &owner.key.namespace,
                &owner.key.name,
                &owner.key.cluster,
                &owner.key.runtime,
            ];
            for text in texts {
                query.push_bind(text).push(", ");
            }
            query.push_bind(owner.id).push(")");
            separator = ", (";
        }
        query.execute(transaction).await?;
    }
    Ok(())
}

/// Indexes, once, the labels of rows that an older version wrote.
pub(super) async fn backfill(database: &Database) -> Result<(), Error> {
    let mut transaction = database.begin().await?;
    let row = query("SELECT labels_indexed FROM store").fetch_one(&mut transaction);
    if row.await?.try_get::<i64>(0)? == 1 {
        return Ok(());
    }
    let mut last = 0;
    while let Some(id) = backfill_chunk(&mut transaction, last).await? {
        last = id;
    }
    query("UPDATE store SET labels_indexed = 1")
        .execute(&mut transaction)
        .await?;
    transaction.commit().await
}

/// Returns the last id, if there are more.
async fn backfill_chunk(transaction: &mut Transaction, after: i64) -> Result<Option<i64>, Error> {
    let rows = query(
        "SELECT runtime_name, namespace, name, cluster, runtime, id, account, labels FROM application
         WHERE deleted = 0 AND id > $1 ORDER BY id LIMIT $2",
    )
    .bind(after)
    .bind(BACKFILL_APPLICATIONS)
    .fetch_all(&mut *transaction)
    .await?;
    let mut last = None;
    for row in &rows {
        let key = key(row).map_err(decode_error)?;
        let owner = LabelOwner {
            id: row.try_get(5)?,
            account: row.try_get(6)?,
            key: &key,
        };
        let labels: Labels = std::sync::Arc::new(from_json(row.try_get(7)?)?);
        insert(transaction, &owner, &labels).await?;
        last = Some(owner.id);
    }
    Ok(last)
}

fn decode_error(error: StoreError) -> Error {
    Error::Decode(error.into())
}
