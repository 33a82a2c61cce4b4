//! Buckets.

use super::super::{MemoryStore, State};
use crate::{
    store::{Answer, ThrottleStore},
    throttle::{Bucket, MOST_BUCKETS, Throttled},
};

impl ThrottleStore for MemoryStore {
    fn take_tries<'a>(&'a self, of: &'a [Bucket], now: i64) -> Answer<'a, Result<(), Throttled>> {
        self.with(|state| {
            let mut taken = Vec::with_capacity(of.len());
            for bucket in of {
                let bucket = state.bucket(bucket);
                let full_at = state.sign_ins.throttles.get(&bucket.row()).copied();
                taken.push((bucket.row(), bucket.limit.take(full_at, now)?));
            }
            state.sign_ins.throttles.extend(taken);
            Ok(())
        })
    }

    fn check_tries<'a>(&'a self, of: &'a Bucket, now: i64) -> Answer<'a, Result<(), Throttled>> {
        self.with(|state| {
            let full_at = state.sign_ins.throttles.get(&of.row()).copied();
            of.limit.take(full_at, now).map(drop)
        })
    }

    fn sweep_sign_ins(&self, ended_before: i64, now: i64) -> Answer<'_, ()> {
        self.with(|state| {
            let rows = &mut state.sign_ins;
            rows.throttles.retain(|_, full_at| *full_at >= now);
            rows.sessions.retain(|(_, it)| {
                it.expires_at >= ended_before && it.revoked_at.is_none_or(|at| at >= ended_before)
            });
        })
    }
}

impl State {
    /// The bucket itself, or that of all others where there are too many.
    fn bucket(&self, bucket: &Bucket) -> Bucket {
        let rows = &self.sign_ins.throttles;
        let kind = format!("{}/", bucket.limit.kind);
        let of_kind = || rows.keys().filter(|name| name.starts_with(&kind)).count();
        if rows.contains_key(&bucket.row()) || of_kind() < MOST_BUCKETS as usize {
            return bucket.clone();
        }
        bucket.of_others()
    }
}
