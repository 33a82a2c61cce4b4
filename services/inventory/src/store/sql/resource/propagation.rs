//! Propagates an application's traits to its resources: a limited number at once, because other writes wait, and the rest in later
//! transactions.

use causeway_database::{Database, Error, query};
use causeway_proto::ids::{AccountId, RuntimeId};

use crate::{
    application::{Scope, ScopeTraits},
    resource::{ApplicationName, OwnerApplication, moved_on},
    store::sql::{
        batch::Batch,
        chunks::chunks,
        current::to_json,
        read::{from_json, rows_up_to},
    },
};

/// Resources per transaction.
const MAX_RESOURCES: usize = if cfg!(test) { 10 } else { 2_000 };

/// Application with resources that have yet to follow it.
struct PendingPropagation {
    account: AccountId,
    runtime: RuntimeId,
    application: ApplicationName,
    /// Resources up to this id are up to date.
    after: i64,
}

/// Changed ownership of a resource.
struct NewEntry {
    id: i64,
    past: String,
    number: u64,
}

/// True if propagation is pending, also of other replicas.
pub(in crate::store::sql) async fn has_pending(database: &Database) -> Result<bool, Error> {
    let left = query("SELECT after_id FROM untold LIMIT 1");
    Ok(left.fetch_optional(database).await?.is_some())
}

impl Batch<'_> {
    /// Each changed resource gets a change number, so that its watchers see it enter or leave their scope.
    pub(super) async fn propagate(
        &mut self,
        scope: &Scope,
        application: ApplicationName,
        now: Option<&ScopeTraits>,
    ) -> Result<(), Error> {
        let belongs = now.map(|traits| OwnerApplication {
            application: application.clone(),
            traits: traits.clone(),
        });
        let pending = PendingPropagation {
            account: scope.account.clone(),
            runtime: scope.runtime.clone(),
            application,
            after: 0,
        };
        self.propagate_chunk(pending, belongs).await
    }

    /// Continues one pending propagation.
    pub(in crate::store::sql) async fn propagate_pending(&mut self) -> Result<(), Error> {
        let row = query(
            "SELECT account, runtime, cluster, namespace, name, after_id FROM untold ORDER BY after_id LIMIT 1",
        )
        .fetch_optional(&mut *self.transaction)
        .await?;
        let Some(row) = row else {
            return Ok(());
        };
        let pending = PendingPropagation {
            account: row.get_parsed("account")?,
            runtime: row.get_parsed("runtime")?,
            application: ApplicationName {
                cluster: row.try_get::<&str>(2)?.into(),
                namespace: row.try_get::<&str>(3)?.into(),
                name: row.try_get::<&str>(4)?.into(),
            },
            after: row.try_get(5)?,
        };
        let name = &pending.application;
        let whose = (&pending.account, &pending.runtime);
        let belongs = self.belonging(whose, Some(name)).await?;
        self.propagate_chunk(pending, belongs).await
    }

    async fn propagate_chunk(
        &mut self,
        pending: PendingPropagation,
        belongs: Option<OwnerApplication>,
    ) -> Result<(), Error> {
        let rows = query(
            "SELECT id, belongs, past FROM resource
             WHERE account = $1 AND runtime = $2 AND at_cluster = $3 AND at_namespace = $4 AND at_name = $5
               AND deleted = 0 AND id > $6 ORDER BY id LIMIT $7",
        )
        .bind(pending.account.as_str())
        .bind(pending.runtime.as_str())
        .bind(&*pending.application.cluster)
        .bind(&*pending.application.namespace)
        .bind(&*pending.application.name)
        .bind(pending.after)
        .bind(rows_up_to(MAX_RESOURCES))
        .fetch_all(&mut *self.transaction)
        .await?;
        let mut updated = Vec::new();
        for row in &rows {
            let current: Option<OwnerApplication> = from_json(row.try_get(1)?)?;
            if current == belongs {
                continue;
            }
            let number = self.next_change(&pending.account).await?;
            let past = moved_on(
                from_json(row.try_get(2)?)?,
                current,
                belongs.as_ref(),
                number,
            );
            updated.push(NewEntry {
                id: row.try_get(0)?,
                past: to_json(&past),
                number,
            });
        }
        self.update_owners(&updated, &to_json(&belongs)).await?;
        let more = rows.last().filter(|_| rows.len() == MAX_RESOURCES);
        let after = more.map(|row| row.try_get(0)).transpose()?;
        self.save_progress(&pending, after).await
    }

    async fn update_owners(&mut self, updated: &[NewEntry], belongs: &str) -> Result<(), Error> {
        for chunk in chunks(updated) {
            let mut query = query("WITH told (of_id, past_now, number) AS (VALUES ");
            let mut separator = "(";
            for NewEntry { id, past, number } in chunk {
                query.push(separator).push_bind(*id);
                query.push(", ").push_bind(past.as_str());
                query.push(", ").push_bind(number.cast_signed()).push(")");
                separator = ", (";
            }
            query
                .push(") UPDATE resource SET belongs = ")
                .push_bind(belongs);
            query.push(", past = past_now, change = number FROM told WHERE resource.id = of_id");
            query.execute(self.transaction).await?;
        }
        Ok(())
    }

    async fn save_progress(
        &mut self,
        pending: &PendingPropagation,
        after: Option<i64>,
    ) -> Result<(), Error> {
        let PendingPropagation {
            account,
            runtime,
            application,
            ..
        } = pending;
        let statement = match after {
            Some(_) => query(
                "INSERT INTO untold (account, runtime, cluster, namespace, name, after_id) VALUES ($1, $2, $3, $4, $5, $6)
                 ON CONFLICT (account, runtime, cluster, namespace, name) DO UPDATE SET after_id = excluded.after_id",
            ),
            None => query(
                "DELETE FROM untold WHERE account = $1 AND runtime = $2 AND cluster = $3 AND namespace = $4 AND name = $5",
            ),
        };
        let mut statement = statement
            .bind(account.as_str())
            .bind(runtime.as_str())
            .bind(&*application.cluster)
            .bind(&*application.namespace)
            .bind(&*application.name);
        if let Some(after) = after {
            statement = statement.bind(after);
            self.has_pending_propagation = true;
        }
        statement.execute(self.transaction).await?;
        Ok(())
    }
}
