//! `causeway app timeline`: what an application was, and what was deployed, in one table.

use std::num::NonZeroUsize;

use causeway_proto::{inventory::v1 as pb, time::timestamp_to_millis};
use serde_json::{Value, json};

use super::{
    find::{self, NameArgs},
    print::initiator,
};
use crate::{
    connection::Connection,
    output::{self, Cell, Format, Table},
    pages::{self, Truncation},
    words,
};

const PAGE: usize = 1_000;

/// Application and number of states.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct TimelineArgs {
    #[command(flatten)]
    name: NameArgs,
    /// Maximum number of states; deployments since the oldest are included
    #[arg(long, value_name = "NUMBER", default_value = "50")]
    limit: NonZeroUsize,
}

/// An entry of the timeline.
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
    if rest == Truncation::Truncated {
        let since = states
            .last()
            .map_or(0, |state| millis(state.received_at.as_ref()));
        deployments.retain(|deployment| millis(deployment.deployed_at.as_ref()) >= since);
    }
    print(&merged(states, deployments), format)?;
    if rest == Truncation::Truncated {
        output::note(format!("there are more than {limit} states: raise --limit"));
    }
    Ok(())
}

async fn states(
    connection: &Connection,
    key: &pb::GetApplicationRequest,
    limit: usize,
) -> anyhow::Result<(Vec<pb::AcceptedState>, Truncation)> {
    let page_size = u32::try_from(limit.saturating_add(1).min(PAGE))?;
    let mut client = connection.applications();
    let fetch = async |page_token| {
        let request = pb::ListApplicationStatesRequest {
            runtime: key.runtime.clone(),
            namespace: key.namespace.clone(),
            name: key.name.clone(),
            cluster: key.cluster.clone(),
            page_size,
            page_token,
        };
        client.list_application_states(request).await
    };
    let (response, _) = pages::read_while(fetch, |read| read <= limit).await?;
    let mut states = response.states;
    if states.len() <= limit {
        return Ok((states, Truncation::Complete));
    }
    states.truncate(limit);
    Ok((states, Truncation::Truncated))
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
        Ok(match self {
            Self::State(state) => json!({"state": output::to_json(state)?}),
            Self::Deployment(deployment) => json!({"deployment": output::to_json(&**deployment)?}),
        })
    }

    fn row(&self) -> Vec<Cell> {
        let time = Cell::new(words::moment(self.time()));
        match self {
            Self::State(state) if state.gone => vec![time, Cell::new("gone")],
            Self::State(state) => vec![
                time,
                Cell::new("state"),
                Cell::state(words::sync_status(state.sync())),
                Cell::state(words::health_status(state.health())),
                Cell::state(words::phase(state.operation())),
                Cell::new(words::short_revisions(&state.revisions)),
            ],
            Self::Deployment(deployment) => {
                let commit = deployment.commit.as_ref();
                vec![
                    time,
                    Cell::new(format!("deployment {}", deployment.id)),
                    Cell::new(""),
                    Cell::new(""),
                    Cell::new(""),
                    Cell::new(words::short_revisions(&deployment.revisions)),
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

fn print(events: &[Event], format: Format) -> anyhow::Result<()> {
    if format != Format::Table {
        let documents = events.iter().map(Event::document);
        let documents: Vec<_> = documents.collect::<anyhow::Result<_>>()?;
        return output::value(&json!({ "events": documents }), format);
    }
    if events.is_empty() {
        output::note("nothing is known of what it was");
        return Ok(());
    }
    let mut table = Table::new(&[
        "TIME",
        "WHAT",
        "SYNC",
        "HEALTH",
        "OPERATION",
        "REVISION",
        "BY",
        "MESSAGE",
    ]);
    for event in events {
        table.row(event.row());
    }
    table.print()
}
