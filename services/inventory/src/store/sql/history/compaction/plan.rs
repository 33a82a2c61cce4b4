//! Plans the compaction of histories beside the writer task.

use causeway_database::{Database, Error, Row, query};
use futures::TryStreamExt as _;

use crate::{
    history::{
        CorruptHistory, Entry, MAX_PATCHES, Moment, ReadBudget,
        retention::{EntryAction, RetentionRules, plan_actions},
    },
    quota::Owner,
    store::{
        StoreError,
        sql::{
            history::read::{ENTRY, entry, fill_revisions, has_same_revisions, moment},
            read::{rows_up_to, signed},
        },
    },
};

/// Histories that one plan scans, and those that it compacts.
const MAX_SCANNED_HISTORIES: i64 = 500;
const MAX_DUE_HISTORIES: usize = 64;
/// Entries that one plan reads, beyond the end of the last chain. More than a chain is long, or the next plan would begin at the
/// same entry.
const MAX_READ_ENTRIES: usize = if cfg!(test) { 70 } else { 512 };
/// Expired entries that one plan deletes unread.
const MAX_EXPIRED_ENTRIES: usize = if cfg!(test) { 100 } else { 5_000 };

/// Changes of one compaction batch.
#[derive(Debug)]
pub(in crate::store::sql) struct CompactionPlan {
    pub(in crate::store::sql) histories: Vec<HistoryPlan>,
    /// Id after which the next batch begins, if there may be more.
    pub(in crate::store::sql) next: Option<i64>,
}

/// Changes of one history.
#[derive(Debug)]
pub(in crate::store::sql) struct HistoryPlan {
    pub(in crate::store::sql) history: i64,
    /// Number of earlier compactions, compared when the plan is applied: another replica may have been faster.
    pub(in crate::store::sql) compactions: i64,
    /// Time up to which the history is compacted then.
    pub(in crate::store::sql) compacted_to: i64,
    /// Earlier entries are deleted.
    pub(in crate::store::sql) first_kept: Option<Moment>,
    pub(in crate::store::sql) changes: Changes,
}

/// Entries to delete or to rewrite, in their order.
#[derive(Debug, Default)]
pub(in crate::store::sql) struct Changes {
    pub(in crate::store::sql) dropped: Vec<Moment>,
    pub(in crate::store::sql) rewritten: Vec<Entry>,
}

/// Size of a plan so far.
#[derive(Default)]
struct PlanSize {
    read: usize,
    unread: usize,
    budget: ReadBudget,
}

/// History with expired or uncompacted entries.
struct DueHistory {
    history: i64,
    compactions: i64,
    compacted_to: i64,
    has_expired: bool,
    has_uncompacted: bool,
}

/// Consecutive entries, beginning with a standalone one.
struct EntryRange {
    first: Moment,
    /// Excluded upper bound of the time.
    end: i64,
    /// The range ends at the first standalone entry after this time.
    stop_after: i64,
}

/// Entries read from a range.
struct ReadEntries {
    entries: Result<Vec<Entry>, CorruptHistory>,
    count: usize,
    budget: ReadBudget,
    /// Last entry, which is standalone, if the range has more.
    stopped_at: Option<Moment>,
}

/// Plan of one history with its size.
struct PlannedHistory {
    plan: HistoryPlan,
    size: PlanSize,
    /// True if the history needs another batch after this one.
    has_more: bool,
}

impl CompactionPlan {
    /// Plans the next batch of histories after an id, of one runtime or of all.
    pub(in crate::store::sql) async fn new(
        database: &Database,
        owner: Option<&Owner>,
        rules: RetentionRules,
        after: i64,
    ) -> Result<Self, StoreError> {
        let last = last_scanned(database, after).await?;
        let due = due(database, owner, rules, (after, last.unwrap_or(after))).await?;
        let is_all = due.len() < MAX_DUE_HISTORIES;
        let mut plan = Self {
            histories: Vec::new(),
            next: last,
        };
        let mut size = PlanSize::default();
        for due in &due {
            let planned = plan_history(database, due, rules).await?;
            size.add(&planned.size);
            plan.histories.push(planned.plan);
            if planned.has_more || size.is_enough() {
                plan.next = Some(due.history - i64::from(planned.has_more));
                return Ok(plan);
            }
        }
        if !is_all {
            plan.next = due.last().map(|due| due.history);
        }
        Ok(plan)
    }
}

impl PlanSize {
    fn add(&mut self, other: &Self) {
        self.read += other.read;
        self.unread += other.unread;
        self.budget.merge(other.budget);
    }

    fn is_enough(&self) -> bool {
        self.read >= MAX_READ_ENTRIES
            || self.unread >= MAX_EXPIRED_ENTRIES
            || self.budget.is_exhausted()
    }
}

