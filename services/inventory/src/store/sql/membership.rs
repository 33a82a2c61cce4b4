//! Reporter memberships. Each change is one transaction: the membership is read, changed by the rules of `members/roster.rs`, and its
//! differences are written.

use std::time::Duration;

use causeway_database::{Database, Error, Listener, Query, Row, Transaction, query};
use causeway_proto::ids::AccountId;
use futures::{FutureExt as _, future::BoxFuture};
use uuid::Uuid;

use super::{SqlStore, read::rows_up_to};
use crate::{
    application::{ClusterName, Scope},
    order::Continuity,
    report::membership::{
        Joined, Joining, Lease, Leaving, Move, MoveKind, Roster, TooManyMembers, can_expire_leases,
    },
    reporters::GroupPlace,
    store::{HeartbeatOutcome, MembershipStore, StoreError},
};

/// Topic of change notifications between replicas.
const MEMBERSHIPS: &str = "rosters";
const SHARED_INTERVAL: Duration = Duration::from_secs(1);
/// Longer for a file: no other replica depends on the heartbeat, and each one is a write to the disk.
const FILE_INTERVAL: Duration = Duration::from_secs(5);
const MAX_NUMBERS: usize = 5_000;

const COLUMNS: &str = "SELECT epoch.account, epoch.runtime, epoch.kind, epoch.cluster, epoch.runtime_name, epoch.roster, epoch.departures,
        epoch.moved_instance, epoch.moved_kind, epoch.moved_at, seat.number, seat.instance, seat.epoch AS began, seat.restored,
        seat.replica, seat.reporter_version, seat.since, seat.heard_at, seat.patience
    FROM epoch LEFT JOIN seat ON seat.account = epoch.account AND seat.runtime = epoch.runtime AND seat.kind = epoch.kind
        AND seat.cluster = epoch.cluster";
const ORDER: &str =
    " ORDER BY epoch.account, epoch.runtime, epoch.kind, epoch.cluster, seat.instance";

impl MembershipStore for SqlStore {
    fn interval(&self) -> Duration {
        if self.database.is_shared() {
            SHARED_INTERVAL
        } else {
            FILE_INTERVAL
        }
    }

    fn join<'a>(
        &'a self,
        joining: &'a Joining,
    ) -> BoxFuture<'a, Result<Result<Joined, TooManyMembers>, StoreError>> {
        async move { Ok(join(&self.database, joining).await?) }.boxed()
    }

    fn leave<'a>(
        &'a self,
        leaving: &'a [Leaving],
    ) -> BoxFuture<'a, Result<Vec<(Scope, Roster)>, StoreError>> {
        async move { Ok(leave(&self.database, leaving).await?) }.boxed()
    }

    fn heartbeat<'a>(
        &'a self,
        live_streams: &'a [u64],
        last: Option<i64>,
    ) -> BoxFuture<'a, Result<HeartbeatOutcome, StoreError>> {
        async move { Ok(heartbeat(&self.database, live_streams, (last, self.interval())).await?) }
            .boxed()
    }

    fn changed_since(&self, since: u64) -> BoxFuture<'_, Result<Vec<(Scope, Roster)>, StoreError>> {
        async move {
            let mut query = query(COLUMNS);
            query.push(" WHERE epoch.roster > ");
            query.push_bind(since.cast_signed()).push(ORDER);
            Ok(read(&query.fetch_all(&self.database).await?)?)
        }
        .boxed()
    }

    fn list_by_runtime<'a>(
        &'a self,
        account: &'a AccountId,
        runtime_name: &'a str,
        query_: (Option<&'a GroupPlace>, usize),
    ) -> BoxFuture<'a, Result<Vec<(Scope, Roster)>, StoreError>> {
        async move { Ok(list_by_runtime(&self.database, account, runtime_name, query_).await?) }
            .boxed()
    }

    fn listen(&self) -> Listener {
        self.database.listen(MEMBERSHIPS)
    }
}

