//! Starts the parts one after the other, each when the one before is ready.

use causeway_shell::Process;
use futures::future::BoxFuture;
use tokio::{net::TcpListener, time::Instant};

use super::{
    listen::{PlatformListeners, RuntimeListeners},
    plan::{PlatformPlan, RuntimePlan, WEBHOOK_ROUTE},
    ready,
    target::Target,
};
use crate::{output, serve::Launch};

/// The start was cut short: by a signal, or by a part that failed and has said why.
#[derive(Debug, thiserror::Error)]
#[error("stopped while starting")]
pub(super) struct Stopped;

pub(super) struct Starter<'a> {
    pub(super) process: &'a Process,
    pub(super) begun: Instant,
}

impl Starter<'_> {
    pub(super) async fn platform(
        &self,
        plan: &PlatformPlan<'_>,
        listeners: PlatformListeners,
    ) -> anyhow::Result<()> {
        self.part(plan.platform(), listeners.platform).await?;
        self.part(plan.inventory(), listeners.inventory).await?;
        self.part(plan.tunnel_server(), listeners.tunnel_server)
            .await?;
        self.part(plan.router(), listeners.router).await
    }

    pub(super) async fn runtime(
        &self,
        plan: &RuntimePlan<'_>,
        target: &Target,
        listeners: RuntimeListeners,
    ) -> anyhow::Result<()> {
        self.part(plan.source_server(target), listeners.source_server)
            .await?;
        self.part(plan.app_proxy(target), listeners.app_proxy)
            .await?;
        plan.folder.create_webhook_secret(WEBHOOK_ROUTE)?;
        self.part(plan.event_source(target), listeners.event_source)
            .await?;
        self.part(plan.router(), listeners.router).await?;
        self.part(plan.tunnel_client(), listeners.tunnel_client)
            .await?;
        self.part(plan.reporter(target), listeners.reporter).await?;
        self.part(plan.resource_reporter(target), listeners.resource_reporter)
            .await?;
        if target.is_sandbox() {
            self.part(plan.gitops_operator(target), listeners.gitops_operator)
                .await?;
        }
        Ok(())
    }

    /// Starts a part and waits until it is ready; a part that fails instead ends the process with its reason.
    async fn part(&self, flags: Vec<String>, listener: TcpListener) -> anyhow::Result<()> {
        let launch = Launch::from_flags(&flags)?;
        let (name, side) = (launch.name, launch.side);
        let shell = self.process.part(name, side);
        let serving: BoxFuture<'static, _> = launch.serve(listener, shell.clone());
        shell.tasks().spawn_essential("serve", serving);
        tokio::select! {
            () = ready::wait(&shell, side) => {}
            () = self.process.shutdown().requested() => return Err(Stopped.into()),
        }
        output::note(format!(
            "  {:<28} {:<9} ready after {:.1?}",
            name,
            side.as_str(),
            self.begun.elapsed()
        ));
        Ok(())
    }
}