async fn last_scanned(database: &Database, after: i64) -> Result<Option<i64>, Error> {
    let row = query(
        "SELECT max(id) FROM (SELECT id FROM story WHERE id > $1 ORDER BY id LIMIT $2) AS some_of_them",
    )
    .bind(after)
    .bind(MAX_SCANNED_HISTORIES)
    .fetch_one(database)
    .await?;
    row.try_get(0)
}

async fn due(
    database: &Database,
    owner: Option<&Owner>,
    rules: RetentionRules,
    (after, last): (i64, i64),
) -> Result<Vec<DueHistory>, Error> {
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
             FROM story WHERE id > $1 AND id <= $2 AND ($6 = '' OR (account = $6 AND runtime = $7))) AS looked_at
         WHERE over = 1 OR thick = 1 ORDER BY id LIMIT $5",
    )
    .bind(after)
    .bind(last)
    .bind(rules.full_from)
    .bind(rules.from)
    .bind(rows_up_to(MAX_DUE_HISTORIES))
    .bind(owner.map_or("", |owner| owner.0.as_str()))
    .bind(owner.map_or("", |owner| owner.1.as_str()))
    .fetch_all(database)
    .await?;
    let due = |row: &Row| {
        Ok(DueHistory {
            history: row.try_get(0)?,
            compacted_to: row.try_get(1)?,
            has_expired: row.try_get::<i64>(2)? == 1,
            has_uncompacted: row.try_get::<i64>(3)? == 1,
            compactions: row.try_get(4)?,
        })
    };
    rows.iter().map(due).collect()
}

async fn plan_history(
    database: &Database,
    due: &DueHistory,
    rules: RetentionRules,
) -> Result<PlannedHistory, StoreError> {
    let mut planned = PlannedHistory {
        plan: HistoryPlan {
            history: due.history,
            compactions: due.compactions,
            compacted_to: due.compacted_to,
            first_kept: None,
            changes: Changes::default(),
        },
        size: PlanSize::default(),
        has_more: false,
    };
    // End of the first range: the second one may not overlap it, since its changes are not applied yet.
    let mut behind = Moment::MIN;
    if due.has_expired {
        behind = planned.plan_expiry(database, rules).await?;
    }
    if due.has_uncompacted {
        planned.plan_compaction(database, rules, behind).await?;
    }
    Ok(planned)
}

impl PlannedHistory {
    /// Plans the deletion of expired entries. Returns the end of the entries that were read.
    async fn plan_expiry(
        &mut self,
        database: &Database,
        rules: RetentionRules,
    ) -> Result<Moment, StoreError> {
        let (first, before) = last_standalone(database, self.plan.history, rules.from).await?;
        self.size.unread += before;
        let span = EntryRange {
            first,
            end: i64::MAX,
            stop_after: rules.from,
        };
        let read = span.read(database, self.plan.history).await?;
        let cut = read.stopped_at.filter(|last| last.at <= rules.from);
        let (stopped_at, has_changes) = self.add_changes(read, rules).await?;
        self.plan.first_kept = Some(first);
        self.has_more = cut.is_some() && has_changes;
        let end = stopped_at.unwrap_or(Moment::last_at(i64::MAX));
        Ok(if has_changes { end } else { first })
    }

    /// Plans the compaction of old entries, unless the first range has to be applied before.
    async fn plan_compaction(
        &mut self,
        database: &Database,
        rules: RetentionRules,
        behind: Moment,
    ) -> Result<(), StoreError> {
        let compacted = last_compacted(database, &self.plan).await?;
        let first = self
            .plan
            .first_kept
            .map_or(compacted, |first| first.max(compacted));
        if first < behind || self.has_more {
            self.has_more = true;
            return Ok(());
        }
        let span = EntryRange {
            first,
            end: rules.full_from,
            stop_after: i64::MAX,
        };
        let before = self.plan.compacted_to;
        let read = span.read(database, self.plan.history).await?;
        let (stopped_at, has_changes) = self.add_changes(read, rules).await?;
        let compacted_to = stopped_at
            .map_or(rules.full_from, |last| last.at)
            .max(before);
        self.plan.compacted_to = compacted_to;
        self.has_more = stopped_at.is_some() && (has_changes || compacted_to > before);
        Ok(())
    }

    /// Adds the changes of a range. Returns where it stopped, and whether anything changes.
    async fn add_changes(
        &mut self,
        read: ReadEntries,
        rules: RetentionRules,
    ) -> Result<(Option<Moment>, bool), StoreError> {
        self.size.read += read.count;
        self.size.budget.merge(read.budget);
        let changes = match read.entries {
            Ok(entries) => changes(entries, read.budget, rules).await?,
            Err(CorruptHistory) => Err(CorruptHistory),
        };
        let Ok(changes) = changes else {
            tracing::error!(
                history = self.plan.history,
                "a history cannot be decoded; it is not compacted"
            );
            return Ok((read.stopped_at, false));
        };
        let has_changes = !(changes.dropped.is_empty() && changes.rewritten.is_empty());
        let all = &mut self.plan.changes;
        all.dropped.extend(changes.dropped);
        all.rewritten.extend(changes.rewritten);
        Ok((read.stopped_at, has_changes))
    }
}

