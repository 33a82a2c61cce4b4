//! One poll of a connection is one turn. The library asks the transport for more with every
//! request that it hands out; within a turn a transport that had nothing is not asked again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Clones are the same turn. Before the first begins, nothing is held back.
#[derive(Clone, Default)]
pub(crate) struct ReadTurn(Arc<AtomicU8>);

/// No turn has started.
const FREE: u8 = 0;
const READING: u8 = 1;
/// The transport has nothing, and wakes whoever asked when it has.
const WAITING: u8 = 2;

impl ReadTurn {
    /// To be called with every poll of the connection, by the task that is woken.
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
