//! What is to become of histories, found out beside the writer.

use causeway_database::{Database, Error, Row, query};
use futures::TryStreamExt as _;

use crate::{
    history::{
        Corrupt, Entry, Load, MOST_PATCHES, Moment,
        retention::{Rules, Verdict, thinned},
    },
    store::{
        StoreError,
        sql::{
            history::read::{ENTRY, carry_on, entry, is_as_before, moment},
            read::{rows_up_to, signed},
        },
    },
};

/// Histories that are looked at for one write, and those of them that are made thin by it.
const LOOKED_AT_ONCE: i64 = 500;
const DUE_AT_ONCE: usize = 64;
/// Entries that are read for one write, and then on to the end of a chain. Of one history more are read at once than patches come
/// after a whole state, or it would begin at the same one again.
const ENTRIES_AT_ONCE: usize = if cfg!(test) { 70 } else { 512 };
/// Entries of one history that go without being read; with so many of all, a write is enough.
const OVER_AT_ONCE: usize = if cfg!(test) { 100 } else { 5_000 };

/// What is to become of some histories.
#[derive(Debug)]
pub(in crate::store::sql) struct Plan {
    pub(in crate::store::sql) histories: Vec<Thinner>,
    /// After which one to go on, if there are more.
    pub(in crate::store::sql) next: Option<i64>,
}

/// What is to become of one.
#[derive(Debug)]
pub(in crate::store::sql) struct Thinner {
    pub(in crate::store::sql) story: i64,
    /// How often it had been made thin when it was read: it is left alone where others did it since.
    pub(in crate::store::sql) thinnings: i64,
    /// Behind which all is thin then.
    pub(in crate::store::sql) thinned_to: i64,
    /// All before this one goes.
    pub(in crate::store::sql) first_kept: Option<Moment>,
    /// What becomes of others.
    pub(in crate::store::sql) changes: Changes,
}

/// Entries that do not stay as they are, in their order.
#[derive(Debug, Default)]
pub(in crate::store::sql) struct Changes {
    pub(in crate::store::sql) dropped: Vec<Moment>,
    /// As they are from then on.
    pub(in crate::store::sql) rewritten: Vec<Entry>,
}

/// How much a write is about.
#[derive(Default)]
struct Size {
    read: usize,
    unread: usize,
    load: Load,
}

/// A history that has too much.
struct Due {
    story: i64,
    thinnings: i64,
    thinned_to: i64,
    /// Whether its oldest entries are to go.
    over: bool,
    /// Whether some of it is not thin yet.
    thick: bool,
}

/// Entries from one that stands alone on, in their order.
struct Span {
    first: Moment,
    /// Those before this time.
    end: i64,
    /// It is enough with the first one after this time that stands alone.
    enough: i64,
}

/// What was read of a span.
struct Read {
    entries: Result<Vec<Entry>, Corrupt>,
    count: usize,
    load: Load,
    /// The last one, where more may follow: it stands alone.
    stopped: Option<Moment>,
}

/// What came of a history.
struct Judged {
    thinner: Thinner,
    size: Size,
    /// Whether there is more to be done about it, once this is.
    rest: bool,
}

impl Plan {
    /// Goes on with the histories after one.
    pub(in crate::store::sql) async fn make(
        database: &Database,
        rules: Rules,
        after: i64,
    ) -> Result<Self, StoreError> {
        let last = last_looked_at(database, after).await?;
        let due = due(database, rules, (after, last.unwrap_or(after))).await?;
        let is_all = due.len() < DUE_AT_ONCE;
        let mut plan = Self {
            histories: Vec::new(),
            next: last,
        };
        let mut size = Size::default();
        for due in &due {
            let judged = judge(database, due, rules).await?;
            size.add(&judged.size);
            plan.histories.push(judged.thinner);
            if judged.rest || size.is_enough() {
                plan.next = Some(due.story - i64::from(judged.rest));
                return Ok(plan);
            }
        }
        if !is_all {
            plan.next = due.last().map(|due| due.story);
        }
        Ok(plan)
    }
}

impl Size {
    fn add(&mut self, other: &Self) {
        self.read += other.read;
        self.unread += other.unread;
        self.load.join(other.load);
    }

    fn is_enough(&self) -> bool {
        self.read >= ENTRIES_AT_ONCE || self.unread >= OVER_AT_ONCE || self.load.is_full()
    }
}

async fn last_looked_at(database: &Database, after: i64) -> Result<Option<i64>, Error> {
    let row = query(
        "SELECT max(id) FROM (SELECT id FROM story WHERE id > $1 ORDER BY id LIMIT $2) AS some_of_them",
    )
    .bind(after)
    .bind(LOOKED_AT_ONCE)
    .fetch_one(database)
    .await?;
    row.try_get(0)
}

