//! What belongs to an application is told of what has become of it: some at once, for others wait meanwhile, and the rest later.

use causeway_database::{Database, Error, query};
use causeway_proto::ids::{AccountId, RuntimeId};

use crate::{
    application::{Scope, Traits},
    resource::{ApplicationName, Belonging, moved_on},
    store::sql::{
        batch::Batch,
        chunks::chunks,
        current::encoded,
        read::{decoded, rows_up_to},
    },
};

/// How many are told in one transaction.
const TOLD_AT_ONCE: usize = if cfg!(test) { 10 } else { 2_000 };

/// An application of whose change not all are told.
struct Untold {
    account: AccountId,
    runtime: RuntimeId,
    application: ApplicationName,
    /// Those up to this one are.
    after: i64,
}

/// A resource as it becomes.
struct Told {
    id: i64,
    past: String,
    number: u64,
}

/// Whether any are not told yet, whoever has left them.
pub(in crate::store::sql) async fn are_untold(database: &Database) -> Result<bool, Error> {
    let left = query("SELECT after_id FROM untold LIMIT 1");
    Ok(left.fetch_optional(database).await?.is_some())
}

impl Batch<'_> {
    /// Each gets a change, so that who watches hears of it.
    pub(super) async fn tell_resources(
        &mut self,
        scope: &Scope,
        application: ApplicationName,
        now: Option<&Traits>,
    ) -> Result<(), Error> {
        let belongs = now.map(|traits| Belonging {
            application: application.clone(),
            traits: traits.clone(),
        });
        let untold = Untold {
            account: scope.account.clone(),
            runtime: scope.runtime.clone(),
            application,
            after: 0,
        };
        self.tell_some(untold, belongs).await
    }

    /// Goes on with what is not told yet.
    pub(in crate::store::sql) async fn tell_rest(&mut self) -> Result<(), Error> {
        let row = query(
            "SELECT account, runtime, cluster, namespace, name, after_id FROM untold ORDER BY after_id LIMIT 1",
        )
        .fetch_optional(&mut *self.transaction)
        .await?;
        let Some(row) = row else {
            return Ok(());
        };
        let untold = Untold {
            account: row.get_parsed("account")?,
            runtime: row.get_parsed("runtime")?,
            application: ApplicationName {
                cluster: row.try_get::<&str>(2)?.into(),
                namespace: row.try_get::<&str>(3)?.into(),
                name: row.try_get::<&str>(4)?.into(),
            },
            after: row.try_get(5)?,
        };
        let name = &untold.application;
        let whose = (&untold.account, &untold.runtime);
        let belongs = self.belonging(whose, Some(name)).await?;
        self.tell_some(untold, belongs).await
    }

    async fn tell_some(&mut self, untold: Untold, belongs: Option<Belonging>) -> Result<(), Error> {
        let rows = query(
            "SELECT id, belongs, past FROM resource
             WHERE account = $1 AND runtime = $2 AND at_cluster = $3 AND at_namespace = $4 AND at_name = $5
               AND deleted = 0 AND id > $6 ORDER BY id LIMIT $7",
        )
        .bind(untold.account.as_str())
        .bind(untold.runtime.as_str())
        .bind(&*untold.application.cluster)
        .bind(&*untold.application.namespace)
        .bind(&*untold.application.name)
        .bind(untold.after)
        .bind(rows_up_to(TOLD_AT_ONCE))
        .fetch_all(&mut *self.transaction)
        .await?;
        let mut told = Vec::new();
        for row in &rows {
            let held: Option<Belonging> = decoded(row.try_get(1)?)?;
            if held == belongs {
                continue;
            }
            let number = self.next_change(&untold.account).await?;
            let past = moved_on(decoded(row.try_get(2)?)?, held, belongs.as_ref(), number);
            told.push(Told {
                id: row.try_get(0)?,
                past: encoded(&past),
                number,
            });
        }
        self.keep_belonging(&told, &encoded(&belongs)).await?;
        let more = rows.last().filter(|_| rows.len() == TOLD_AT_ONCE);
        let after = more.map(|row| row.try_get(0)).transpose()?;
        self.note_untold(&untold, after).await
    }

    async fn keep_belonging(&mut self, told: &[Told], belongs: &str) -> Result<(), Error> {
        for some in chunks(told) {
            let mut query = query("WITH told (of_id, past_now, number) AS (VALUES ");
            let mut separator = "(";
            for Told { id, past, number } in some {
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

    async fn note_untold(&mut self, untold: &Untold, after: Option<i64>) -> Result<(), Error> {
        let Untold {
            account,
            runtime,
            application,
            ..
        } = untold;
        let noted = match after {
            Some(_) => query(
                "INSERT INTO untold (account, runtime, cluster, namespace, name, after_id) VALUES ($1, $2, $3, $4, $5, $6)
                 ON CONFLICT (account, runtime, cluster, namespace, name) DO UPDATE SET after_id = excluded.after_id",
            ),
            None => query(
                "DELETE FROM untold WHERE account = $1 AND runtime = $2 AND cluster = $3 AND namespace = $4 AND name = $5",
            ),
        };
        let mut noted = noted
            .bind(account.as_str())
            .bind(runtime.as_str())
            .bind(&*application.cluster)
            .bind(&*application.namespace)
            .bind(&*application.name);
        if let Some(after) = after {
            noted = noted.bind(after);
            self.untold = true;
        }
        noted.execute(self.transaction).await?;
        Ok(())
    }
}
