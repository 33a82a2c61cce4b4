//! Pods and their containers, of the application or the namespace that is typed already: as the application's tree has them, or else as
//! their logs are begun.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context as _;
use causeway_proto::{
    inventory::v1 as inventory,
    proxy::v1::{StreamLogsRequest, stream_logs_response::Event},
};
use clap::ArgMatches;

use super::names::Candidate;
use crate::{command, connection::Connection, name::FullName, words};

/// Kinds that have pods, which may be named in place of a pod.
const OWNERS: [&str; 8] = [
    "CronJob",
    "DaemonSet",
    "Deployment",
    "Job",
    "ReplicaSet",
    "Rollout",
    "StatefulSet",
    "Workflow",
];

/// Location of pods as typed so far.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TypedLocation {
    /// The name of an application; empty for the pods of a namespace.
    pub(super) application: String,
    pub(super) runtime: String,
    pub(super) namespace: String,
    /// The pod.
    pub(super) pod: String,
}

/// Names of pods, and of what has pods.
pub(super) async fn names(
    connection: &Connection,
    typed: &[String],
) -> anyhow::Result<Vec<Candidate>> {
    let typed = TypedLocation::read(typed).context("no place is typed")?;
    let (request, application) = typed.request(connection).await?;
    if let Some(application) = application {
        return Ok(of_tree(&application));
    }
    let pods = pods(connection, request).await?.into_iter();
    let pods = pods.map(|(pod, containers)| {
        let containers: Vec<_> = containers.into_iter().collect();
        (pod, Some(containers.join(" ")))
    });
    Ok(pods.collect())
}

/// Names of the containers of the pod that is typed, or of all pods.
pub(super) async fn containers(
    connection: &Connection,
    typed: &[String],
) -> anyhow::Result<Vec<Candidate>> {
    let typed = TypedLocation::read(typed).context("no place is typed")?;
    let (request, _) = typed.request(connection).await?;
    let mut pods = pods(connection, request).await?;
    if pods.contains_key(&typed.pod) {
        pods.retain(|pod, _| *pod == typed.pod);
    }
    let names: BTreeSet<String> = pods.into_values().flatten().collect();
    Ok(names.into_iter().map(|name| (name, None)).collect())
}

impl TypedLocation {
    /// From a command line that is not at its end; nothing where it is of no such command.
    pub(super) fn read(typed: &[String]) -> Option<Self> {
        let command = command().ignore_errors(true);
        let matches = command.try_get_matches_from(typed).ok()?;
        let (group, below) = matches.subcommand()?;
        let (_, leaf) = below.subcommand()?;
        let word = |id: &str| word(leaf, id);
        let name = match group {
            "app" => word("name")?,
            "resource" => String::new(),
            _ => return None,
        };
        Some(Self {
            application: name,
            runtime: word("runtime").unwrap_or_default(),
            namespace: word("namespace").unwrap_or_default(),
            pod: ["pod", "resource"]
                .iter()
                .find_map(|id| raw(leaf, id))
                .unwrap_or_default(),
        })
    }

    /// What asks for the pods, and the application that they are of.
    async fn request(
        &self,
        connection: &Connection,
    ) -> anyhow::Result<(StreamLogsRequest, Option<inventory::Application>)> {
        let all = StreamLogsRequest {
            all_containers: true,
            tail: Some(0),
            ..StreamLogsRequest::default()
        };
        if self.application.is_empty() {
            let request = StreamLogsRequest {
                runtime: crate::resource::location::runtime_of(connection, self.runtime.clone())
                    .await?,
                namespace: self.namespace.clone(),
                ..all
            };
            return Ok((request, None));
        }
        let application = self.application(connection).await?;
        let request = StreamLogsRequest {
            runtime: application.runtime.clone(),
            application_namespace: application.namespace.clone(),
            application: application.name.clone(),
            ..all
        };
        Ok((request, Some(application)))
    }

    async fn application(&self, connection: &Connection) -> anyhow::Result<inventory::Application> {
        let flag = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let (runtime, namespace) = (flag(&self.runtime), flag(&self.namespace));
        let named = FullName::read(&self.application, runtime.as_deref(), namespace.as_deref())?;
        let request = inventory::ListApplicationsRequest {
            filter: Some(inventory::ApplicationFilter {
                runtime: named.runtime,
                namespace: named.namespace,
                name: named.name,
                ..inventory::ApplicationFilter::default()
            }),
            view: inventory::ApplicationView::Full.into(),
            page_size: 1,
            ..inventory::ListApplicationsRequest::default()
        };
        let response = connection.applications().list_applications(request).await?;
        let found = response.into_inner().applications.into_iter().next();
        found.context("there is no such application")
    }
}

/// The value of an argument.
fn word(matches: &ArgMatches, id: &str) -> Option<String> {
    let value = matches.try_get_one::<String>(id).ok().flatten();
    value.cloned().filter(|it| !it.is_empty())
}

/// The value of an argument as it was typed, whatever it stands for.
fn raw(matches: &ArgMatches, id: &str) -> Option<String> {
    let mut values = matches.try_get_raw(id).ok().flatten()?;
    Some(values.next()?.to_string_lossy().into_owned())
}

/// Pods, and what has pods.
pub(super) fn of_tree(application: &inventory::Application) -> Vec<Candidate> {
    let resources = application.status.iter().flat_map(|it| &it.resources);
    let names = resources.filter_map(|it| {
        let name = match it.kind.as_str() {
            "Pod" => it.name.clone(),
            kind if OWNERS.contains(&kind) => format!("{kind}/{}", it.name),
            _ => return None,
        };
        let health = it.health.as_ref();
        let health = health.map_or("", |health| words::health_status(health.status()));
        Some((name, Some(health.to_owned())))
    });
    names.collect()
}

/// Each pod with its containers.
async fn pods(
    connection: &Connection,
    request: StreamLogsRequest,
) -> anyhow::Result<BTreeMap<String, BTreeSet<String>>> {
    let mut pods: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut stream = connection.logs().stream_logs(request).await?.into_inner();
    let mut begun = 0;
    while let Some(response) = stream.message().await? {
        let Some(Event::Begin(begin)) = response.event else {
            continue;
        };
        let containers = pods.entry(response.pod).or_default();
        containers.insert(response.container);
        begun += 1;
        if begun >= begin.containers {
            break;
        }
    }
    Ok(pods)
}