/// Removes all members of a file when it is opened: their streams ended with the process that had the file.
pub(super) async fn clear(database: &Database) -> Result<(), Error> {
    if database.is_shared() {
        return Ok(());
    }
    let mut transaction = database.begin().await?;
    let seats = query("DELETE FROM seat").execute(&mut transaction).await?;
    if seats > 0 {
        transaction.commit().await?;
    }
    Ok(())
}

async fn join(
    database: &Database,
    joining: &Joining,
) -> Result<Result<Joined, TooManyMembers>, Error> {
    let mut transaction = database.begin().await?;
    let now = transaction.now().await?;
    let epoch = next_epoch(&mut transaction, &joining.scope).await?;
    let version = next_version(&mut transaction).await?;
    let before = load(&mut transaction, &joining.scope).await?;
    let mut roster = before.clone();
    if let Err(full) = roster.join(joining, (version, epoch), now) {
        return Ok(Err(full));
    }
    save(&mut transaction, &joining.scope, (&before, &roster)).await?;
    let update_name = "UPDATE epoch SET runtime_name = $5
         WHERE account = $1 AND runtime = $2 AND kind = $3 AND cluster = $4";
    bind_scope(query(update_name), &joining.scope)
        .bind(joining.runtime_name.as_str())
        .execute(&mut transaction)
        .await?;
    if joining.continuity == Continuity::Restored {
        let fence = "UPDATE epoch SET restored = number
             WHERE account = $1 AND runtime = $2 AND kind = $3 AND cluster = $4";
        bind_scope(query(fence), &joining.scope)
            .execute(&mut transaction)
            .await?;
    }
    transaction.notify(MEMBERSHIPS).await?;
    transaction.commit().await?;
    Ok(Ok(Joined {
        number: version,
        epoch,
        roster,
    }))
}

async fn leave(database: &Database, leaving: &[Leaving]) -> Result<Vec<(Scope, Roster)>, Error> {
    let mut transaction = database.begin().await?;
    let now = transaction.now().await?;
    let mut changed = Vec::new();
    for leaving in leaving {
        let scope = &leaving.scope;
        let leave = |roster: &mut Roster, version| roster.leave(leaving, version, now);
        changed.extend(change(&mut transaction, scope, leave).await?);
    }
    finish(transaction, &changed).await?;
    Ok(changed)
}

async fn heartbeat(
    database: &Database,
    live_streams: &[u64],
    (last, interval): (Option<i64>, Duration),
) -> Result<HeartbeatOutcome, Error> {
    let mut transaction = database.begin().await?;
    let now = transaction.now().await?;
    for chunk in live_streams.chunks(MAX_NUMBERS) {
        let mut update = query("UPDATE seat SET heard_at = $1 WHERE number IN ").bind(now);
        update.push_list(chunk.iter().map(|number| number.cast_signed()));
        update.execute(&mut transaction).await?;
    }
    let mut lost = Vec::new();
    if can_expire_leases(last, now, interval) {
        for scope in expired_scopes(&mut transaction, now).await? {
            let retire = |roster: &mut Roster, version| roster.retire(version, now);
            lost.extend(change(&mut transaction, &scope, retire).await?);
        }
    }
    finish(transaction, &lost).await?;
    Ok(HeartbeatOutcome { now, lost })
}

/// Scopes with an expired lease.
async fn expired_scopes(transaction: &mut Transaction, now: i64) -> Result<Vec<Scope>, Error> {
    let rows = query(
        "SELECT DISTINCT account, runtime, kind, cluster FROM seat WHERE abs($1 - heard_at) > patience",
    )
    .bind(now)
    .fetch_all(transaction)
    .await?;
    rows.iter().map(scope).collect()
}

