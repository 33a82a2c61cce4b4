//! `causeway version`.

use std::process::ExitCode;

use causeway_proto::platform::v1 as pb;
use serde_json::{Value, json};

use crate::{
    connection::Connection,
    context::Entry,
    flags,
    output::{self, Format, Table},
    run::{PlatformArgs, run_to_end},
    runtime::list::{connection_word, list_all},
    words,
};

/// Versions of this binary and of what it talks to.
#[derive(Debug, Default)]
struct Versions {
    platform: Option<pb::GetPlatformInfoResponse>,
    /// None where the user is not signed in, or may not list them.
    runtimes: Option<Vec<pb::Runtime>>,
}

/// Prints the version of this binary, then those of the platform and its runtimes where a context names one.
pub(crate) fn run(args: &PlatformArgs) -> ExitCode {
    let format = args.output.begin(flags::arrangement());
    let entry = args.context.resolve().ok();
    let address = entry.as_ref().map(|entry| entry.address.clone());
    run_to_end(&address.unwrap_or_default(), &args.otlp, async {
        let asked = match &entry {
            Some(entry) => ask(entry).await,
            None => Ok(Versions::default()),
        };
        // Its own version is known even where the platform is not.
        let (versions, failed) = match asked {
            Ok(versions) => (versions, Ok(())),
            Err(error) => (Versions::default(), Err(error)),
        };
        match format {
            Format::Table => versions.print()?,
            Format::Json | Format::Yaml => output::value(&versions.document(), format)?,
        }
        failed
    })
}

async fn ask(entry: &Entry) -> anyhow::Result<Versions> {
    let mut client = Connection::anonymous(entry)?.info();
    let info = client.get_platform_info(pb::GetPlatformInfoRequest {});
    let platform = Some(info.await?.into_inner());
    let runtimes = match Connection::open(entry) {
        Ok(connection) => list_all(&connection).await.ok().map(|it| it.runtimes),
        Err(_) => None,
    };
    Ok(Versions { platform, runtimes })
}

impl Versions {
    fn print(&self) -> anyhow::Result<()> {
        let mut table = Table::plain();
        table.field("Client", env!("CARGO_PKG_VERSION"));
        table.field("Web UI", web_ui());
        let Some(platform) = &self.platform else {
            return table.print();
        };
        table.field("Platform", words::plain(&platform.version));
        let time = words::moment(platform.server_time.as_ref());
        table.field("Platform time", time);
        table.field("Tunnel server", words::or_dash(&platform.tunnel_url));
        match &self.runtimes {
            None => table.field("Runtimes", "sign in to list them"),
            Some(runtimes) => {
                for runtime in runtimes {
                    table.field(&format!("Runtime {}", runtime.name), described(runtime));
                }
            }
        }
        table.print()
    }

    fn document(&self) -> Value {
        let mut document = json!({
            "client": {"version": env!("CARGO_PKG_VERSION"), "webUi": causeway_web::is_embedded()},
        });
        if let Some(platform) = &self.platform {
            document["platform"] = json!({
                "version": platform.version,
                "serverTime": words::moment(platform.server_time.as_ref()),
                "tunnelUrl": platform.tunnel_url,
            });
        }
        if let Some(runtimes) = &self.runtimes {
            let runtimes = runtimes.iter().map(|it| {
                json!({"name": it.name, "version": it.version, "state": connection_word(it.connection())})
            });
            document["runtimes"] = runtimes.collect();
        }
        document
    }
}

fn described(runtime: &pb::Runtime) -> String {
    let version = words::plain(&runtime.version);
    let state = connection_word(runtime.connection());
    format!("{} ({state})", words::or_dash(&version))
}

/// Whether `causeway up` and the router of this binary serve the web UI.
fn web_ui() -> &'static str {
    if causeway_web::is_embedded() {
        "embedded"
    } else {
        "not embedded; 'make web', then build again"
    }
}

#[cfg(test)]
mod tests;
