//! Limits unauthenticated connections, by address and together, and handshakes per second, which dominate the cost of a reconnect storm.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use causeway_shell::{ConnectionLimits, ConnectionTable, Place};
use opentelemetry::metrics::Meter;
use tokio::time::Instant;

/// Concurrent connections without an identity.
const MAX_UNAUTHENTICATED: usize = 1024;
const HANDSHAKES_PER_SECOND: u32 = 500;

/// Guards the tunnel listener.
pub(crate) struct Admission {
    unauthenticated: ConnectionTable,
    /// Addresses that have authenticated before do not wait behind those that have not.
    handshakes: Mutex<Handshakes>,
}

struct Handshakes {
    known: Bucket,
    unknown: Bucket,
}

impl Admission {
    pub(crate) fn new(now: Instant, meter: &Meter) -> Self {
        let limits = ConnectionLimits::of(MAX_UNAUTHENTICATED);
        let unauthenticated = ConnectionTable::new(limits, Arc::new(|_| false));
        unauthenticated.register_metrics(meter);
        let bucket = || Bucket::new(HANDSHAKES_PER_SECOND, now);
        Self {
            unauthenticated,
            handshakes: Mutex::new(Handshakes {
                known: bucket(),
                unknown: bucket(),
            }),
        }
    }

    /// Reserves a place until the connection has authenticated; without one it is closed at once.
    pub(crate) fn admit(&self, peer: IpAddr) -> Option<Place> {
        self.unauthenticated.admit(peer)
    }

    /// Takes a handshake, once the peer has begun it. A silent peer takes none.
    pub(crate) fn may_shake_hands(&self, place: &Place, now: Instant) -> bool {
        let is_known = place.is_known();
        let mut handshakes = self
            .handshakes
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let bucket = if is_known {
            &mut handshakes.known
        } else {
            &mut handshakes.unknown
        };
        bucket.take(now)
    }
}

/// Token bucket with a capacity of one second.
#[derive(Debug)]
struct Bucket {
    per_second: u32,
    tokens: f64,
    filled: Instant,
}

impl Bucket {
    fn new(per_second: u32, now: Instant) -> Self {
        Self {
            per_second,
            tokens: per_second.into(),
            filled: now,
        }
    }

    fn take(&mut self, now: Instant) -> bool {
        let elapsed: Duration = now.saturating_duration_since(self.filled);
        let most = f64::from(self.per_second);
        self.tokens = elapsed.as_secs_f64().mul_add(most, self.tokens).min(most);
        self.filled = now;
        if self.tokens < 1.0 {
            return false;
        }
        self.tokens -= 1.0;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_passes_up_to_the_rate_and_then_at_the_rate() {
        let begin = Instant::now();
        let mut bucket = Bucket::new(10, begin);
        assert_eq!((0..20).filter(|_| bucket.take(begin)).count(), 10);
        let later = begin + Duration::from_millis(300);
        assert_eq!((0..20).filter(|_| bucket.take(later)).count(), 3);
    }

    fn admission() -> Admission {
        let (shell, _stop) = causeway_shell::Shell::for_test("tunnel-server");
        Admission::new(Instant::now(), &shell.meter())
    }

    fn address(last: u8) -> IpAddr {
        [192, 0, 2, last].into()
    }

    #[test]
    fn unauthenticated_connections_are_limited_until_one_leaves() {
        let admission = admission();
        let admit = |last| admission.admit(address(last));
        let mut inside: Vec<_> = (0..MAX_UNAUTHENTICATED + 1)
            .filter_map(|number| admit(u8::try_from(number % 8).unwrap()))
            .collect();
        let most = MAX_UNAUTHENTICATED;
        assert!(admission.unauthenticated.open() <= most);
        inside.clear();
        assert_eq!(admission.unauthenticated.open(), 0);
        assert!(admit(1).is_some());
    }

    #[test]
    fn silent_connections_of_one_address_leave_places_and_handshakes_to_others() {
        let admission = admission();
        let silent: Vec<_> = (0..520)
            .filter_map(|_| admission.admit(address(1)))
            .collect();
        let open = admission.unauthenticated.open();
        assert!(open <= MAX_UNAUTHENTICATED / 4, "{open}");
        let honest = admission.admit(address(2)).unwrap();
        assert!(admission.may_shake_hands(&honest, Instant::now()));
        drop(silent);
    }

    #[test]
    fn handshakes_of_all_unknown_take_none_from_addresses_that_have_authenticated() {
        let admission = admission();
        let now = Instant::now();
        let known = admission.admit(address(1)).unwrap();
        known.authenticated();
        let unknown = admission.admit(address(2)).unwrap();
        let taken = (0..1000).filter(|_| admission.may_shake_hands(&unknown, now));
        assert_eq!(taken.count(), HANDSHAKES_PER_SECOND as usize);
        assert!(admission.may_shake_hands(&known, now));
    }
}
