//! `causeway preference …`.

use std::{io::Read as _, path::PathBuf};

use anyhow::Context as _;
use causeway_proto::{ids::RequestId, platform::v1 as pb};

use crate::{
    connection::Connection,
    output::{self, Format},
    request,
};

/// Limit of the platform.
const LONGEST: u64 = 64 << 10;

#[derive(clap::Subcommand, Debug)]
pub(crate) enum PreferenceCommand {
    /// Print your preferences of the web UI, as JSON
    Get,
    /// Replace your preferences of the web UI
    Set {
        /// File with JSON; - for standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Version that was read; by default the current one
        #[arg(long, value_name = "NUMBER")]
        if_version: Option<u64>,
    },
}

impl PreferenceCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::Get => {
                let preferences = get(connection).await?;
                match format {
                    Format::Table => output::line(&preferences.content),
                    Format::Json | Format::Yaml => output::document(&preferences, format),
                }
            }
            Self::Set { file, if_version } => set(connection, &file, if_version).await,
        }
    }
}

async fn get(connection: &Connection) -> anyhow::Result<pb::GetPreferencesResponse> {
    let mut client = connection.preferences();
    let request = pb::GetPreferencesRequest {};
    Ok(client.get_preferences(request).await?.into_inner())
}

async fn set(connection: &Connection, file: &PathBuf, version: Option<u64>) -> anyhow::Result<()> {
    let content = read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let version = match version {
        Some(version) => version,
        None => get(connection).await?.version,
    };
    let request = pb::SetPreferencesRequest {
        content,
        version,
        request_id: RequestId::generate().to_string(),
    };
    let set = request::change(request, async |request| {
        connection.preferences().set_preferences(request).await
    })
    .await?;
    output::line(format!("version {}", set.version))
}

fn read(file: &PathBuf) -> std::io::Result<String> {
    let mut content = String::new();
    // One byte more, so that the platform refuses what is too long.
    if file.as_os_str() == "-" {
        std::io::stdin()
            .take(LONGEST + 1)
            .read_to_string(&mut content)?;
    } else {
        let file = std::fs::File::open(file)?;
        file.take(LONGEST + 1).read_to_string(&mut content)?;
    }
    Ok(content)
}
