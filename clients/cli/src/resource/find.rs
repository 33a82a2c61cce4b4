//! Resolves the names that users pass to resources.

use anyhow::bail;
use causeway_proto::inventory::v1 as pb;
use tonic::Status;

use crate::{
    connection::Connection,
    failure::Absent,
    name::{FullName, needs_search, stated},
    output::Progress,
    pages,
    selection::Selection,
};

const PAGE: u32 = 1_000;

/// One resource of a kind.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct NameArgs {
    /// NAME, NAMESPACE/NAME, RUNTIME/NAME or RUNTIME/NAMESPACE/NAME
    #[arg(value_name = "NAME", value_parser = stated)]
    pub(crate) name: String,
    /// The runtime, if several have an object of this name
    #[arg(long, value_name = "NAME", value_parser = stated)]
    pub(crate) runtime: Option<String>,
    /// The cluster, if several have an object of this name
    #[arg(long, value_name = "NAME", value_parser = stated)]
    pub(crate) cluster: Option<String>,
    /// The namespace, if several have an object of this name
    #[arg(short, long, value_name = "NAMESPACE", value_parser = stated)]
    pub(crate) namespace: Option<String>,
}

impl NameArgs {
    pub(crate) fn to_filter(&self, kind: &str) -> anyhow::Result<pb::ResourceFilter> {
        let (runtime, namespace) = (self.runtime.as_deref(), self.namespace.as_deref());
        let wanted = FullName::read(&self.name, runtime, namespace)?;
        Ok(self.filter_of(kind, wanted))
    }

    /// The filter of RUNTIME/NAME, where the name may mean that, too.
    fn filter_in_runtime(&self, kind: &str) -> Option<pb::ResourceFilter> {
        let (runtime, namespace) = (self.runtime.as_deref(), self.namespace.as_deref());
        let wanted = FullName::in_runtime(&self.name, runtime, namespace)?;
        Some(self.filter_of(kind, wanted))
    }

    fn filter_of(&self, kind: &str, wanted: FullName) -> pb::ResourceFilter {
        pb::ResourceFilter {
            kind: kind.to_owned(),
            runtime: wanted.runtime,
            cluster: self.cluster.clone().unwrap_or_default(),
            namespace: wanted.namespace,
            name: wanted.name,
            ..pb::ResourceFilter::default()
        }
    }
}

/// Lists all matching resources in the basic view.
///
/// # Errors
/// There is none, because the runtime, cluster or kind of the filter does not exist.
pub(crate) async fn list_all(
    connection: &Connection,
    filter: pb::ResourceFilter,
) -> anyhow::Result<pb::ListResourcesResponse> {
    let found = read_all(connection, filter.clone()).await?;
    if found.resources.is_empty() {
        Selection::from(&filter).check(connection).await?;
    }
    Ok(found)
}

async fn read_all(
    connection: &Connection,
    filter: pb::ResourceFilter,
) -> anyhow::Result<pb::ListResourcesResponse> {
    let mut client = connection.resources();
    let progress = Progress::start("reading resources");
    let fetch = async |page_token| {
        let request = pb::ListResourcesRequest {
            filter: Some(filter.clone()),
            view: pb::ResourceView::Basic.into(),
            page_size: PAGE,
            page_token,
        };
        client.list_resources(request).await
    };
    let on_page = |read| {
        progress.reached(read);
        true
    };
    Ok(pages::read_while(fetch, on_page).await?.0)
}

/// Checks the names of a filter that matches no resource now.
///
/// # Errors
/// The runtime, cluster or kind of the filter does not exist.
pub(crate) async fn check_selection(
    connection: &Connection,
    filter: &pb::ResourceFilter,
) -> anyhow::Result<()> {
    let request = pb::ListResourcesRequest {
        filter: Some(filter.clone()),
        view: pb::ResourceView::Basic.into(),
        page_size: 1,
        page_token: String::new(),
    };
    let found = connection.resources().list_resources(request).await?;
    if found.into_inner().resources.is_empty() {
        Selection::from(filter).check(connection).await?;
    }
    Ok(())
}

/// Resolves a name to one resource in the basic view.
pub(crate) async fn resolve(
    connection: &Connection,
    kind: &str,
    args: &NameArgs,
) -> anyhow::Result<pb::LiveResource> {
    let filter = args.to_filter(kind)?;
    let mut matches = read_all(connection, filter.clone()).await?.resources;
    if let Some(other) = args.filter_in_runtime(kind) {
        // The first part may be a namespace as well, so an unknown runtime is no error.
        for found in read_all(connection, other).await?.resources {
            let is_known = |it: &pb::LiveResource| {
                full_name(it) == full_name(&found) && it.cluster == found.cluster
            };
            if !matches.iter().any(is_known) {
                matches.push(found);
            }
        }
    }
    match matches.len() {
        0 => {
            Selection::from(&filter).check(connection).await?;
            let advice = format!("see 'causeway resource list {kind}'");
            Err(Absent(format!("no {kind} '{}'; {advice}", args.name)).into())
        }
        1 => Ok(matches.swap_remove(0)),
        _ => {
            let names: Vec<_> = matches.iter().map(full_name).collect();
            bail!(
                "'{}' is ambiguous: {}; give one of these names, and --cluster where they are equal",
                args.name,
                names.join(", ")
            )
        }
    }
}

/// Returns a filter that only this resource matches.
pub(crate) fn exact_filter(resource: pb::LiveResource) -> pb::ResourceFilter {
    pb::ResourceFilter {
        runtime: resource.runtime,
        cluster: resource.cluster,
        namespace: resource.namespace,
        kind: resource.resource,
        name: resource.name,
        ..pb::ResourceFilter::default()
    }
}

/// Returns the named resource in the full view.
pub(crate) async fn get_one(
    connection: &Connection,
    kind: &str,
    args: &NameArgs,
    with_manifest: bool,
) -> anyhow::Result<pb::GetResourceResponse> {
    let filter = args.to_filter(kind)?;
    // A full name needs no search: one call in place of two.
    if !filter.runtime.is_empty() && !filter.namespace.is_empty() {
        match get(connection, filter, with_manifest).await {
            Err(status) if needs_search(&status) => {}
            response => return Ok(response?),
        }
    }
    let found = resolve(connection, kind, args).await?;
    Ok(get(connection, exact_filter(found), with_manifest).await?)
}

/// Returns the one resource that a filter names.
pub(super) async fn get(
    connection: &Connection,
    filter: pb::ResourceFilter,
    with_manifest: bool,
) -> Result<pb::GetResourceResponse, Status> {
    let request = pb::GetResourceRequest {
        runtime: filter.runtime,
        kind: filter.kind,
        name: filter.name,
        namespace: filter.namespace,
        cluster: filter.cluster,
        with_manifest,
    };
    let response = connection.resources().get_resource(request).await?;
    Ok(response.into_inner())
}

/// RUNTIME/NAMESPACE/NAME.
pub(crate) fn full_name(resource: &pb::LiveResource) -> String {
    format!(
        "{}/{}/{}",
        resource.runtime, resource.namespace, resource.name
    )
}
