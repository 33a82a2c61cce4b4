//! Kubernetes events. An event stays for a day after its cluster deleted it; the oldest ones of an object and of an account are
//! pruned.

use std::time::SystemTime;

use causeway_database::{Database, Error, Query, Row, query};
use causeway_proto::{ids::AccountId, time};
use futures::{FutureExt as _, TryStreamExt as _, future::BoxFuture};

use super::{
    SqlStore,
    batch::Batch,
    read::{held_object, life, rows_up_to, signed, traits},
};
use crate::{
    application::{Change, HeldObject, Scope, Uid},
    event::{
        Event, EventFilter, EventPage, EventPlace, EventRecord, EventsOf, HELD_FOR, KEPT_FOR,
        MOST_OF_ACCOUNT, MOST_OF_OBJECT,
    },
    order::{self, Head, Merge, Position},
    resource::{ApplicationName, OwnerApplication},
    store::{EventReads, Outcome, StoreError},
};

/// Rows pruned per statement.
const MAX_PRUNED: i64 = 5_000;
/// Only one in so many new events prunes its account, since that scans it.
const PRUNE_EVERY: u64 = if cfg!(test) { 1 } else { 256 };

impl Batch<'_> {
    pub(super) async fn apply_event(&mut self, change: &Change<Event>) -> Result<Outcome, Error> {
        if self.is_fenced(change) {
            return Ok(Outcome::Superseded);
        }
        let held = self.load_event(change).await?;
        let (head, is_new) = (held.map(|(_, head)| head), held.is_none());
        let merge = order::merge(
            change.position,
            change.life(),
            change.continuity,
            head,
            None,
        );
        match (merge, &change.state) {
            (Merge::Live { .. }, Some(event)) => {
                let id = self.upsert_event(change, event).await?;
                if is_new {
                    self.prune_object(change, event).await?;
                }
                if is_new && id.cast_unsigned().is_multiple_of(PRUNE_EVERY) {
                    self.prune_account(&change.scope.account).await?;
                }
                Ok(Outcome::Stored)
            }
            (Merge::Gone | Merge::Buried, _) => {
                if let Some((id, _)) = held {
                    self.delete_event(id, change.position).await?;
                }
                Ok(Outcome::Stored)
            }
            (Merge::Superseded | Merge::Live { .. }, _) => Ok(Outcome::Superseded),
        }
    }

    async fn load_event(&mut self, change: &Change<Event>) -> Result<Option<(i64, Head)>, Error> {
        let row = query(
            "SELECT id, resource_version, epoch, sequence, deleted FROM event
             WHERE account = $1 AND runtime = $2 AND cluster = $3 AND uid = $4",
        )
        .bind(change.scope.account.as_str())
        .bind(change.scope.runtime.as_str())
        .bind(change.scope.cluster.as_str())
        .bind(change.uid.as_str())
        .fetch_optional(&mut *self.transaction)
        .await?;
        row.map(|row| {
            let position = Position {
                resource_version: row.try_get::<i64>(1)?.cast_unsigned(),
                epoch: row.try_get::<i64>(2)?.cast_unsigned(),
                sequence: row.try_get::<i64>(3)?.cast_unsigned(),
            };
            let life = life(row.try_get(4)?);
            Ok((row.try_get(0)?, Head { position, life }))
        })
        .transpose()
    }

    async fn upsert_event(&mut self, change: &Change<Event>, event: &Event) -> Result<i64, Error> {
        let application = event.application.as_ref();
        let row = query(
            "INSERT INTO event (account, runtime, cluster, uid, runtime_name, namespace, name,
                 resource_version, epoch, sequence, deleted, received_at, at_cluster, at_namespace, at_name,
                 object_kind, object_namespace, object_name, last_seen, root_digest, content)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
             ON CONFLICT (account, runtime, cluster, uid) DO UPDATE SET
                 runtime_name = excluded.runtime_name, namespace = excluded.namespace, name = excluded.name,
                 resource_version = excluded.resource_version, epoch = excluded.epoch, sequence = excluded.sequence,
                 deleted = 0, received_at = excluded.received_at, at_cluster = excluded.at_cluster,
                 at_namespace = excluded.at_namespace, at_name = excluded.at_name,
                 object_kind = excluded.object_kind, object_namespace = excluded.object_namespace,
                 object_name = excluded.object_name, last_seen = excluded.last_seen,
                 root_digest = excluded.root_digest, content = excluded.content
             RETURNING id",
        )
        .bind(change.scope.account.as_str())
        .bind(change.scope.runtime.as_str())
        .bind(change.scope.cluster.as_str())
        .bind(change.uid.as_str())
        .bind(change.runtime_name.as_str())
        .bind(&*change.object.namespace)
        .bind(&*change.object.name)
        .bind(change.position.resource_version.cast_signed())
        .bind(change.position.epoch.cast_signed())
        .bind(change.position.sequence.cast_signed())
        .bind(self.now)
        .bind(application.map_or("", |it| &*it.cluster))
        .bind(application.map_or("", |it| &*it.namespace))
        .bind(application.map_or("", |it| &*it.name))
        .bind(&*event.regarding.kind)
        .bind(&*event.regarding.namespace)
        .bind(&*event.regarding.name)
        // A reporter's clock that is ahead must not keep an event at the top of the list.
        .bind(event.last_seen.min(self.now))
        .bind(&event.root_digest.as_bytes()[..])
        .bind(&event.content[..])
        .fetch_one(&mut *self.transaction)
        .await?;
        row.try_get(0)
    }

    async fn delete_event(&mut self, id: i64, position: Position) -> Result<(), Error> {
        query(
            "UPDATE event SET deleted = 1, resource_version = $2, epoch = $3, sequence = $4 WHERE id = $1",
        )
        .bind(id)
        .bind(position.resource_version.cast_signed())
        .bind(position.epoch.cast_signed())
        .bind(position.sequence.cast_signed())
        .execute(self.transaction)
        .await?;
        Ok(())
    }

    async fn prune_object(&mut self, change: &Change<Event>, event: &Event) -> Result<(), Error> {
        query(
            "DELETE FROM event WHERE id IN (
                 SELECT id FROM event
                 WHERE account = $1 AND object_namespace = $2 AND object_name = $3 AND object_kind = $4
                   AND runtime = $5 AND cluster = $6
                 ORDER BY last_seen DESC, id DESC LIMIT $7 OFFSET $8)",
        )
        .bind(change.scope.account.as_str())
        .bind(&*event.regarding.namespace)
        .bind(&*event.regarding.name)
        .bind(&*event.regarding.kind)
        .bind(change.scope.runtime.as_str())
        .bind(change.scope.cluster.as_str())
        .bind(MAX_PRUNED)
        .bind(rows_up_to(MOST_OF_OBJECT))
        .execute(self.transaction)
        .await?;
        Ok(())
    }

    async fn prune_account(&mut self, account: &AccountId) -> Result<(), Error> {
        query(
            "DELETE FROM event WHERE id IN (
                 SELECT id FROM event WHERE account = $1
                 ORDER BY received_at DESC, id DESC LIMIT $2 OFFSET $3)",
        )
        .bind(account.as_str())
        .bind(MAX_PRUNED)
        .bind(rows_up_to(MOST_OF_ACCOUNT))
        .execute(self.transaction)
        .await?;
        Ok(())
    }
}

