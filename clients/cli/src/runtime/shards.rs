//! `causeway runtime shards`: which reporters share the objects of a runtime.

use causeway_proto::{ids::RuntimeName, inventory::v1 as pb};
use tonic::{Code, Status};

use crate::{
    connection::Connection,
    output::{self, Cell, Format, Table},
    pages, words,
};

const HEADINGS: [&str; 11] = [
    "RUNTIME",
    "KIND",
    "CLUSTER",
    "REPORTER",
    "VERSION",
    "OBJECTS",
    "SHARE",
    "OF EVEN",
    "SINCE",
    "LAST SEEN",
    "INVENTORY",
];

pub(super) async fn run(
    connection: &Connection,
    name: Option<&RuntimeName>,
    format: Format,
) -> anyhow::Result<()> {
    let response = pb::ListReportersResponse {
        groups: match name {
            Some(name) => groups(connection, name.as_str()).await?,
            None => of_all(connection).await?,
        },
        ..Default::default()
    };
    match format {
        Format::Table => print(&response),
        Format::Json | Format::Yaml => output::document(&response, format),
    }
}

/// The reporters of a runtime by kind and cluster.
pub(crate) async fn groups(
    connection: &Connection,
    runtime: &str,
) -> Result<Vec<pb::ReporterGroup>, Status> {
    let mut client = connection.reporters();
    let reporters = pages::read_all(async |page_token| {
        let request = pb::ListReportersRequest {
            runtime: runtime.to_owned(),
            page_token,
            ..Default::default()
        };
        client.list_reporters(request).await
    });
    Ok(reporters.await?.groups)
}

/// Those for which nothing ever reported have no reporters.
async fn of_all(connection: &Connection) -> anyhow::Result<Vec<pb::ReporterGroup>> {
    let mut all = Vec::new();
    for runtime in super::list::list_all(connection).await?.runtimes {
        match groups(connection, &runtime.name).await {
            Ok(groups) => all.extend(groups),
            Err(status) if status.code() == Code::NotFound => {}
            Err(status) => return Err(status.into()),
        }
    }
    Ok(all)
}

fn print(response: &pb::ListReportersResponse) -> anyhow::Result<()> {
    let mut columns = Table::new(&HEADINGS);
    for group in &response.groups {
        for reporter in &group.reporters {
            columns.row(row(group, reporter));
        }
        if group.reporters.is_empty() {
            let mut cells = place(group);
            cells.push(Cell::state("lost"));
            columns.row(cells);
        }
    }
    columns.print()?;
    for group in &response.groups {
        for line in notes(group) {
            let place = format!("{} {} {}", group.runtime, group.kind, group.cluster);
            output::line(format!("\n{place}: {line}"))?;
        }
    }
    Ok(())
}

fn place(group: &pb::ReporterGroup) -> Vec<Cell> {
    [&group.runtime, &group.kind, &group.cluster]
        .map(Cell::new)
        .into()
}

fn row(group: &pb::ReporterGroup, reporter: &pb::Reporter) -> Vec<Cell> {
    let mut cells = place(group);
    let (share, deviation) = share(group, reporter.objects);
    cells.extend([
        Cell::new(short(&reporter.instance)),
        Cell::new(&reporter.version),
        Cell::new(reporter.objects),
        Cell::new(share),
        Cell::new(deviation),
        Cell::new(format!("{} ago", words::age(reporter.since.as_ref()))),
        Cell::new(format!(
            "{} ago",
            words::age(reporter.last_heard_at.as_ref())
        )),
        Cell::new(short(&reporter.inventory_instance)),
    ]);
    cells
}

/// The share of all objects in per cent, and how far it is from an even one, in per cent of that.
fn share(group: &pb::ReporterGroup, objects: u64) -> (String, String) {
    if group.objects == 0 {
        return ("-".to_owned(), "-".to_owned());
    }
    let share = objects as f64 / group.objects as f64;
    let even = 1.0 / group.reporters.len().max(1) as f64;
    let deviation = (share / even - 1.0) * 100.0;
    (
        format!("{:.1} %", share * 100.0),
        format!("{deviation:+.1} %"),
    )
}

/// The end of an id, by which people tell it from others: such ids begin with the time.
fn short(id: &str) -> &str {
    id.rsplit('-').next().unwrap_or(id)
}

fn notes(group: &pb::ReporterGroup) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(last) = &group.last_move {
        let did = match last.kind() {
            pb::ReporterMoveKind::Unspecified => "changed",
            pb::ReporterMoveKind::Joined => "came",
            pb::ReporterMoveKind::Left => "left",
            pb::ReporterMoveKind::Lost => "was not heard of any more",
        };
        let (instance, age) = (short(&last.instance), words::age(last.moved_at.as_ref()));
        let objects = last.objects;
        notes.push(format!(
            "{instance} {did} {age} ago, {objects} objects moved"
        ));
    }
    if !group.objects_complete {
        notes.push(format!(
            "counted over {} objects, there are more",
            group.objects
        ));
    }
    notes
}

#[cfg(test)]
mod tests;
