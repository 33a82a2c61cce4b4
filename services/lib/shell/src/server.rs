//! The gRPC server of a part: its services with health, reflection and all layers.

use std::{convert::Infallible, time::Duration};

use anyhow::Context as _;
use futures::{FutureExt as _, future::BoxFuture};
use http::Request;
use tokio::net::TcpListener;
use tonic::{body::Body, server::NamedService, service::RoutesBuilder};
use tonic_health::{ServingStatus, server::HealthReporter};
use tower::{Service, ServiceBuilder, util::BoxCloneSyncService};

use crate::{
    access::Access,
    connection::{HttpService, serve_http},
    layer::{
        caller::{CallerLayer, PUBLIC_LIMIT},
        deadline::DeadlineLayer,
        panics::PanicLayer,
        shed::ShedLayer,
        trace::TraceLayer,
    },
    part::Shell,
    readiness::Health,
    tls::ServerTls,
};

/// Builder of a gRPC server, from [`Shell::server`]. Adds health v1 and reflection v1 and v1alpha.
pub struct Server {
    shell: Shell,
    access: Access,
    routes: RoutesBuilder,
    services: Vec<&'static str>,
    tls: Option<ServerTls>,
    max_calls: usize,
    max_duration: Duration,
}

impl Server {
    pub(crate) fn new(shell: Shell, access: Access) -> Self {
        Self {
            shell,
            access,
            routes: RoutesBuilder::default(),
            services: Vec::new(),
            tls: None,
            max_calls: ShedLayer::DEFAULT_CALLS,
            max_duration: DeadlineLayer::DEFAULT_MAX,
        }
    }

    /// Adds a generated service.
    #[must_use]
    #[expect(
        clippy::should_implement_trait,
        reason = "it adds a service, as in a builder, and no one adds servers"
    )]
    pub fn add<S>(mut self, service: S) -> Self
    where
        S: Service<Request<Body>, Response = http::Response<Body>, Error = Infallible>
            + NamedService
            + Clone
            + Send
            + Sync
            + 'static,
        S::Future: Send + 'static,
    {
        self.services.push(S::NAME);
        self.routes.add_service(service);
        self
    }

    /// Serves TLS, or plaintext if none.
    #[must_use]
    pub fn tls(mut self, tls: Option<ServerTls>) -> Self {
        self.tls = tls;
        self
    }

    /// Sets the maximum number of concurrent calls, by default 1024.
    #[must_use]
    pub fn max_concurrent_calls(mut self, calls: usize) -> Self {
        self.max_calls = calls;
        self
    }

    /// Sets the maximum duration of unary calls, by default 60 s.
    #[must_use]
    pub fn max_call_duration(mut self, duration: Duration) -> Self {
        self.max_duration = duration;
        self
    }

    /// Serves until the shell drains. Fails immediately if a method of a service has no access rule.
    pub fn serve(mut self, listener: TcpListener) -> BoxFuture<'static, anyhow::Result<()>> {
        let (shell, tls) = (self.shell.clone(), self.tls.take());
        async move {
            let service = self.into_service()?;
            serve_http(&shell, listener, tls, service).await
        }
        .boxed()
    }

    /// Returns the services with all layers, for another transport. Fails as [`Self::serve`] does.
    pub fn into_service(mut self) -> anyhow::Result<HttpService> {
        for service in &self.services {
            self.access.check_service(service)?;
        }
        self.add_health();
        self.add_reflection()?;
        let routes = self.routes.routes().prepare();
        let layers = ServiceBuilder::new()
            .layer(TraceLayer::new(&self.shell))
            .layer(PanicLayer)
            .layer(ShedLayer::new(self.max_calls))
            .layer(DeadlineLayer::new(self.shell.shutdown(), self.max_duration))
            .layer(CallerLayer::new(self.access, self.shell.byte_budget()));
        Ok(BoxCloneSyncService::new(layers.service(routes)))
    }

    fn add_health(&mut self) {
        let (reporter, service) = tonic_health::server::health_reporter();
        self.routes
            .add_service(service.max_decoding_message_size(PUBLIC_LIMIT));
        let names: Vec<_> = [""]
            .into_iter()
            .chain(self.services.iter().copied())
            .collect();
        let shell = self.shell.clone();
        let report = report_health(shell, reporter, names);
        self.shell.tasks().spawn("health", report);
    }

    fn add_reflection(&mut self) -> anyhow::Result<()> {
        let builder = || {
            tonic_reflection::server::Builder::configure()
                .register_encoded_file_descriptor_set(causeway_proto::DESCRIPTOR_SET)
                .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
                // Clients need it to decode error details.
                .register_encoded_file_descriptor_set(tonic_types::pb::FILE_DESCRIPTOR_SET)
        };
        let v1 = builder().build_v1().context("reflection v1")?;
        let v1alpha = builder().build_v1alpha().context("reflection v1alpha")?;
        self.routes
            .add_service(v1.max_decoding_message_size(PUBLIC_LIMIT))
            .add_service(v1alpha.max_decoding_message_size(PUBLIC_LIMIT));
        Ok(())
    }
}

async fn report_health(shell: Shell, reporter: HealthReporter, services: Vec<&'static str>) {
    let mut health = shell.health();
    loop {
        let current = health.borrow_and_update().clone();
        let status = match current {
            Health::Ready => ServingStatus::Serving,
            Health::Starting { .. } | Health::Draining => ServingStatus::NotServing,
        };
        for service in &services {
            reporter.set_service_status(service, status).await;
        }
        if current == Health::Draining || health.changed().await.is_err() {
            return;
        }
    }
}
