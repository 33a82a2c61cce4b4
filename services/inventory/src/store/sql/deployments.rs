//! Ended operations, one row each.

use std::{collections::HashMap, sync::Arc};

use causeway_database::{Database, Error, Query, Row, Transaction, Value, query};
use causeway_proto::ids::AccountId;
use futures::{FutureExt as _, TryStreamExt as _, future::BoxFuture};

use super::{
    SqlStore, StoreError,
    chunks::chunks,
    current::to_json,
    read::{key, push_place, rows_up_to, traits},
};
use crate::{
    application::{Change, Filter, Scope, ScopeTraits, Uid},
    deployment::{
        Deployment, DeploymentCounts, DeploymentFilter, Deployments, Ended, Period, Phase,
    },
    store::{
        DeploymentReads,
        predicates::{Columns, push_rules},
    },
};

/// Rows scanned for one page.
const WINDOW: usize = if cfg!(test) { 4 } else { 2_000 };

/// Ended operations of a batch, without duplicates.
#[derive(Default)]
pub(super) struct DeploymentInserts {
    rows: Vec<DeploymentInsert>,
    indexes: HashMap<DeploymentKey, usize>,
}

/// Scope, uid, start and request annotation of an operation.
type DeploymentKey = (Arc<Scope>, Uid, i64, String);

struct DeploymentInsert {
    change: Arc<Change>,
    project: Arc<str>,
    labels: String,
    ended: Ended,
}

impl DeploymentInserts {
    /// Adds the operations of a report, with the traits of their application.
    pub(super) fn add(&mut self, change: &Arc<Change>, traits: &ScopeTraits) {
        for ended in &change.operations {
            let (scope, uid) = (change.scope.clone(), change.uid.clone());
            let name = (scope, uid, ended.started_at, ended.mark.clone());
            match self.indexes.get(&name) {
                Some(position) if self.rows[*position].ended.commit.is_empty() => {
                    self.rows[*position].ended.commit.clone_from(&ended.commit);
                }
                Some(_) => {}
                None => {
                    self.indexes.insert(name, self.rows.len());
                    self.rows.push(DeploymentInsert {
                        change: change.clone(),
                        project: traits.project.clone(),
                        labels: to_json(&*traits.labels),
                        ended: ended.clone(),
                    });
                }
            }
        }
    }

    /// Inserts the operations. An existing row only gets its missing commit.
    pub(super) async fn flush(
        &mut self,
        transaction: &mut Transaction,
        now: i64,
    ) -> Result<(), Error> {
        self.indexes.clear();
        for chunk in chunks(&std::mem::take(&mut self.rows)) {
            insert_chunk(transaction, chunk, now).await?;
        }
        Ok(())
    }
}

async fn insert_chunk(
    transaction: &mut Transaction,
    chunk: &[DeploymentInsert],
    now: i64,
) -> Result<(), Error> {
    let mut query = query(
        "INSERT INTO deployment (account, runtime, runtime_name, cluster, uid, namespace, name, project, labels,
             started_at, mark, phase, recorded_at, content, git_commit) VALUES ",
    );
    let mut separator = "";
    for DeploymentInsert {
        change,
        project,
        labels,
        ended,
    } in chunk
    {
        query.push(separator);
        query.push_list([
            Value::from(change.scope.account.as_str()),
            Value::from(change.scope.runtime.as_str()),
            Value::from(change.runtime_name.as_str()),
            Value::from(change.scope.cluster.as_str()),
            Value::from(change.uid.as_str()),
            Value::from(&*change.object.namespace),
            Value::from(&*change.object.name),
            Value::from(&**project),
            Value::from(labels.as_str()),
            Value::from(ended.started_at),
            Value::from(ended.mark.as_str()),
            Value::from(ended.phase.code()),
            Value::from(now),
            Value::from(&ended.content[..]),
            Value::from(&ended.commit[..]),
        ]);
        separator = ", ";
    }
    query.push(
        " ON CONFLICT (account, runtime, cluster, uid, started_at, mark) DO UPDATE SET git_commit = excluded.git_commit
         WHERE length(deployment.git_commit) = 0 AND length(excluded.git_commit) > 0",
    );
    query.execute(transaction).await?;
    Ok(())
}

impl DeploymentReads for SqlStore {
    fn list_deployments<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a DeploymentFilter,
        after: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Option<Deployments>, StoreError>> {
        async move {
            let database = &self.database;
            let position = match after {
                None => None,
                Some(number) => match position(database, account, number).await? {
                    None => return Ok(None),
                    position => position,
                },
            };
            let mut rows = select(account, filter, position, limit).fetch(database);
            let (mut page, mut count) = (Deployments::default(), 0);
            while let Some(row) = rows.try_next().await? {
                count += 1;
                if !page.look(deployment(&row)?, filter, limit) {
                    return Ok(Some(page));
                }
            }
            if count < window(limit) {
                page.next = None;
            }
            Ok(Some(page))
        }
        .boxed()
    }

    fn count_deployments<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a DeploymentFilter,
        period: Period,
    ) -> BoxFuture<'a, Result<Vec<DeploymentCounts>, StoreError>> {
        async move {
            let permit = self.counting.acquire().await;
            let _permit = permit.map_err(|_| StoreError::Stopped)?;
            if is_by_columns(&filter.of) {
                count_by_columns(&self.database, account, filter, period).await
            } else {
                count_rows(&self.database, account, filter, period).await
            }
        }
        .boxed()
    }
}

