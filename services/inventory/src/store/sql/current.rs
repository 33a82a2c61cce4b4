//! What the database holds of an object before a change of it.

use causeway_database::{Error, Row, Transaction, query};

use super::{
    chunks::chunks,
    read::{decoded, life, traits},
};
use crate::{
    application::{Change, Health, Labels, Past, Source, State, Sync, Traits, Uid, moved},
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
    pub(super) source: Source,
    /// The stamp of the revisions that were told last.
    pub(super) revised: i64,
    /// Whether the change calls it and its runtime as they were.
    same_name: bool,
    /// The stamp of the images that it uses.
    pub(super) images: i64,
}

/// Another object that has the name.
pub(super) struct Namesake {
    pub(super) id: i64,
    pub(super) uid: Uid,
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

    /// Whether it is there, under the name that a change has.
    pub(super) fn is_there(&self) -> bool {
        self.head.life == Life::Live && self.same_name
    }

    /// Whether a change tells what is held already, of the same resource version: a stream that ended left open whether it was.
    pub(super) fn is_told_again(&self, change: &Change) -> bool {
        let digest = change.state.as_ref().map(|state| state.root_digest);
        let same = digest.is_some() && digest == self.root_digest && self.has_state;
        same && self.is_there()
            && self.head.position.resource_version == change.position.resource_version
    }

    /// Whether it is there and names a manifest.
    pub(super) fn names(&self, digest: &Digest) -> bool {
        let is = |other: &[u8]| other == digest.as_bytes();
        self.head.life == Life::Live && self.manifests.chunks(32).any(is)
    }
}

/// What a change meets.
#[derive(Default)]
pub(super) struct Heads {
    pub(super) own: Option<Own>,
    pub(super) namesake: Option<Namesake>,
}

impl Heads {
    /// The manifests that a change names and what is held does not: those are there.
    pub(super) fn fresh(&self, change: &Change) -> Vec<Digest> {
        let named = change.state.as_ref().map_or(&[][..], |it| &it.manifests);
        let own = self.own.as_ref();
        let held = |digest: &&Digest| own.is_some_and(|own| own.names(digest));
        named
            .iter()
            .filter(|digest| !held(digest))
            .copied()
            .collect()
    }
}

/// What is held of the objects that changes are about, and of others with their names, in the order of the changes.
pub(super) async fn heads(
    transaction: &mut Transaction,
    changes: &[&Change],
) -> Result<Vec<Heads>, Error> {
    let mut heads = Vec::with_capacity(changes.len());
    for some in chunks(changes) {
        heads.extend(heads_of(transaction, some).await?);
    }
    Ok(heads)
}

async fn heads_of(transaction: &mut Transaction, changes: &[&Change]) -> Result<Vec<Heads>, Error> {
    let mut query = query(
        "WITH wanted (place, account, runtime, cluster, uid, namespace, name, runtime_name) AS (VALUES ",
    );
    let mut separator = "(";
    for (place, change) in (0_i64..).zip(changes) {
        query.push(separator).push_bind(place);
        for text in [
            change.scope.account.as_str(),
            change.scope.runtime.as_str(),
            change.scope.cluster.as_str(),
            change.uid.as_str(),
            &change.object.namespace,
            &change.object.name,
            change.runtime_name.as_str(),
        ] {
            query.push(", ").push_bind(text);
        }
        query.push(")");
        separator = ", (";
    }
    query.push(HELD);
    let rows = query.fetch_all(transaction).await?;
    let mut all: Vec<Heads> = changes.iter().map(|_| Heads::default()).collect();
    for row in rows {
        let place = usize::try_from(row.try_get::<i64>(19)?).ok();
        let place = place.and_then(|place| Some((changes.get(place)?, all.get_mut(place)?)));
        let Some((change, heads)) = place else {
            continue;
        };
        let uid = Uid::from(row.try_get::<&str>(1)?);
        if uid == change.uid {
            heads.own = Some(own(&row)?);
        } else {
            heads.namesake = Some(Namesake {
                id: row.try_get(0)?,
                uid,
                position: position(&row)?,
                last: last(&row)?,
            });
        }
    }
    Ok(all)
}

/// SQLite joins the two in their order, so that each that is wanted is looked up.
const HELD: &str = ") SELECT a.id, a.uid, a.resource_version, a.epoch, a.sequence, a.deleted, a.project, a.labels, a.story, a.received_at,
         a.past, a.sync, a.health, a.operation_ended, a.patches,
         CAST(CASE WHEN a.canonical IS NULL THEN 0 ELSE 1 END AS BIGINT), a.images, a.root_digest, a.manifests, w.place, a.source,
         CAST(CASE WHEN a.runtime_name = w.runtime_name AND a.namespace = w.namespace AND a.name = w.name THEN 1 ELSE 0 END AS BIGINT), a.revised
     FROM wanted w CROSS JOIN application a
     WHERE a.account = w.account AND a.runtime = w.runtime AND a.cluster = w.cluster AND a.uid = w.uid
     UNION ALL
     SELECT a.id, a.uid, a.resource_version, a.epoch, a.sequence, a.deleted, a.project, a.labels, a.story, a.received_at,
         '', 0, 0, 0, 0, 0, 0, a.root_digest, a.root_digest, w.place, 0, 0, 0
     FROM wanted w CROSS JOIN application a
     WHERE a.account = w.account AND a.runtime = w.runtime AND a.cluster = w.cluster AND a.namespace = w.namespace
       AND a.name = w.name AND a.deleted = 0 AND a.uid <> w.uid";

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
        source: Source::from_code(row.try_get(20)?),
        same_name: row.try_get::<i64>(21)? == 1,
        revised: row.try_get(22)?,
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
