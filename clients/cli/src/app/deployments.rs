//! `causeway app deployments`: sync operations that have ended, of applications that are gone, too.

use std::num::NonZeroUsize;

use causeway_proto::{inventory::v1 as pb, time::timestamp_to_millis};

use super::{
    find::{self, NameArgs},
    print,
};
use crate::{
    connection::Connection,
    moment::{Moment, moment},
    output::{self, Cell, Columns, Format, Headings},
    pages::{self, Truncation},
    selection::Selection,
    words,
};

const PAGE: u32 = 500;

/// Applications whose deployments are meant, also those that are gone.
#[derive(clap::Args, Debug, Clone)]
pub(super) struct PastFilterArgs {
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
}

/// Deployments to list.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct DeploymentsArgs {
    #[command(flatten)]
    filter: PastFilterArgs,
    /// Filter by result: Succeeded, Failed or Error (repeatable)
    #[arg(long = "phase", value_name = "PHASE", value_parser = parse_phase)]
    phases: Vec<pb::OperationPhase>,
    /// Started at or after this time: today, 36h, a date or RFC 3339
    #[arg(long, value_name = "TIME", value_parser = moment)]
    since: Option<Moment>,
    /// Started before this time
    #[arg(long, value_name = "TIME", value_parser = moment)]
    until: Option<Moment>,
    /// Limit the number of results
    #[arg(long, default_value = "50", value_name = "NUMBER")]
    limit: NonZeroUsize,
}

impl PastFilterArgs {
    pub(super) fn to_filter(&self) -> anyhow::Result<pb::ApplicationFilter> {
        let named = match &self.name {
            Some(name) => find::filter_by_name(name)?,
            None => pb::ApplicationFilter::default(),
        };
        let or_named = |flag: &Option<String>, named: String| flag.clone().unwrap_or(named);
        Ok(pb::ApplicationFilter {
            runtime: or_named(&self.runtime, named.runtime),
            cluster: or_named(&self.cluster, String::new()),
            namespace: or_named(&self.namespace, named.namespace),
            name: named.name,
            project: or_named(&self.project, String::new()),
            label_selector: or_named(&self.selector, String::new()),
            ..pb::ApplicationFilter::default()
        })
    }
}

impl PastFilterArgs {
    /// Checks the names of a filter without deployments.
    async fn check(&self, connection: &Connection) -> anyhow::Result<()> {
        Selection::from(&self.to_filter()?)
            .check(connection)
            .await?;
        let Some(name) = &self.name else {
            return Ok(());
        };
        let name = NameArgs {
            name: name.clone(),
            runtime: self.runtime.clone(),
            namespace: self.namespace.clone(),
        };
        find::resolve(connection, &name).await.map(drop)
    }
}

impl DeploymentsArgs {
    fn request(&self) -> anyhow::Result<pb::ListDeploymentsRequest> {
        let time = |moment: &Option<Moment>| moment.as_ref().map(|moment| moment.0);
        Ok(pb::ListDeploymentsRequest {
            filter: Some(self.filter.to_filter()?),
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
    let (limit, request) = (args.limit.get(), args.request()?);
    let mut client = connection.applications();
    let fetch = async |page_token| {
        let request = pb::ListDeploymentsRequest {
            page_token,
            ..request.clone()
        };
        client.list_deployments(request).await
    };
    let (mut response, rest) = pages::read_while(fetch, |read| read < limit).await?;
    if response.deployments.is_empty() {
        args.filter.check(connection).await?;
    }
    let more = response.deployments.len() > limit || rest == Truncation::Truncated;
    response.deployments.truncate(limit);
    output::list::<Deployments>(response, format)?;
    if more {
        output::note(format!(
            "there may be more than {limit}: raise --limit, or narrow the list"
        ));
    }
    Ok(())
}

struct Deployments;

impl Columns for Deployments {
    type Item = pb::DeploymentRecord;
    const HEADINGS: Headings = &[
        "ID", "STARTED", "NAME", "RUNTIME", "OUTCOME", "TOOK", "REVISION", "BY", "MESSAGE",
    ];
    const WIDE: Headings = &["AUTHOR", "LINK"];
    const NONE: &'static str = "no deployments";

    fn cells(deployment: &pb::DeploymentRecord) -> Vec<Cell> {
        let operation = deployment.operation.clone().unwrap_or_default();
        let commit = operation.commit.as_ref();
        // The commit tells of success, Argo CD of failure.
        let message = match operation.phase() {
            pb::OperationPhase::Succeeded => commit.map_or("", |commit| &commit.message),
            pb::OperationPhase::Unspecified
            | pb::OperationPhase::Running
            | pb::OperationPhase::Terminating
            | pb::OperationPhase::Failed
            | pb::OperationPhase::Error => &operation.message,
        };
        let initiator = print::initiator(operation.automated, &operation.initiated_by);
        let id = operation.deployment_id.map(|id| id.to_string());
        let author = commit.map_or("", |commit| &commit.author);
        vec![
            Cell::new(id.as_deref().unwrap_or("-")),
            Cell::new(words::moment(operation.started_at.as_ref())),
            Cell::new(format!("{}/{}", deployment.namespace, deployment.name)),
            Cell::new(&deployment.runtime),
            Cell::state(words::phase(operation.phase())),
            Cell::new(took(&operation)),
            Cell::new(words::short_revisions(&operation.revisions)),
            Cell::new(initiator),
            Cell::new(print::shortened(&words::plain(message), 50)),
            Cell::new(words::author_name(author)),
            Cell::new(commit.map_or("", |commit| &commit.url)),
        ]
    }
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