/// True if columns alone decide which operations match.
fn is_by_columns(filter: &Filter) -> bool {
    let rest = Filter {
        runtime: String::new(),
        cluster: String::new(),
        namespace: String::new(),
        name: String::new(),
        project: String::new(),
        ..filter.clone()
    };
    filter.visible.is_everything() && rest == Filter::within(filter.visible.clone())
}

async fn count_by_columns(
    database: &Database,
    account: &AccountId,
    filter: &DeploymentFilter,
    period: Period,
) -> Result<Vec<DeploymentCounts>, StoreError> {
    let mut query = query("SELECT interval, phase, count(*) FROM (SELECT (started_at - ");
    query.push_bind(period.from).push(") * ");
    query.push_bind(i64::from(period.intervals)).push(" / ");
    query
        .push_bind(period.length)
        .push(" AS interval, phase FROM deployment WHERE account = ");
    push_filter(&mut query, account, filter);
    push_period(&mut query, period);
    query.push(") AS counted GROUP BY interval, phase");
    let mut counts = period.zeros();
    for row in query.fetch_all(database).await? {
        let index = usize::try_from(row.try_get::<i64>(0)?).ok();
        let phase = Phase::from_code(row.try_get(1)?).ok_or(StoreError::Corrupt("phase"))?;
        let count = row.try_get::<i64>(2)?.cast_unsigned();
        if let Some(counts) = index.and_then(|index| counts.get_mut(index)) {
            counts.add(phase, count);
        }
    }
    Ok(counts)
}

/// Counts row by row: labels are checked as they were at that time.
async fn count_rows(
    database: &Database,
    account: &AccountId,
    filter: &DeploymentFilter,
    period: Period,
) -> Result<Vec<DeploymentCounts>, StoreError> {
    let mut query = query(
        "SELECT runtime_name, namespace, name, cluster, runtime, project, labels, started_at, phase
         FROM deployment WHERE account = ",
    );
    push_filter(&mut query, account, filter);
    push_period(&mut query, period);
    push_rules(&mut query, &filter.of.visible, Columns::KeyOnly);
    let mut counts = period.zeros();
    let mut rows = query.fetch(database);
    while let Some(row) = rows.try_next().await? {
        let traits = traits(row.try_get(5)?, row.try_get(6)?)?;
        if !filter.matches_application(&key(&row)?, &traits) {
            continue;
        }
        let phase = Phase::from_code(row.try_get(8)?).ok_or(StoreError::Corrupt("phase"))?;
        if let Some(index) = period.index(row.try_get(7)?) {
            counts[index].add(phase, 1);
        }
    }
    Ok(counts)
}

/// Adds the account and what columns decide.
fn push_filter(query: &mut Query, account: &AccountId, filter: &DeploymentFilter) {
    query.push_bind(account.as_str());
    push_place(query, &filter.of);
    if !filter.of.project.is_empty() {
        query
            .push(" AND project = ")
            .push_bind(filter.of.project.as_str());
    }
    if !filter.phases.is_empty() {
        let codes = filter.phases.iter().map(|phase| phase.code());
        query.push(" AND phase IN ").push_list(codes);
    }
}

fn push_period(query: &mut Query, period: Period) {
    query.push(" AND started_at >= ").push_bind(period.from);
    query.push(" AND started_at < ").push_bind(period.to());
}

async fn position(
    database: &Database,
    account: &AccountId,
    number: u64,
) -> Result<Option<(i64, i64)>, StoreError> {
    let row = query("SELECT started_at, id FROM deployment WHERE account = $1 AND id = $2")
        .bind(account.as_str())
        .bind(number.cast_signed())
        .fetch_optional(database)
        .await?;
    let position = row.map(|row| Ok::<_, Error>((row.try_get(0)?, row.try_get(1)?)));
    Ok(position.transpose()?)
}

fn window(limit: usize) -> usize {
    WINDOW.max(limit + 1)
}

fn select(
    account: &AccountId,
    filter: &DeploymentFilter,
    after: Option<(i64, i64)>,
    limit: usize,
) -> Query {
    let mut query = query(
        "SELECT runtime_name, namespace, name, cluster, runtime, id, uid, project, labels, \
         recorded_at, started_at, mark, phase, content, git_commit FROM deployment WHERE account = ",
    );
    push_filter(&mut query, account, filter);
    if let Some(from) = filter.from {
        query.push(" AND started_at >= ").push_bind(from);
    }
    if let Some(before) = filter.before {
        query.push(" AND started_at < ").push_bind(before);
    }
    if let Some((started_at, id)) = after {
        query.push(" AND started_at <= ").push_bind(started_at);
        query.push(" AND (started_at < ").push_bind(started_at);
        query.push(" OR id < ").push_bind(id).push(")");
    }
    push_rules(&mut query, &filter.of.visible, Columns::KeyOnly);
    query.push(" ORDER BY started_at DESC, id DESC LIMIT ");
    query.push_bind(rows_up_to(window(limit)));
    query
}

fn deployment(row: &Row) -> Result<Deployment, StoreError> {
    let phase = Phase::from_code(row.try_get(12)?);
    Ok(Deployment {
        key: key(row)?,
        number: row.try_get::<i64>(5)?.cast_unsigned(),
        uid: Uid::from(row.try_get::<&str>(6)?),
        traits: traits(row.try_get(7)?, row.try_get(8)?)?,
        recorded_at: row.try_get(9)?,
        ended: Ended {
            started_at: row.try_get(10)?,
            mark: row.try_get(11)?,
            phase: phase.ok_or(StoreError::Corrupt("phase"))?,
            content: row.try_get::<&[u8]>(13)?.to_vec().into(),
            commit: row.try_get::<&[u8]>(14)?.to_vec().into(),
        },
    })
}
