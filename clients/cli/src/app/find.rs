//! Resolves the names that users pass to applications.

mod fetch;

use anyhow::{Context as _, bail};
use causeway_proto::inventory::v1 as pb;
use prost_types::Timestamp;

use crate::{
    connection::Connection,
    failure::Absent,
    name::{FullName, needs_search, stated},
    pages::Truncation,
    selection::{Selection, unknown},
    watch::Next,
};
pub(super) use fetch::for_each_page;

/// One application.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct NameArgs {
    /// NAME, NAMESPACE/NAME, RUNTIME/NAME or RUNTIME/NAMESPACE/NAME
    #[arg(value_name = "NAME", value_parser = stated)]
    pub(super) name: String,
    /// The runtime, if several have an application of this name
    #[arg(long, value_name = "NAME", value_parser = stated)]
    pub(super) runtime: Option<String>,
    /// The namespace, if several have an application of this name
    #[arg(short, long, value_name = "NAMESPACE", value_parser = stated)]
    pub(super) namespace: Option<String>,
}

/// Lists all matching applications by runtime, namespace and name, in the basic view.
pub(super) async fn list_all(
    connection: &Connection,
    filter: pb::ApplicationFilter,
) -> anyhow::Result<Vec<pb::Application>> {
    let sort = pb::ApplicationSort::Runtime;
    let (found, _) = list_up_to(connection, filter, sort, usize::MAX).await?;
    Ok(found)
}

/// Lists at most `limit` matching applications, in the basic view.
pub(super) async fn list_up_to(
    connection: &Connection,
    filter: pb::ApplicationFilter,
    sort: pb::ApplicationSort,
    limit: usize,
) -> anyhow::Result<(Vec<pb::Application>, Truncation)> {
    let found = (Vec::new(), Truncation::Complete);
    for_each_page(
        connection,
        pb::ListApplicationsRequest {
            filter: Some(filter),
            sort: sort.into(),
            ..Default::default()
        },
        limit,
        found,
        move |state, page| {
            let (found, rest) = state;
            found.extend(page);
            if found.len() <= limit {
                return Ok(Next::Continue);
            }
            found.truncate(limit);
            *rest = Truncation::Truncated;
            Ok(Next::Stop)
        },
    )
    .await
}

/// Checks the names of a filter that matches no application now.
///
/// # Errors
/// A runtime, cluster or project of the filter does not exist.
pub(super) async fn check_selection(
    connection: &Connection,
    filter: &pb::ApplicationFilter,
) -> anyhow::Result<()> {
    let sort = pb::ApplicationSort::Runtime;
    let (found, _) = list_up_to(connection, filter.clone(), sort, 1).await?;
    if found.is_empty() {
        Selection::from(filter).check(connection).await?;
    }
    Ok(())
}

/// Returns the named application in the full view.
pub(super) async fn get_one(
    connection: &Connection,
    args: &NameArgs,
) -> anyhow::Result<pb::Application> {
    let key = key(connection, args).await?;
    get(connection, key).await
}

/// Returns the named application as it was at a time.
pub(super) async fn get_at(
    connection: &Connection,
    args: &NameArgs,
    at: Timestamp,
) -> anyhow::Result<pb::Application> {
    let key = key_at(connection, args).await?;
    let at = Some(at);
    get(connection, pb::GetApplicationRequest { at, ..key }).await
}

pub(super) async fn get(
    connection: &Connection,
    request: pb::GetApplicationRequest,
) -> anyhow::Result<pb::Application> {
    let response = connection.applications().get_application(request).await?;
    response
        .into_inner()
        .application
        .context("the platform answered without the application: is it of another version?")
}

/// Returns the key of an application that may be deleted by now; a full name is not looked up.
pub(super) async fn key_at(
    connection: &Connection,
    args: &NameArgs,
) -> anyhow::Result<pb::GetApplicationRequest> {
    match full_request(&parse(args)?) {
        Some(request) => Ok(request),
        None => key(connection, args).await,
    }
}

