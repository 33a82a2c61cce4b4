//! `causeway audit export`.

use std::io::{self, IsTerminal as _};

use causeway_proto::platform::v1 as pb;

use super::{ChainArgs, line::Line, ocsf::Events, verify::progress};
use crate::{
    connection::Connection,
    moment::{Moment, moment},
    output::{self, Progress},
};

/// What to write, and how.
#[derive(clap::Args, Debug)]
pub(crate) struct ExportArgs {
    /// How to write it
    #[arg(
        long = "format",
        value_enum,
        default_value = "json",
        id = "export_format"
    )]
    format: ExportFormat,
    /// From this time on: today, 36h, a date or RFC 3339
    #[arg(long, value_name = "TIME", value_parser = moment)]
    since: Option<Moment>,
    #[command(flatten)]
    chain: ChainArgs,
}

#[derive(clap::ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum ExportFormat {
    /// Every entry as it is kept, for 'causeway audit verify --from-file'
    Json,
    /// Every call as an event of the class API Activity of OCSF 1.8.0
    Ocsf,
}

pub(super) async fn run(connection: &Connection, args: &ExportArgs) -> anyhow::Result<()> {
    let platform = args.chain.platform;
    let head = pb::GetAuditHeadRequest { platform };
    let head = connection.audit().get_audit_head(head).await?.into_inner();
    let request = pb::ExportAuditEntriesRequest {
        from_sequence: 0,
        since: args.since.as_ref().map(|moment| moment.0),
        platform,
    };
    let entries = connection.audit().export_audit_entries(request).await?;
    let mut entries = entries.into_inner();
    let mut events = Events::new(&head.chain);
    // Who sees the entries sees how far they are.
    let progress = (!io::stdout().is_terminal()).then(|| match args.since {
        None => progress("exporting", &head),
        Some(_) => Progress::start("exporting"),
    });
    while let Some(batch) = entries.message().await? {
        if let Some(progress) = &progress {
            progress.advance(batch.entries.len() as u64);
        }
        let mut lines = Vec::with_capacity(batch.entries.len());
        for entry in batch.entries {
            match args.format {
                ExportFormat::Json => {
                    lines.push(serde_json::to_string(&Line::new(&head.chain, entry))?);
                }
                ExportFormat::Ocsf => {
                    lines.extend(events.add(entry).map(|event| event.to_string()))
                }
            }
        }
        if !lines.is_empty() {
            output::line(lines.join("\n"))?;
        }
    }
    for event in events.open() {
        output::line(event.to_string())?;
    }
    Ok(())
}
