//! Appends history entries in batches as reports are accepted.

use bytes::Bytes;
use causeway_database::{Error, Row, Transaction, query};

use crate::{
    application::{Change, Health, ScopeTraits, State, Sync},
    history::{
        Entry, EntrySummary, Frame, Importance, MAX_PATCHES, Moment, Phase, StatusKey, choose_frame,
    },
    order::ObjectLife,
    patch,
    store::sql::{
        batch::Batch,
        chunks::chunks,
        current::{CurrentRow, LastKnown, to_json},
        prepared_write::{Patch, Report},
        read::decompress,
    },
};

const EMPTY: &[u8] = &[];
/// Largest state that is diffed inside the transaction, while other writes wait.
const MAX_INLINE_PATCH: usize = 256 << 10;

/// Entry to insert.
pub(in crate::store::sql) struct NewEntry {
    pub(in crate::store::sql) history: i64,
    pub(in crate::store::sql) entry: Entry,
    /// True if the previous entry has the same revisions; they are stored there only.
    pub(in crate::store::sql) same_revisions: bool,
}

/// History columns of an application row.
pub(in crate::store::sql) struct HistoryPosition {
    /// Id of the history; none for a tombstone.
    pub(in crate::store::sql) history: Option<i64>,
    pub(in crate::store::sql) at: i64,
    /// Number of patches since the last snapshot.
    pub(in crate::store::sql) patches: usize,
    /// Hash of the revisions in the last entry.
    pub(in crate::store::sql) revised: i64,
}

impl Batch<'_> {
    /// Appends a reported state to its history.
    pub(in crate::store::sql) async fn append_state(
        &mut self,
        report: &Report,
        own: Option<&CurrentRow>,
        number: u64,
    ) -> Result<HistoryPosition, Error> {
        let change = &report.change;
        let Some(state) = &change.state else {
            return Ok(self.no_history());
        };
        let own = own.filter(|own| own.head.life == ObjectLife::Live);
        let (history, since) =
            match own.and_then(|own| Some((own.last.history?, own.last.received_at))) {
                Some(known) => known,
                None => open_history(self.transaction, change).await?,
            };
        let base = own.filter(|own| own.has_state);
        let status = base.map(|own| own.status);
        let (frame, patches) = self.frame(report, state, base).await?;
        // Clocks of replicas differ, and the moments of one history never go back.
        let at = self.now.max(since);
        let summary = EntrySummary::from_state(state);
        let revised = summary.revisions_hash();
        let same = revised != 0 && base.is_some_and(|own| own.revised == revised);
        let entry = Entry {
            moment: Moment { at, change: number },
            resource_version: change.position.resource_version,
            summary,
            importance: StatusKey::from_state(state).importance_after(status),
            root_digest: Some(state.root_digest),
            frame,
        };
        self.history_entries.push(NewEntry {
            same_revisions: same && !entry.frame.is_standalone(),
            history,
            entry,
        });
        Ok(HistoryPosition {
            history: Some(history),
            at,
            patches,
            revised,
        })
    }

    /// Encodes a state as a patch of the held one or as a snapshot. Returns it with the number of patches since a snapshot.
    async fn frame(
        &mut self,
        report: &Report,
        state: &State,
        base: Option<&CurrentRow>,
    ) -> Result<(Frame, usize), Error> {
        let patch = match base.filter(|own| own.patches < MAX_PATCHES) {
            Some(own) => self.patch(report, state, own).await?,
            None => None,
        };
        Ok(choose_frame(patch, &report.change.uid, &report.packed))
    }

    /// Returns the prepared patch, or computes one if its base is no longer the held state. Large states get none, because all other
    /// writes would wait.
    async fn patch(
        &mut self,
        report: &Report,
        state: &State,
        own: &CurrentRow,
    ) -> Result<Option<(Bytes, usize)>, Error> {
        let is_after = |patch: &&Patch| own.root_digest == Some(patch.base);
        if let Some(patch) = report.patch.as_ref().filter(is_after) {
            return Ok(Some((patch.content.clone(), own.patches)));
        }
        if state.canonical.len() > MAX_INLINE_PATCH {
            return Ok(None);
        }
        let row = query("SELECT canonical FROM application WHERE id = $1")
            .bind(own.id)
            .fetch_one(&mut *self.transaction)
            .await?;
        let packed: &[u8] = row.try_get(0)?;
        if patch::decoded_size(packed) > MAX_INLINE_PATCH as u64 {
            return Ok(None);
        }
        let base = decompress(packed);
        let patch = base.map(|base| patch::encode(&base, &state.canonical));
        Ok(patch.map(|patch| (patch.into(), own.patches)))
    }

    /// Appends the deletion of an application.
    pub(in crate::store::sql) async fn append_deletion(
        &mut self,
        last: &LastKnown,
        version: u64,
        number: u64,
    ) -> Result<HistoryPosition, Error> {
        let at = self.now.max(last.received_at);
        if let Some(history) = last.history {
            let entry = Entry {
                moment: Moment { at, change: number },
                resource_version: version,
                summary: EntrySummary::tombstone(),
                importance: Importance::Milestone,
                root_digest: None,
                frame: Frame::Tombstone,
            };
            self.history_entries.push(NewEntry {
                history,
                entry,
                same_revisions: false,
            });
            close_history(self.transaction, history, &last.traits, at).await?;
        }
        Ok(HistoryPosition {
            at,
            ..self.no_history()
        })
    }

    pub(in crate::store::sql) fn no_history(&self) -> HistoryPosition {
        HistoryPosition {
            history: None,
            at: self.now,
            patches: 0,
            revised: 0,
        }
    }

    /// Inserts the queued entries.
    pub(in crate::store::sql) async fn flush_history(&mut self) -> Result<(), Error> {
        let entries = std::mem::take(&mut self.history_entries);
        insert(self.transaction, &entries).await
    }
}

