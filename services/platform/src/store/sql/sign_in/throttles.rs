//! Rows of buckets: when each is full again.

use causeway_database::{Source, query};

use crate::{
    store::{
        Answer, StoreError, ThrottleStore,
        sql::{SqlStore, policies::Work},
    },
    throttle::{Bucket, MOST_BUCKETS, Throttled},
};

impl ThrottleStore for SqlStore {
    fn take_tries<'a>(&'a self, of: &'a [Bucket], now: i64) -> Answer<'a, Result<(), Throttled>> {
        Box::pin(async move {
            let mut work = self.begin().await?;
            for bucket in of {
                let mut bucket = bucket.clone();
                let mut full_at = find(&mut work, &bucket).await?;
                if full_at.is_none() && is_full(&mut work, &bucket).await? {
                    bucket = bucket.of_others();
                    full_at = find(&mut work, &bucket).await?;
                }
                match bucket.limit.take(full_at, now) {
                    Ok(after) => write(&mut work, &bucket, after).await?,
                    Err(throttled) => return Ok(Err(throttled)),
                }
            }
            work.commit().await?;
            Ok(Ok(()))
        })
    }

    fn check_tries<'a>(&'a self, of: &'a Bucket, now: i64) -> Answer<'a, Result<(), Throttled>> {
        Box::pin(async move {
            let full_at = find(&self.database, of).await?;
            Ok(of.limit.take(full_at, now).map(drop))
        })
    }

    fn sweep_sign_ins(&self, ended_before: i64, now: i64) -> Answer<'_, ()> {
        Box::pin(async move {
            let mut work = self.begin().await?;
            query("DELETE FROM throttles WHERE full_at < $1")
                .bind(now)
                .execute(&mut work)
                .await?;
            query("DELETE FROM sessions WHERE expires_at < $1 OR revoked_at < $1")
                .bind(ended_before)
                .execute(&mut work)
                .await?;
            work.commit().await?;
            Ok(())
        })
    }
}

async fn find(from: impl Into<Source<'_>>, bucket: &Bucket) -> Result<Option<i64>, StoreError> {
    let row = query("SELECT full_at FROM throttles WHERE name = $1")
        .bind(bucket.row())
        .fetch_optional(from)
        .await?;
    Ok(row.map(|row| row.try_get("full_at")).transpose()?)
}

async fn is_full(work: &mut Work, bucket: &Bucket) -> Result<bool, StoreError> {
    let kind = bucket.limit.kind;
    // What sorts between "kind/" and "kind0" begins with "kind/".
    let row = query("SELECT COUNT(*) AS number FROM throttles WHERE name > $1 AND name < $2")
        .bind(format!("{kind}/"))
        .bind(format!("{kind}0"))
        .fetch_one(work)
        .await?;
    let number: i64 = row.try_get("number")?;
    Ok(number >= i64::from(MOST_BUCKETS))
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
