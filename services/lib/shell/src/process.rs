//! Life cycle of a process: start, signals, failures, drain, exit code.

use std::{
    io::Write as _,
    panic::AssertUnwindSafe,
    process::ExitCode,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use anyhow::{Context as _, anyhow};
use causeway_assertion::Side;
use futures::{FutureExt as _, future::BoxFuture};
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::mpsc,
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use crate::{
    admin,
    args::ProcessArgs,
    byte_budget::ByteBudget,
    part::Shell,
    shutdown::Shutdown,
    tasks::{Tasks, panic_text},
    telemetry::Telemetry,
};

type Main = Box<dyn FnOnce(Process) -> BoxFuture<'static, anyhow::Result<()>>>;

/// Runs a process until `main` ends, an essential task ends, or a signal asks it to stop.
///
/// The exit code is 1 if `main` or an essential task failed or a second signal cut the drain short; the reason is one line on standard error.
pub fn run(
    args: &ProcessArgs,
    main: impl FnOnce(Process) -> BoxFuture<'static, anyhow::Result<()>> + 'static,
) -> ExitCode {
    match run_boxed(args, Box::new(main)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // A closed stderr leaves no way to report this.
            let _ = writeln!(std::io::stderr(), "error: {}", one_line(&error));
            ExitCode::FAILURE
        }
    }
}

/// Installs aws-lc as the TLS cryptography provider of the process. [`run`] calls it; tests call it themselves.
pub fn install_crypto() {
    // Fails if a provider is already installed, which can only be this one.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
}

/// Handle of the process for its parts. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Process(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    telemetry: Telemetry,
    byte_budget: ByteBudget,
    stop: CancellationToken,
    abort: CancellationToken,
    failures: mpsc::Sender<anyhow::Error>,
    tasks: Tasks,
    parts: Mutex<Vec<Shell>>,
}

impl Process {
    fn new(
        telemetry: Telemetry,
        byte_budget: ByteBudget,
        failures: mpsc::Sender<anyhow::Error>,
    ) -> Self {
        let (stop, abort) = (CancellationToken::new(), CancellationToken::new());
        let shutdown = Shutdown::new(stop.clone());
        Self(Arc::new(Inner {
            tasks: Tasks::new(
                "process",
                Side::Platform,
                shutdown,
                abort.clone(),
                failures.clone(),
            ),
            telemetry,
            byte_budget,
            stop,
            abort,
            failures,
            parts: Mutex::default(),
        }))
    }

    /// Adds a part, which from now on counts for the readiness of the process.
    pub fn part(&self, name: &'static str, side: Side) -> Shell {
        let inner = &self.0;
        let tasks = Tasks::new(
            name,
            side,
            self.shutdown(),
            inner.abort.clone(),
            inner.failures.clone(),
        );
        let part = Shell::new(
            name,
            side,
            &inner.telemetry,
            self.shutdown(),
            tasks,
            inner.byte_budget.clone(),
        );
        self.lock_parts().push(part.clone());
        part
    }

    /// Returns all parts in the order of their start.
    #[must_use]
    pub fn parts(&self) -> Vec<Shell> {
        self.lock_parts().clone()
    }

    #[must_use]
    pub fn tasks(&self) -> &Tasks {
        &self.0.tasks
    }

    #[must_use]
    pub fn shutdown(&self) -> Shutdown {
        Shutdown::new(self.0.stop.clone())
    }

    /// Requests a drain, as a signal does.
    pub fn stop(&self) {
        for part in self.parts() {
            part.readiness().drain();
        }
        self.0.stop.cancel();
    }

    pub(crate) fn telemetry(&self) -> &Telemetry {
        &self.0.telemetry
    }

    async fn drained(&self) {
        for part in self.parts() {
            part.tasks().drained().await;
        }
        self.0.tasks.drained().await;
    }

    fn lock_parts(&self) -> std::sync::MutexGuard<'_, Vec<Shell>> {
        self.0.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn run_boxed(args: &ProcessArgs, main: Main) -> anyhow::Result<()> {
    install_crypto();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("start the runtime")?;
    let end = runtime.block_on(supervise(args, main));
    runtime.shutdown_timeout(Duration::from_millis(100));
    end
}

async fn supervise(args: &ProcessArgs, main: Main) -> anyhow::Result<()> {
    let signals = Signals::new()?;
    let (failures, failed) = mpsc::channel(1);
    let byte_budget = ByteBudget::of_process(args.body_memory);
    let process = Process::new(Telemetry::for_server(args)?, byte_budget, failures);
    let mut admin = JoinSet::new();
    if let Some(address) = args.admin_listen {
        let listener = crate::bind("--admin-listen", address).await?;
        tracing::info!(address = %listener.local_addr()?, "admin server listens");
        admin.spawn(admin::serve(listener, process.clone()));
    }
    let run = Run {
        signals,
        failed,
        process: process.clone(),
    };
    let end = run
        .until_end(main(process.clone()), args.drain_timeout)
        .await;
    process.0.abort.cancel();
    let telemetry = process.telemetry().clone();
    // Exporters need the runtime while they flush, so the wait is on a thread of its own.
    let _ = tokio::task::spawn_blocking(move || telemetry.flush()).await;
    end
}

struct Run {
    signals: Signals,
    failed: mpsc::Receiver<anyhow::Error>,
    process: Process,
}

impl Run {
    async fn until_end(
        mut self,
        main: BoxFuture<'static, anyhow::Result<()>>,
        drain_timeout: Duration,
    ) -> anyhow::Result<()> {
        let mut main = AssertUnwindSafe(main)
            .catch_unwind()
            .map(panic_to_error)
            .fuse();
        let first = tokio::select! {
            end = &mut main => end,
            Some(failure) = self.failed.recv() => Err(failure),
            name = self.signals.next() => {
                tracing::info!(signal = name, "stopping; a second signal stops at once");
                Ok(())
            }
            () = self.process.shutdown().requested() => Ok(()),
        };
        self.process.stop();
        let process = self.process.clone();
        let drain = async move {
            let end = if futures::future::FusedFuture::is_terminated(&main) {
                Ok(())
            } else {
                main.await
            };
            process.drained().await;
            end
        };
        let drained = tokio::select! {
            end = tokio::time::timeout(drain_timeout, drain) => end.unwrap_or_else(|_| {
                tracing::warn!(timeout = %humantime::format_duration(drain_timeout), "the drain timed out; closing what is still open");
                Ok(())
            }),
            name = self.signals.next() => Err(anyhow!("{name} while draining: stopped at once")),
        };
        first
            .and(drained)
            .and_then(|()| self.failed.try_recv().map_or(Ok(()), Err))
    }
}

fn panic_to_error(
    end: Result<anyhow::Result<()>, Box<dyn std::any::Any + Send>>,
) -> anyhow::Result<()> {
    end.unwrap_or_else(|panic| Err(anyhow!("internal error: {}", panic_text(&*panic))))
}

struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn new() -> anyhow::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate()).context("listen for SIGTERM")?,
            interrupt: signal(SignalKind::interrupt()).context("listen for SIGINT")?,
        })
    }

    async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}

/// Formats the causes on one line, outermost first.
fn one_line(error: &anyhow::Error) -> String {
    format!("{error:#}")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}