async fn due(
    database: &Database,
    rules: Rules,
    (after, last): (i64, i64),
) -> Result<Vec<Due>, Error> {
    let rows = query(
        "SELECT id, thinned_to, over, thick, thinnings FROM (
             SELECT id, thinned_to, thinnings,
                 CASE WHEN (SELECT change FROM history h WHERE h.story = story.id AND h.received_at <= $4
                         ORDER BY h.received_at, h.change LIMIT 1 OFFSET 1) IS NOT NULL
                     OR (ended_at > 0 AND ended_at <= $4 AND EXISTS (SELECT 1 FROM history h
                         WHERE h.story = story.id AND h.received_at <= $4 AND (h.facts & 3) = 2))
                 THEN CAST(1 AS BIGINT) ELSE 0 END AS over,
                 CASE WHEN EXISTS (SELECT 1 FROM history h WHERE h.story = story.id
                     AND h.received_at >= story.thinned_to AND h.received_at < $3)
                 THEN CAST(1 AS BIGINT) ELSE 0 END AS thick
             FROM story WHERE id > $1 AND id <= $2) AS looked_at
         WHERE over = 1 OR thick = 1 ORDER BY id LIMIT $5",
    )
    .bind(after)
    .bind(last)
    .bind(rules.full_from)
    .bind(rules.from)
    .bind(rows_up_to(DUE_AT_ONCE))
    .fetch_all(database)
    .await?;
    let due = |row: &Row| {
        Ok(Due {
            story: row.try_get(0)?,
            thinned_to: row.try_get(1)?,
            over: row.try_get::<i64>(2)? == 1,
            thick: row.try_get::<i64>(3)? == 1,
            thinnings: row.try_get(4)?,
        })
    };
    rows.iter().map(due).collect()
}

async fn judge(database: &Database, due: &Due, rules: Rules) -> Result<Judged, StoreError> {
    let mut judged = Judged {
        thinner: Thinner {
            story: due.story,
            thinnings: due.thinnings,
            thinned_to: due.thinned_to,
            first_kept: None,
            changes: Changes::default(),
        },
        size: Size::default(),
        rest: false,
    };
    // How far the first of the two spans goes: the other one may not overlap it.
    let mut behind = Moment::BEGINNING;
    if due.over {
        behind = judged.drop_oldest(database, rules).await?;
    }
    if due.thick {
        judged.thin(database, rules, behind).await?;
    }
    Ok(judged)
}

impl Judged {
    /// What was over goes; tells where what was read of it ends.
    async fn drop_oldest(
        &mut self,
        database: &Database,
        rules: Rules,
    ) -> Result<Moment, StoreError> {
        let (first, before) = last_alone(database, self.thinner.story, rules.from).await?;
        self.size.unread += before;
        let span = Span {
            first,
            end: i64::MAX,
            enough: rules.from,
        };
        let read = span.read(database, self.thinner.story).await?;
        let cut = read.stopped.filter(|last| last.at <= rules.from);
        let (stopped, advanced) = self.take(read, rules).await?;
        self.thinner.first_kept = Some(first);
        self.rest = cut.is_some() && advanced;
        let end = stopped.unwrap_or(Moment::end_of(i64::MAX));
        Ok(if advanced { end } else { first })
    }

    /// What is old enough becomes thin, unless it has to be read again first.
    async fn thin(
        &mut self,
        database: &Database,
        rules: Rules,
        behind: Moment,
    ) -> Result<(), StoreError> {
        let thin = last_thin(database, &self.thinner).await?;
        let first = self
            .thinner
            .first_kept
            .map_or(thin, |first| first.max(thin));
        if first < behind || self.rest {
            self.rest = true;
            return Ok(());
        }
        let span = Span {
            first,
            end: rules.full_from,
            enough: i64::MAX,
        };
        let before = self.thinner.thinned_to;
        let read = span.read(database, self.thinner.story).await?;
        let (stopped, advanced) = self.take(read, rules).await?;
        let thinned_to = stopped.map_or(rules.full_from, |last| last.at).max(before);
        self.thinner.thinned_to = thinned_to;
        self.rest = stopped.is_some() && (advanced || thinned_to > before);
        Ok(())
    }

