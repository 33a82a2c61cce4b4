//! Operations that have ended, as rows of their own.

use std::{collections::HashMap, sync::Arc};

use causeway_database::{Database, Error, Query, Row, Transaction, Value, query};
use causeway_proto::ids::AccountId;
use futures::TryStreamExt as _;

use super::{
    StoreError,
    chunks::chunks,
    current::encoded,
    read::{key, push_place, rows_up_to, traits},
};
use crate::{
    application::{Change, Scope, Traits, Uid},
    deployment::{Deployment, Deployments, Ended, Phase, Sought},
    store::visible::{Columns, push_rules},
};

pub(super) const TABLE: &str = "
    CREATE TABLE deployment (
        id IDENTITY PRIMARY KEY,
        account TEXT NOT NULL,
        runtime TEXT NOT NULL,
        runtime_name TEXT NOT NULL,
        cluster TEXT NOT NULL,
        uid TEXT NOT NULL,
        namespace TEXT NOT NULL,
        name TEXT NOT NULL,
        project TEXT NOT NULL,
        labels TEXT NOT NULL,
        started_at BIGINT NOT NULL,
        mark TEXT NOT NULL,
        phase BIGINT NOT NULL,
        recorded_at BIGINT NOT NULL,
        content BLOB NOT NULL,
        git_commit BLOB NOT NULL,
        UNIQUE (account, runtime, cluster, uid, started_at, mark)
    );
    CREATE INDEX deployment_started ON deployment (account, started_at, id);
    CREATE INDEX deployment_named ON deployment (account, name, namespace, started_at, id);
    CREATE INDEX deployment_recorded ON deployment (recorded_at);
";

/// How many rows are looked at for one page.
const WINDOW: usize = if cfg!(test) { 4 } else { 2_000 };

/// What reports tell of ended operations, each once.
#[derive(Default)]
pub(super) struct Records {
    all: Vec<Recorded>,
    places: HashMap<Name, usize>,
}

/// Whose operation, when it began, and its mark.
type Name = (Arc<Scope>, Uid, i64, String);

struct Recorded {
    change: Arc<Change>,
    /// Of its application, encoded.
    project: Arc<str>,
    labels: String,
    ended: Ended,
}

impl Records {
    /// Takes what a report tells, of an application that is such.
    pub(super) fn add(&mut self, change: &Arc<Change>, traits: &Traits) {
        for ended in &change.operations {
            let (scope, uid) = (change.scope.clone(), change.uid.clone());
            let name = (scope, uid, ended.started_at, ended.mark.clone());
            match self.places.get(&name) {
                Some(place) if self.all[*place].ended.commit.is_empty() => {
                    self.all[*place].ended.commit.clone_from(&ended.commit);
                }
                Some(_) => {}
                None => {
                    self.places.insert(name, self.all.len());
                    self.all.push(Recorded {
                        change: change.clone(),
                        project: traits.project.clone(),
                        labels: encoded(&*traits.labels),
                        ended: ended.clone(),
                    });
                }
            }
        }
    }

    /// Records them. One that is recorded only learns its commit.
    pub(super) async fn keep(
        &mut self,
        transaction: &mut Transaction,
        now: i64,
    ) -> Result<(), Error> {
        self.places.clear();
        for some in chunks(&std::mem::take(&mut self.all)) {
            record(transaction, some, now).await?;
        }
        Ok(())
    }
}

async fn record(transaction: &mut Transaction, some: &[Recorded], now: i64) -> Result<(), Error> {
    let mut query = query(
        "INSERT INTO deployment (account, runtime, runtime_name, cluster, uid, namespace, name, project, labels,
             started_at, mark, phase, recorded_at, content, git_commit) VALUES ",
    );
    let mut separator = "";
    for Recorded {
        change,
        project,
        labels,
        ended,
    } in some
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

/// A page after a number; nothing where that is not known any more.
pub(super) async fn list(
    database: &Database,
    account: &AccountId,
    sought: &Sought,
    after: Option<u64>,
    limit: usize,
) -> Result<Option<Deployments>, StoreError> {
    let place = match after {
        None => None,
        Some(number) => match place(database, account, number).await? {
            None => return Ok(None),
            place => place,
        },
    };
    let mut rows = asked(account, sought, place, limit).fetch(database);
    let (mut page, mut count) = (Deployments::default(), 0);
    while let Some(row) = rows.try_next().await? {
        count += 1;
        if !page.look(deployment(&row)?, sought, limit) {
            return Ok(Some(page));
        }
    }
    if count < window(limit) {
        page.next = None;
    }
    Ok(Some(page))
}

async fn place(
    database: &Database,
    account: &AccountId,
    number: u64,
) -> Result<Option<(i64, i64)>, StoreError> {
    let row = query("SELECT started_at, id FROM deployment WHERE account = $1 AND id = $2")
        .bind(account.as_str())
        .bind(number.cast_signed())
        .fetch_optional(database)
        .await?;
    let place = row.map(|row| Ok::<_, Error>((row.try_get(0)?, row.try_get(1)?)));
    Ok(place.transpose()?)
}

fn window(limit: usize) -> usize {
    WINDOW.max(limit + 1)
}

fn asked(account: &AccountId, sought: &Sought, after: Option<(i64, i64)>, limit: usize) -> Query {
    let mut query = query(
        "SELECT runtime_name, namespace, name, cluster, runtime, id, uid, project, labels, \
         recorded_at, started_at, mark, phase, content, git_commit FROM deployment WHERE account = ",
    );
    query.push_bind(account.as_str());
    push_place(&mut query, &sought.of);
    if !sought.of.project.is_empty() {
        query
            .push(" AND project = ")
            .push_bind(sought.of.project.as_str());
    }
    if !sought.phases.is_empty() {
        let codes = sought.phases.iter().map(|phase| phase.code());
        query.push(" AND phase IN ").push_list(codes);
    }
    if let Some(from) = sought.from {
        query.push(" AND started_at >= ").push_bind(from);
    }
    if let Some(before) = sought.before {
        query.push(" AND started_at < ").push_bind(before);
    }
    if let Some((started_at, id)) = after {
        query.push(" AND started_at <= ").push_bind(started_at);
        query.push(" AND (started_at < ").push_bind(started_at);
        query.push(" OR id < ").push_bind(id).push(")");
    }
    push_rules(&mut query, &sought.of.visible, Columns::Place);
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
