//! Saves system calls: within one poll of a connection an empty transport is read only once.
//!
//! h2 reads the transport again with every request that it returns. One poll is one turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Read state of the current turn, shared by clones. Reads are unlimited before the first turn.
#[derive(Clone, Default)]
pub(crate) struct ReadTurn(Arc<AtomicU8>);

/// No turn has started.
const FREE: u8 = 0;
const READING: u8 = 1;
/// The transport is empty and wakes the connection's task when it has data.
const WAITING: u8 = 2;

impl ReadTurn {
    /// Starts a turn. Call it first in every poll of the connection.
    pub(crate) fn begin(&self) {
        self.0.store(READING, Ordering::Relaxed);
    }

    pub(crate) fn is_waiting(&self) -> bool {
        self.0.load(Ordering::Relaxed) == WAITING
    }

    pub(crate) fn wait(&self) {
        if self.0.load(Ordering::Relaxed) != FREE {
            self.0.store(WAITING, Ordering::Relaxed);
        }
    }
}
