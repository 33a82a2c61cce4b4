//! `causeway appset …`: ApplicationSets and the applications that they generate.

mod print;

use std::collections::BTreeMap;

use causeway_proto::inventory::v1 as pb;
use serde_json::json;

use self::print::ApplicationSets;
use crate::{
    connection::Connection,
    output::{self, Format},
    pages,
    resource::{
        ListedOfKindArgs, NameArgs, describe_one,
        manifests::{self, Described},
    },
};

const PAGE: u32 = 1_000;

#[derive(clap::Subcommand, Debug)]
pub(crate) enum AppsetCommand {
    /// List application sets
    #[command(visible_alias = "ls")]
    List(Box<ListedOfKindArgs>),
    /// Show one ApplicationSet, its generators, conditions and applications
    Get(NameArgs),
}

impl AppsetCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::List(args) => {
                args.run_described::<ApplicationSets>(connection, format)
                    .await
            }
            Self::Get(args) => get(connection, &args, format).await,
        }
    }
}

async fn get(connection: &Connection, args: &NameArgs, format: Format) -> anyhow::Result<()> {
    let set = describe_one::<ApplicationSets>(connection, args).await?;
    let generated = generated(connection, &set).await?;
    if format == Format::Table {
        return output::line(print::details(&set, &generated));
    }
    let applications = generated.iter().map(|it| match &it.application {
        Some(application) => output::to_json(application),
        None => Ok(json!({"namespace": it.namespace, "name": it.name})),
    });
    let applications: Vec<_> = applications.collect::<anyhow::Result<_>>()?;
    let resource = output::to_json(&set.resource)?;
    let whole = json!({
        "resource": resource,
        "manifest": set.manifest,
        "applications": applications,
    });
    output::value(&whole, format)
}

/// An application that a set says it generated.
struct Generated {
    namespace: String,
    name: String,
    /// The step of the set's own rollout that it is at; empty where the set has none.
    step: String,
    /// As the platform knows it; nothing where it does not, or where the caller may not see it.
    application: Option<pb::Application>,
}

async fn generated(connection: &Connection, set: &Described) -> anyhow::Result<Vec<Generated>> {
    let named: Vec<(String, String)> = set
        .list("/status/resources")
        .iter()
        .map(|it| {
            (
                manifests::text(it.get("namespace")),
                manifests::text(it.get("name")),
            )
        })
        .collect();
    let mut known = applications(connection, set).await?;
    let steps: BTreeMap<String, String> = set
        .list("/status/applicationStatus")
        .iter()
        .map(|it| {
            let (status, step) = (manifests::text(it.get("status")), it.get("step"));
            let step = format!("{} {status}", manifests::text(step));
            (
                manifests::text(it.get("application")),
                step.trim().to_owned(),
            )
        })
        .collect();
    let named = named.into_iter().map(|(namespace, name)| Generated {
        step: steps.get(&name).cloned().unwrap_or_default(),
        application: known.remove(&(namespace.clone(), name.clone())),
        namespace,
        name,
    });
    Ok(named.collect())
}

/// Returns the applications of the set's runtime and cluster, by namespace and name.
async fn applications(
    connection: &Connection,
    set: &Described,
) -> anyhow::Result<BTreeMap<(String, String), pb::Application>> {
    let filter = pb::ApplicationFilter {
        runtime: set.resource.runtime.clone(),
        cluster: set.resource.cluster.clone(),
        ..pb::ApplicationFilter::default()
    };
    let mut client = connection.applications();
    let listed = pages::read_all(async |page_token| {
        let request = pb::ListApplicationsRequest {
            filter: Some(filter.clone()),
            page_size: PAGE,
            page_token,
            ..pb::ListApplicationsRequest::default()
        };
        client.list_applications(request).await
    });
    let listed = listed.await?.applications.into_iter();
    let keyed = listed.map(|it| ((it.namespace.clone(), it.name.clone()), it));
    Ok(keyed.collect())
}
