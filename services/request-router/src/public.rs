//! What anyone may ask this port: its health and the contract.

use anyhow::Context as _;
use causeway_proto::method;
use causeway_shell::{Health, Shell};
use tonic::service::{Routes, RoutesBuilder};
use tonic_health::{ServingStatus, server::HealthReporter};

use crate::intake::LARGEST_UNVERIFIED;

/// True if a gRPC path is answered by [`services`].
pub(crate) fn is_public(path: &str) -> bool {
    path.starts_with("/grpc.reflection.v1.ServerReflection/")
        || path.starts_with("/grpc.reflection.v1alpha.ServerReflection/")
        || path.starts_with("/grpc.health.v1.Health/")
}

/// Health of this router under the name of every service that it leads to, and reflection of the whole contract.
pub(crate) fn services(shell: &Shell) -> anyhow::Result<Routes> {
    let (reporter, health) = tonic_health::server::health_reporter();
    shell
        .tasks()
        .spawn("health", report(shell.clone(), reporter));
    let reflection = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(causeway_proto::DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
            // For the details of errors.
            .register_encoded_file_descriptor_set(tonic_types::pb::FILE_DESCRIPTOR_SET)
    };
    let v1 = reflection().build_v1().context("reflection v1")?;
    let v1alpha = reflection().build_v1alpha().context("reflection v1alpha")?;
    let mut routes = RoutesBuilder::default();
    routes
        .add_service(health.max_decoding_message_size(LARGEST_UNVERIFIED))
        .add_service(v1.max_decoding_message_size(LARGEST_UNVERIFIED))
        .add_service(v1alpha.max_decoding_message_size(LARGEST_UNVERIFIED));
    Ok(routes.routes().prepare())
}

async fn report(shell: Shell, reporter: HealthReporter) {
    let mut services: Vec<_> = method::methods()
        .values()
        .map(|method| method.descriptor.parent_service().full_name().to_owned())
        .collect();
    services.dedup();
    services.push(String::new());
    let mut health = shell.health();
    loop {
        let now = health.borrow_and_update().clone();
        let status = match now {
            Health::Ready => ServingStatus::Serving,
            Health::Starting { .. } | Health::Draining => ServingStatus::NotServing,
        };
        for service in &services {
            reporter.set_service_status(service, status).await;
        }
        if now == Health::Draining || health.changed().await.is_err() {
            return;
        }
    }
}
