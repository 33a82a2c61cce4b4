//! `causeway app resources`: the resources of an application with their states.

use causeway_proto::inventory::v1 as pb;
use serde_json::json;

use super::find::{self, NameArgs};
use crate::{
    connection::Connection,
    output::{self, Cell, Columns, Format, Headings},
    resource::kind::Kind,
    words,
};

#[derive(clap::Args, Debug, Clone)]
pub(crate) struct ResourcesArgs {
    #[command(flatten)]
    name: NameArgs,
    /// Include resources that controllers created, such as pods
    #[arg(long)]
    all: bool,
    /// Filter by kind, for example deploy or Rollout.argoproj.io
    #[arg(long, value_name = "KIND")]
    kind: Option<Kind>,
}

impl ResourcesArgs {
    fn selects(&self, resource: &pb::Resource) -> bool {
        let kind = self.kind.as_ref();
        let is_kind = kind.is_none_or(|kind| kind.is(&resource.group, &resource.kind));
        is_kind && (self.all || is_managed(resource))
    }
}

/// True if Git has or had it.
fn is_managed(resource: &pb::Resource) -> bool {
    let in_git = resource.sync() != pb::SyncStatus::Unspecified;
    in_git || resource.requires_pruning || resource.hook
}

pub(super) async fn run(
    connection: &Connection,
    args: &ResourcesArgs,
    format: Format,
) -> anyhow::Result<()> {
    let application = find::get_one(connection, &args.name).await?;
    let status = application.status.clone().unwrap_or_default();
    let resources = status.resources.into_iter();
    let resources: Vec<_> = resources.filter(|it| args.selects(it)).collect();
    if format == Format::Table {
        return output::table::<Resources>(&resources);
    }
    let resources = resources.iter().map(output::to_json);
    let document = json!({
        "runtime": application.runtime,
        "namespace": application.namespace,
        "name": application.name,
        "resources": resources.collect::<anyhow::Result<Vec<_>>>()?,
    });
    output::value(&document, format)
}

struct Resources;

impl Columns for Resources {
    type Item = pb::Resource;
    const HEADINGS: Headings = &[
        "GROUP",
        "KIND",
        "NAMESPACE",
        "NAME",
        "SYNC",
        "HEALTH",
        "MESSAGE",
    ];
    const NONE: &'static str = "no resources";

    fn cells(resource: &pb::Resource) -> Vec<Cell> {
        let health = resource.health.as_ref();
        let sync = if resource.requires_pruning {
            "to be pruned"
        } else {
            words::sync_status(resource.sync())
        };
        vec![
            Cell::new(&resource.group),
            Cell::new(&resource.kind),
            Cell::new(&resource.namespace),
            Cell::new(&resource.name),
            Cell::state(sync),
            Cell::state(health.map_or("", |health| words::health_status(health.status()))),
            Cell::new(words::plain(health.map_or("", |health| &health.message))),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(args: &ResourcesArgs, resources: &[pb::Resource]) -> Vec<String> {
        let selected = resources.iter().filter(|it| args.selects(it));
        selected.map(|it| it.name.clone()).collect()
    }

    #[test]
    fn resources_of_git_are_listed_and_with_all_those_of_controllers() {
        let resource = |kind: &str, name: &str, sync: pb::SyncStatus| pb::Resource {
            kind: kind.to_owned(),
            name: name.to_owned(),
            sync: sync.into(),
            ..pb::Resource::default()
        };
        let resources = [
            resource("Service", "web", pb::SyncStatus::Synced),
            resource("Pod", "web-1", pb::SyncStatus::Unspecified),
            pb::Resource {
                requires_pruning: true,
                ..resource("ConfigMap", "old", pb::SyncStatus::Unspecified)
            },
        ];
        let name = NameArgs {
            name: "web".to_owned(),
            runtime: None,
            namespace: None,
        };
        let mut args = ResourcesArgs {
            name,
            all: false,
            kind: None,
        };
        assert_eq!(names(&args, &resources), ["web", "old"]);
        args.all = true;
        assert_eq!(names(&args, &resources), ["web", "web-1", "old"]);
        args.kind = Some("pod".parse().unwrap());
        assert_eq!(names(&args, &resources), ["web-1"]);
    }
}
