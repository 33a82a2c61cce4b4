//! Jaeger, all in one process, for tests and trials of tracing.

use std::{net::Ipv4Addr, time::Duration};

use crate::{
    Program, Programs,
    argocd::serves,
    error::ClusterError,
    folder::Folder,
    port,
    process::{Launch, Place, Process, ProcessGuard},
};

const NAME: &str = "jaeger";
const START_TIMEOUT: Duration = Duration::from_secs(300);
/// Attempts with other ports; each was free a moment before.
const ATTEMPTS: usize = 5;
/// Further listeners, unused here.
const UNUSED: [&str; 8] = [
    "collector.grpc-server.host-port",
    "collector.http-server.host-port",
    "collector.otlp.http.host-port",
    "query.grpc-server.host-port",
    "http-server.host-port",
    "processor.jaeger-binary.server-host-port",
    "processor.jaeger-compact.server-host-port",
    "processor.zipkin-compact.server-host-port",
];

/// A running Jaeger, which forgets all at its end. Dropping it ends it.
#[derive(Debug)]
pub struct Jaeger {
    collector: u16,
    query: u16,
    // Ends before its folder is removed.
    _process: Process,
    _guard: ProcessGuard,
    _folder: Folder,
}

impl Jaeger {
    /// Starts on free ports of loopback.
    ///
    /// # Errors
    /// The program is not built, or it does not get ready; the error names its log, which is kept.
    pub async fn start() -> Result<Self, ClusterError> {
        // It does not know whose child it is, and the guard that does is part of that program.
        let programs = Programs::find(&[Program::Kubernetes, Program::Jaeger])?;
        let mut folder = Folder::new()?;
        let place = Place {
            logs: folder.make("log")?,
            home: folder.make("home")?,
        };
        let guard = ProcessGuard::new().map_err(|source| ClusterError::Folder {
            path: place.home.clone(),
            source,
        })?;
        folder.sweep_after(&guard)?;
        let mut attempts = 0;
        loop {
            let (collector, query) = (port::free()?, port::free()?);
            let launch = launch(&programs, collector, query)?;
            let mut process = Process::start(&launch, &guard, &place)?;
            let ready = serves(format!("{}/api/services", address(query)));
            match process.wait_until(START_TIMEOUT, || ready()).await {
                Ok(()) => {
                    return Ok(Self {
                        collector,
                        query,
                        _process: process,
                        _guard: guard,
                        _folder: folder,
                    });
                }
                Err(error) if error.is_address_in_use() && attempts < ATTEMPTS => attempts += 1,
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// OTLP endpoint over gRPC, for `OTEL_EXPORTER_OTLP_ENDPOINT`.
    pub fn collector(&self) -> String {
        address(self.collector)
    }

    /// Base URL of the query API below `/api`.
    pub fn query(&self) -> String {
        address(self.query)
    }
}

fn address(port: u16) -> String {
    format!("http://{}:{port}", Ipv4Addr::LOCALHOST)
}

fn launch(programs: &Programs, collector: u16, query: u16) -> Result<Launch, ClusterError> {
    let at = |port: u16| format!("{}:{port}", Ipv4Addr::LOCALHOST);
    let mut launch = Launch::new(NAME, programs.path(Program::Kubernetes))
        .argument("guard")
        .argument(programs.path(Program::Jaeger).display().to_string())
        .flag("collector.otlp.enabled", true)
        .flag("collector.otlp.grpc.host-port", at(collector))
        .flag("query.http-server.host-port", at(query))
        .flag("admin.http.host-port", at(port::free()?));
    for name in UNUSED {
        launch = launch.flag(name, at(0));
    }
    Ok(launch)
}
