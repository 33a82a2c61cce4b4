//! Differences of an application between comparison times, from its history.

use causeway_proto::inventory::v1 as pb;
use prost_types::Timestamp;
use tonic::Code;

use super::{
    args::DiffArgs,
    text::{NamedDiff, show, yaml_of},
};
use crate::{
    app::{find, resource},
    connection::Connection,
    failure::Unsuccessful,
    output::{self, Format},
    words,
};

/// Fields of an application that differ without a change.
const PASSING: [&[&str]; 3] = [
    &["receivedAt"],
    &["resourceVersion"],
    &["status", "reconciledAt"],
];
/// Fields of a resource that its manifests show better.
const SAID_BY_MANIFESTS: [&[&str]; 2] = [&["liveDigest"], &["desiredDigest"]];

/// Prints the differences between comparison times.
pub(super) async fn run(
    connection: &Connection,
    args: &DiffArgs,
    from: Timestamp,
    format: Format,
) -> anyhow::Result<()> {
    let key = find::key_at(connection, &args.name).await?;
    let request = pb::DiffApplicationRequest {
        runtime: key.runtime.clone(),
        namespace: key.namespace.clone(),
        name: key.name.clone(),
        cluster: key.cluster.clone(),
        from: Some(from),
        to: args.to.as_ref().map(|to| to.0),
    };
    let found = connection.applications().diff_application(request).await?;
    let found = found.into_inner();
    let sides = Sides {
        connection,
        manifests: if args.desired {
            Manifests::Desired
        } else {
            Manifests::Live
        },
        from: found.from.as_ref().and_then(|from| from.received_at),
        to: found.to.as_ref().and_then(|to| to.received_at),
        key,
    };
    let fields = sides.fields(&found)?;
    let differs = match format {
        Format::Table => sides.print(&fields, &found).await?,
        Format::Json | Format::Yaml => {
            output::document(&found, format)?;
            !fields.is_empty() || !found.resources.is_empty()
        }
    };
    if differs {
        Err(Unsuccessful.into())
    } else {
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Manifests {
    Live,
    Desired,
}

/// Both sides of a comparison.
struct Sides<'a> {
    connection: &'a Connection,
    key: pb::GetApplicationRequest,
    manifests: Manifests,
    /// When the states were accepted.
    from: Option<Timestamp>,
    to: Option<Timestamp>,
}

impl Sides<'_> {
    /// The lines of what differs in the application itself.
    fn fields(&self, found: &pb::DiffApplicationResponse) -> anyhow::Result<Vec<String>> {
        let text = |side: &Option<pb::Application>| match side {
            Some(side) => yaml_of(output::to_json(side)?, &PASSING),
            None => Ok(String::new()),
        };
        let (from, to) = (text(&found.from)?, text(&found.to)?);
        Ok(self.lines("application", &from, &to))
    }

    /// Prints the differences and tells if there were any: those of the other kind of manifests are not shown.
    async fn print(
        &self,
        fields: &[String],
        found: &pb::DiffApplicationResponse,
    ) -> anyhow::Result<bool> {
        show(fields)?;
        let mut printed = !fields.is_empty() || found.resources_left_off > 0;
        for difference in &found.resources {
            let lines = self.resource(difference).await?;
            printed |= !lines.is_empty();
            show(&lines)?;
        }
        if found.resources_left_off > 0 {
            output::note(format!(
                "{} more resources differ; choose times that are nearer to each other",
                found.resources_left_off
            ));
        }
        Ok(printed)
    }

    /// The lines of what differs in a resource, and then in its manifest.
    async fn resource(&self, difference: &pb::ResourceDifference) -> anyhow::Result<Vec<String>> {
        let (from, to) = (difference.from.as_ref(), difference.to.as_ref());
        let name = from.or(to).map(resource::full_name).unwrap_or_default();
        let text = |side: Option<&pb::Resource>| match side {
            Some(side) => yaml_of(output::to_json(side)?, &SAID_BY_MANIFESTS),
            None => Ok(String::new()),
        };
        let mut lines = self.lines(&name, &text(from)?, &text(to)?);
        let (of, word) = match self.manifests {
            Manifests::Live => (live as fn(&pb::Resource) -> &[u8], "live"),
            Manifests::Desired => (desired as fn(&pb::Resource) -> &[u8], "desired"),
        };
        let digests = [from, to].map(|side| side.map_or(&[][..], of));
        if digests[0] != digests[1] {
            let from = self.manifest(digests[0], self.from).await?;
            let to = self.manifest(digests[1], self.to).await?;
            lines.extend(self.lines(&format!("{name} {word}"), &from, &to));
        }
        Ok(lines)
    }

    async fn manifest(&self, digest: &[u8], at: Option<Timestamp>) -> anyhow::Result<String> {
        if digest.is_empty() {
            return Ok(String::new());
        }
        let digest_hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let request = pb::GetManifestRequest {
            digest_hex,
            runtime: self.key.runtime.clone(),
            namespace: self.key.namespace.clone(),
            name: self.key.name.clone(),
            cluster: self.key.cluster.clone(),
            at,
        };
        match self.connection.applications().get_manifest(request).await {
            Ok(found) => manifest_text(&found.into_inner().content),
            Err(status) if status.code() == Code::NotFound => {
                Ok("# this manifest is not kept any more\n".to_owned())
            }
            Err(status) => Err(status.into()),
        }
    }

    /// A unified diff; no lines where both are the same.
    fn lines(&self, name: &str, from: &str, to: &str) -> Vec<String> {
        let [one, other] = [&self.from, &self.to].map(|at| words::moment(at.as_ref()));
        let sides = [one.as_str(), other.as_str()];
        NamedDiff { name, sides }.lines(from, to)
    }
}

fn live(resource: &pb::Resource) -> &[u8] {
    &resource.live_digest
}

fn desired(resource: &pb::Resource) -> &[u8] {
    &resource.desired_digest
}

fn manifest_text(content: &[u8]) -> anyhow::Result<String> {
    match serde_json::from_slice(content) {
        Ok(value) => yaml_of(value, &[]),
        Err(_) => Ok(String::from_utf8_lossy(content).into_owned()),
    }
}

#[cfg(test)]
mod tests;
