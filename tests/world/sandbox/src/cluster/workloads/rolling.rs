//! The arithmetic of a rolling update. Pure.

use serde_json::Value;

/// How far a rollout may stray from the wanted number of pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    surge: u64,
    unavailable: u64,
}

/// What there is: wanted pods of the Deployment; wanted and available ones of the new and of all old ReplicaSets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counts {
    pub(super) desired: u64,
    pub(super) new: u64,
    pub(super) new_available: u64,
    pub(super) old: u64,
    pub(super) old_available: u64,
}

impl Limits {
    /// From `spec.strategy`; `Recreate` allows no new pod beside an old one.
    pub(super) fn of(strategy: &Value, desired: u64) -> Option<Self> {
        if strategy["type"] == "Recreate" {
            return None;
        }
        let rolling = &strategy["rollingUpdate"];
        let surge = portion(&rolling["maxSurge"], desired, u64::div_ceil);
        let unavailable = portion(&rolling["maxUnavailable"], desired, |part, whole| {
            part / whole
        });
        // both zero could never move
        let unavailable = if surge == 0 && unavailable == 0 {
            1
        } else {
            unavailable
        };
        Some(Self { surge, unavailable })
    }

    pub(super) fn least_available(self, desired: u64) -> u64 {
        desired.saturating_sub(self.unavailable)
    }
}

fn portion(value: &Value, desired: u64, divide: fn(u64, u64) -> u64) -> u64 {
    let percent = match value {
        Value::Number(number) => return number.as_u64().unwrap_or(0),
        Value::String(text) => text.trim_end_matches('%').parse().unwrap_or(25),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => 25,
    };
    divide(desired.saturating_mul(percent), 100)
}

/// How many pods the new ReplicaSet and all old ones together shall have next.
pub(super) fn next(counts: Counts, limits: Option<Limits>) -> (u64, u64) {
    let Counts {
        desired,
        new,
        new_available,
        old,
        old_available,
    } = counts;
    let Some(limits) = limits else {
        return if old > 0 { (new, 0) } else { (desired, 0) };
    };
    let room = (desired + limits.surge).saturating_sub(new + old);
    let new_next = if new > desired {
        desired
    } else {
        desired.min(new + room)
    };
    let least_available = desired.saturating_sub(limits.unavailable);
    let spare = (new + old).saturating_sub(least_available + new.saturating_sub(new_available));
    let unhealthy = old.saturating_sub(old_available).min(spare);
    let healthy_spare = (new_available + old_available).saturating_sub(least_available);
    let healthy = healthy_spare.min(spare - unhealthy).min(old_available);
    (new_next, old.saturating_sub(unhealthy + healthy))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Counts, Limits, next};

    fn rolling(surge: &str, unavailable: &str, desired: u64) -> Option<Limits> {
        Limits::of(
            &json!({ "rollingUpdate": { "maxSurge": surge, "maxUnavailable": unavailable } }),
            desired,
        )
    }

    #[test]
    fn a_rollout_ends_with_new_pods_only_and_keeps_enough_available() {
        for desired in 1..12_u64 {
            let limits = rolling("25%", "25%", desired);
            let mut counts = Counts {
                desired,
                new: 0,
                new_available: 0,
                old: desired,
                old_available: desired,
            };
            for _ in 0..50 {
                let (new, old) = next(counts, limits);
                counts = Counts {
                    new,
                    old,
                    old_available: counts.old_available.min(old),
                    ..counts
                };
                assert!(
                    counts.new_available + counts.old_available >= desired - desired / 4,
                    "{counts:?}"
                );
                assert!(
                    counts.new + counts.old <= desired + desired.div_ceil(4),
                    "{counts:?}"
                );
                counts.new_available = counts.new;
            }
            assert_eq!((counts.new, counts.old), (desired, 0));
        }
    }

    #[test]
    fn a_new_version_that_never_starts_leaves_the_old_one_serving() {
        let mut counts = Counts {
            desired: 4,
            new: 0,
            new_available: 0,
            old: 4,
            old_available: 4,
        };
        for _ in 0..50 {
            let (new, old) = next(counts, rolling("25%", "25%", 4));
            counts = Counts {
                new,
                old,
                old_available: old,
                ..counts
            };
        }
        assert_eq!((counts.new, counts.old), (2, 3));
    }

    #[test]
    fn recreate_removes_before_it_adds() {
        let limits = Limits::of(&json!({ "type": "Recreate" }), 3);
        let counts = Counts {
            desired: 3,
            new: 0,
            new_available: 0,
            old: 3,
            old_available: 3,
        };
        assert_eq!(next(counts, limits), (0, 0));
        assert_eq!(
            next(
                Counts {
                    old: 0,
                    old_available: 0,
                    ..counts
                },
                limits
            ),
            (3, 0)
        );
    }
}
