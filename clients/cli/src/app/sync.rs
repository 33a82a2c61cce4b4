//! `causeway app sync`: starts an operation and shows it until it ends.

use std::time::Duration;

use anyhow::Context as _;
use causeway_proto::{
    ids::RequestId,
    inventory::v1::{self as pb, watch_applications_response::Event},
    proxy::v1 as proxy,
};

use super::{NameArgs, find, watch};
use crate::{
    connection::Connection,
    failure::Unsuccessful,
    output::{self, Format},
    watch::Next,
    words,
};

const RESPONSE: &str = "causeway.proxy.v1.SyncApplicationResponse";
const OPERATION: &str = "causeway.inventory.v1.Operation";

#[derive(clap::Args, Debug, Clone)]
pub(crate) struct SyncArgs {
    #[command(flatten)]
    name: NameArgs,
    /// The revision to sync to, instead of the one that the application asks for
    #[arg(long, value_name = "REVISION")]
    revision: Option<String>,
    /// Delete what left Git
    #[arg(long)]
    prune: bool,
    /// Only try, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not wait for the operation's end
    #[arg(long = "async")]
    detach: bool,
    /// How long to wait for the operation's end
    #[arg(long, value_name = "TIME", default_value = "5m")]
    timeout: humantime::Duration,
    /// The id of this request; the same id again has no second effect
    #[arg(long, value_name = "UUID")]
    request_id: Option<RequestId>,
}

pub(super) async fn run(
    connection: &Connection,
    args: &SyncArgs,
    format: Format,
) -> anyhow::Result<()> {
    let key = find::key(connection, &args.name).await?;
    let request_id = args
        .request_id
        .unwrap_or_else(RequestId::generate)
        .to_string();
    let request = proxy::SyncApplicationRequest {
        runtime: key.runtime.clone(),
        namespace: key.namespace.clone(),
        name: key.name.clone(),
        request_id: request_id.clone(),
        revision: args.revision.clone().unwrap_or_default(),
        prune: args.prune,
        dry_run: args.dry_run,
        ..proxy::SyncApplicationRequest::default()
    };
    let response = connection
        .actions()
        .sync_application(request)
        .await?
        .into_inner();
    if args.detach {
        return accepted(&key.name, &response, format);
    }
    if format == Format::Table {
        output::note(format!(
            "{}: the sync is accepted as {request_id}",
            key.name
        ));
    }
    let waiting = wait(connection, &key, &request_id, format);
    let operation = tokio::time::timeout(args.timeout.into(), waiting)
        .await
        .with_context(|| {
            format!(
                "the operation still runs after {}; see 'causeway app get {}'",
                args.timeout, key.name
            )
        })??;
    finish(&key.name, &operation, format)
}

fn accepted(
    name: &str,
    response: &proxy::SyncApplicationResponse,
    format: Format,
) -> anyhow::Result<()> {
    match format {
        Format::Table => output::line(format!(
            "{name}: the sync is accepted as {}",
            response.request_id
        )),
        Format::Json | Format::Yaml => output::document(RESPONSE, response, format),
    }
}

async fn wait(
    connection: &Connection,
    key: &pb::GetApplicationRequest,
    request_id: &str,
    format: Format,
) -> anyhow::Result<pb::Operation> {
    let filter = pb::ApplicationFilter {
        runtime: key.runtime.clone(),
        namespace: key.namespace.clone(),
        name: key.name.clone(),
        ..Default::default()
    };
    let mut shown = String::new();
    let mut ended = None;
    watch::follow(connection, filter, pb::ApplicationView::Full, |response| {
        let Some(Event::Updated(application)) = &response.event else {
            return Ok(Next::Continue);
        };
        let operation = application
            .status
            .as_ref()
            .and_then(|status| status.operation.as_ref());
        let Some(operation) = operation.filter(|operation| operation.request_id == request_id)
        else {
            return Ok(Next::Continue);
        };
        progress(operation, &mut shown, format);
        if operation.finished_at.is_none() {
            return Ok(Next::Continue);
        }
        ended = Some(operation.clone());
        Ok(Next::Stop)
    })
    .await?;
    ended.context("the watch ended without the operation")
}

fn progress(operation: &pb::Operation, shown: &mut String, format: Format) {
    let line = format!(
        "{:<12} {}",
        words::phase(operation.phase()),
        words::plain(&operation.message)
    );
    if format == Format::Table && *shown != line {
        output::note(line.trim_end());
        *shown = line;
    }
}

fn finish(name: &str, operation: &pb::Operation, format: Format) -> anyhow::Result<()> {
    let succeeded = operation.phase() == pb::OperationPhase::Succeeded;
    if format == Format::Table {
        for resource in &operation.resources {
            let name = format!("{}/{}", resource.kind, resource.name);
            let message = words::plain(&resource.message);
            let text = format!("  {name:<36} {:<12} {message}", resource.status);
            output::line(text.trim_end())?;
        }
        let revisions: Vec<_> = operation
            .revisions
            .iter()
            .map(|revision| words::short(revision))
            .collect();
        let phase = words::phase(operation.phase());
        output::line(format!(
            "{name}: {phase} at {}{}",
            revisions.join(","),
            took(operation)
        ))?;
    } else {
        output::document(OPERATION, operation, format)?;
    }
    if succeeded {
        Ok(())
    } else {
        Err(Unsuccessful.into())
    }
}

fn took(operation: &pb::Operation) -> String {
    let (Some(start), Some(end)) = (&operation.started_at, &operation.finished_at) else {
        return String::new();
    };
    let seconds = u64::try_from(end.seconds - start.seconds).unwrap_or(0);
    format!(
        " in {}",
        humantime::format_duration(Duration::from_secs(seconds))
    )
}
