//! Ports for children that must be told theirs: free a moment ago, and never handed out twice by this process.
//!
//! They lie below the range from which the kernel takes the ports of outgoing connections, so that a child that is started again
//! finds its own still free.

use std::{
    collections::BTreeSet,
    net::{Ipv4Addr, TcpListener},
    sync::{Mutex, PoisonError},
};

const FIRST: u16 = 20_000;
const LAST: u16 = 31_999;
const TRIES: usize = 200;

static GIVEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());

/// No port is free.
#[derive(Debug, thiserror::Error)]
#[error("no free port on loopback between {FIRST} and {LAST}: stop what listens there")]
pub struct PortError;

/// A port of 127.0.0.1.
pub(crate) fn free() -> Result<u16, PortError> {
    for _ in 0..TRIES {
        let port = rand::random_range(FIRST..=LAST);
        let mut given = GIVEN.lock().unwrap_or_else(PoisonError::into_inner);
        if !given.contains(&port) && TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            given.insert(port);
            return Ok(port);
        }
    }
    Err(PortError)
}
