//! `causeway version`.

use std::process::ExitCode;

use causeway_proto::platform::v1 as pb;

use crate::{
    connection::Connection,
    flags,
    output::{self, Format, Table},
    run::{PlatformArgs, run_to_end},
    words,
};

/// Prints the version of this binary, then that of the platform where a context names one.
pub(crate) fn run(args: &PlatformArgs) -> ExitCode {
    let format = args.output.begin(flags::arrangement());
    let entry = args.context.resolve().ok();
    let address = entry.as_ref().map(|entry| entry.address.clone());
    run_to_end(&address.unwrap_or_default(), &args.otlp, async {
        let asked = entry
            .map(|entry| Connection::anonymous(&entry))
            .transpose()?;
        let info = match &asked {
            Some(connection) => Some(platform_info(connection).await),
            None => None,
        };
        match format {
            Format::Table => print(info.as_ref().and_then(|info| info.as_ref().ok()))?,
            Format::Json | Format::Yaml => {
                let info = info.transpose()?.unwrap_or_default();
                return output::document(&info, format);
            }
        }
        info.transpose()?;
        Ok(())
    })
}

async fn platform_info(connection: &Connection) -> anyhow::Result<pb::GetPlatformInfoResponse> {
    let mut client = connection.info();
    let asked = client.get_platform_info(pb::GetPlatformInfoRequest {});
    Ok(asked.await?.into_inner())
}

fn print(info: Option<&pb::GetPlatformInfoResponse>) -> anyhow::Result<()> {
    let mut table = Table::plain();
    table.field("Client", env!("CARGO_PKG_VERSION"));
    table.field("Web UI", web_ui());
    if let Some(info) = info {
        table.field("Platform", words::plain(&info.version));
        table.field("Platform time", words::moment(info.server_time.as_ref()));
        table.field("Tunnel server", words::or_dash(&info.tunnel_url));
    }
    table.print()
}

/// Whether `causeway up` and the router of this binary serve the web UI.
fn web_ui() -> &'static str {
    if causeway_web::is_embedded() {
        "embedded"
    } else {
        "not embedded; 'make web', then build again"
    }
}
