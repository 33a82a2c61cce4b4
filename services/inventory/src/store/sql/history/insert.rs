//! What is told as it is accepted: entries of histories, many in one statement.

use bytes::Bytes;
use causeway_database::{Error, Row, Transaction, query};

use crate::{
    application::{Change, Health, State, Sync, Traits},
    history::{Bearing, Entry, Frame, MOST_PATCHES, Moment, Outline, Phase, Weight, framed},
    order::Life,
    patch,
    store::sql::{
        batch::{Batch, Reported},
        chunks::chunks,
        current::{Last, Own, encoded},
        prepared_write::Patch,
        read::unpacked,
    },
};

const NOTHING: &[u8] = &[];
/// States up to so many bytes are compared while others wait.
const PATCHED_INLINE: usize = 256 << 10;

/// An entry of a history.
pub(in crate::store::sql) struct Told {
    pub(in crate::store::sql) story: i64,
    pub(in crate::store::sql) entry: Entry,
    /// Whether it has the revisions of the one before, which alone says them.
    pub(in crate::store::sql) as_before: bool,
}

/// Where the history of an object stands with a change.
pub(in crate::store::sql) struct Line {
    /// Nothing of one that is gone, or that is not told of.
    pub(in crate::store::sql) story: Option<i64>,
    pub(in crate::store::sql) at: i64,
    /// How many patches there are since a whole state.
    pub(in crate::store::sql) patches: usize,
    /// The stamp of the revisions that were told last.
    pub(in crate::store::sql) revised: i64,
}

impl Batch<'_> {
    /// Tells of a state.
    pub(in crate::store::sql) async fn tell(
        &mut self,
        reported: Reported<'_>,
        own: Option<&Own>,
        number: u64,
    ) -> Result<Line, Error> {
        let change = reported.change;
        let Some(state) = reported.state else {
            return Ok(self.untold());
        };
        let own = own.filter(|own| own.head.life == Life::Live);
        let (story, since) = match own.and_then(|own| Some((own.last.story?, own.last.received_at)))
        {
            Some(known) => known,
            None => begun(self.transaction, change).await?,
        };
        let before = own.filter(|own| own.has_state);
        let bearing = before.map(|own| own.bearing);
        let (frame, patches) = self.frame(reported, state, before).await?;
        let at = self.now.max(since);
        let outline = Outline::of(state);
        let revised = outline.stamp();
        let same = revised != 0 && before.is_some_and(|own| own.revised == revised);
        let entry = Entry {
            moment: Moment { at, change: number },
            resource_version: change.position.resource_version,
            outline,
            weight: Bearing::of(state).after(bearing),
            root_digest: Some(state.root_digest),
            frame,
        };
        self.told.push(Told {
            as_before: same && !entry.frame.stands_alone(),
            story,
            entry,
        });
        Ok(Line {
            story: Some(story),
            at,
            patches,
            revised,
        })
    }

    /// How a state is told after the one that is held, and how many patches there are with it.
    async fn frame(
        &mut self,
        reported: Reported<'_>,
        state: &State,
        before: Option<&Own>,
    ) -> Result<(Frame, usize), Error> {
        let patch = match before.filter(|own| own.patches < MOST_PATCHES) {
            Some(own) => self.patch(reported, state, own).await?,
            None => None,
        };
        Ok(framed(patch, &reported.change.uid, reported.packed))
    }

    /// The patch that was made before or, where it is of another state than the one that is held, one that is made now: of large
    /// states none, since all others wait for it.
    async fn patch(
        &mut self,
        reported: Reported<'_>,
        state: &State,
        own: &Own,
    ) -> Result<Option<(Bytes, usize)>, Error> {
        let is_after = |patch: &&Patch| own.root_digest == Some(patch.base);
        if let Some(patch) = reported.patch.filter(is_after) {
            return Ok(Some((patch.content.clone(), own.patches)));
        }
        if state.canonical.len() > PATCHED_INLINE {
            return Ok(None);
        }
        let row = query("SELECT canonical FROM application WHERE id = $1")
            .bind(own.id)
            .fetch_one(&mut *self.transaction)
            .await?;
        let packed: &[u8] = row.try_get(0)?;
        if patch::decoded_size(packed) > PATCHED_INLINE as u64 {
            return Ok(None);
        }
        let base = unpacked(packed);
        let patch = base.map(|base| patch::encode(&base, &state.canonical));
        Ok(patch.map(|patch| (patch.into(), own.patches)))
    }

    /// Tells that an application is gone.
    pub(in crate::store::sql) async fn tell_end(
        &mut self,
        last: &Last,
        version: u64,
        number: u64,
    ) -> Result<Line, Error> {
        let at = self.now.max(last.received_at);
        if let Some(story) = last.story {
            let entry = Entry {
                moment: Moment { at, change: number },
                resource_version: version,
                outline: Outline::gone(),
                weight: Weight::Lasting,
                root_digest: None,
                frame: Frame::Gone,
            };
            self.told.push(Told {
                story,
                entry,
                as_before: false,
            });
            ended(self.transaction, story, &last.traits, at).await?;
        }
        Ok(Line {
            at,
            ..self.untold()
        })
    }

    pub(in crate::store::sql) fn untold(&self) -> Line {
        Line {
            story: None,
            at: self.now,
            patches: 0,
            revised: 0,
        }
    }

    /// Puts in what was told.
    pub(in crate::store::sql) async fn keep_told(&mut self) -> Result<(), Error> {
        let told = std::mem::take(&mut self.told);
        insert(self.transaction, &told).await
    }
}

