//! `causeway app get`, `app tree` and `app history`: one application.

use causeway_proto::inventory::v1 as pb;
use serde_json::Value;

use super::{
    find::{self, NameArgs},
    print,
    refresh::{self, GetRefreshArgs},
    tree, watch,
};
use crate::{
    connection::Connection,
    moment::{Moment, moment},
    output::{self, Format},
};

/// One application, now or at a past time.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct GetArgs {
    #[command(flatten)]
    name: NameArgs,
    /// Show the state at this time: today, 2h, a date or RFC 3339
    ///
    /// Name a deleted application as RUNTIME/NAMESPACE/NAME.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    at: Option<Moment>,
    #[command(flatten)]
    refresh: GetRefreshArgs,
    /// Show it again after each change
    #[arg(short, long, conflicts_with = "at")]
    watch: bool,
}

pub(super) async fn run(
    connection: &Connection,
    args: &GetArgs,
    format: Format,
) -> anyhow::Result<()> {
    if let Some(kind) = args.refresh.kind() {
        refresh::refresh_one(connection, &args.name, kind).await?;
    }
    if args.watch {
        let key = find::key(connection, &args.name).await?;
        return watch::watch_one(connection, key, format).await;
    }
    let application = match &args.at {
        Some(Moment(at)) => find::get_at(connection, &args.name, *at).await?,
        None => find::get_one(connection, &args.name).await?,
    };
    let last = last_operation(connection, &application).await?;
    match (format, last) {
        (Format::Json | Format::Yaml, Some(last)) => {
            output::value(&with_dry_run(&application, &last)?, format)
        }
        (Format::Json | Format::Yaml, None) => output::document(&application, format),
        (Format::Table, last) => print::details(&application, last.as_ref()).print(),
    }
}

/// Returns a document whose `status.operation` changed something; the dry run after it is `status.dryRun`.
fn with_dry_run(application: &pb::Application, last: &pb::Operation) -> anyhow::Result<Value> {
    let mut document = output::to_json(application)?;
    let last = output::to_json(last)?;
    if let Some(status) = document.get_mut("status").and_then(Value::as_object_mut)
        && let Some(dry_run) = status.insert("operation".to_owned(), last)
    {
        status.insert("dryRun".to_owned(), dry_run);
    }
    Ok(document)
}

/// Returns the last recorded operation of an application that reports a dry run.
async fn last_operation(
    connection: &Connection,
    application: &pb::Application,
) -> anyhow::Result<Option<pb::Operation>> {
    let status = application.status.as_ref();
    let reported = status.and_then(|status| status.operation.as_ref());
    if !reported.is_some_and(|operation| operation.dry_run) {
        return Ok(None);
    }
    let filter = pb::ApplicationFilter {
        runtime: application.runtime.clone(),
        cluster: application.cluster.clone(),
        namespace: application.namespace.clone(),
        name: application.name.clone(),
        ..pb::ApplicationFilter::default()
    };
    let request = pb::ListDeploymentsRequest {
        filter: Some(filter),
        page_size: 1,
        ..pb::ListDeploymentsRequest::default()
    };
    let listed = connection.applications().list_deployments(request).await;
    // Without the right to list them the dry run stands alone.
    let found = listed.ok().map(|listed| listed.into_inner().deployments);
    let last = found.and_then(|found| found.into_iter().next());
    Ok(last.and_then(|it| it.operation).map(from_record))
}

fn from_record(record: pb::OperationRecord) -> pb::Operation {
    pb::Operation {
        phase: record.phase,
        message: record.message,
        revisions: record.revisions,
        initiated_by: record.initiated_by,
        automated: record.automated,
        started_at: record.started_at,
        finished_at: record.finished_at,
        request_id: record.request_id,
        retry_count: record.retry_count,
        ..pb::Operation::default()
    }
}

/// Returns one application as it is shown to people, with its resources.
pub(crate) async fn details(
    connection: &Connection,
    key: pb::GetApplicationRequest,
) -> anyhow::Result<String> {
    let application = find::get(connection, key).await?;
    let last = last_operation(connection, &application).await?;
    let details = print::details(&application, last.as_ref()).text();
    Ok(format!("{details}\n\n{}", tree::text(&application)))
}

pub(super) async fn tree(
    connection: &Connection,
    args: &NameArgs,
    format: Format,
) -> anyhow::Result<()> {
    let application = find::get_one(connection, args).await?;
    output::show(&application, format, |_| tree::print(&application))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(dry_run: bool, message: &str) -> pb::Operation {
        pb::Operation {
            dry_run,
            message: message.to_owned(),
            ..pb::Operation::default()
        }
    }

    #[test]
    fn in_json_a_dry_run_does_not_stand_in_place_of_the_last_operation() {
        let application = pb::Application {
            status: Some(pb::ApplicationStatus {
                operation: Some(operation(true, "would create 3")),
                ..pb::ApplicationStatus::default()
            }),
            ..pb::Application::default()
        };
        let document = with_dry_run(&application, &operation(false, "created 2")).unwrap();
        let status = &document["status"];
        assert_eq!(status["operation"]["message"], "created 2");
        assert_eq!(status["operation"].get("dryRun"), None);
        assert_eq!(status["dryRun"]["message"], "would create 3");
        assert_eq!(status["dryRun"]["dryRun"], true);
    }
}
