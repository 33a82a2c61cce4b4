//! Background tasks of a part: named, traced, awaited in the drain, with panics logged.

use std::{future::Future, panic::AssertUnwindSafe};

use anyhow::anyhow;
use causeway_assertion::Side;
use futures::{FutureExt as _, future::BoxFuture};
use opentelemetry::{Context, context::FutureExt as _};
use tokio::sync::mpsc;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{shutdown::Shutdown, telemetry::in_part};

/// Task spawner of one part.
#[derive(Clone, Debug)]
pub struct Tasks {
    part: &'static str,
    side: Side,
    tracker: TaskTracker,
    abort: CancellationToken,
    failures: mpsc::Sender<anyhow::Error>,
    shutdown: Shutdown,
}

impl Tasks {
    pub(crate) fn new(
        part: &'static str,
        side: Side,
        shutdown: Shutdown,
        abort: CancellationToken,
        failures: mpsc::Sender<anyhow::Error>,
    ) -> Self {
        Self {
            part,
            side,
            tracker: TaskTracker::new(),
            abort,
            failures,
            shutdown,
        }
    }

    /// Runs a task that may end at any time. A panic in it is logged with its name.
    /// The drain waits for it, so a long-running task must end on [`Shutdown`].
    pub fn spawn(&self, name: &'static str, future: impl Future<Output = ()> + Send + 'static) {
        let part = self.part;
        self.start(
            async move {
                if let Err(panic) = AssertUnwindSafe(future).catch_unwind().await {
                    let panic = panic_text(&*panic);
                    tracing::error!(part, task = name, panic, "a task panicked");
                }
            }
            .boxed(),
        );
    }

    /// Runs a task that the part requires: if it ends or fails before the shutdown, the process fails.
    pub fn spawn_essential(
        &self,
        name: &'static str,
        future: impl Future<Output = anyhow::Result<()>> + Send + 'static,
    ) {
        let tasks = self.clone();
        self.start(
            async move {
                let result = AssertUnwindSafe(future)
                    .catch_unwind()
                    .await
                    .unwrap_or_else(|panic| Err(anyhow!("it panicked: {}", panic_text(&*panic))));
                tasks.report(name, result);
            }
            .boxed(),
        );
    }

    /// Waits until all tasks have ended, including tasks that are spawned meanwhile.
    pub(crate) async fn drained(&self) {
        self.tracker.close();
        self.tracker.wait().await;
    }

    fn start(&self, future: BoxFuture<'static, ()>) {
        let abort = self.abort.clone();
        let task = async move {
            tokio::select! {
                () = abort.cancelled() => {}
                () = future => {}
            }
        };
        let context = in_part(&Context::new(), self.part, self.side);
        self.tracker.spawn(task.with_context(context));
    }

    fn report(&self, name: &'static str, result: anyhow::Result<()>) {
        let is_draining = self.shutdown.is_requested();
        let cause = match result {
            Ok(()) if is_draining => return,
            Err(error) if is_draining => {
                tracing::warn!(part = self.part, task = name, error = %format!("{error:#}"), "a task failed in the drain");
                return;
            }
            Ok(()) => anyhow!("it ended"),
            Err(error) => error,
        };
        let failure = cause.context(format!("{}: task {name}", self.part));
        // The first failure determines the exit code; a full channel already has one.
        let _ = self.failures.try_send(failure);
    }
}

pub(crate) fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    panic
        .downcast_ref::<&'static str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("unknown panic")
}

#[cfg(test)]
mod tests;