/// Returns the key of the named application.
pub(super) async fn key(
    connection: &Connection,
    args: &NameArgs,
) -> anyhow::Result<pb::GetApplicationRequest> {
    let application = resolve(connection, args).await?;
    Ok(key_of(&application))
}

/// Resolves a name to one application, at least in the basic view.
pub(super) async fn resolve(
    connection: &Connection,
    args: &NameArgs,
) -> anyhow::Result<pb::Application> {
    let wanted = parse(args)?;
    // A full name needs no search: with many applications a list costs far more than this one call.
    if let Some(request) = full_request(&wanted) {
        match get(connection, request).await {
            Ok(application) => return Ok(application),
            // The list below also finds nothing, or names the clusters that have the application.
            Err(error) if error.downcast_ref().is_some_and(needs_search) => {}
            Err(error) => return Err(error),
        }
    }
    let mut matches = list_named(connection, args, &wanted).await?;
    match matches.len() {
        0 => {
            Selection::from(&to_filter(&wanted))
                .check(connection)
                .await?;
            let known = list_all(connection, pb::ApplicationFilter::default()).await?;
            Err(not_found(&wanted.name, &known).into())
        }
        1 => Ok(matches.swap_remove(0)),
        _ => {
            let names: Vec<_> = matches.iter().map(full_name).collect();
            bail!(
                "'{}' is ambiguous: pass one of these names: {}",
                wanted.name,
                names.join(", ")
            )
        }
    }
}

/// Lists the applications that a name may mean, each once.
async fn list_named(
    connection: &Connection,
    args: &NameArgs,
    wanted: &FullName,
) -> anyhow::Result<Vec<pb::Application>> {
    let mut matches = list_all(connection, to_filter(wanted)).await?;
    let (runtime, namespace) = (args.runtime.as_deref(), args.namespace.as_deref());
    if let Some(other) = FullName::in_runtime(&args.name, runtime, namespace) {
        for found in list_all(connection, to_filter(&other)).await? {
            if !matches.iter().any(|it| key_of(it) == key_of(&found)) {
                matches.push(found);
            }
        }
    }
    Ok(matches)
}

fn full_request(wanted: &FullName) -> Option<pb::GetApplicationRequest> {
    if wanted.runtime.is_empty() || wanted.namespace.is_empty() {
        return None;
    }
    Some(pb::GetApplicationRequest {
        runtime: wanted.runtime.clone(),
        namespace: wanted.namespace.clone(),
        name: wanted.name.clone(),
        ..pb::GetApplicationRequest::default()
    })
}

pub(super) fn key_of(application: &pb::Application) -> pb::GetApplicationRequest {
    pb::GetApplicationRequest {
        runtime: application.runtime.clone(),
        namespace: application.namespace.clone(),
        name: application.name.clone(),
        cluster: application.cluster.clone(),
        at: None,
    }
}

/// Builds the filter of a name that a user passed.
pub(super) fn filter_by_name(name: &str) -> anyhow::Result<pb::ApplicationFilter> {
    let args = NameArgs {
        name: name.to_owned(),
        runtime: None,
        namespace: None,
    };
    Ok(to_filter(&parse(&args)?))
}

/// RUNTIME/NAMESPACE/NAME.
pub(super) fn full_name(application: &pb::Application) -> String {
    format!(
        "{}/{}/{}",
        application.runtime, application.namespace, application.name
    )
}

fn parse(args: &NameArgs) -> anyhow::Result<FullName> {
    let (runtime, namespace) = (args.runtime.as_deref(), args.namespace.as_deref());
    FullName::read(&args.name, runtime, namespace)
}

fn to_filter(wanted: &FullName) -> pb::ApplicationFilter {
    pb::ApplicationFilter {
        runtime: wanted.runtime.clone(),
        namespace: wanted.namespace.clone(),
        name: wanted.name.clone(),
        ..Default::default()
    }
}

fn not_found(wanted: &str, known: &[pb::Application]) -> Absent {
    let known = known.iter().map(|it| it.name.as_str());
    unknown("application", wanted, known, "causeway app list")
}

#[cfg(test)]
mod tests;
