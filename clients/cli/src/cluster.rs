//! `causeway cluster …`: the clusters that runtimes report of, and credentials that may read there and no more.

mod account;
mod print;
mod reports;

use std::collections::BTreeMap;

use anyhow::bail;
use causeway_proto::inventory::v1 as pb;

use self::{
    account::{AddArgs, RemoveArgs},
    reports::{Cluster, list_clusters},
};
use crate::{
    connection::Connection,
    failure::{Absent, Unsuccessful},
    output::{self, Format},
    selection::{Selection, unknown},
};

#[derive(clap::Subcommand, Debug)]
pub(crate) enum ClusterCommand {
    /// List the clusters that runtimes report
    #[command(visible_alias = "ls")]
    List(ClusterFilterArgs),
    /// Show one cluster: reported kinds, reporters and notices
    Get(NameArgs),
    /// Check that clusters are reported without problems
    ///
    /// Exit code 0 if so, 3 if not, 4 if there is no such cluster.
    Check(ClusterFilterArgs),
    /// Create a read-only account in a cluster and write its kubeconfig
    Add(AddArgs),
    /// Remove that account from a cluster
    Remove(RemoveArgs),
}

/// Clusters to list.
#[derive(clap::Args, Debug)]
pub(crate) struct ClusterFilterArgs {
    /// Cluster by its name in the runtime; by default all
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Filter by runtime
    #[arg(long, value_name = "NAME")]
    runtime: Option<String>,
}

/// One cluster.
#[derive(clap::Args, Debug)]
pub(crate) struct NameArgs {
    /// Cluster by its name in the runtime
    #[arg(value_name = "NAME")]
    name: String,
    /// The runtime, if several have a cluster of this name
    #[arg(long, value_name = "NAME")]
    runtime: Option<String>,
}

impl ClusterCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::List(args) => {
                let clusters = list_named(connection, &args).await?;
                print_kinds_or_clusters(clusters, format, output::table::<print::Clusters>)
            }
            Self::Get(args) => {
                let cluster = get_one(connection, args).await?;
                print_kinds_or_clusters(vec![cluster], format, |clusters| {
                    clusters
                        .iter()
                        .try_for_each(|it| output::line(print::details(it)))
                })
            }
            Self::Check(args) => check(connection, &args, format).await,
            Self::Add(args) => args.run().await,
            Self::Remove(args) => args.run().await,
        }
    }
}

/// Prints the reported kinds as a document, or a table of their clusters.
fn print_kinds_or_clusters(
    clusters: Vec<Cluster>,
    format: Format,
    table: impl FnOnce(&[Cluster]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let (mut groups, mut owners) = (Vec::new(), Vec::new());
    for (number, cluster) in clusters.iter().enumerate() {
        owners.extend(cluster.groups.iter().map(|_| number));
        groups.extend(cluster.groups.iter().cloned());
    }
    let response = pb::ListReportersResponse {
        groups,
        ..Default::default()
    };
    let (response, owners) = output::arranged_with(response, owners)?;
    output::show(&response, format, |_| {
        table(&dedup_in_order(clusters, &owners))
    })
}

/// Returns the named clusters once, in the order of their first mention.
fn dedup_in_order(clusters: Vec<Cluster>, named: &[usize]) -> Vec<Cluster> {
    let first = |number: usize| named.iter().position(|it| *it == number);
    let numbered = clusters.into_iter().enumerate();
    let found = numbered.filter_map(|(number, cluster)| Some((first(number)?, cluster)));
    let found: BTreeMap<usize, Cluster> = found.collect();
    found.into_values().collect()
}

async fn check(
    connection: &Connection,
    args: &ClusterFilterArgs,
    format: Format,
) -> anyhow::Result<()> {
    let clusters = list_named(connection, args).await?;
    if clusters.is_empty() {
        return Err(no_cluster_error(args.runtime.as_deref()).into());
    }
    let well = clusters.iter().all(|it| it.state() == "Healthy");
    print_kinds_or_clusters(clusters, format, |clusters| {
        clusters
            .iter()
            .try_for_each(|it| output::line(print::summary(it)))
    })?;
    if well {
        Ok(())
    } else {
        Err(Unsuccessful.into())
    }
}

/// Error of a check without any reported cluster.
fn no_cluster_error(runtime: Option<&str>) -> Absent {
    let of = runtime.map_or_else(String::new, |it| format!(" of the runtime '{it}'"));
    Absent(format!(
        "no cluster{of} is reported of; see 'causeway runtime list' and 'causeway status'"
    ))
}

async fn list_named(
    connection: &Connection,
    args: &ClusterFilterArgs,
) -> anyhow::Result<Vec<Cluster>> {
    let mut clusters = list_clusters(connection, args.runtime.as_deref()).await?;
    if clusters.is_empty() {
        let runtime = args.runtime.as_deref().unwrap_or_default();
        Selection::of_runtime(runtime, "").check(connection).await?;
    }
    let Some(name) = &args.name else {
        return Ok(clusters);
    };
    let known: Vec<_> = clusters.iter().map(|it| it.name.clone()).collect();
    clusters.retain(|it| it.name == *name);
    if clusters.is_empty() {
        let known = known.iter().map(String::as_str);
        return Err(unknown("cluster", name, known, "causeway cluster list").into());
    }
    Ok(clusters)
}

async fn get_one(connection: &Connection, args: NameArgs) -> anyhow::Result<Cluster> {
    let (name, runtime) = (Some(args.name), args.runtime);
    let mut clusters = list_named(connection, &ClusterFilterArgs { name, runtime }).await?;
    if clusters.len() > 1 {
        let names: Vec<_> = clusters.iter().map(|it| it.runtime.as_str()).collect();
        bail!(
            "several runtimes have such a cluster: give --runtime, which is one of {}",
            names.join(", ")
        );
    }
    Ok(clusters.swap_remove(0))
}

#[cfg(test)]
mod tests;
