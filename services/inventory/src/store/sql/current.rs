//! Current rows of reported applications: the object itself and another one under the same name.

use causeway_database::{Error, Row, Transaction, query};

use super::{
    chunks::chunks,
    read::{from_json, life, traits},
};
use crate::{
    application::{
        Change, FormerTraits, Health, Labels, ScopeTraits, Source, State, Sync, Uid, moved,
    },
    digest::Digest,
    history::StatusKey,
    order::{Head, ObjectLife, Position},
};

/// Row of the reported object.
pub(super) struct CurrentRow {
    pub(super) id: i64,
    pub(super) head: Head,
    pub(super) last: LastKnown,
    past: Vec<FormerTraits>,
    pub(super) status: StatusKey,
    /// Digest of the held state, the possible base of a patch.
    pub(super) root_digest: Option<Digest>,
    /// False if the row is older than the stored encoding.
    pub(super) has_state: bool,
    pub(super) patches: usize,
    manifests: Vec<u8>,
    pub(super) source: Source,
    /// Hash of the revisions in the last history entry.
    pub(super) revised: i64,
    /// True if the report has the same object and runtime name.
    same_name: bool,
    /// Hash of the images.
    pub(super) images: i64,
}

/// Row of another live object with the same name.
pub(super) struct Namesake {
    pub(super) id: i64,
    pub(super) uid: Uid,
    pub(super) position: Position,
    pub(super) last: LastKnown,
}

/// Last known history, time and traits of an object.
pub(super) struct LastKnown {
    /// Id of its history; none for a tombstone, or for a row of an older version.
    pub(super) history: Option<i64>,
    pub(super) received_at: i64,
    pub(super) traits: ScopeTraits,
}

impl CurrentRow {
    /// Traits of a live object.
    pub(super) fn live_traits(&self) -> Option<ScopeTraits> {
        (self.head.life == ObjectLife::Live).then(|| self.last.traits.clone())
    }

    /// Indexed labels of a live object.
    pub(super) fn live_labels(&self) -> Option<Labels> {
        (self.head.life == ObjectLife::Live).then(|| self.last.traits.labels.clone())
    }

    /// True for a live object whose name did not change.
    pub(super) fn is_live_under_name(&self) -> bool {
        self.head.life == ObjectLife::Live && self.same_name
    }

    /// True if a report repeats the held state. A stream that broke before its acknowledgement sends it again.
    pub(super) fn is_duplicate_of(&self, change: &Change) -> bool {
        let digest = change.state.as_ref().map(|state| state.root_digest);
        let same = digest.is_some() && digest == self.root_digest && self.has_state;
        same && self.is_live_under_name()
            && self.head.position.resource_version == change.position.resource_version
    }

    /// True if the live object references a manifest.
    pub(super) fn references(&self, digest: &Digest) -> bool {
        let is = |other: &[u8]| other == digest.as_bytes();
        self.head.life == ObjectLife::Live && self.manifests.chunks(32).any(is)
    }
}

/// Rows that a report is merged with.
#[derive(Default)]
pub(super) struct Current {
    pub(super) own: Option<CurrentRow>,
    pub(super) namesake: Option<Namesake>,
}

impl Current {
    /// Manifests that the held state does not reference. The referenced ones are known to exist.
    pub(super) fn new_manifests(&self, change: &Change) -> Vec<Digest> {
        let referenced = change.state.as_ref().map_or(&[][..], |it| &it.manifests);
        let own = self.own.as_ref();
        let held = |digest: &&Digest| own.is_some_and(|own| own.references(digest));
        referenced
            .iter()
            .filter(|digest| !held(digest))
            .copied()
            .collect()
    }
}

/// Loads the current rows of reports, in their order.
pub(super) async fn load(
    transaction: &mut Transaction,
    changes: &[&Change],
) -> Result<Vec<Current>, Error> {
    let mut current = Vec::with_capacity(changes.len());
    for chunk in chunks(changes) {
        current.extend(load_chunk(transaction, chunk).await?);
    }
    Ok(current)
}

async fn load_chunk(
    transaction: &mut Transaction,
    changes: &[&Change],
) -> Result<Vec<Current>, Error> {
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
    query.push(SELECT_CURRENT);
    let rows = query.fetch_all(transaction).await?;
    let mut found: Vec<Current> = changes.iter().map(|_| Current::default()).collect();
    for row in rows {
        let place = usize::try_from(row.try_get::<i64>(19)?).ok();
        let place = place.and_then(|place| Some((changes.get(place)?, found.get_mut(place)?)));
        let Some((change, current)) = place else {
            continue;
        };
        let uid = Uid::from(row.try_get::<&str>(1)?);
        if uid == change.uid {
            current.own = Some(own(&row)?);
        } else {
            current.namesake = Some(Namesake {
                id: row.try_get(0)?,
                uid,
                position: position(&row)?,
                last: last(&row)?,
            });
        }
    }
    Ok(found)
}

/// SQLite keeps the order of a CROSS JOIN, so that each report is an index lookup.
const SELECT_CURRENT: &str = ") SELECT a.id, a.uid, a.resource_version, a.epoch, a.sequence, a.deleted, a.project, a.labels, a.story, a.received_at,
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

fn own(row: &Row) -> Result<CurrentRow, Error> {
    let position = position(row)?;
    let life = life(row.try_get(5)?);
    Ok(CurrentRow {
        id: row.try_get(0)?,
        head: Head { position, life },
        last: last(row)?,
        past: from_json(row.try_get(10)?)?,
        status: StatusKey {
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

fn last(row: &Row) -> Result<LastKnown, Error> {
    Ok(LastKnown {
        traits: traits(row.try_get(6)?, row.try_get(7)?)?,
        history: row.try_get(8)?,
        received_at: row.try_get(9)?,
    })
}

/// Traits and past of the row after a report. A tombstone keeps its last traits.
pub(super) fn next_traits(
    state: Option<&State>,
    own: Option<CurrentRow>,
    number: u64,
) -> (ScopeTraits, Vec<FormerTraits>) {
    let now = state.map(|state| state.summary.traits.clone());
    match (now, own) {
        (Some(now), Some(own)) => {
            let past = moved(own.past, own.last.traits, &now, number);
            (now, past)
        }
        (Some(now), None) => (now, Vec::new()),
        (None, Some(own)) => (own.last.traits, own.past),
        (None, None) => (ScopeTraits::default(), Vec::new()),
    }
}

pub(super) fn to_json(value: &impl serde::Serialize) -> String {
    serde_json::json!(value).to_string()
}