    /// Takes over what becomes of entries; tells whether they are not all.
    async fn take(
        &mut self,
        read: Read,
        rules: Rules,
    ) -> Result<(Option<Moment>, bool), StoreError> {
        self.size.read += read.count;
        self.size.load.join(read.load);
        let changes = match read.entries {
            Ok(entries) => changes(entries, read.load, rules).await?,
            Err(Corrupt) => Err(Corrupt),
        };
        let Ok(changes) = changes else {
            tracing::error!(
                story = self.thinner.story,
                "a history cannot be read and stays as it is"
            );
            return Ok((read.stopped, false));
        };
        let advanced = !(changes.dropped.is_empty() && changes.rewritten.is_empty());
        let all = &mut self.thinner.changes;
        all.dropped.extend(changes.dropped);
        all.rewritten.extend(changes.rewritten);
        Ok((read.stopped, advanced))
    }
}

/// What becomes of those entries that do not stay as they are.
async fn changes(
    entries: Vec<Entry>,
    load: Load,
    rules: Rules,
) -> Result<Result<Changes, Corrupt>, StoreError> {
    let judge = move || {
        let verdicts = thinned(&entries, rules)?;
        let mut changes = Changes::default();
        for (entry, verdict) in entries.into_iter().zip(verdicts) {
            match verdict {
                Verdict::Keep => {}
                Verdict::Drop => changes.dropped.push(entry.moment),
                Verdict::Rewrite(frame) => changes.rewritten.push(Entry { frame, ..entry }),
            }
        }
        Ok(changes)
    };
    if load.is_light() {
        return Ok(judge());
    }
    let done = tokio::task::spawn_blocking(judge).await;
    done.map_err(|error| StoreError::Failed(error.into()))
}

/// The last entry up to a time that stands alone, of the oldest ones, and how many are before it.
async fn last_alone(database: &Database, story: i64, until: i64) -> Result<(Moment, usize), Error> {
    let row = query(
        "SELECT received_at, change, place FROM (
             SELECT received_at, change, facts, row_number() OVER (ORDER BY received_at, change) AS place
             FROM (SELECT received_at, change, facts FROM history WHERE story = $1 AND received_at <= $2
                 ORDER BY received_at, change LIMIT $3) AS oldest) AS numbered
         WHERE (facts & 3) <> 1 ORDER BY place DESC LIMIT 1",
    )
    .bind(story)
    .bind(until)
    .bind(rows_up_to(OVER_AT_ONCE))
    .fetch_optional(database)
    .await?;
    let Some(row) = row else {
        return Ok((Moment::BEGINNING, 0));
    };
    let before = usize::try_from(row.try_get::<i64>(2)? - 1).unwrap_or(0);
    Ok((moment(&row)?, before))
}

/// A moment whose entry stands alone, and behind which all is thin.
async fn last_thin(database: &Database, thinner: &Thinner) -> Result<Moment, Error> {
    let row = query(
        "SELECT received_at, change FROM history
         WHERE story = $1 AND received_at <= $2 AND (facts & 3) <> 1
         ORDER BY received_at DESC, change DESC LIMIT 1",
    )
    .bind(thinner.story)
    .bind(thinner.thinned_to)
    .fetch_optional(database)
    .await?;
    row.as_ref().map_or(Ok(Moment::BEGINNING), moment)
}

impl Span {
    /// Reads it as far as it is not too much, and never to the middle of a chain.
    async fn read(&self, database: &Database, story: i64) -> Result<Read, Error> {
        let mut query = query(ENTRY);
        query.push(" WHERE story = ").push_bind(story);
        query.push(" AND (received_at, change) >= ");
        query.push_list([self.first.at, signed(self.first.change)]);
        query.push(" AND received_at < ").push_bind(self.end);
        query.push(" ORDER BY received_at, change LIMIT ");
        query.push_bind(rows_up_to(ENTRIES_AT_ONCE + MOST_PATCHES + 2));
        let mut rows = query.fetch(database);
        let mut read = Read {
            entries: Ok(Vec::new()),
            count: 0,
            load: Load::default(),
            stopped: None,
        };
        let mut as_before = Vec::new();
        while let Some(row) = rows.try_next().await? {
            let at = moment(&row)?;
            let alone = row.try_get::<i64>(3)? & 3 != 1;
            let full = at.at > self.enough || read.load.is_full() || read.count >= ENTRIES_AT_ONCE;
            as_before.push(is_as_before(&row)?);
            read.add(entry(&row));
            if alone && full && read.count > 1 {
                read.stopped = Some(at);
                break;
            }
        }
        if let Ok(entries) = &mut read.entries {
            carry_on(entries.iter_mut().zip(as_before));
        }
        Ok(read)
    }
}

impl Read {
    fn add(&mut self, entry: Result<Entry, Error>) {
        self.count += 1;
        match (entry, &mut self.entries) {
            (Ok(entry), Ok(entries)) => {
                self.load.add(&entry.frame);
                entries.push(entry);
            }
            (Ok(_) | Err(_), entries) => *entries = Err(Corrupt),
        }
    }
}
