//! From what a person typed to the application that is meant.

mod pages;

use anyhow::{Context as _, bail};
use causeway_proto::inventory::v1 as pb;
use prost_types::Timestamp;

use super::NameArgs;
use crate::{
    connection::Connection,
    failure::Absent,
    name::{FullName, nearest},
    watch::Next,
};
pub(super) use pages::pages;

/// Every application that matches, in the order of (runtime, namespace, name), in the basic view.
pub(super) async fn all(
    connection: &Connection,
    filter: pb::ApplicationFilter,
) -> anyhow::Result<Vec<pb::Application>> {
    let sort = pb::ApplicationSort::Runtime;
    let (found, _) = some(connection, filter, sort, usize::MAX).await?;
    Ok(found)
}

/// Whether there are more than were wanted.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Rest {
    None,
    More,
}

/// The first that match, in an order, in the basic view.
pub(super) async fn some(
    connection: &Connection,
    filter: pb::ApplicationFilter,
    sort: pb::ApplicationSort,
    limit: usize,
) -> anyhow::Result<(Vec<pb::Application>, Rest)> {
    let found = (Vec::new(), Rest::None);
    pages(
        connection,
        (filter, sort),
        limit,
        found,
        move |state, page| {
            let (found, rest) = state;
            found.extend(page);
            if found.len() <= limit {
                return Ok(Next::Continue);
            }
            found.truncate(limit);
            *rest = Rest::More;
            Ok(Next::Stop)
        },
    )
    .await
}

/// The one application that is meant, whole.
pub(super) async fn one(
    connection: &Connection,
    args: &NameArgs,
) -> anyhow::Result<pb::Application> {
    let key = key(connection, args).await?;
    get(connection, key).await
}

/// The one application that is meant, whole, as it was at a time.
pub(super) async fn one_then(
    connection: &Connection,
    args: &NameArgs,
    at: Timestamp,
) -> anyhow::Result<pb::Application> {
    let key = key_then(connection, args).await?;
    let at = Some(at);
    get(connection, pb::GetApplicationRequest { at, ..key }).await
}

/// What is asked for.
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

/// The full name of an application that may be gone by now: one that is named whole is not looked for.
pub(super) async fn key_then(
    connection: &Connection,
    args: &NameArgs,
) -> anyhow::Result<pb::GetApplicationRequest> {
    let wanted = read(args)?;
    if wanted.runtime.is_empty() || wanted.namespace.is_empty() {
        return key(connection, args).await;
    }
    Ok(pb::GetApplicationRequest {
        runtime: wanted.runtime,
        namespace: wanted.namespace,
        name: wanted.name,
        ..pb::GetApplicationRequest::default()
    })
}

/// The full name of the one application that is meant.
pub(super) async fn key(
    connection: &Connection,
    args: &NameArgs,
) -> anyhow::Result<pb::GetApplicationRequest> {
    let application = target(connection, args).await?;
    Ok(key_of(&application))
}

/// The one application that is meant, in the basic view.
pub(super) async fn target(
    connection: &Connection,
    args: &NameArgs,
) -> anyhow::Result<pb::Application> {
    let wanted = read(args)?;
    let mut matches = all(connection, to_filter(&wanted)).await?;
    match matches.len() {
        0 => {
            let known = all(connection, pb::ApplicationFilter::default()).await?;
            Err(Absent(unknown(&wanted.name, &known)).into())
        }
        1 => Ok(matches.swap_remove(0)),
        _ => {
            let names: Vec<_> = matches.iter().map(full_name).collect();
            bail!(
                "'{}' is ambiguous: {}; give one of these names",
                wanted.name,
                names.join(", ")
            )
        }
    }
}

/// The full name of an application.
pub(super) fn key_of(application: &pb::Application) -> pb::GetApplicationRequest {
    pb::GetApplicationRequest {
        runtime: application.runtime.clone(),
        namespace: application.namespace.clone(),
        name: application.name.clone(),
        cluster: application.cluster.clone(),
        at: None,
    }
}

/// What a person typed as a name, as a filter.
pub(super) fn named(name: &str) -> anyhow::Result<pb::ApplicationFilter> {
    let args = NameArgs {
        name: name.to_owned(),
        runtime: None,
        namespace: None,
    };
    Ok(to_filter(&read(&args)?))
}

/// RUNTIME/NAMESPACE/NAME.
pub(super) fn full_name(application: &pb::Application) -> String {
    format!(
        "{}/{}/{}",
        application.runtime, application.namespace, application.name
    )
}

fn read(args: &NameArgs) -> anyhow::Result<FullName> {
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

fn unknown(wanted: &str, known: &[pb::Application]) -> String {
    let near = nearest(
        wanted,
        known.iter().map(|application| application.name.as_str()),
    );
    let advice = match near.as_slice() {
        [] => "see 'causeway app list'".to_owned(),
        names => format!("did you mean {}?", names.join(", ")),
    };
    format!("no application '{wanted}'; {advice}")
}
