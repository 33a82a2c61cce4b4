//! `causeway status`: each part of the platform and of the runtimes.

use causeway_proto::{access::v1::Side, platform::v1 as pb};
use tonic::Status;

use crate::{
    connection::Connection,
    failure::Unsuccessful,
    output::{self, Cell, Columns, Format, Headings},
    pages, words,
};

pub(crate) async fn run(connection: &Connection, format: Format) -> anyhow::Result<()> {
    let response = list_parts(connection).await?;
    if format == Format::Table {
        print(&response.parts)?;
    } else {
        output::document(&response, format)?;
    }
    let mut parts = response.parts.iter();
    if parts.all(|part| part.health() == pb::Health::Serving) {
        Ok(())
    } else {
        Err(Unsuccessful.into())
    }
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
    for part in parts {
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