/// Decides on entries; large ones on the blocking pool.
async fn changes(
    entries: Vec<Entry>,
    budget: ReadBudget,
    rules: RetentionRules,
) -> Result<Result<Changes, CorruptHistory>, StoreError> {
    let plan_history = move || {
        let actions = plan_actions(&entries, rules)?;
        let mut changes = Changes::default();
        for (entry, action) in entries.into_iter().zip(actions) {
            match action {
                EntryAction::Keep => {}
                EntryAction::Drop => changes.dropped.push(entry.moment),
                EntryAction::Rewrite(frame) => changes.rewritten.push(Entry { frame, ..entry }),
            }
        }
        Ok(changes)
    };
    if budget.is_small() {
        return Ok(plan_history());
    }
    let done = tokio::task::spawn_blocking(plan_history).await;
    done.map_err(|error| StoreError::Failed(error.into()))
}

/// Last standalone entry among the oldest ones up to a time, with the number of entries before it.
async fn last_standalone(
    database: &Database,
    history: i64,
    until: i64,
) -> Result<(Moment, usize), Error> {
    let row = query(
        "SELECT received_at, change, place FROM (
             SELECT received_at, change, facts, row_number() OVER (ORDER BY received_at, change) AS place
             FROM (SELECT received_at, change, facts FROM history WHERE story = $1 AND received_at <= $2
                 ORDER BY received_at, change LIMIT $3) AS oldest) AS numbered
         WHERE (facts & 3) <> 1 ORDER BY place DESC LIMIT 1",
    )
    .bind(history)
    .bind(until)
    .bind(rows_up_to(MAX_EXPIRED_ENTRIES))
    .fetch_optional(database)
    .await?;
    let Some(row) = row else {
        return Ok((Moment::MIN, 0));
    };
    let before = usize::try_from(row.try_get::<i64>(2)? - 1).unwrap_or(0);
    Ok((moment(&row)?, before))
}

/// Last standalone entry among those that are compacted already.
async fn last_compacted(database: &Database, plan: &HistoryPlan) -> Result<Moment, Error> {
    let row = query(
        "SELECT received_at, change FROM history
         WHERE story = $1 AND received_at <= $2 AND (facts & 3) <> 1
         ORDER BY received_at DESC, change DESC LIMIT 1",
    )
    .bind(plan.history)
    .bind(plan.compacted_to)
    .fetch_optional(database)
    .await?;
    row.as_ref().map_or(Ok(Moment::MIN), moment)
}

impl EntryRange {
    /// Reads up to the limits, and never ends in the middle of a chain.
    async fn read(&self, database: &Database, history: i64) -> Result<ReadEntries, Error> {
        let mut query = query(ENTRY);
        query.push(" WHERE story = ").push_bind(history);
        query.push(" AND (received_at, change) >= ");
        query.push_list([self.first.at, signed(self.first.change)]);
        query.push(" AND received_at < ").push_bind(self.end);
        query.push(" ORDER BY received_at, change LIMIT ");
        query.push_bind(rows_up_to(MAX_READ_ENTRIES + MAX_PATCHES + 2));
        let mut rows = query.fetch(database);
        let mut read = ReadEntries {
            entries: Ok(Vec::new()),
            count: 0,
            budget: ReadBudget::default(),
            stopped_at: None,
        };
        let mut same_revisions = Vec::new();
        while let Some(row) = rows.try_next().await? {
            let at = moment(&row)?;
            let is_standalone = row.try_get::<i64>(3)? & 3 != 1;
            let full = at.at > self.stop_after
                || read.budget.is_exhausted()
                || read.count >= MAX_READ_ENTRIES;
            same_revisions.push(has_same_revisions(&row)?);
            read.add(entry(&row));
            if is_standalone && full && read.count > 1 {
                read.stopped_at = Some(at);
                break;
            }
        }
        if let Ok(entries) = &mut read.entries {
            fill_revisions(entries.iter_mut().zip(same_revisions));
        }
        Ok(read)
    }
}

impl ReadEntries {
    fn add(&mut self, entry: Result<Entry, Error>) {
        self.count += 1;
        match (entry, &mut self.entries) {
            (Ok(entry), Ok(entries)) => {
                self.budget.add(&entry.frame);
                entries.push(entry);
            }
            (Ok(_) | Err(_), entries) => *entries = Err(CorruptHistory),
        }
    }
}
