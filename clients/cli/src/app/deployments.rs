//! `causeway app deployments`: sync operations that have ended, of applications that are gone, too.

use std::num::NonZeroUsize;

use causeway_proto::{inventory::v1 as pb, time::timestamp_to_millis};
use comfy_table::Cell;

use super::{find, print};
use crate::{
    connection::Connection,
    moment::{Moment, moment},
    output::{self, Columns, Format, state_cell},
    words,
};

const LIST: &str = "causeway.inventory.v1.ListDeploymentsResponse";
const PAGE: u32 = 500;

/// Which deployments.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct DeploymentsArgs {
    /// Filter by application: NAME, NAMESPACE/NAME or RUNTIME/NAMESPACE/NAME
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Filter by runtime
    #[arg(long, value_name = "NAME")]
    runtime: Option<String>,
    /// Filter by cluster, by its name in the runtime
    #[arg(long, value_name = "NAME")]
    cluster: Option<String>,
    /// Filter by namespace
    #[arg(short, long, value_name = "NAMESPACE")]
    namespace: Option<String>,
    /// Filter by Argo CD project
    #[arg(short, long, value_name = "PROJECT")]
    project: Option<String>,
    /// Filter by labels at that time, for example 'team=a,tier in (gold,iron)'
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,
    /// Filter by result: Succeeded, Failed or Error (repeatable)
    #[arg(long = "phase", value_name = "PHASE", value_parser = parse_phase)]
    phases: Vec<pb::OperationPhase>,
    /// Started at or after this time: RFC 3339 or an age such as 36h
    #[arg(long, value_name = "TIME", value_parser = moment)]
    since: Option<Moment>,
    /// Started before this time
    #[arg(long, value_name = "TIME", value_parser = moment)]
    until: Option<Moment>,
    /// Limit the number of results
    #[arg(long, default_value = "50", value_name = "NUMBER")]
    limit: NonZeroUsize,
}

impl DeploymentsArgs {
    fn request(&self) -> anyhow::Result<pb::ListDeploymentsRequest> {
        let named = match &self.name {
            Some(name) => find::filter_by_name(name)?,
            None => pb::ApplicationFilter::default(),
        };
        let given = |flag: &Option<String>, named: String| flag.clone().unwrap_or(named);
        let filter = pb::ApplicationFilter {
            runtime: given(&self.runtime, named.runtime),
            cluster: given(&self.cluster, String::new()),
            namespace: given(&self.namespace, named.namespace),
            name: named.name,
            project: given(&self.project, String::new()),
            label_selector: given(&self.selector, String::new()),
            ..pb::ApplicationFilter::default()
        };
        let time = |moment: &Option<Moment>| moment.as_ref().map(|moment| moment.0);
        Ok(pb::ListDeploymentsRequest {
            filter: Some(filter),
            phases: self.phases.iter().map(|phase| (*phase).into()).collect(),
            started_from: time(&self.since),
            started_before: time(&self.until),
            page_size: PAGE.min(u32::try_from(self.limit.get()).unwrap_or(PAGE)),
            page_token: String::new(),
        })
    }
}

pub(super) async fn run(
    connection: &Connection,
    args: &DeploymentsArgs,
    format: Format,
) -> anyhow::Result<()> {
    let mut request = args.request()?;
    let mut client = connection.applications();
    let mut deployments = Vec::new();
    loop {
        let asked = client.list_deployments(request.clone()).await?;
        let page = asked.into_inner();
        deployments.extend(page.deployments);
        request.page_token = page.next_page_token;
        if deployments.len() >= args.limit.get() || request.page_token.is_empty() {
            break;
        }
    }
    let more = deployments.len() > args.limit.get() || !request.page_token.is_empty();
    deployments.truncate(args.limit.get());
    show(deployments, format)?;
    if more {
        output::note(format!(
            "there may be more than {}: raise --limit, or narrow the list",
            args.limit.get()
        ));
    }
    Ok(())
}

fn show(deployments: Vec<pb::DeploymentRecord>, format: Format) -> anyhow::Result<()> {
    let response = pb::ListDeploymentsResponse {
        deployments,
        next_page_token: String::new(),
    };
    let response = output::arranged(LIST, response)?;
    if format != Format::Table {
        return output::document(LIST, &response, format);
    }
    let deployments = response.deployments;
    if deployments.is_empty() {
        output::note("no deployments");
        return Ok(());
    }
    let headings = [
        "STARTED", "NAME", "RUNTIME", "OUTCOME", "TOOK", "REVISION", "BY", "MESSAGE",
    ];
    let mut columns = Columns::new(&headings);
    for deployment in &deployments {
        columns.row(row(deployment));
    }
    columns.print()
}

fn row(deployment: &pb::DeploymentRecord) -> Vec<Cell> {
    let operation = deployment.operation.clone().unwrap_or_default();
    let revisions = operation.revisions.iter().map(|it| words::short(it));
    let revisions: Vec<&str> = revisions.collect();
    let commit = operation
        .commit
        .as_ref()
        .map_or("", |commit| &commit.message);
    // What went well is told by the commit, what went wrong by Argo CD.
    let message = match operation.phase() == pb::OperationPhase::Succeeded {
        true => commit,
        false => &operation.message,
    };
    vec![
        Cell::new(words::moment(operation.started_at.as_ref())),
        Cell::new(format!("{}/{}", deployment.namespace, deployment.name)),
        Cell::new(&deployment.runtime),
        state_cell(words::phase(operation.phase())),
        Cell::new(took(&operation)),
        Cell::new(revisions.join(",")),
        Cell::new(print::initiator(
            operation.automated,
            &operation.initiated_by,
        )),
        Cell::new(print::shortened(&words::plain(message), 50)),
    ]
}

fn took(operation: &pb::OperationRecord) -> String {
    let millis = |time: Option<&prost_types::Timestamp>| time.map_or(0, timestamp_to_millis);
    let took = millis(operation.finished_at.as_ref()) - millis(operation.started_at.as_ref());
    match took.max(0) / 1_000 {
        seconds @ ..120 => format!("{seconds}s"),
        seconds @ 120..7_200 => format!("{}m{}s", seconds / 60, seconds % 60),
        seconds => format!("{}h{}m", seconds / 3_600, seconds / 60 % 60),
    }
}

fn parse_phase(text: &str) -> Result<pb::OperationPhase, String> {
    let all = [
        pb::OperationPhase::Succeeded,
        pb::OperationPhase::Failed,
        pb::OperationPhase::Error,
    ];
    let mut found = all.into_iter();
    found
        .find(|phase| words::phase(*phase).eq_ignore_ascii_case(text))
        .ok_or_else(|| format!("one of {}", all.map(words::phase).join(", ")))
}

#[cfg(test)]
mod tests;
