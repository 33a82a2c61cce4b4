//! Handle of one part to the shell.

use std::{sync::Arc, time::Duration};

use causeway_assertion::Side;

use opentelemetry::{KeyValue, metrics::Meter};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::{
    access::Access,
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
}

impl Shell {
    pub(crate) fn new(
        name: &'static str,
        side: Side,
        telemetry: &Telemetry,
        shutdown: Shutdown,
        tasks: Tasks,
    ) -> Self {
        let instance = uuid::Uuid::now_v7().to_string();
        telemetry.add_part(name, &instance);
        let (meter, readiness) = (telemetry.meter(name), Readiness::new());
        measure(&meter, side, readiness.clone());
        Self(Arc::new(Inner {
            name,
            side,
            instance,
            meter,
            readiness,
            notices: Notices::default(),
            shutdown,
            tasks,
        }))
    }

    /// A part without a process, for tests of one service. Tasks end when the [`TestStop`] is dropped.
    #[must_use]
    pub fn for_test(name: &'static str) -> (Self, TestStop) {
        let (failures, failed) = mpsc::channel(1);
        let (stop, abort) = (CancellationToken::new(), CancellationToken::new());
        let shutdown = Shutdown::new(stop.clone());
        let of = (name, Side::Platform);
        let tasks = Tasks::new(of, shutdown.clone(), abort.clone(), failures);
        let shell = Self::new(name, Side::Platform, &Telemetry::silent(), shutdown, tasks);
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

    /// A UUID of this run of the part.
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

    /// Holds the part back from being ready until the handle is dropped. `what` is what /readyz names.
    /// A handle taken later makes the part not ready again.
    pub fn ready_handle(&self, what: &'static str) -> ReadyHandle {
        self.0.readiness.hold(what)
    }

    #[must_use]
    pub fn health(&self) -> watch::Receiver<Health> {
        self.0.readiness.watch()
    }

    /// What a person should look at although the part works; told to the platform with the part's health.
    #[must_use]
    pub fn notices(&self) -> &Notices {
        &self.0.notices
    }

    #[must_use]
    pub fn meter(&self) -> Meter {
        self.0.meter.clone()
    }

    /// A gRPC server whose callers are decided by `access`.
    #[must_use]
    pub fn server(&self, access: Access) -> Server {
        Server::new(self.clone(), access)
    }

    pub(crate) fn readiness(&self) -> &Readiness {
        &self.0.readiness
    }
}

/// Whether the part is ready, as `/readyz` says it.
fn measure(meter: &Meter, side: Side, readiness: Readiness) {
    let ready = meter.u64_observable_gauge("part.ready");
    let ready = ready.with_description("Whether a part is ready: 1 or 0");
    let observed = ready.with_callback(move |observer| {
        let is_ready = readiness.health() == Health::Ready;
        let side = KeyValue::new("causeway.side", side.as_str());
        observer.observe(u64::from(is_ready), &[side]);
    });
    // The meter holds it.
    let _ = observed.build();
}

/// Ends what [`Shell::for_test`] began.
#[derive(Debug)]
pub struct TestStop {
    shell: Shell,
    stop: CancellationToken,
    abort: CancellationToken,
    failed: mpsc::Receiver<anyhow::Error>,
}

impl TestStop {
    /// Asks for the drain and goes on at once.
    pub fn request(&self) {
        self.shell.readiness().drain();
        self.stop.cancel();
    }

    /// Drains and waits for at most a minute for the tasks, so that a busy machine is no failure. An essential task that failed is the error.
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
