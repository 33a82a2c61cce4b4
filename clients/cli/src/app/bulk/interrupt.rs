//! Ctrl-C in a command on many applications. What was started goes on, so that it is named.

use std::{cell::RefCell, collections::BTreeSet, future::pending};

use crate::{failure::Exited, output, request};

/// The exit code of a program that ends by Ctrl-C.
const INTERRUPTED: i32 = 130;

/// Calls of one command by their state.
#[derive(Debug, Default)]
pub(super) struct Calls {
    total: usize,
    accepted: RefCell<Vec<String>>,
    pending: RefCell<BTreeSet<String>>,
    failed: RefCell<usize>,
}

impl Calls {
    pub(super) fn new(total: usize) -> Self {
        Self {
            total,
            ..Self::default()
        }
    }

    pub(super) fn send(&self, name: &str) {
        self.pending.borrow_mut().insert(name.to_owned());
    }

    pub(super) fn accept(&self, name: &str) {
        self.pending.borrow_mut().remove(name);
        self.accepted.borrow_mut().push(name.to_owned());
    }

    pub(super) fn fail(&self, name: &str) {
        self.pending.borrow_mut().remove(name);
        *self.failed.borrow_mut() += 1;
    }

    /// Returns what was started, what may have been and what was not.
    pub(super) fn lines(&self) -> Vec<String> {
        let (accepted, pending) = (self.accepted.borrow(), self.pending.borrow());
        let (total, failed) = (self.total, *self.failed.borrow());
        let mut lines = vec![match accepted.as_slice() {
            [] => format!("interrupted: none of {total} is known to be started"),
            names => format!(
                "interrupted: {} of {total} started, which go on: {}",
                names.len(),
                names.join(", ")
            ),
        }];
        if !pending.is_empty() {
            let names: Vec<_> = pending.iter().map(String::as_str).collect();
            lines.push(format!("perhaps started: {}", names.join(", ")));
        }
        let rest = total.saturating_sub(accepted.len() + pending.len() + failed);
        if rest > 0 {
            lines.push(format!("not started: {rest}"));
        }
        lines
    }

    /// Prints what was started, and returns the error to end with.
    pub(super) fn interrupted(&self) -> anyhow::Error {
        self.lines().iter().for_each(output::note);
        if let Some(command) = request::retry_command() {
            output::note(format!("{command} goes on and starts nothing twice"));
        }
        exit()
    }
}

/// Waits for Ctrl-C.
pub(in crate::app) async fn interrupt() {
    if tokio::signal::ctrl_c().await.is_err() {
        // Without a handler the signal ends the process.
        pending::<()>().await;
    }
}

/// Returns the error that ends an interrupted command; the text has been printed.
pub(in crate::app) fn exit() -> anyhow::Error {
    Exited::with(INTERRUPTED).into()
}
