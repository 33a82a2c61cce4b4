//! What an older version kept, where it is read once when this one opens the database: from then on it has a history, which begins
//! with it as it is.

use std::sync::Arc;

use causeway_database::{Database, Error, Row, Transaction, query};

use super::insert::{Told, begun, insert};
use crate::{
    application::{Change, ClusterName, ObjectKind, ObjectName, Scope, State, Uid},
    convert::restored,
    digest::Digest,
    history::{Entry, Frame, Moment, Outline, Weight},
    image::ImageName,
    order::{Continuity, Position},
    patch,
    store::sql::image::{keep, of_itself},
};

const APPLICATIONS_AT_ONCE: i64 = 200;

/// Once: histories of applications that an older version kept. One whose state cannot be had exactly begins with its next change.
pub(in crate::store::sql) async fn begin_old(database: &Database) -> Result<(), Error> {
    let row = query("SELECT history_begun FROM store").fetch_one(database);
    if row.await?.try_get::<i64>(0)? == 1 {
        return Ok(());
    }
    let mut last = Some(0);
    while let Some(after) = last {
        let mut transaction = database.begin().await?;
        last = begin_some(&mut transaction, after).await?;
        if last.is_none() {
            query("UPDATE store SET history_begun = 1")
                .execute(&mut transaction)
                .await?;
        }
        transaction.commit().await?;
    }
    Ok(())
}

/// The id of the last one, while there are more.
async fn begin_some(transaction: &mut Transaction, after: i64) -> Result<Option<i64>, Error> {
    let rows = query(
        "SELECT id, account, runtime, cluster, uid, namespace, name, runtime_name, resource_version, epoch, sequence,
             change, received_at, root_digest, basic, detail
         FROM application WHERE deleted = 0 AND story IS NULL AND id > $1 ORDER BY id LIMIT $2",
    )
    .bind(after)
    .bind(APPLICATIONS_AT_ONCE)
    .fetch_all(&mut *transaction)
    .await?;
    let mut last = None;
    for row in &rows {
        let id = row.try_get(0)?;
        let digest = Digest::try_from(row.try_get::<&[u8]>("root_digest")?).ok();
        last = Some(id);
        let held = digest.and_then(|digest| {
            let (basic, detail) = (row.try_get("basic").ok()?, row.try_get("detail").ok()?);
            restored(basic, detail, digest)
        });
        let Some((images, state)) = held else {
            continue;
        };
        let change = change(row)?;
        say_images(transaction, id, &change, &images).await?;
        if let Some(state) = state {
            begin_one(transaction, id, &change, &state, row).await?;
        }
    }
    Ok(last)
}

/// Its reporter is silent while it does not change: nobody else would say them.
async fn say_images(
    transaction: &mut Transaction,
    id: i64,
    change: &Change,
    images: &[ImageName],
) -> Result<(), Error> {
    let application = of_itself(change);
    keep(
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

async fn begin_one(
    transaction: &mut Transaction,
    id: i64,
    change: &Change,
    state: &State,
    row: &Row,
) -> Result<(), Error> {
    let (story, _) = begun(transaction, change).await?;
    let packed = patch::encode(b"", &state.canonical);
    query("UPDATE application SET story = $2, canonical = $3, operation_ended = $4 WHERE id = $1")
        .bind(id)
        .bind(story)
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
        outline: Outline::of(state),
        weight: Weight::Lasting,
        root_digest: Some(state.root_digest),
        frame: Frame::Whole(change.uid.clone(), packed.into()),
    };
    let told = Told {
        story,
        entry,
        as_before: false,
    };
    insert(transaction, &[told]).await
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
