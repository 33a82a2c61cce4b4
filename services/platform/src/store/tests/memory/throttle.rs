//! In-memory store of rate-limit buckets.

use super::{MemoryStore, State};
use crate::{
    store::{StoreFuture, ThrottleStore},
    throttle::{Bucket, Throttled},
};

impl ThrottleStore for MemoryStore {
    fn take_tries<'a>(
        &'a self,
        of: &'a [Bucket],
        now: i64,
    ) -> StoreFuture<'a, Result<(), Throttled>> {
        self.with(|state| {
            let mut taken = Vec::with_capacity(of.len());
            for bucket in of {
                let bucket = state.own_or_shared(bucket, now);
                let full_at = state.sign_ins.throttles.get(&bucket.row()).copied();
                taken.push((bucket.row(), bucket.limit.take(full_at, now)?));
            }
            state.sign_ins.throttles.extend(taken);
            Ok(())
        })
    }

    fn sweep_buckets(&self, now: i64) -> StoreFuture<'_, ()> {
        self.with(|state| {
            let rows = &mut state.sign_ins.throttles;
            rows.retain(|_, full_at| *full_at >= now);
        })
    }

    fn sweep_sign_ins(&self, ended_before: i64, now: i64) -> StoreFuture<'_, ()> {
        self.with(|state| {
            let rows = &mut state.sign_ins;
            rows.identities.retain(|(_, it)| !it.is_over(now));
            rows.sessions.retain(|(_, it)| {
                it.expires_at >= ended_before && it.revoked_at.is_none_or(|at| at >= ended_before)
            });
        })
    }
}

impl State {
    /// The bucket itself, or that of all others where it has no row and there is no room for one.
    fn own_or_shared(&self, bucket: &Bucket, now: i64) -> Bucket {
        let rows = &self.sign_ins.throttles;
        let kind = format!("{}/", bucket.limit.kind);
        let counts = |(name, full_at): &(&String, &i64)| name.starts_with(&kind) && **full_at > now;
        let of_kind = || rows.iter().filter(counts).count();
        if rows.contains_key(&bucket.row()) || of_kind() < bucket.limit.most as usize {
            return bucket.clone();
        }
        bucket.of_others()
    }
}
