//! Limits of calls: how often and how many at once, for each caller and for each runtime that calls go into.
//!
//! A call above the limit waits for its turn, so that a command on hundreds of objects succeeds. A call that would wait too long is
//! refused with the time to wait. Parts and runtimes are no callers here: their reports are never delayed.

mod bucket;
mod lane;

use std::{
    net::{IpAddr, Ipv6Addr},
    num::NonZeroU32,
    sync::Arc,
    time::Duration,
};

use moka::future::Cache;
use sha2::{Digest as _, Sha256};
use tokio::sync::OwnedSemaphorePermit;

use self::lane::Lane;

/// How long a call waits for its turn.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// Callers and runtimes whose limits are kept. The least used are forgotten.
const MOST_LANES: u64 = 10_000;
/// A caller that is idle for so long has every token again.
const IDLE: Duration = Duration::from_secs(600);

/// Flags of the limits.
#[derive(clap::Args, Clone, Debug)]
pub struct LimitArgs {
    /// Calls that one user or service account may make in a second; more wait for up to 5 s, then are refused
    #[arg(
        long,
        env = "CAUSEWAY_CALLS_PER_CALLER",
        value_name = "NUMBER",
        default_value = "200"
    )]
    pub calls_per_caller: NonZeroU32,

    /// Streams that one user or service account may have open, such as watches and logs
    #[arg(
        long,
        env = "CAUSEWAY_STREAMS_PER_CALLER",
        value_name = "NUMBER",
        default_value = "256"
    )]
    pub streams_per_caller: NonZeroU32,

    /// Calls that all users together may make into one runtime in a second; more wait for up to 5 s, then are refused
    #[arg(
        long,
        env = "CAUSEWAY_CALLS_PER_RUNTIME",
        value_name = "NUMBER",
        default_value = "800"
    )]
    pub calls_per_runtime: NonZeroU32,
}

impl Default for LimitArgs {
    fn default() -> Self {
        let number = |number| NonZeroU32::new(number).expect("it is not 0");
        Self {
            calls_per_caller: number(200),
            streams_per_caller: number(256),
            calls_per_runtime: number(800),
        }
    }
}

/// What a caller, or a runtime, may have.
#[derive(Clone, Copy, Debug)]
struct Limit {
    /// The one that it is for, in messages.
    who: &'static str,
    flag: &'static str,
    /// In a second.
    calls: NonZeroU32,
    /// Unary calls that are made at once.
    running: usize,
    /// Further calls that wait for their turn.
    waiting: usize,
    /// Streams that are open at once.
    streams: usize,
}

/// Who makes a call.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub(crate) enum Caller {
    /// Authenticated: an account and a subject in it, whichever of its keys and sessions it shows.
    Subject(Arc<str>),
    /// The source of a user's assertion, which is verified only by the part that it is for. An IPv6 address stands for its /56.
    Address(IpAddr),
}

/// How a call counts.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum CallShape {
    Unary,
    Stream,
}

/// The place of a call, until it ends.
pub(crate) type Turn = OwnedSemaphorePermit;

/// Why a call is not made.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub(crate) enum LimitError {
    #[error(
        "too many calls: {who} may have {calls} in a second; try again in {} s, or ask the operator to raise {flag}",
        after.as_secs()
    )]
    Rate {
        who: &'static str,
        flag: &'static str,
        calls: NonZeroU32,
        after: Duration,
    },
    #[error(
        "too many calls at once: {who} may have {running} running and {waiting} waiting; wait for answers before you send more"
    )]
    AtOnce {
        who: &'static str,
        running: usize,
        waiting: usize,
    },
    #[error("too many open streams: {who} may have {streams}; close some and try again")]
    Streams { who: &'static str, streams: usize },
}

/// The limits of all callers and runtimes.
pub(crate) struct Limits {
    caller: Limit,
    runtime: Limit,
    callers: Cache<Caller, Arc<Lane>>,
    runtimes: Cache<Arc<str>, Arc<Lane>>,
    /// The callers of credentials that were accepted, by their hash: these wait before the platform is asked.
    known: Cache<[u8; 32], Caller>,
}

impl Limits {
    pub(crate) fn new(args: &LimitArgs) -> Self {
        let size = |number: NonZeroU32| usize::try_from(number.get()).unwrap_or(usize::MAX);
        Self {
            caller: Limit {
                who: "one caller",
                flag: "--calls-per-caller",
                calls: args.calls_per_caller,
                running: 64,
                waiting: 192,
                streams: size(args.streams_per_caller),
            },
            runtime: Limit {
                who: "one runtime",
                flag: "--calls-per-runtime",
                calls: args.calls_per_runtime,
                running: 256,
                waiting: 256,
                streams: 4096,
            },
            callers: lanes(),
            runtimes: lanes(),
            known: lanes(),
        }
    }

    /// Waits until the caller may make a call.
    pub(crate) async fn enter(&self, caller: Caller, shape: CallShape) -> Result<Turn, LimitError> {
        let lane = async { Arc::new(Lane::new(self.caller)) };
        let lane = self.callers.get_with_by_ref(&caller, lane).await;
        let turn = lane.enter(shape).await;
        if turn.is_err() && lane.is_first_refusal() {
            tracing::warn!(?caller, "calls are refused: this caller makes too many");
        }
        turn
    }

    /// Waits until a call may go into the runtime.
    pub(crate) async fn enter_runtime(
        &self,
        runtime: &str,
        shape: CallShape,
    ) -> Result<Turn, LimitError> {
        let lane = async { Arc::new(Lane::new(self.runtime)) };
        let lane = self.runtimes.get_with(runtime.into(), lane).await;
        let turn = lane.enter(shape).await;
        if turn.is_err() && lane.is_first_refusal() {
            tracing::warn!(runtime, "calls are refused: this runtime gets too many");
        }
        turn
    }

    /// The caller of a credential that was accepted before.
    pub(crate) async fn known(&self, credential: &str) -> Option<Caller> {
        self.known.get(&hash(credential)).await
    }

    /// Remembers whose credential it is.
    pub(crate) async fn learn(&self, credential: &str, subject: &Arc<str>) -> Caller {
        let caller = Caller::Subject(subject.clone());
        self.known.insert(hash(credential), caller.clone()).await;
        caller
    }
}

impl Caller {
    pub(crate) fn at(address: IpAddr) -> Self {
        let network = match address.to_canonical() {
            IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 72 << 72).into(),
            v4 @ IpAddr::V4(_) => v4,
        };
        Self::Address(network)
    }
}

fn lanes<K, V>() -> Cache<K, V>
where
    K: std::hash::Hash + Eq + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    Cache::builder()
        .max_capacity(MOST_LANES)
        .time_to_idle(IDLE)
        .build()
}

fn hash(credential: &str) -> [u8; 32] {
    Sha256::digest(credential).into()
}

#[cfg(test)]
mod tests;
