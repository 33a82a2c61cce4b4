//! Which manifests nobody names any more, found out beside the writer.

use std::{
    collections::HashSet,
    hash::{BuildHasher as _, RandomState},
    sync::Arc,
    time::{Duration, SystemTime},
};

use causeway_database::{Database, Error, Row, query};
use causeway_proto::time::to_millis;
use tokio::sync::Mutex;

use crate::store::{
    Old,
    sql::{batch::NOTHING, read::rows_up_to},
};

const LOOKED_AT_ONCE: usize = 5_000;
/// How many one write is about.
const FOUND_AT_ONCE: usize = if cfg!(test) { 3 } else { 5_000 };
/// What was found unused may have been named just then: it is looked at for so long again, which is less than manifests outlive
/// what names them.
const LOOKED_AT_AGAIN: Duration = Duration::from_secs(20 * 3600);

/// What is to be done with manifests that were looked at.
#[derive(Debug, Default)]
pub(in crate::store::sql) struct Found {
    /// Nobody has named them since this time.
    pub(super) before: i64,
    pub(super) unused: Vec<i64>,
    /// Nobody names them any more.
    pub(super) left: Vec<i64>,
    /// They are named again.
    pub(super) taken_up: Vec<i64>,
    pub(super) next: Option<Old>,
}

/// What is named, for as long as a round takes that looks at all manifests: to find it out is a look at all objects. What is named
/// meanwhile and marked all the same is looked at again by the next round, and what is marked and named after it is marked no more.
#[derive(Debug, Default)]
pub(in crate::store::sql) struct Round(Mutex<Option<Arc<Named>>>);

/// What live objects name, as numbers: two names of one number are both taken for named.
#[derive(Debug)]
struct Named {
    numbers: HashSet<u64>,
    state: RandomState,
}

impl Found {
    /// Manifests after the one with this number that are in use no more.
    pub(in crate::store::sql) async fn unnamed(
        database: &Database,
        round: &Round,
        after: i64,
    ) -> Result<Self, Error> {
        if after == 0 {
            round.end().await;
        }
        let named = round.named(database).await?;
        let mut found = Self::default();
        if after == 0 {
            found.look_again(database, &named).await?;
        }
        let mut last = after;
        while found.left.len() < FOUND_AT_ONCE {
            let rows = query(
                "SELECT id, account, digest FROM manifest WHERE unused_since IS NULL AND id > $1 ORDER BY id LIMIT $2",
            )
            .bind(last)
            .bind(rows_up_to(LOOKED_AT_ONCE))
            .fetch_all(database)
            .await?;
            for row in &rows {
                last = row.try_get(0)?;
                if !named.has(row)? {
                    found.left.push(last);
                }
                if found.left.len() == FOUND_AT_ONCE {
                    found.next = Some(Old::Unnamed(last));
                    return Ok(found);
                }
            }
            if rows.len() < LOOKED_AT_ONCE {
                break;
            }
        }
        Ok(found)
    }

    /// Manifests that have been unused for so long.
    pub(in crate::store::sql) async fn unused(
        database: &Database,
        round: &Round,
        age: Duration,
    ) -> Result<Self, Error> {
        let mut found = Self {
            before: ago(age),
            ..Self::default()
        };
        let rows = query(
            "SELECT id, account, digest FROM manifest WHERE unused_since <= $1 ORDER BY unused_since LIMIT $2",
        )
        .bind(found.before)
        .bind(rows_up_to(FOUND_AT_ONCE))
        .fetch_all(database)
        .await?;
        if rows.is_empty() {
            round.end().await;
            return Ok(found);
        }
        let named = round.named(database).await?;
        for row in &rows {
            let id = row.try_get(0)?;
            match named.has(row)? {
                true => found.taken_up.push(id),
                false => found.unused.push(id),
            }
        }
        if rows.len() == FOUND_AT_ONCE {
            found.next = Some(Old::Manifests);
        } else {
            round.end().await;
        }
        Ok(found)
    }

    async fn look_again(&mut self, database: &Database, named: &Named) -> Result<(), Error> {
        let mut place = (ago(LOOKED_AT_AGAIN), 0_i64);
        loop {
            let rows = query(
                "SELECT id, account, digest, unused_since FROM manifest
                 WHERE unused_since >= $1 AND (unused_since, id) > ($1, $2)
                 ORDER BY unused_since, id LIMIT $3",
            )
            .bind(place.0)
            .bind(place.1)
            .bind(rows_up_to(LOOKED_AT_ONCE))
            .fetch_all(database)
            .await?;
            for row in &rows {
                place = (row.try_get(3)?, row.try_get(0)?);
                if named.has(row)? {
                    self.taken_up.push(place.1);
                }
            }
            if rows.len() < LOOKED_AT_ONCE {
                return Ok(());
            }
        }
    }
}

impl Round {
    async fn named(&self, database: &Database) -> Result<Arc<Named>, Error> {
        let mut kept = self.0.lock().await;
        if let Some(named) = &*kept {
            return Ok(named.clone());
        }
        let named = Arc::new(Named::read(database).await?);
        *kept = Some(named.clone());
        Ok(named)
    }

    /// It is much to be kept for nothing.
    async fn end(&self) {
        *self.0.lock().await = None;
    }
}

impl Named {
    async fn read(database: &Database) -> Result<Self, Error> {
        let mut named = Self {
            numbers: HashSet::new(),
            state: RandomState::new(),
        };
        for objects in [
            "SELECT id, account, manifests FROM application
             WHERE deleted = 0 AND id > $1 AND manifests <> $2 ORDER BY id LIMIT $3",
            "SELECT id, account, manifest FROM resource
             WHERE deleted = 0 AND id > $1 AND manifest <> $2 ORDER BY id LIMIT $3",
        ] {
            let mut last = 0_i64;
            while let Some(next) = named.read_some(database, objects, last).await? {
                last = next;
            }
        }
        Ok(named)
    }

    /// Goes on with the objects after one; tells the last one, while there are more.
    async fn read_some(
        &mut self,
        database: &Database,
        objects: &'static str,
        after: i64,
    ) -> Result<Option<i64>, Error> {
        let rows = query(objects)
            .bind(after)
            .bind(NOTHING)
            .bind(rows_up_to(LOOKED_AT_ONCE))
            .fetch_all(database)
            .await?;
        for row in &rows {
            let account: &str = row.try_get(1)?;
            let digests = row.try_get::<&[u8]>(2)?.chunks(32);
            let numbers = digests.map(|digest| self.state.hash_one((account, digest)));
            self.numbers.extend(numbers);
        }
        let more = rows.last().filter(|_| rows.len() == LOOKED_AT_ONCE);
        more.map(|row| row.try_get(0)).transpose()
    }

    /// Whether a manifest is named: its account and digest follow its number.
    fn has(&self, row: &Row) -> Result<bool, Error> {
        let named: (&str, &[u8]) = (row.try_get(1)?, row.try_get(2)?);
        Ok(self.numbers.contains(&self.state.hash_one(named)))
    }
}

fn ago(age: Duration) -> i64 {
    let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
    to_millis(SystemTime::now()).saturating_sub(age)
}
