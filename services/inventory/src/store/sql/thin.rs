//! Histories become thin, some entries in one transaction.

use causeway_database::{Error, Row, query};

use super::{
    batch::Batch,
    chronicle::{facts, parts},
    manifests::VALUES_AT_ONCE,
    past::{entry, moment, rows_from},
    read::{rows_up_to, signed},
};
use crate::{
    history::{
        Corrupt, Entry, Frame, Moment,
        thinning::{Rules, Verdict, thinned},
    },
    store::{ENTRIES_BYTES, Outcome},
};

/// Histories that are looked at, and entries that are read, in one transaction. Of one history more are read at once than
/// patches come after a whole state, or it would begin at the same one again.
const LOOKED_AT_ONCE: usize = 500;
const ENTRIES_AT_ONCE: usize = if cfg!(test) { 40 } else { 256 };

/// A history that may have too much.
struct Due {
    story: i64,
    thinned_to: i64,
    /// Whether its oldest entries are to go.
    over: bool,
}

/// What came of a history.
struct Thinner {
    /// How many entries were read.
    read: usize,
    /// Whether the next look at it begins elsewhere.
    advanced: bool,
}

impl Batch<'_> {
    /// Goes on with the histories after one; tells where to go on, if there are more.
    pub(super) async fn thin(&mut self, rules: Rules, after: i64) -> Result<Outcome, Error> {
        self.keep_told().await?;
        let last = self.last_looked_at(after).await?;
        let mut read = 0;
        for due in self.due(rules, (after, last.unwrap_or(after))).await? {
            let thinner = self.thin_one(&due, rules).await?;
            read += thinner.read;
            if read >= ENTRIES_AT_ONCE {
                // This one again, for it may have more, unless that would come to nothing once more.
                let next = Some(due.story - i64::from(thinner.advanced));
                return Ok(Outcome::Thinned { next });
            }
        }
        Ok(Outcome::Thinned { next: last })
    }

    async fn last_looked_at(&mut self, after: i64) -> Result<Option<i64>, Error> {
        let row = query(
            "SELECT max(id) FROM (SELECT id FROM story WHERE id > $1 ORDER BY id LIMIT $2) AS some_of_them",
        )
        .bind(after)
        .bind(rows_up_to(LOOKED_AT_ONCE))
        .fetch_one(&mut *self.transaction)
        .await?;
        row.try_get(0)
    }

    async fn due(&mut self, rules: Rules, (after, last): (i64, i64)) -> Result<Vec<Due>, Error> {
        let rows = query(
            "SELECT id, thinned_to, over FROM (
                 SELECT id, thinned_to,
                     CASE WHEN (SELECT change FROM history h WHERE h.story = story.id AND h.received_at <= $4
                             ORDER BY h.received_at, h.change LIMIT 1 OFFSET 1) IS NOT NULL
                         OR (ended_at > 0 AND ended_at <= $4 AND EXISTS (SELECT 1 FROM history h
                             WHERE h.story = story.id AND h.received_at <= $4 AND (h.facts & 3) = 2))
                     THEN CAST(1 AS BIGINT) ELSE 0 END AS over,
                     CASE WHEN EXISTS (SELECT 1 FROM history h WHERE h.story = story.id
                         AND h.received_at >= story.thinned_to AND h.received_at < $3)
                     THEN 1 ELSE 0 END AS thick
                 FROM story WHERE id > $1 AND id <= $2) AS looked_at
             WHERE over = 1 OR thick = 1 ORDER BY id",
        )
        .bind(after)
        .bind(last)
        .bind(rules.full_from)
        .bind(rules.from)
        .fetch_all(&mut *self.transaction)
        .await?;
        let due = |row: &Row| {
            Ok(Due {
                story: row.try_get(0)?,
                thinned_to: row.try_get(1)?,
                over: row.try_get::<i64>(2)? == 1,
            })
        };
        rows.iter().map(due).collect()
    }

    /// Makes some of a history thin.
    async fn thin_one(&mut self, due: &Due, rules: Rules) -> Result<Thinner, Error> {
        let first = self.first_read(due).await?;
        let end = rules.full_from.max(rules.from.saturating_add(1));
        let span = (first, end);
        let rows = rows_from(self.transaction, due.story, span, ENTRIES_AT_ONCE).await?;
        let entries: Result<Vec<Entry>, Error> = rows.iter().map(entry).collect();
        let verdicts = match entries {
            Ok(entries) => thinned(&entries, rules).map(|verdicts| (entries, verdicts)),
            Err(_) => Err(Corrupt),
        };
        let bytes: usize = match &verdicts {
            Ok((entries, _)) => entries.iter().map(|entry| entry.frame.size()).sum(),
            Err(Corrupt) => 0,
        };
        let cut = rows.len() == ENTRIES_AT_ONCE || bytes > ENTRIES_BYTES;
        let last = rows.last().filter(|_| cut).map(moment).transpose()?;
        let thinned_to = last.map_or(end, |last| last.at).max(due.thinned_to);
        let advanced = match verdicts {
            Ok((entries, verdicts)) => {
                let changes = |verdict: &Verdict| !matches!(verdict, Verdict::Keep);
                let changed = verdicts.iter().any(changes);
                self.carry_out(due.story, &entries, verdicts).await?;
                changed || thinned_to > due.thinned_to
            }
            Err(Corrupt) => {
                tracing::error!(
                    story = due.story,
                    "a history cannot be read and stays as it is"
                );
                false
            }
        };
        self.note(due.story, thinned_to).await?;
        Ok(Thinner {
            read: rows.len(),
            advanced,
        })
    }

    /// A moment whose entry stands alone, and behind which all is thin.
    async fn first_read(&mut self, due: &Due) -> Result<Moment, Error> {
        let beginning = Moment { at: 0, change: 0 };
        if due.over {
            return Ok(beginning);
        }
        let row = query(
            "SELECT received_at, change FROM history
             WHERE story = $1 AND received_at <= $2 AND (facts & 3) <> 1
             ORDER BY received_at DESC, change DESC LIMIT 1",
        )
        .bind(due.story)
        .bind(due.thinned_to)
        .fetch_optional(&mut *self.transaction)
        .await?;
        row.as_ref().map_or(Ok(beginning), moment)
    }

    async fn carry_out(
        &mut self,
        story: i64,
        entries: &[Entry],
        verdicts: Vec<Verdict>,
    ) -> Result<(), Error> {
        let mut dropped = Vec::new();
        for (entry, verdict) in entries.iter().zip(verdicts) {
            match verdict {
                Verdict::Keep => {}
                Verdict::Drop => dropped.push(entry.moment),
                Verdict::Rewrite(frame) => self.rewrite(story, entry, frame).await?,
            }
        }
        for some in dropped.chunks(VALUES_AT_ONCE) {
            let mut query = query("DELETE FROM history WHERE story = ");
            query.push_bind(story).push(" AND received_at >= ");
            query.push_bind(some[0].at).push(" AND received_at <= ");
            query.push_bind(some[some.len() - 1].at);
            query.push(" AND change IN ");
            query.push_list(some.iter().map(|moment| signed(moment.change)));
            query.execute(self.transaction).await?;
        }
        Ok(())
    }

    async fn rewrite(&mut self, story: i64, entry: &Entry, frame: Frame) -> Result<(), Error> {
        let rewritten = Entry {
            frame,
            ..entry.clone()
        };
        let (uid, content) = parts(&rewritten.frame);
        query(
            "UPDATE history SET facts = $4, uid = $5, content = $6
             WHERE story = $1 AND received_at = $2 AND change = $3",
        )
        .bind(story)
        .bind(entry.moment.at)
        .bind(signed(entry.moment.change))
        .bind(facts(&rewritten))
        .bind(uid)
        .bind(content)
        .execute(self.transaction)
        .await?;
        Ok(())
    }

    /// Notes how far a history is thin; one that has nothing left is gone itself.
    async fn note(&mut self, story: i64, thinned_to: i64) -> Result<(), Error> {
        query("UPDATE story SET thinned_to = $2 WHERE id = $1")
            .bind(story)
            .bind(thinned_to)
            .execute(self.transaction)
            .await?;
        query(
            "DELETE FROM story WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM history WHERE story = $1)",
        )
        .bind(story)
        .execute(self.transaction)
        .await?;
        Ok(())
    }
}
