//! `causeway runtime get`.

use causeway_assertion::PublicKey;
use causeway_proto::{ids::RuntimeName, platform::v1 as pb};

use super::list::connection_word;
use crate::{
    connection::Connection,
    output::{self, Format, Table},
    words,
};

pub(super) async fn run(
    connection: &Connection,
    name: &RuntimeName,
    format: Format,
) -> anyhow::Result<()> {
    let request = pb::GetRuntimeRequest {
        name: name.to_string(),
    };
    let found = connection.runtimes().get_runtime(request).await?;
    let runtime = found.into_inner().runtime.unwrap_or_default();
    match format {
        Format::Table => print(&runtime),
        Format::Json | Format::Yaml => output::document(&runtime, format),
    }
}

fn print(runtime: &pb::Runtime) -> anyhow::Result<()> {
    let mut table = Table::plain();
    table.field("Name", &runtime.name);
    table.field("ID", &runtime.runtime_id);
    table.state("State", connection_word(runtime.connection()));
    table.field("Version", words::plain(&runtime.version));
    table.field("Joined", words::ago(runtime.joined_at.as_ref()));
    table.field("Last seen", words::ago(runtime.last_seen_at.as_ref()));
    table.field("Allowed actions", allowed(runtime));
    table.field("Sealing key", sealing_key(runtime));
    for session in &runtime.sessions {
        let (server, address) = (&session.server, words::plain(&session.peer_address));
        let since = words::ago(session.connected_at.as_ref());
        table.field("Session", format!("{server}, from {address}, {since}"));
    }
    table.print()
}

/// The id of the key, for `integration create --sealing-key`.
fn sealing_key(runtime: &pb::Runtime) -> String {
    let key = PublicKey::from_bytes(&runtime.sealing_key);
    key.map_or_else(|| "-".to_owned(), |key| key.id().to_string())
}

fn allowed(runtime: &pb::Runtime) -> String {
    let actions = runtime.allowed_actions.join(", ");
    words::or_dash(&words::plain(&actions)).to_owned()
}