async fn list_by_runtime(
    database: &Database,
    account: &AccountId,
    runtime_name: &str,
    (behind, limit): (Option<&GroupPlace>, usize),
) -> Result<Vec<(Scope, Roster)>, Error> {
    let last = query(
        "SELECT runtime FROM epoch WHERE account = $1 AND runtime_name = $2 ORDER BY roster DESC LIMIT 1",
    )
    .bind(account.as_str())
    .bind(runtime_name)
    .fetch_optional(database)
    .await?;
    let Some(last) = last else {
        return Ok(Vec::new());
    };
    let runtime: String = last.try_get(0)?;
    let mut query_ = query(COLUMNS);
    query_.push(
        " WHERE (epoch.account, epoch.runtime, epoch.kind, epoch.cluster) IN (
            SELECT account, runtime, kind, cluster FROM epoch WHERE account = ",
    );
    query_.push_bind(account.as_str()).push(" AND runtime = ");
    query_.push_bind(runtime).push(" AND runtime_name = ");
    query_.push_bind(runtime_name);
    if let Some((kind, cluster)) = behind {
        query_.push(" AND (kind, cluster) > (");
        query_.push_bind(kind.as_str()).push(", ");
        query_.push_bind(cluster.as_str()).push(")");
    }
    query_.push(" ORDER BY kind, cluster LIMIT ");
    query_.push_bind(rows_up_to(limit)).push(")").push(ORDER);
    read(&query_.fetch_all(database).await?)
}

/// Increments the epoch of a scope.
pub(super) async fn next_epoch(transaction: &mut Transaction, scope: &Scope) -> Result<u64, Error> {
    let next = query(
        "INSERT INTO epoch (account, runtime, kind, cluster, number) VALUES ($1, $2, $3, $4, 1)
         ON CONFLICT (account, runtime, kind, cluster) DO UPDATE SET number = epoch.number + 1
         RETURNING number",
    );
    let row = bind_scope(next, scope).fetch_one(transaction).await?;
    Ok(row.try_get::<i64>(0)?.cast_unsigned())
}

async fn next_version(transaction: &mut Transaction) -> Result<u64, Error> {
    let next = query("UPDATE store SET roster = roster + 1 RETURNING roster");
    let row = next.fetch_one(transaction).await?;
    Ok(row.try_get::<i64>(0)?.cast_unsigned())
}

async fn load(transaction: &mut Transaction, scope: &Scope) -> Result<Roster, Error> {
    let mut query_ = query(COLUMNS);
    query_.push(" WHERE epoch.account = ");
    query_.push_bind(scope.account.as_str());
    query_.push(" AND epoch.runtime = ");
    query_.push_bind(scope.runtime.as_str());
    query_.push(" AND epoch.kind = ");
    query_.push_bind(scope.kind.as_str());
    query_.push(" AND epoch.cluster = ");
    query_.push_bind(scope.cluster.as_str()).push(ORDER);
    let rosters = read(&query_.fetch_all(transaction).await?)?;
    let roster = rosters.into_iter().next();
    Ok(roster.map(|(_, roster)| roster).unwrap_or_default())
}

/// Changes a membership, and saves it if it differs.
async fn change(
    transaction: &mut Transaction,
    scope: &Scope,
    change: impl FnOnce(&mut Roster, u64) -> bool,
) -> Result<Option<(Scope, Roster)>, Error> {
    let before = load(transaction, scope).await?;
    let mut roster = before.clone();
    let version = next_version(transaction).await?;
    if !change(&mut roster, version) {
        return Ok(None);
    }
    save(transaction, scope, (&before, &roster)).await?;
    Ok(Some((scope.clone(), roster)))
}

async fn save(
    transaction: &mut Transaction,
    scope: &Scope,
    (before, after): (&Roster, &Roster),
) -> Result<(), Error> {
    let ended = before.leases.iter();
    let ended = ended.filter(|(instance, seat)| after.leases.get(*instance) != Some(seat));
    for (_, seat) in ended {
        query("DELETE FROM seat WHERE number = $1")
            .bind(seat.number.cast_signed())
            .execute(transaction)
            .await?;
    }
    let insert_ = after.leases.iter();
    for (instance, seat) in
        insert_.filter(|(instance, seat)| before.leases.get(*instance) != Some(seat))
    {
        insert(transaction, scope, *instance, seat).await?;
    }
    let moved = after.last_move;
    let instance = moved.map_or_else(String::new, |moved| moved.instance.to_string());
    let update = query(
        "UPDATE epoch SET roster = $5, departures = $6, moved_instance = $7, moved_kind = $8, moved_at = $9
         WHERE account = $1 AND runtime = $2 AND kind = $3 AND cluster = $4",
    );
    bind_scope(update, scope)
        .bind(after.version.cast_signed())
        .bind(after.departures.cast_signed())
        .bind(instance)
        .bind(moved.map_or(0, |moved| moved.kind.code()))
        .bind(moved.map_or(0, |moved| moved.at))
        .execute(transaction)
        .await
        .map(drop)
}

