//! `causeway status`: each part of the platform and of the runtimes, and what is wrong.

use std::collections::BTreeMap;

use causeway_proto::{access::v1::Side, platform::v1 as pb};
use serde_json::json;
use tonic::{Code, Status};

use crate::{
    connection::Connection,
    failure::Unsuccessful,
    output::{self, Cell, Columns, Format, Headings},
    pages, runtime, words,
};

/// What is wrong, by the part or runtime that it is wrong with.
type Problems = BTreeMap<String, String>;

pub(crate) async fn run(connection: &Connection, format: Format) -> anyhow::Result<()> {
    let response = list_parts(connection).await?;
    let problems = problems(&response.parts, &list_runtimes(connection).await?);
    if format == Format::Table {
        print(&response.parts)?;
        print_problems(&problems)?;
    } else {
        let mut document = output::to_json(&response)?;
        document["problems"] = json!(problems);
        output::value(&document, format)?;
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(Unsuccessful.into())
    }
}

/// Lists the runtimes, if the caller may.
async fn list_runtimes(connection: &Connection) -> Result<Vec<pb::Runtime>, Status> {
    match runtime::list::list_all(connection).await {
        Ok(response) => Ok(response.runtimes),
        Err(status) if status.code() == Code::PermissionDenied => {
            output::note("offline runtimes are not shown: the permission runtime.list is missing");
            Ok(Vec::new())
        }
        Err(status) => Err(status),
    }
}

fn problems(parts: &[pb::PartStatus], runtimes: &[pb::Runtime]) -> Problems {
    let unserving = parts
        .iter()
        .filter(|part| part.health() != pb::Health::Serving)
        .map(|part| {
            (
                format!("{} ({})", part.part, place(part)),
                part_problem(part),
            )
        });
    let offline = runtimes
        .iter()
        .filter(|it| it.connection() == pb::Connection::Offline)
        .map(|it| (format!("runtime {}", it.name), offline_problem(it)));
    unserving.chain(offline).collect()
}

/// The state of a part, and the reason if it is known.
fn part_problem(part: &pb::PartStatus) -> String {
    let state = health_word(part.health());
    let reasons = match part.notices.as_slice() {
        [] => part.pending.join(", "),
        notices => notices.join("; "),
    };
    match (part.health(), reasons.as_str()) {
        (pb::Health::Lost, _) => {
            format!(
                "{state}, last seen {}",
                words::ago(part.last_seen_at.as_ref())
            )
        }
        (pb::Health::Unspecified | pb::Health::Serving | pb::Health::NotServing, "") => {
            state.to_owned()
        }
        (pb::Health::Unspecified | pb::Health::Serving | pb::Health::NotServing, reasons) => {
            format!("{state}: {reasons}")
        }
    }
}

fn offline_problem(runtime: &pb::Runtime) -> String {
    let seen = words::ago(runtime.last_seen_at.as_ref());
    format!("offline, last seen {seen}; what it reported is stale")
}

fn print_problems(problems: &Problems) -> anyhow::Result<()> {
    if problems.is_empty() {
        return Ok(());
    }
    output::line("")?;
    let mut table = output::Table::new(&["PROBLEM", "REASON"]);
    for (subject, problem) in problems {
        table.row([Cell::new(subject), Cell::new(problem)]);
    }
    output::line(table.text())
}

/// Lists the parts of the platform and of all runtimes.
pub(crate) async fn list_parts(connection: &Connection) -> Result<pb::ListPartsResponse, Status> {
    let mut client = connection.parts();
    pages::read_all(async |page_token| {
        let request = pb::ListPartsRequest {
            page_token,
            ..Default::default()
        };
        client.list_parts(request).await
    })
    .await
}

struct Parts;

impl Columns for Parts {
    type Item = pb::PartStatus;
    const HEADINGS: Headings = &[
        "PART",
        "WHERE",
        "VERSION",
        "HEALTH",
        "LAST SEEN",
        "WAITING FOR",
    ];

    fn cells(part: &pb::PartStatus) -> Vec<Cell> {
        vec![
            Cell::new(&part.part),
            Cell::new(place(part)),
            Cell::new(&part.version),
            Cell::state(health_word(part.health())),
            Cell::new(format!("{} ago", words::age(part.last_seen_at.as_ref()))),
            Cell::new(part.pending.join(", ")),
        ]
    }
}

fn print(parts: &[pb::PartStatus]) -> anyhow::Result<()> {
    output::table::<Parts>(parts)?;
    let serving = |part: &&pb::PartStatus| part.health() == pb::Health::Serving;
    for part in parts.iter().filter(serving) {
        for notice in &part.notices {
            output::line(format!("\n{} ({}) {notice}", part.part, place(part)))?;
        }
    }
    Ok(())
}

fn place(part: &pb::PartStatus) -> String {
    match part.side() {
        Side::Runtime => format!("runtime {}", part.runtime),
        Side::Platform | Side::Unspecified => "platform".to_owned(),
    }
}

fn health_word(health: pb::Health) -> &'static str {
    match health {
        pb::Health::Unspecified => "unknown",
        pb::Health::Serving => "serving",
        pb::Health::NotServing => "not serving",
        pb::Health::Lost => "lost",
    }
}

#[cfg(test)]
mod tests;