/// Puts entries in, in their order.
pub(in crate::store::sql) async fn insert(
    transaction: &mut Transaction,
    told: &[Told],
) -> Result<(), Error> {
    for some in chunks(told) {
        insert_some(transaction, some).await?;
    }
    Ok(())
}

async fn insert_some(transaction: &mut Transaction, told: &[Told]) -> Result<(), Error> {
    let mut query = query(
        "INSERT INTO history (story, received_at, change, resource_version, facts, revisions, uid, root_digest, content) VALUES ",
    );
    let mut separator = "(";
    for told in told {
        let Told { story, entry, .. } = told;
        let (uid, content) = parts(&entry.frame);
        let digest = entry.root_digest.as_ref();
        let root_digest = digest.map_or(NOTHING, |digest| &digest.as_bytes()[..]);
        query.push(separator).push_bind(*story);
        query.push(", ").push_bind(entry.moment.at);
        query
            .push(", ")
            .push_bind(entry.moment.change.cast_signed());
        query
            .push(", ")
            .push_bind(entry.resource_version.cast_signed());
        let (as_before, revisions) = match told.as_before {
            true => (AS_BEFORE, String::new()),
            false => (0, revisions(entry)),
        };
        query.push(", ").push_bind(facts(entry) | as_before);
        query.push(", ").push_bind(revisions);
        query.push(", ").push_bind(uid);
        query.push(", ").push_bind(root_digest);
        query.push(", ").push_bind(content).push(")");
        separator = ", (";
    }
    query.execute(transaction).await?;
    Ok(())
}

/// The uid and the content that a row has for a frame.
pub(in crate::store::sql) fn parts(frame: &Frame) -> (&str, &[u8]) {
    match frame {
        Frame::Whole(uid, content) => (uid.as_str(), content),
        Frame::Patch(content) => ("", content),
        Frame::Gone => ("", NOTHING),
    }
}

/// The revisions as a row has them.
pub(in crate::store::sql) fn revisions(entry: &Entry) -> String {
    entry.outline.revisions.join("\n")
}

/// The bit of the facts of an entry that has the revisions of the one before.
pub(in crate::store::sql) const AS_BEFORE: i64 = 1 << 11;

/// Kind, weight, sync, health and phase in one number: 2, 1, 2, 3 and 3 bits of it.
pub(in crate::store::sql) fn facts(entry: &Entry) -> i64 {
    let kind = match &entry.frame {
        Frame::Whole(..) => 0,
        Frame::Patch(_) => 1,
        Frame::Gone => 2,
    };
    let weight = i64::from(entry.weight == Weight::Lasting);
    let Outline {
        sync,
        health,
        phase,
        ..
    } = &entry.outline;
    kind | weight << 2 | sync.code() << 3 | health.code() << 5 | phase.code() << 8
}

/// A frame and the rest of an entry that such a number stands for.
pub(in crate::store::sql) fn read_facts(
    facts: i64,
    revisions: &str,
    uid: &str,
    content: &[u8],
) -> Result<(Frame, Weight, Outline), Error> {
    let content = Bytes::copy_from_slice(content);
    let frame = match facts & 0b11 {
        0 => Frame::Whole(uid.into(), content),
        1 => Frame::Patch(content),
        2 => Frame::Gone,
        _ => return Err(Row::corrupt("facts", "it is of no kind")),
    };
    let weight = if facts >> 2 & 1 == 1 {
        Weight::Lasting
    } else {
        Weight::Passing
    };
    let revisions = revisions
        .split('\n')
        .filter(|revision| !revision.is_empty());
    let outline = Outline {
        sync: Sync::from_code(facts >> 3 & 0b11),
        health: Health::from_code(facts >> 5 & 0b111),
        phase: Phase::from_code(facts >> 8 & 0b111),
        revisions: revisions.map(str::to_owned).collect(),
    };
    Ok((frame, weight, outline))
}

/// The history of a place, made where there is none, and when what was there before ended, or 0.
pub(in crate::store::sql) async fn begun(
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

/// Notes what an application was when it ended.
async fn ended(
    transaction: &mut Transaction,
    story: i64,
    traits: &Traits,
    at: i64,
) -> Result<(), Error> {
    query("UPDATE story SET project = $2, labels = $3, ended_at = $4 WHERE id = $1")
        .bind(story)
        .bind(&*traits.project)
        .bind(encoded(&*traits.labels))
        .bind(at)
        .execute(transaction)
        .await?;
    Ok(())
}
