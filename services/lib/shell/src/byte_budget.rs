//! Memory of a process for bodies of requests and answers that are held as a whole.

use std::{fs, sync::Arc, time::Duration};

use bytes::Bytes;
use causeway_proto::{error::v1::Reason, reason::DOMAIN};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt as _};

const UNIT: usize = 1 << 10;
const MIB: u64 = 1 << 20;
/// Without a memory limit of the process.
const WITHOUT_LIMIT: u64 = 512 * MIB;
/// Enough for some requests of the largest size.
const SMALLEST: u64 = 32 * MIB;
/// Kernels report a missing limit as a number above this.
const NO_LIMIT: u64 = 1 << 46;
/// Time that a body waits for others to end.
const WAIT: Duration = Duration::from_millis(250);

/// Bytes that bodies may take together. Clones share it.
#[derive(Clone, Debug)]
pub struct ByteBudget(Arc<Semaphore>);

/// Bytes of one body, returned to the budget when dropped.
#[derive(Debug)]
pub struct ByteReservation {
    budget: ByteBudget,
    units: usize,
    permit: Option<OwnedSemaphorePermit>,
}

/// The bodies of others take all bytes.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the memory for requests and answers in flight is used up; try again in a second")]
pub struct BudgetExhausted;

impl ByteBudget {
    #[must_use]
    pub fn new(bytes: u64) -> Self {
        let units = usize::try_from(bytes).unwrap_or(usize::MAX) / UNIT;
        Self(Arc::new(Semaphore::new(units.min(Semaphore::MAX_PERMITS))))
    }

    /// Sizes the budget as a quarter of the memory limit of the process, unless operators give it in MiB.
    #[must_use]
    pub fn of_process(mebibytes: Option<u32>) -> Self {
        let given = mebibytes.map(|mebibytes| u64::from(mebibytes) * MIB);
        Self::new(given.unwrap_or_else(|| size(memory_limit())))
    }

    /// Begins with no bytes.
    #[must_use]
    pub fn reserve(&self) -> ByteReservation {
        ByteReservation {
            budget: self.clone(),
            units: 0,
            permit: None,
        }
    }
}

impl ByteReservation {
    /// Takes more bytes, up to `bytes` in all. Waits a moment for other bodies to end.
    pub async fn grow_to(&mut self, bytes: usize) -> Result<(), BudgetExhausted> {
        let wanted = bytes.div_ceil(UNIT);
        let Some(missing) = wanted
            .checked_sub(self.units)
            .filter(|missing| *missing > 0)
        else {
            return Ok(());
        };
        let count = u32::try_from(missing).map_err(|_| BudgetExhausted)?;
        let permits = self.budget.0.clone().acquire_many_owned(count);
        let acquired = timeout(WAIT, permits).await;
        let more = acquired.map_err(|_| BudgetExhausted)?;
        let more = more.map_err(|_closed| BudgetExhausted)?;
        match &mut self.permit {
            Some(permit) => permit.merge(more),
            None => self.permit = Some(more),
        }
        self.units = wanted;
        Ok(())
    }

    /// Keeps the bytes taken until `bytes` and all slices of them are dropped.
    #[must_use]
    pub fn attach(self, bytes: Bytes) -> Bytes {
        if self.permit.is_none() {
            return bytes;
        }
        Bytes::from_owner(Attached {
            bytes,
            _reservation: self,
        })
    }
}

struct Attached {
    bytes: Bytes,
    _reservation: ByteReservation,
}

impl AsRef<[u8]> for Attached {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl From<BudgetExhausted> for Status {
    fn from(error: BudgetExhausted) -> Self {
        let mut details = ErrorDetails::with_error_info(Reason::Overloaded.code(), DOMAIN, []);
        details.set_retry_info(Some(Duration::from_secs(1)));
        Self::with_error_details(Code::Unavailable, error.to_string(), details)
    }
}

fn size(limit: Option<u64>) -> u64 {
    limit.map_or(WITHOUT_LIMIT, |limit| (limit / 4).max(SMALLEST))
}

/// Memory limit of the cgroup of this process, by version 2 or 1.
fn memory_limit() -> Option<u64> {
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let paths = own.lines().filter_map(|line| line.strip_prefix("0::"));
    // In a container its own group is the root of what it sees.
    let folders = paths
        .chain([""])
        .map(|path| format!("/sys/fs/cgroup{path}/memory.max"));
    let version_1 = "/sys/fs/cgroup/memory/memory.limit_in_bytes".to_owned();
    let mut files = folders.chain([version_1]);
    files.find_map(|file| parse_limit(&fs::read_to_string(file).ok()?))
}

fn parse_limit(text: &str) -> Option<u64> {
    let limit = text.trim().parse().ok()?;
    (limit < NO_LIMIT).then_some(limit)
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn bodies_wait_for_others_to_end_and_are_refused_after_a_moment() {
        let budget = ByteBudget::new(8 * 1024);
        let mut first = budget.reserve();
        first.grow_to(6 * 1024).await.unwrap();
        first.grow_to(5 * 1024).await.unwrap();
        let mut second = budget.reserve();
        second.grow_to(2 * 1024).await.unwrap();
        assert_eq!(second.grow_to(3 * 1024).await, Err(BudgetExhausted));
        let status = Status::from(BudgetExhausted);
        assert_eq!(status.code(), Code::Unavailable);
        let waiting = second.grow_to(8 * 1024);
        drop(first);
        waiting.now_or_never().unwrap().unwrap();
        drop(second);
        budget.reserve().grow_to(8 * 1024).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn bytes_are_returned_with_the_last_slice_of_a_body() {
        let budget = ByteBudget::new(4 * 1024);
        let mut reservation = budget.reserve();
        reservation.grow_to(4 * 1024).await.unwrap();
        let body = reservation.attach(Bytes::from(vec![1; 4 * 1024]));
        let slice = body.slice(1..2);
        drop(body);
        assert!(budget.reserve().grow_to(1024).await.is_err());
        drop(slice);
        budget.reserve().grow_to(4 * 1024).await.unwrap();
    }

    #[test]
    fn the_budget_is_a_quarter_of_the_memory_limit() {
        assert_eq!(parse_limit("1073741824\n"), Some(1 << 30));
        assert_eq!(parse_limit("max\n"), None);
        assert_eq!(parse_limit("9223372036854771712"), None);
        assert_eq!(size(Some(1 << 30)), 256 * MIB);
        assert_eq!(size(Some(64 * MIB)), SMALLEST);
        assert_eq!(size(None), WITHOUT_LIMIT);
    }
}
