//! What the database holds of an object before a change of it.

use causeway_database::{Error, Row, Transaction, query};

use super::read::{decoded, life, traits};
use crate::{
    application::{Change, Health, Labels, Past, State, Sync, Traits, Uid, moved},
    digest::Digest,
    history::Bearing,
    order::{Head, Life, Position},
};

/// The object itself.
pub(super) struct Own {
    pub(super) id: i64,
    pub(super) head: Head,
    pub(super) last: Last,
    past: Vec<Past>,
    pub(super) bearing: Bearing,
    /// Of the state that the next one is told after.
    pub(super) root_digest: Option<Digest>,
    /// Whether that state is there; it is not where an older version kept it.
    pub(super) has_state: bool,
    pub(super) patches: usize,
    manifests: Vec<u8>,
    /// The stamp of the images that it uses.
    pub(super) images: i64,
}

/// Another object that has the name.
pub(super) struct Namesake {
    pub(super) id: i64,
    pub(super) position: Position,
    pub(super) last: Last,
}

/// What was told last of an object.
pub(super) struct Last {
    /// Its history; nothing of one that is gone, or that an older version kept.
    pub(super) story: Option<i64>,
    pub(super) received_at: i64,
    pub(super) traits: Traits,
}

impl Own {
    /// What it is while it is there.
    pub(super) fn shown(&self) -> Option<Traits> {
        (self.head.life == Life::Live).then(|| self.last.traits.clone())
    }

    /// The labels by which it is found, if it is.
    pub(super) fn listed(&self) -> Option<Labels> {
        (self.head.life == Life::Live).then(|| self.last.traits.labels.clone())
    }

    /// Whether it is there and names a manifest.
    pub(super) fn names(&self, digest: &Digest) -> bool {
        let is = |other: &[u8]| other == digest.as_bytes();
        self.head.life == Life::Live && self.manifests.chunks(32).any(is)
    }
}

#[derive(Default)]
/// What a change meets.
pub(super) struct Heads {
    pub(super) own: Option<Own>,
    pub(super) namesake: Option<Namesake>,
}

/// What is held of the object that a change is about, and of another one with its name.
pub(super) async fn heads(transaction: &mut Transaction, change: &Change) -> Result<Heads, Error> {
    let rows = query(
        "SELECT id, uid, resource_version, epoch, sequence, deleted, project, labels, story, received_at,
             past, sync, health, operation_ended, patches, CAST(CASE WHEN canonical IS NULL THEN 0 ELSE 1 END AS BIGINT), images, root_digest, manifests
         FROM application
         WHERE account = $1 AND runtime = $2 AND cluster = $3 AND uid = $4
         UNION ALL
         SELECT id, uid, resource_version, epoch, sequence, deleted, project, labels, story, received_at,
             '', 0, 0, 0, 0, 0, 0, root_digest, root_digest
         FROM application
         WHERE account = $1 AND runtime = $2 AND cluster = $3 AND namespace = $5 AND name = $6
           AND deleted = 0 AND uid <> $4",
    )
    .bind(change.scope.account.as_str())
    .bind(change.scope.runtime.as_str())
    .bind(change.scope.cluster.as_str())
    .bind(change.uid.as_str())
    .bind(&*change.object.namespace)
    .bind(&*change.object.name)
    .fetch_all(transaction)
    .await?;
    let mut heads = Heads::default();
    for row in rows {
        if Uid::from(row.try_get::<&str>(1)?) == change.uid {
            heads.own = Some(own(&row)?);
        } else {
            heads.namesake = Some(Namesake {
                id: row.try_get(0)?,
                position: position(&row)?,
                last: last(&row)?,
            });
        }
    }
    Ok(heads)
}

fn own(row: &Row) -> Result<Own, Error> {
    let position = position(row)?;
    let life = life(row.try_get(5)?);
    Ok(Own {
        id: row.try_get(0)?,
        head: Head { position, life },
        last: last(row)?,
        past: decoded(row.try_get(10)?)?,
        bearing: Bearing {
            sync: Sync::from_code(row.try_get(11)?),
            health: Health::from_code(row.try_get(12)?),
            operation_ended: row.try_get(13)?,
        },
        patches: usize::try_from(row.try_get::<i64>(14)?).unwrap_or(usize::MAX),
        has_state: row.try_get::<i64>(15)? == 1,
        images: row.try_get(16)?,
        root_digest: Digest::try_from(row.try_get::<&[u8]>(17)?).ok(),
        manifests: row.try_get(18)?,
    })
}

fn position(row: &Row) -> Result<Position, Error> {
    Ok(Position {
        resource_version: row.try_get::<i64>(2)?.cast_unsigned(),
        epoch: row.try_get::<i64>(3)?.cast_unsigned(),
        sequence: row.try_get::<i64>(4)?.cast_unsigned(),
    })
}

fn last(row: &Row) -> Result<Last, Error> {
    Ok(Last {
        traits: traits(row.try_get(6)?, row.try_get(7)?)?,
        story: row.try_get(8)?,
        received_at: row.try_get(9)?,
    })
}

/// What an application is now and what it was: one that is gone stays what it was last.
pub(super) fn told(state: Option<&State>, own: Option<Own>, number: u64) -> (Traits, Vec<Past>) {
    let now = state.map(|state| state.summary.traits.clone());
    match (now, own) {
        (Some(now), Some(own)) => {
            let past = moved(own.past, own.last.traits, &now, number);
            (now, past)
        }
        (Some(now), None) => (now, Vec::new()),
        (None, Some(own)) => (own.last.traits, own.past),
        (None, None) => (Traits::default(), Vec::new()),
    }
}

pub(super) fn encoded(value: &impl serde::Serialize) -> String {
    serde_json::json!(value).to_string()
}
