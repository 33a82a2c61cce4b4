//! SQL store of rate-limit buckets: the time at which each is full.

use causeway_database::{ReadSource, query};

use crate::identity_providers::sql::identities;
use crate::{
    accounts::sql::Work,
    store::{StoreError, StoreFuture, ThrottleStore, sql::SqlStore},
    throttle::{Bucket, Throttled},
};

impl ThrottleStore for SqlStore {
    fn take_tries<'a>(
        &'a self,
        of: &'a [Bucket],
        now: i64,
    ) -> StoreFuture<'a, Result<(), Throttled>> {
        Box::pin(async move {
            // Who is refused keeps no writer waiting.
            for bucket in of {
                let (bucket, full_at) = own_or_shared(&self.database, bucket, now).await?;
                if let Err(throttled) = bucket.limit.take(full_at, now) {
                    return Ok(Err(throttled));
                }
            }
            let mut work = self.begin().await?;
            for bucket in of {
                let (bucket, full_at) = own_or_shared(&mut work, bucket, now).await?;
                match bucket.limit.take(full_at, now) {
                    Ok(after) => write(&mut work, &bucket, after).await?,
                    Err(throttled) => return Ok(Err(throttled)),
                }
            }
            work.commit().await?;
            Ok(Ok(()))
        })
    }

    fn sweep_buckets(&self, now: i64) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            let mut work = self.begin().await?;
            query("DELETE FROM throttles WHERE full_at < $1")
                .bind(now)
                .execute(&mut work)
                .await?;
            work.commit().await?;
            Ok(())
        })
    }

    fn sweep_sign_ins(&self, ended_before: i64, now: i64) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            let mut work = self.begin().await?;
            query("DELETE FROM sessions WHERE expires_at < $1 OR revoked_at < $1")
                .bind(ended_before)
                .execute(&mut work)
                .await?;
            identities::sweep_names(&mut work, now).await?;
            work.commit().await?;
            Ok(())
        })
    }
}

async fn find(from: impl Into<ReadSource<'_>>, bucket: &Bucket) -> Result<Option<i64>, StoreError> {
    let row = query("SELECT full_at FROM throttles WHERE name = $1")
        .bind(bucket.row())
        .fetch_optional(from)
        .await?;
    Ok(row.map(|row| row.try_get("full_at")).transpose()?)
}

/// A bucket and when it is full again; that of all others where it has no row and there is no room for one.
async fn own_or_shared(
    from: impl Into<ReadSource<'_>>,
    bucket: &Bucket,
    now: i64,
) -> Result<(Bucket, Option<i64>), StoreError> {
    let mut from = from.into();
    let full_at = find(from.reborrow(), bucket).await?;
    if full_at.is_some() || !is_full(from.reborrow(), bucket, now).await? {
        return Ok((bucket.clone(), full_at));
    }
    let shared = bucket.of_others();
    let full_at = find(from, &shared).await?;
    Ok((shared, full_at))
}

/// Whether there are too many of its kind. Those that are full again are as none.
async fn is_full(
    from: impl Into<ReadSource<'_>>,
    bucket: &Bucket,
    now: i64,
) -> Result<bool, StoreError> {
    let kind = bucket.limit.kind;
    // What sorts between "kind/" and "kind0" begins with "kind/".
    let row = query(
        "SELECT COUNT(*) AS number FROM throttles WHERE name > $1 AND name < $2 AND full_at > $3",
    )
    .bind(format!("{kind}/"))
    .bind(format!("{kind}0"))
    .bind(now)
    .fetch_one(from)
    .await?;
    let number: i64 = row.try_get("number")?;
    Ok(number >= i64::from(bucket.limit.most))
}

async fn write(work: &mut Work, bucket: &Bucket, full_at: i64) -> Result<(), StoreError> {
    query(
        "INSERT INTO throttles (name, full_at) VALUES ($1, $2) \
         ON CONFLICT (name) DO UPDATE SET full_at = excluded.full_at",
    )
    .bind(bucket.row())
    .bind(full_at)
    .execute(work)
    .await?;
    Ok(())
}