async fn insert(
    transaction: &mut Transaction,
    scope: &Scope,
    instance: Uuid,
    seat: &Lease,
) -> Result<(), Error> {
    let insert_ = query(
        "INSERT INTO seat (account, runtime, kind, cluster, instance, number, epoch, restored, replica, reporter_version,
             since, heard_at, patience)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
    );
    bind_scope(insert_, scope)
        .bind(instance.to_string())
        .bind(seat.number.cast_signed())
        .bind(seat.epoch.cast_signed())
        .bind(seat.continuity == Continuity::Restored)
        .bind(seat.replica.to_string())
        .bind(&*seat.reporter_version)
        .bind(seat.since)
        .bind(seat.heard_at)
        .bind(seat.patience)
        .execute(transaction)
        .await
        .map(drop)
}

async fn finish(mut transaction: Transaction, changed: &[(Scope, Roster)]) -> Result<(), Error> {
    if !changed.is_empty() {
        transaction.notify(MEMBERSHIPS).await?;
    }
    transaction.commit().await
}

/// Binds the columns of a scope as the first four parameters.
fn bind_scope(query: Query, scope: &Scope) -> Query {
    query
        .bind(scope.account.as_str())
        .bind(scope.runtime.as_str())
        .bind(scope.kind.as_str())
        .bind(scope.cluster.as_str())
}

/// Reads memberships from rows in the order of scopes, one row per member.
fn read(rows: &[Row]) -> Result<Vec<(Scope, Roster)>, Error> {
    let mut rosters: Vec<(Scope, Roster)> = Vec::new();
    for row in rows {
        let scope = scope(row)?;
        if rosters.last().is_none_or(|(last, _)| *last != scope) {
            rosters.push((scope, membership_of(row)?));
        }
        if let (Some((_, roster)), Some((instance, seat))) = (rosters.last_mut(), seat(row)?) {
            roster.leases.insert(instance, seat);
        }
    }
    Ok(rosters)
}

fn scope(row: &Row) -> Result<Scope, Error> {
    Ok(Scope {
        account: row.get_parsed("account")?,
        runtime: row.get_parsed("runtime")?,
        kind: row.get_parsed("kind")?,
        cluster: ClusterName::from(row.try_get::<&str>("cluster")?),
    })
}

fn membership_of(row: &Row) -> Result<Roster, Error> {
    let last_move = match MoveKind::from_code(row.try_get("moved_kind")?) {
        Some(kind) => Some(Move {
            instance: row.get_parsed("moved_instance")?,
            kind,
            at: row.try_get("moved_at")?,
        }),
        None => None,
    };
    Ok(Roster {
        version: row.try_get::<i64>("roster")?.cast_unsigned(),
        departures: row.try_get::<i64>("departures")?.cast_unsigned(),
        last_move,
        runtime_name: row.try_get("runtime_name")?,
        ..Roster::default()
    })
}

fn seat(row: &Row) -> Result<Option<(Uuid, Lease)>, Error> {
    let Some(number) = row.try_get::<Option<i64>>("number")? else {
        return Ok(None);
    };
    let seat = Lease {
        number: number.cast_unsigned(),
        epoch: row.try_get::<i64>("began")?.cast_unsigned(),
        continuity: if row.try_get("restored")? {
            Continuity::Restored
        } else {
            Continuity::Continued
        },
        replica: row.get_parsed("replica")?,
        reporter_version: row.try_get("reporter_version")?,
        since: row.try_get("since")?,
        heard_at: row.try_get("heard_at")?,
        patience: row.try_get("patience")?,
    };
    Ok(Some((row.get_parsed("instance")?, seat)))
}
