//! The record of every accepted write, on file before it is answered.

use std::{io, sync::Arc};

use super::object::{ObjectKey, Stored};

/// Where writes are recorded.
pub(crate) enum Journal {
    /// nowhere: the store lives in memory
    Memory,
    /// the process is going away and takes no writes
    Closed,
}

impl Journal {
    pub(crate) fn none() -> Self {
        Self::Memory
    }

    pub(crate) fn closed() -> Self {
        Self::Closed
    }

    pub(crate) fn put(&mut self, _id: &str, _stored: &Stored) -> io::Result<()> {
        self.check()
    }

    pub(crate) fn delete(&mut self, _id: &str, _key: &ObjectKey, _revision: u64) -> io::Result<()> {
        self.check()
    }

    pub(crate) fn is_due(&self) -> bool {
        false
    }

    pub(crate) fn rewrite<'a>(
        &mut self,
        _revision: u64,
        _live: impl Iterator<Item = (&'a Arc<str>, &'a Arc<Stored>)>,
    ) -> io::Result<()> {
        Ok(())
    }

    fn check(&self) -> io::Result<()> {
        match self {
            Self::Closed => Err(io::Error::other("the sandbox is stopping")),
            Self::Memory => Ok(()),
        }
    }
}
