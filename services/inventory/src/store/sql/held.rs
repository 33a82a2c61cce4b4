//! What the database holds of an object before a change of it.

use causeway_database::{Error, Transaction, query};

use super::read::{decoded, life, traits};
use crate::{
    application::{Change, Labels, Past, State, Traits, Uid, moved},
    order::{Head, Life, Position},
};

/// The object itself.
pub(super) struct Own {
    pub(super) id: i64,
    pub(super) head: Head,
    traits: Traits,
    past: Vec<Past>,
}

impl Own {
    /// What it is while it is there.
    pub(super) fn shown(&self) -> Option<Traits> {
        (self.head.life == Life::Live).then(|| self.traits.clone())
    }

    /// The labels by which it is found, if it is.
    pub(super) fn listed(&self) -> Option<Labels> {
        (self.head.life == Life::Live).then(|| self.traits.labels.clone())
    }
}

#[derive(Default)]
/// What a change meets.
pub(super) struct Heads {
    pub(super) own: Option<Own>,
    pub(super) namesake: Option<(i64, Position)>,
}

/// What is held of the object that a change is about, and of another one with its name.
pub(super) async fn heads(transaction: &mut Transaction, change: &Change) -> Result<Heads, Error> {
    let rows = query(
        "SELECT id, uid, resource_version, epoch, sequence, deleted, project, labels, past FROM application
         WHERE account = $1 AND runtime = $2 AND cluster = $3 AND uid = $4
         UNION ALL
         SELECT id, uid, resource_version, epoch, sequence, deleted, '', '', '' FROM application
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
        let position = Position {
            resource_version: row.try_get::<i64>(2)?.cast_unsigned(),
            epoch: row.try_get::<i64>(3)?.cast_unsigned(),
            sequence: row.try_get::<i64>(4)?.cast_unsigned(),
        };
        let life = life(row.try_get(5)?);
        if Uid::from(row.try_get::<&str>(1)?) == change.uid {
            heads.own = Some(Own {
                id: row.try_get(0)?,
                head: Head { position, life },
                traits: traits(row.try_get(6)?, row.try_get(7)?)?,
                past: decoded(row.try_get(8)?)?,
            });
        } else {
            heads.namesake = Some((row.try_get(0)?, position));
        }
    }
    Ok(heads)
}

/// What an application is now and what it was: one that is gone stays what it was last.
pub(super) fn told(state: Option<&State>, own: Option<Own>, number: u64) -> (Traits, Vec<Past>) {
    let now = state.map(|state| state.summary.traits.clone());
    match (now, own) {
        (Some(now), Some(own)) => {
            let past = moved(own.past, own.traits, &now, number);
            (now, past)
        }
        (Some(now), None) => (now, Vec::new()),
        (None, Some(own)) => (own.traits, own.past),
        (None, None) => (Traits::default(), Vec::new()),
    }
}

pub(super) fn encoded(value: &impl serde::Serialize) -> String {
    serde_json::json!(value).to_string()
}
