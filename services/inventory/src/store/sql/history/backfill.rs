//! Backfill of histories and images for rows that an older version wrote. Runs once when the database is opened; each history begins
//! with the current state.

use std::sync::Arc;

use causeway_database::{Database, Error, Row, Transaction, query};

use super::insert::{NewEntry, insert, open_history};
use crate::{
    application::{Change, ClusterName, ObjectKind, ObjectName, Scope, State, Uid},
    convert::restored,
    digest::Digest,
    history::{Entry, EntrySummary, Frame, Importance, Moment},
    image::ImageName,
    order::{Continuity, Position},
    patch,
    store::sql::image::{own_application, replace},
};

const CHUNK_APPLICATIONS: i64 = 200;

/// Starts the missing histories. If a state cannot be restored exactly, its history begins with the next report.
pub(in crate::store::sql) async fn backfill(database: &Database) -> Result<(), Error> {
    let row = query("SELECT history_begun FROM store").fetch_one(database);
    if row.await?.try_get::<i64>(0)? == 1 {
        return Ok(());
    }
    let mut last = Some(0);
    while let Some(after) = last {
        let mut transaction = database.begin().await?;
        last = backfill_chunk(&mut transaction, after).await?;
        if last.is_none() {
            query("UPDATE store SET history_begun = 1")
                .execute(&mut transaction)
                .await?;
        }
        transaction.commit().await?;
    }
    Ok(())
}

/// Returns the last id, if there are more.
async fn backfill_chunk(transaction: &mut Transaction, after: i64) -> Result<Option<i64>, Error> {
    let rows = query(
        "SELECT id, account, runtime, cluster, uid, namespace, name, runtime_name, resource_version, epoch, sequence,
             change, received_at, root_digest, basic, detail
         FROM application WHERE deleted = 0 AND story IS NULL AND id > $1 ORDER BY id LIMIT $2",
    )
    .bind(after)
    .bind(CHUNK_APPLICATIONS)
    .fetch_all(&mut *transaction)
    .await?;
    let mut last = None;
    for row in &rows {
        let id = row.try_get(0)?;
        let digest = Digest::try_from(row.try_get::<&[u8]>("root_digest")?).ok();
        last = Some(id);
        let restored_state = digest.and_then(|digest| {
            let (basic, detail) = (row.try_get("basic").ok()?, row.try_get("detail").ok()?);
            restored(basic, detail, digest)
        });
        let Some((images, state)) = restored_state else {
            continue;
        };
        let change = change(row)?;
        insert_images(transaction, id, &change, &images).await?;
        if let Some(state) = state {
            start_history(transaction, id, &change, &state, row).await?;
        }
    }
    Ok(last)
}

/// Inserts the images: a reporter sends no report while its object is unchanged.
async fn insert_images(
    transaction: &mut Transaction,
    id: i64,
    change: &Change,
    images: &[ImageName],
) -> Result<(), Error> {
    let application = own_application(change);
    replace(
        transaction,
        (&change.scope, &change.uid),
        Some(&application),
        images,
    )
    .await?;
    query("UPDATE application SET images = $2 WHERE id = $1")
        .bind(id)
        .bind(ImageName::stamp(images, Some(&application)))
        .execute(transaction)
        .await?;
    Ok(())
}

async fn start_history(
    transaction: &mut Transaction,
    id: i64,
    change: &Change,
    state: &State,
    row: &Row,
) -> Result<(), Error> {
    let (history, _) = open_history(transaction, change).await?;
    let packed = patch::encode(b"", &state.canonical);
    query("UPDATE application SET story = $2, canonical = $3, operation_ended = $4 WHERE id = $1")
        .bind(id)
        .bind(history)
        .bind(&packed[..])
        .bind(state.progress.operation.ended_at)
        .execute(transaction)
        .await?;
    let entry = Entry {
        moment: Moment {
            at: row.try_get("received_at")?,
            change: row.try_get::<i64>("change")?.cast_unsigned(),
        },
        resource_version: change.position.resource_version,
        summary: EntrySummary::from_state(state),
        importance: Importance::Milestone,
        root_digest: Some(state.root_digest),
        frame: Frame::Snapshot(change.uid.clone(), packed.into()),
    };
    let new = NewEntry {
        history,
        entry,
        same_revisions: false,
    };
    insert(transaction, &[new]).await
}

fn change(row: &Row) -> Result<Change, Error> {
    let number = |column| Ok::<_, Error>(row.try_get::<i64>(column)?.cast_unsigned());
    Ok(Change {
        scope: Arc::new(Scope {
            account: row.get_parsed("account")?,
            runtime: row.get_parsed("runtime")?,
            kind: ObjectKind::Application,
            cluster: ClusterName::from(row.try_get::<&str>("cluster")?),
        }),
        runtime_name: row.get_parsed("runtime_name")?,
        object: ObjectName {
            namespace: row.try_get::<&str>("namespace")?.into(),
            name: row.try_get::<&str>("name")?.into(),
        },
        uid: Uid::from(row.try_get::<&str>("uid")?),
        position: Position {
            resource_version: number("resource_version")?,
            epoch: number("epoch")?,
            sequence: number("sequence")?,
        },
        continuity: Continuity::Continued,
        state: None,
        operations: Vec::new(),
    })
}
