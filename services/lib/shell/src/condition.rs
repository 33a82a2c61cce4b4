//! Conditions that a running part depends on, such as a database that accepts writes.

use std::{fmt::Display, time::Duration};

use crate::{part::Shell, readiness::ReadyHandle};

const CHECK_INTERVAL: Duration = Duration::from_secs(5);

impl Shell {
    /// Checks a condition every few seconds until the shutdown. While it fails the part is unready, and a notice says why.
    pub async fn check_condition<E: Display, F: Future<Output = Result<(), E>>>(
        self,
        what: &'static str,
        check: impl Fn() -> F,
    ) {
        let mut unmet: Option<ReadyHandle> = None;
        let checking = async {
            loop {
                self.apply_check(what, check().await, &mut unmet);
                tokio::time::sleep(CHECK_INTERVAL).await;
            }
        };
        tokio::select! {
            () = checking => {}
            () = self.shutdown().requested() => {}
        }
    }

    fn apply_check<E: Display>(
        &self,
        what: &'static str,
        checked: Result<(), E>,
        unmet: &mut Option<ReadyHandle>,
    ) {
        match checked {
            Ok(()) => {
                if unmet.take().is_some() {
                    tracing::info!(what, "the part works again");
                }
                self.notices().clear(what);
            }
            Err(error) => {
                if unmet.is_none() {
                    tracing::error!(what, %error, "the part cannot work; it is unready until this is mended");
                    *unmet = Some(self.ready_handle(what));
                }
                self.notices().raise(what, error.to_string());
            }
        }
    }
}

#[cfg(test)]
mod tests;