pub(super) async fn held(
    database: &Database,
    scope: &Scope,
    after: Option<&Uid>,
    limit: usize,
) -> Result<Vec<HeldObject>, StoreError> {
    let since = time::to_millis(SystemTime::now() - HELD_FOR);
    let rows = query(
        "SELECT namespace, name, uid, resource_version, root_digest FROM event
         WHERE account = $1 AND runtime = $2 AND cluster = $3 AND uid > $4 AND deleted = 0
           AND received_at > $5 ORDER BY uid LIMIT $6",
    )
    .bind(scope.account.as_str())
    .bind(scope.runtime.as_str())
    .bind(scope.cluster.as_str())
    .bind(after.map_or("", Uid::as_str))
    .bind(since)
    .bind(rows_up_to(limit))
    .fetch_all(database)
    .await?;
    rows.iter().map(held_object).collect()
}

/// Rows scanned for one page.
const WINDOW: usize = if cfg!(test) { 4 } else { 10_000 };

impl EventReads for SqlStore {
    fn list_events<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a EventFilter,
        after: Option<EventPlace>,
        limit: usize,
    ) -> BoxFuture<'a, Result<EventPage, StoreError>> {
        async move {
            let database = &self.database;
            let since = time::to_millis(SystemTime::now() - KEPT_FOR);
            // Without a scope every scanned row matches.
            let window = if filter.visible.is_everything() {
                limit + 1
            } else {
                WINDOW.max(limit + 1)
            };
            let mut query = select(account, filter, since);
            if let Some(EventPlace { last_seen, number }) = after {
                query.push(" AND event.last_seen <= ").push_bind(last_seen);
                query.push(" AND (event.last_seen < ").push_bind(last_seen);
                query.push(" OR event.id < ").push_bind(signed(number));
                query.push(")");
            }
            query.push(" ORDER BY event.last_seen DESC, event.id DESC LIMIT ");
            query.push_bind(rows_up_to(window));
            let (mut page, mut count) = (EventPage::default(), 0);
            let mut rows = query.fetch(database);
            while let Some(row) = rows.try_next().await? {
                count += 1;
                if !page.look(record(&row)?, &filter.visible, limit) {
                    return Ok(page);
                }
            }
            if count < window {
                page.looked = None;
            }
            Ok(page)
        }
        .boxed()
    }

    fn event_place<'a>(
        &'a self,
        account: &'a AccountId,
        number: u64,
    ) -> BoxFuture<'a, Result<Option<EventPlace>, StoreError>> {
        async move {
            let database = &self.database;
            let row = query("SELECT last_seen FROM event WHERE account = $1 AND id = $2")
                .bind(account.as_str())
                .bind(signed(number))
                .fetch_optional(database)
                .await?;
            let last_seen = row.map(|row| row.try_get(0)).transpose()?;
            Ok(last_seen.map(|last_seen| EventPlace { last_seen, number }))
        }
        .boxed()
    }
}

