//! Handle of one part to the shell.

use std::{sync::Arc, time::Duration};

use causeway_assertion::Side;
use opentelemetry::{KeyValue, metrics::Meter};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::{
    access::Access,
    byte_budget::ByteBudget,
    notice::Notices,
    readiness::{Health, Readiness, ReadyHandle},
    server::Server,
    shutdown::Shutdown,
    tasks::Tasks,
    telemetry::Telemetry,
};

/// Tasks, readiness, shutdown, metrics and servers of one part. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Shell(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    name: &'static str,
    side: Side,
    instance: String,
    meter: Meter,
    readiness: Readiness,
    notices: Notices,
    shutdown: Shutdown,
    tasks: Tasks,
    byte_budget: ByteBudget,
}

impl Shell {
    pub(crate) fn new(
        name: &'static str,
        side: Side,
        telemetry: &Telemetry,
        shutdown: Shutdown,
        tasks: Tasks,
        byte_budget: ByteBudget,
    ) -> Self {
        let instance = uuid::Uuid::now_v7().to_string();
        telemetry.add_part(name, &instance);
        let (meter, readiness) = (telemetry.meter(name), Readiness::new());
        register_ready_gauge(&meter, side, readiness.clone());
        Self(Arc::new(Inner {
            name,
            side,
            instance,
            meter,
            readiness,
            notices: Notices::default(),
            shutdown,
            tasks,
            byte_budget,
        }))
    }

    /// Creates a part without a process, for tests. Its tasks end when the [`TestStop`] is dropped.
    #[must_use]
    pub fn for_test(name: &'static str) -> (Self, TestStop) {
        Self::for_test_with(name, ByteBudget::of_process(None))
    }

    /// The same with a budget of its own for bodies.
    #[must_use]
    pub fn for_test_with(name: &'static str, byte_budget: ByteBudget) -> (Self, TestStop) {
        let (failures, failed) = mpsc::channel(1);
        let (stop, abort) = (CancellationToken::new(), CancellationToken::new());
        let shutdown = Shutdown::new(stop.clone());
        let tasks = Tasks::new(
            name,
            Side::Platform,
            shutdown.clone(),
            abort.clone(),
            failures,
        );
        let telemetry = Telemetry::silent();
        let side = Side::Platform;
        let shell = Self::new(name, side, &telemetry, shutdown, tasks, byte_budget);
        let stopper = TestStop {
            shell: shell.clone(),
            stop,
            abort,
            failed,
        };
        (shell, stopper)
    }

    #[must_use]
    pub fn name(&self) -> &'static str {
        self.0.name
    }

    #[must_use]
    pub fn side(&self) -> Side {
        self.0.side
    }

    #[must_use]
    pub fn version(&self) -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    /// Returns the UUID of this run of the part.
    #[must_use]
    pub fn instance(&self) -> &str {
        &self.0.instance
    }

    #[must_use]
    pub fn tasks(&self) -> &Tasks {
        &self.0.tasks
    }

    #[must_use]
    pub fn shutdown(&self) -> Shutdown {
        self.0.shutdown.clone()
    }

    /// Keeps the part unready until the handle is dropped. `/readyz` shows `what`. A later handle makes the part unready again.
    pub fn ready_handle(&self, what: &'static str) -> ReadyHandle {
        self.0.readiness.hold(what)
    }

    #[must_use]
    pub fn health(&self) -> watch::Receiver<Health> {
        self.0.readiness.watch()
    }

    /// Returns the notices to operators, which are announced to the platform with the health.
    #[must_use]
    pub fn notices(&self) -> &Notices {
        &self.0.notices
    }

    /// Returns the memory of the process for bodies that are held as a whole.
    #[must_use]
    pub fn byte_budget(&self) -> ByteBudget {
        self.0.byte_budget.clone()
    }

    #[must_use]
    pub fn meter(&self) -> Meter {
        self.0.meter.clone()
    }

    /// Creates a gRPC server that accepts callers by `access`.
    #[must_use]
    pub fn server(&self, access: Access) -> Server {
        Server::new(self.clone(), access)
    }

    pub(crate) fn readiness(&self) -> &Readiness {
        &self.0.readiness
    }
}

/// Registers the metric of the readiness that `/readyz` shows.
fn register_ready_gauge(meter: &Meter, side: Side, readiness: Readiness) {
    let ready = meter.u64_observable_gauge("part.ready");
    let ready = ready.with_description("1 if the part is ready, else 0");
    let observed = ready.with_callback(move |observer| {
        let is_ready = readiness.health() == Health::Ready;
        let side = KeyValue::new("causeway.side", side.as_str());
        observer.observe(u64::from(is_ready), &[side]);
    });
    // The meter keeps the callback registered.
    let _ = observed.build();
}

/// Stops the part of [`Shell::for_test`].
#[derive(Debug)]
pub struct TestStop {
    shell: Shell,
    stop: CancellationToken,
    abort: CancellationToken,
    failed: mpsc::Receiver<anyhow::Error>,
}

impl TestStop {
    /// Requests the drain without waiting for it.
    pub fn request(&self) {
        self.shell.readiness().drain();
        self.stop.cancel();
    }

    /// Drains and waits for the tasks, for at most a minute because test machines are busy. Returns the error of a failed essential task.
    pub async fn stop(mut self) -> anyhow::Result<()> {
        self.request();
        tokio::time::timeout(Duration::from_secs(60), self.shell.tasks().drained())
            .await
            .map_err(|_| anyhow::anyhow!("{}: tasks did not end within 60 s", self.shell.name()))?;
        self.failed.try_recv().map_or(Ok(()), Err)
    }

    /// Waits for the failure of an essential task.
    pub async fn failed(&mut self) -> anyhow::Error {
        match self.failed.recv().await {
            Some(failure) => failure,
            None => std::future::pending().await,
        }
    }
}

impl Drop for TestStop {
    fn drop(&mut self) {
        self.stop.cancel();
        self.abort.cancel();
    }
}