/// Inserts entries in their order.
pub(in crate::store::sql) async fn insert(
    transaction: &mut Transaction,
    entries: &[NewEntry],
) -> Result<(), Error> {
    for chunk in chunks(entries) {
        insert_chunk(transaction, chunk).await?;
    }
    Ok(())
}

async fn insert_chunk(transaction: &mut Transaction, entries: &[NewEntry]) -> Result<(), Error> {
    let mut query = query(
        "INSERT INTO history (story, received_at, change, resource_version, facts, revisions, uid, root_digest, content) VALUES ",
    );
    let mut separator = "(";
    for new in entries {
        let NewEntry { history, entry, .. } = new;
        let (uid, content) = frame_columns(&entry.frame);
        let digest = entry.root_digest.as_ref();
        let root_digest = digest.map_or(EMPTY, |digest| &digest.as_bytes()[..]);
        query.push(separator).push_bind(*history);
        query.push(", ").push_bind(entry.moment.at);
        query
            .push(", ")
            .push_bind(entry.moment.change.cast_signed());
        query
            .push(", ")
            .push_bind(entry.resource_version.cast_signed());
        let (same_revisions, revisions) = if new.same_revisions {
            (SAME_REVISIONS, String::new())
        } else {
            (0, revisions(entry))
        };
        query
            .push(", ")
            .push_bind(encode_facts(entry) | same_revisions);
        query.push(", ").push_bind(revisions);
        query.push(", ").push_bind(uid);
        query.push(", ").push_bind(root_digest);
        query.push(", ").push_bind(content).push(")");
        separator = ", (";
    }
    query.execute(transaction).await?;
    Ok(())
}

/// Columns `uid` and `content` of a frame.
pub(in crate::store::sql) fn frame_columns(frame: &Frame) -> (&str, &[u8]) {
    match frame {
        Frame::Snapshot(uid, content) => (uid.as_str(), content),
        Frame::Patch(content) => ("", content),
        Frame::Tombstone => ("", EMPTY),
    }
}

/// Column `revisions` of an entry.
pub(in crate::store::sql) fn revisions(entry: &Entry) -> String {
    entry.summary.revisions.join("\n")
}

/// Bit of the column `facts`: the revisions are those of the previous entry.
pub(in crate::store::sql) const SAME_REVISIONS: i64 = 1 << 11;

/// Packs kind, importance, sync, health and phase into 2, 1, 2, 3 and 3 bits.
pub(in crate::store::sql) fn encode_facts(entry: &Entry) -> i64 {
    let kind = match &entry.frame {
        Frame::Snapshot(..) => 0,
        Frame::Patch(_) => 1,
        Frame::Tombstone => 2,
    };
    let importance = i64::from(entry.importance == Importance::Milestone);
    let EntrySummary {
        sync,
        health,
        phase,
        ..
    } = &entry.summary;
    kind | importance << 2 | sync.code() << 3 | health.code() << 5 | phase.code() << 8
}

/// Unpacks an entry from its columns.
pub(in crate::store::sql) fn decode_facts(
    encode_facts: i64,
    revisions: &str,
    uid: &str,
    content: &[u8],
) -> Result<(Frame, Importance, EntrySummary), Error> {
    let content = Bytes::copy_from_slice(content);
    let frame = match encode_facts & 0b11 {
        0 => Frame::Snapshot(uid.into(), content),
        1 => Frame::Patch(content),
        2 => Frame::Tombstone,
        _ => return Err(Row::corrupt("facts", "it is of no kind")),
    };
    let importance = if encode_facts >> 2 & 1 == 1 {
        Importance::Milestone
    } else {
        Importance::Routine
    };
    let revisions = revisions
        .split('\n')
        .filter(|revision| !revision.is_empty());
    let summary = EntrySummary {
        sync: Sync::from_code(encode_facts >> 3 & 0b11),
        health: Health::from_code(encode_facts >> 5 & 0b111),
        phase: Phase::from_code(encode_facts >> 8 & 0b111),
        revisions: revisions.map(str::to_owned).collect(),
    };
    Ok((frame, importance, summary))
}

/// Finds or creates the history of a name. Returns its id and the time when its previous application ended, or 0.
pub(in crate::store::sql) async fn open_history(
    transaction: &mut Transaction,
    change: &Change,
) -> Result<(i64, i64), Error> {
    let row = query(
        "INSERT INTO story (account, runtime, cluster, namespace, name, runtime_name, project, labels)
         VALUES ($1, $2, $3, $4, $5, $6, '', '{}')
         ON CONFLICT (account, runtime, cluster, namespace, name) DO UPDATE SET runtime_name = excluded.runtime_name
         RETURNING id, ended_at",
    )
    .bind(change.scope.account.as_str())
    .bind(change.scope.runtime.as_str())
    .bind(change.scope.cluster.as_str())
    .bind(&*change.object.namespace)
    .bind(&*change.object.name)
    .bind(change.runtime_name.as_str())
    .fetch_one(transaction)
    .await?;
    Ok((row.try_get(0)?, row.try_get(1)?))
}

/// Saves the last traits of a deleted application: scopes still decide who may read its history.
async fn close_history(
    transaction: &mut Transaction,
    history: i64,
    traits: &ScopeTraits,
    at: i64,
) -> Result<(), Error> {
    query("UPDATE story SET project = $2, labels = $3, ended_at = $4 WHERE id = $1")
        .bind(history)
        .bind(&*traits.project)
        .bind(to_json(&*traits.labels))
        .bind(at)
        .execute(transaction)
        .await?;
    Ok(())
}
