//! `causeway status`: each part of the platform and of the runtimes.

use causeway_proto::{access::v1::Side, platform::v1 as pb};
use comfy_table::Cell;
use tonic::Status;

use crate::{
    connection::Connection,
    failure::Unsuccessful,
    output::{self, Columns, Format, state_cell},
    pages, words,
};

const LIST: &str = "causeway.platform.v1.ListPartsResponse";

pub(crate) async fn run(connection: &Connection, format: Format) -> anyhow::Result<()> {
    let response = pb::ListPartsResponse {
        parts: parts(connection).await?,
        ..Default::default()
    };
    match format {
        Format::Table => print(&response)?,
        Format::Json | Format::Yaml => output::document(LIST, &response, format)?,
    }
    let well = response
        .parts
        .iter()
        .all(|part| part.health() == pb::Health::Serving);
    if well {
        Ok(())
    } else {
        Err(Unsuccessful.into())
    }
}

/// All parts that are there.
pub(crate) async fn parts(connection: &Connection) -> Result<Vec<pb::PartStatus>, Status> {
    let mut client = connection.parts();
    pages::all(async |page_token| {
        let request = pb::ListPartsRequest {
            page_token,
            ..Default::default()
        };
        let page = client.list_parts(request).await?.into_inner();
        Ok((page.parts, page.next_page_token))
    })
    .await
}

fn print(response: &pb::ListPartsResponse) -> anyhow::Result<()> {
    let mut columns = Columns::new(&["PART", "WHERE", "VERSION", "HEALTH", "HEARD", "WAITS FOR"]);
    for part in &response.parts {
        columns.row(vec![
            Cell::new(&part.part),
            Cell::new(place(part)),
            Cell::new(&part.version),
            state_cell(health_word(part.health())),
            Cell::new(format!("{} ago", words::age(part.last_seen_at.as_ref()))),
            Cell::new(part.pending.join(", ")),
        ]);
    }
    columns.print()?;
    for part in &response.parts {
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
