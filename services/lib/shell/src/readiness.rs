//! Readiness gates: a part is ready once all handles are dropped.
//!
//! A new part is held by the name `start` until it takes its first handle or starts its first server.

use tokio::sync::watch;

/// Health of a part.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Health {
    /// Names of the handles that are still held, oldest first.
    Starting {
        pending: Vec<&'static str>,
    },
    Ready,
    Draining,
}

/// Keeps its part unready until dropped, when `what` is available.
#[derive(Debug)]
#[must_use = "dropping the handle makes the part ready"]
pub struct ReadyHandle {
    what: &'static str,
    readiness: Readiness,
}

impl Drop for ReadyHandle {
    fn drop(&mut self) {
        self.readiness.release(self.what);
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Readiness(watch::Sender<Health>);

const START: &str = "start";

impl Readiness {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(Health::Starting {
            pending: vec![START],
        }))
    }

    pub(crate) fn hold(&self, what: &'static str) -> ReadyHandle {
        self.0.send_modify(|health| match health {
            Health::Starting { pending } => pending.push(what),
            Health::Ready => {
                *health = Health::Starting {
                    pending: vec![what],
                }
            }
            Health::Draining => {}
        });
        self.started();
        ReadyHandle {
            what,
            readiness: self.clone(),
        }
    }

    pub(crate) fn started(&self) {
        self.release(START);
    }

    pub(crate) fn drain(&self) {
        self.0.send_replace(Health::Draining);
    }

    pub(crate) fn watch(&self) -> watch::Receiver<Health> {
        self.0.subscribe()
    }

    pub(crate) fn health(&self) -> Health {
        self.0.borrow().clone()
    }

    fn release(&self, what: &'static str) {
        self.0.send_if_modified(|health| {
            let Health::Starting { pending } = health else {
                return false;
            };
            let Some(held) = pending.iter().position(|held| *held == what) else {
                return false;
            };
            pending.remove(held);
            if pending.is_empty() {
                *health = Health::Ready;
            }
            true
        });
    }
}

#[cfg(test)]
mod tests;
