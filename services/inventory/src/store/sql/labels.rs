//! The labels of live applications as rows of their own, in the order of lists for each label and value.

use causeway_database::{Database, Error, Transaction, query};

use super::read::{decoded, key};
use crate::{
    application::{Key, Labels, is_label, is_value},
    store::StoreError,
};

/// Rows in one statement: each has nine values.
const ROWS_AT_ONCE: usize = 50;
const APPLICATIONS_AT_ONCE: i64 = 500;

/// Whose labels.
pub(super) struct Labelled<'a> {
    pub(super) id: i64,
    pub(super) account: &'a str,
    pub(super) key: &'a Key,
}

pub(super) async fn forget(transaction: &mut Transaction, id: i64) -> Result<(), Error> {
    query("DELETE FROM application_label WHERE application_id = $1")
        .bind(id)
        .execute(transaction)
        .await?;
    Ok(())
}

pub(super) async fn insert(
    transaction: &mut Transaction,
    of: &Labelled<'_>,
    labels: &Labels,
) -> Result<(), Error> {
    // No others exist in a cluster.
    let known = labels
        .iter()
        .filter(|(label, value)| is_label(label) && is_value(value));
    let known: Vec<_> = known.collect();
    for some in known.chunks(ROWS_AT_ONCE) {
        let mut query = query(
            "INSERT INTO application_label (of_account, label, value, at_runtime, at_namespace, at_name, at_cluster, at_id, application_id) VALUES ",
        );
        let mut separator = "(";
        for (label, value) in some {
            query.push(separator);
            let texts = [
                of.account,
                label.as_str(),
                value.as_str(),
                &of.key.runtime_name,
                &of.key.namespace,
                &of.key.name,
                &of.key.cluster,
                &of.key.runtime,
            ];
            for text in texts {
                query.push_bind(text).push(", ");
            }
            query.push_bind(of.id).push(")");
            separator = ", (";
        }
        query.execute(transaction).await?;
    }
    Ok(())
}

/// Once: those of applications that an older version kept.
pub(super) async fn index_old(database: &Database) -> Result<(), Error> {
    let mut transaction = database.begin().await?;
    let row = query("SELECT labels_indexed FROM store").fetch_one(&mut transaction);
    if row.await?.try_get::<i64>(0)? == 1 {
        return Ok(());
    }
    let mut last = 0;
    while let Some(id) = index_some(&mut transaction, last).await? {
        last = id;
    }
    query("UPDATE store SET labels_indexed = 1")
        .execute(&mut transaction)
        .await?;
    transaction.commit().await
}

/// The id of the last one, while there are more.
async fn index_some(transaction: &mut Transaction, after: i64) -> Result<Option<i64>, Error> {
    let rows = query(
        "SELECT runtime_name, namespace, name, cluster, runtime, id, account, labels FROM application
         WHERE deleted = 0 AND id > $1 ORDER BY id LIMIT $2",
    )
    .bind(after)
    .bind(APPLICATIONS_AT_ONCE)
    .fetch_all(&mut *transaction)
    .await?;
    let mut last = None;
    for row in &rows {
        let key = key(row).map_err(unread)?;
        let of = Labelled {
            id: row.try_get(5)?,
            account: row.try_get(6)?,
            key: &key,
        };
        let labels: Labels = std::sync::Arc::new(decoded(row.try_get(7)?)?);
        insert(transaction, &of, &labels).await?;
        last = Some(of.id);
    }
    Ok(last)
}

fn unread(error: StoreError) -> Error {
    Error::Decode(error.into())
}
