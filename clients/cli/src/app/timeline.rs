//! `causeway app timeline`: what an application was, and what was deployed, in one table.

use std::num::NonZeroUsize;

use causeway_proto::{inventory::v1 as pb, time::timestamp_to_millis};
use comfy_table::Cell;
use serde_json::{Value, json};

use super::{NameArgs, find, print::initiator};
use crate::{
    connection::Connection,
    output::{self, Columns, Format, state_cell},
    words,
};

/// What happened, by the name that it has as a document, and what it is in the contract.
const STATE: (&str, &str) = ("state", "causeway.inventory.v1.AcceptedState");
const DEPLOYMENT: (&str, &str) = ("deployment", "causeway.inventory.v1.Deployment");
const PAGE: usize = 1_000;

/// Whose, and how many.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct TimelineArgs {
    #[command(flatten)]
    name: NameArgs,
    /// Maximum number of states; deployments since the oldest are included
    #[arg(long, value_name = "NUMBER", default_value = "50")]
    limit: NonZeroUsize,
}

/// What happened.
enum Event {
    State(pb::AcceptedState),
    Deployment(Box<pb::Deployment>),
}

pub(super) async fn run(
    connection: &Connection,
    args: &TimelineArgs,
    format: Format,
) -> anyhow::Result<()> {
    let key = find::key_at(connection, &args.name).await?;
    let limit = args.limit.get();
    let (states, rest) = states(connection, &key, limit).await?;
    let mut deployments = deployments(connection, key, &states).await?;
    if rest == find::Truncation::Truncated {
        let since = states
            .last()
            .map_or(0, |state| millis(state.received_at.as_ref()));
        deployments.retain(|deployment| millis(deployment.deployed_at.as_ref()) >= since);
    }
    print(&merged(states, deployments), format)?;
    if rest == find::Truncation::Truncated {
        output::note(format!("there are more than {limit} states: raise --limit"));
    }
    Ok(())
}

async fn states(
    connection: &Connection,
    key: &pb::GetApplicationRequest,
    limit: usize,
) -> anyhow::Result<(Vec<pb::AcceptedState>, find::Truncation)> {
    let mut request = pb::ListApplicationStatesRequest {
        runtime: key.runtime.clone(),
        namespace: key.namespace.clone(),
        name: key.name.clone(),
        cluster: key.cluster.clone(),
        page_size: u32::try_from(limit.saturating_add(1).min(PAGE))?,
        page_token: String::new(),
    };
    let mut client = connection.applications();
    let mut found = Vec::new();
    loop {
        let page = client.list_application_states(request.clone()).await?;
        let page = page.into_inner();
        found.extend(page.states);
        if found.len() > limit {
            found.truncate(limit);
            return Ok((found, find::Truncation::Truncated));
        }
        if page.next_page_token.is_empty() {
            return Ok((found, find::Truncation::Complete));
        }
        request.page_token = page.next_page_token;
    }
}

/// Those that the last state tells of.
async fn deployments(
    connection: &Connection,
    key: pb::GetApplicationRequest,
    states: &[pb::AcceptedState],
) -> anyhow::Result<Vec<pb::Deployment>> {
    let Some(last) = states.iter().find(|state| !state.gone) else {
        return Ok(Vec::new());
    };
    let at = last.received_at;
    let application = find::get(connection, pb::GetApplicationRequest { at, ..key }).await?;
    let status = application.status.unwrap_or_default();
    Ok(status.history)
}

fn millis(time: Option<&prost_types::Timestamp>) -> i64 {
    time.map_or(0, timestamp_to_millis)
}

/// All that happened, the newest first.
fn merged(states: Vec<pb::AcceptedState>, deployments: Vec<pb::Deployment>) -> Vec<Event> {
    let states = states.into_iter().map(Event::State);
    let deployments = deployments
        .into_iter()
        .rev()
        .map(|it| Event::Deployment(Box::new(it)));
    let mut all: Vec<Event> = states.chain(deployments).collect();
    all.sort_by_key(|event| std::cmp::Reverse(millis(event.time())));
    all
}

impl Event {
    fn time(&self) -> Option<&prost_types::Timestamp> {
        match self {
            Self::State(state) => state.received_at.as_ref(),
            Self::Deployment(deployment) => deployment.deployed_at.as_ref(),
        }
    }

    /// `{"state": …}` or `{"deployment": …}`.
    fn document(&self) -> anyhow::Result<Value> {
        let (name, value) = match self {
            Self::State(state) => (STATE.0, output::to_json(STATE.1, state)?),
            Self::Deployment(it) => (DEPLOYMENT.0, output::to_json(DEPLOYMENT.1, &**it)?),
        };
        Ok(json!({ name: value }))
    }

    fn row(&self) -> Vec<Cell> {
        let time = Cell::new(words::moment(self.time()));
        match self {
            Self::State(state) if state.gone => vec![time, Cell::new("gone")],
            Self::State(state) => vec![
                time,
                Cell::new("state"),
                state_cell(words::sync_status(state.sync())),
                state_cell(words::health_status(state.health())),
                state_cell(words::phase(state.operation())),
                Cell::new(short(&state.revisions)),
            ],
            Self::Deployment(deployment) => {
                let commit = deployment.commit.as_ref();
                vec![
                    time,
                    Cell::new(format!("deployment {}", deployment.id)),
                    Cell::new(""),
                    Cell::new(""),
                    Cell::new(""),
                    Cell::new(short(&deployment.revisions)),
                    Cell::new(initiator(deployment.automated, &deployment.initiated_by)),
                    Cell::new(
                        commit
                            .map(|commit| words::plain(&commit.message))
                            .unwrap_or_default(),
                    ),
                ]
            }
        }
    }
}

fn short(revisions: &[String]) -> String {
    let short: Vec<_> = revisions
        .iter()
        .map(|revision| words::short(revision))
        .collect();
    short.join(",")
}

fn print(events: &[Event], format: Format) -> anyhow::Result<()> {
    if format != Format::Table {
        let documents = events.iter().map(Event::document);
        return documents
            .into_iter()
            .try_for_each(|document| output::stream_value(&document?, format));
    }
    if events.is_empty() {
        output::note("nothing is known of what it was");
        return Ok(());
    }
    let headings = [
        "TIME",
        "WHAT",
        "SYNC",
        "HEALTH",
        "OPERATION",
        "REVISION",
        "BY",
        "MESSAGE",
    ];
    let mut columns = Columns::new(&headings);
    for event in events {
        columns.row(event.row());
    }
    columns.print()
}