fn select(account: &AccountId, filter: &EventFilter, since: i64) -> Query {
    let mut query = query(
        "SELECT event.runtime_name, event.cluster, event.object_namespace, event.last_seen, event.content,
             event.at_cluster, event.at_namespace, event.at_name, application.project, application.labels, event.id
         FROM event LEFT JOIN application ON application.account = event.account
             AND application.runtime = event.runtime AND application.cluster = event.at_cluster
             AND application.namespace = event.at_namespace AND application.name = event.at_name
             AND application.deleted = 0
         WHERE event.account = ",
    );
    query.push_bind(account.as_str());
    query.push(" AND event.received_at > ").push_bind(since);
    let none = &String::new();
    let places = match &filter.of {
        EventsOf::Application { namespace, name } => [
            (" AND event.at_name = ", name),
            (" AND event.at_namespace = ", namespace),
            ("", none),
        ],
        EventsOf::All { kind, namespace } => [
            (" AND event.object_kind = ", kind),
            (" AND event.object_namespace = ", namespace),
            ("", none),
        ],
        EventsOf::Object {
            kind,
            namespace,
            name,
        } => [
            (" AND event.object_name = ", name),
            (" AND event.object_kind = ", kind),
            (" AND event.object_namespace = ", namespace),
        ],
    };
    let of_object = matches!(filter.of, EventsOf::Object { .. });
    let whose = [
        (" AND event.runtime_name = ", &filter.runtime),
        (" AND event.cluster = ", &filter.cluster),
    ];
    for (column, wanted) in places.into_iter().chain(whose) {
        let is_place = of_object && column.ends_with("object_namespace = ");
        if !wanted.is_empty() || is_place {
            query.push(column).push_bind(wanted.as_str());
        }
    }
    query
}

fn record(row: &Row) -> Result<EventRecord, StoreError> {
    let project: Option<&str> = row.try_get(8)?;
    let labels: Option<&str> = row.try_get(9)?;
    let held = project.zip(labels);
    let belongs = held.map(|(project, labels)| {
        Ok::<_, StoreError>(OwnerApplication {
            application: ApplicationName {
                cluster: row.try_get::<&str>(5)?.into(),
                namespace: row.try_get::<&str>(6)?.into(),
                name: row.try_get::<&str>(7)?.into(),
            },
            traits: traits(project, labels)?,
        })
    });
    Ok(EventRecord {
        number: row.try_get::<i64>(10)?.cast_unsigned(),
        runtime_name: row.try_get(0)?,
        cluster: row.try_get(1)?,
        namespace: row.try_get(2)?,
        belongs: belongs.transpose()?,
        last_seen: row.try_get(3)?,
        content: bytes::Bytes::copy_from_slice(row.try_get(4)?),
    })
}
