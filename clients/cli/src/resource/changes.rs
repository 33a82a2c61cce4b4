//! Watches of resources whose rows tell what only their manifests have.

use std::{cell::RefCell, collections::BTreeMap};

use causeway_proto::inventory::v1::{self as pb, watch_resources_response::Event};
use futures::{StreamExt as _, stream};
use tokio::sync::Notify;
use tonic::{Code, Status};

use super::{
    find,
    manifests::{self, AT_ONCE, Described},
    watch,
};
use crate::{
    connection::Connection,
    output::{Changes, Text},
};

/// How each row is made.
pub(crate) struct Rows<'a> {
    pub(crate) headings: &'a [&'a str],
    pub(crate) row: fn(&Described) -> Vec<Text>,
}

/// What was told of each resource last and is still to be printed: nothing of one that is gone.
#[derive(Default)]
struct Told {
    last: RefCell<BTreeMap<String, Option<pb::LiveResource>>>,
    more: Notify,
}

/// Prints a row of each, and again whenever it is another one.
pub(crate) async fn follow(
    connection: &Connection,
    filter: pb::ResourceFilter,
    rows: Rows<'_>,
) -> anyhow::Result<()> {
    let told = Told::default();
    let view = pb::ResourceView::Basic;
    let hearing = watch::follow(connection, filter, view, |response| {
        told.hear(response);
        Ok(())
    });
    tokio::select! {
        ended = hearing => ended,
        failed = print(connection, &told, rows) => failed,
    }
}

async fn print(connection: &Connection, told: &Told, rows: Rows<'_>) -> anyhow::Result<()> {
    let mut changes = Changes::new(rows.headings);
    loop {
        told.more.notified().await;
        let asked = told.last.take().into_iter();
        let asked = asked.map(async |(name, resource)| {
            let described = match resource {
                Some(resource) => now(connection, resource).await?,
                None => None,
            };
            anyhow::Ok((name, described))
        });
        let mut described = stream::iter(asked).buffered(AT_ONCE);
        while let Some(one) = described.next().await {
            match one? {
                (name, Some(resource)) => changes.see(&name, (rows.row)(&resource)),
                (name, None) => changes.gone(&name),
            }
        }
        changes.print()?;
    }
}

/// With its manifest; nothing where it went meanwhile.
async fn now(
    connection: &Connection,
    resource: pb::LiveResource,
) -> anyhow::Result<Option<Described>> {
    match manifests::one(connection, resource).await {
        Ok(described) => Ok(Some(described)),
        Err(error) => match error.downcast_ref::<Status>().map(Status::code) {
            Some(Code::NotFound) => Ok(None),
            _ => Err(error),
        },
    }
}

impl Told {
    /// What there is at the beginning is printed together.
    fn hear(&self, response: &pb::WatchResourcesResponse) {
        let mut last = self.last.borrow_mut();
        match &response.event {
            Some(Event::Updated(resource)) => {
                let name = format!("{}/{}", resource.cluster, find::full_name(resource));
                last.insert(name, Some(resource.clone()));
            }
            Some(Event::Deleted(gone)) => {
                let of = [&gone.cluster, &gone.runtime, &gone.namespace, &gone.name];
                last.insert(of.map(String::as_str).join("/"), None);
            }
            Some(Event::Bookmark(_)) | None => {}
        }
        // Until the initial state has been sent there is no cursor.
        if !response.cursor.is_empty() {
            self.more.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(event: Event, cursor: &str) -> pb::WatchResourcesResponse {
        pb::WatchResourcesResponse {
            event: Some(event),
            cursor: cursor.to_owned(),
        }
    }

    #[tokio::test]
    async fn of_each_resource_the_last_word_is_kept_and_the_first_ones_are_told_together() {
        let told = Told::default();
        let web = |version: u64| {
            Event::Updated(pb::LiveResource {
                runtime: "eu".to_owned(),
                cluster: "in-cluster".to_owned(),
                namespace: "argocd".to_owned(),
                name: "web".to_owned(),
                resource_version: version,
                ..pb::LiveResource::default()
            })
        };
        told.hear(&response(web(1), ""));
        told.hear(&response(web(2), ""));
        let early = futures::FutureExt::now_or_never(told.more.notified());
        assert!(early.is_none());
        let bookmark = Event::Bookmark(pb::WatchBookmark::default());
        told.hear(&response(bookmark, "1"));
        told.more.notified().await;
        let last = told.last.take();
        let versions: Vec<_> = last
            .values()
            .flatten()
            .map(|it| it.resource_version)
            .collect();
        assert_eq!((last.len(), versions), (1, vec![2]));
        let gone = Event::Deleted(pb::ResourceDeleted {
            runtime: "eu".to_owned(),
            cluster: "in-cluster".to_owned(),
            namespace: "argocd".to_owned(),
            name: "web".to_owned(),
            ..pb::ResourceDeleted::default()
        });
        told.hear(&response(gone, "2"));
        assert_eq!(
            told.last.take().keys().collect::<Vec<_>>(),
            last.keys().collect::<Vec<_>>()
        );
    }
}
