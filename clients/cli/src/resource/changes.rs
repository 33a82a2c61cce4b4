//! Watches resources whose rows need their manifests.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use causeway_client::Backoff;
use causeway_proto::inventory::v1::{self as pb, watch_resources_response::Event};
use futures::{StreamExt as _, stream};
use tokio::{sync::Notify, time::sleep};
use tonic::{Code, Status};

use super::{
    find,
    manifests::{self, AT_ONCE, Described},
    watch,
};
use crate::{
    connection::Connection,
    output::{self, Changes, Columns},
    watch::{ResumeFrom, is_retryable, note_reconnect},
};

/// Resources to print: the last reported state of each, none for a deleted one.
#[derive(Default)]
struct PendingChanges {
    last: RefCell<BTreeMap<String, Option<pb::LiveResource>>>,
    names: RefCell<KnownNames>,
    more: Notify,
}

/// Names of all resources, and of those that a restarted watch has not reported again.
#[derive(Default)]
struct KnownNames {
    there: BTreeSet<String>,
    missing: BTreeSet<String>,
}

/// Prints a row of each resource, and again whenever it changes.
pub(crate) async fn follow<C: Columns<Item = Described>>(
    connection: &Connection,
    filter: pb::ResourceFilter,
) -> anyhow::Result<()> {
    let pending = PendingChanges::default();
    let view = pb::ResourceView::Basic;
    let cut = |from| {
        note_reconnect(from);
        pending.on_reconnect(from);
    };
    let watching = watch::follow(connection, filter, view, cut, |response| {
        pending.on_response(response);
        anyhow::Ok(())
    });
    tokio::select! {
        ended = watching => ended,
        failed = print::<C>(connection, &pending) => failed,
    }
}

async fn print<C: Columns<Item = Described>>(
    connection: &Connection,
    pending: &PendingChanges,
) -> anyhow::Result<()> {
    let mut changes = Changes::new::<C>();
    let mut backoff = Backoff::new(Duration::from_millis(200), Duration::from_secs(10));
    loop {
        pending.more.notified().await;
        let asked = pending.last.take().into_iter();
        let asked = asked.map(async |(name, resource)| {
            let described = match resource.clone() {
                Some(resource) => describe(connection, resource).await,
                None => Ok(None),
            };
            (name, resource, described)
        });
        let mut described = stream::iter(asked).buffered(AT_ONCE);
        let mut unanswered = false;
        while let Some((name, resource, described)) = described.next().await {
            match described {
                Ok(Some(resource)) => changes.update::<C>(&name, &resource),
                Ok(None) => changes.remove(&name),
                Err(error) if is_retryable(&error) => {
                    pending.requeue(name, resource);
                    unanswered = true;
                }
                Err(error) => return Err(error),
            }
        }
        changes.print()?;
        if unanswered {
            output::note("no answer; asking again");
            sleep(backoff.next_delay()).await;
        } else {
            backoff.reset()
        }
    }
}

/// Reads the manifest; none if the resource was deleted meanwhile.
async fn describe(
    connection: &Connection,
    resource: pb::LiveResource,
) -> anyhow::Result<Option<Described>> {
    match manifests::read(connection, resource).await {
        Ok(described) => Ok(Some(described)),
        Err(error) => match error.downcast_ref::<Status>().map(Status::code) {
            Some(Code::NotFound) => Ok(None),
            _ => Err(error),
        },
    }
}

impl PendingChanges {
    /// Notes which resources were known: a restarted watch does not report their deletion.
    fn on_reconnect(&self, from: ResumeFrom) {
        if from == ResumeFrom::Nothing {
            let mut names = self.names.borrow_mut();
            let there = std::mem::take(&mut names.there);
            names.missing.extend(there);
        }
    }

    /// Queues a resource again, unless a newer state is queued.
    fn requeue(&self, name: String, resource: Option<pb::LiveResource>) {
        let mut last = self.last.borrow_mut();
        last.entry(name).or_insert(resource);
        self.more.notify_one();
    }

    /// Queues a change. The initial state is printed together.
    fn on_response(&self, response: &pb::WatchResourcesResponse) {
        let mut last = self.last.borrow_mut();
        let mut names = self.names.borrow_mut();
        match &response.event {
            Some(Event::Updated(resource)) => {
                let name = format!("{}/{}", resource.cluster, find::full_name(resource));
                names.missing.remove(&name);
                names.there.insert(name.clone());
                last.insert(name, Some(resource.clone()));
            }
            Some(Event::Deleted(gone)) => {
                let of = [&gone.cluster, &gone.runtime, &gone.namespace, &gone.name];
                let name = of.map(String::as_str).join("/");
                names.missing.remove(&name);
                names.there.remove(&name);
                last.insert(name, None);
            }
            Some(Event::Bookmark(_)) | None => {}
        }
        // Until the initial state has been sent there is no cursor.
        if !response.cursor.is_empty() {
            let missing = std::mem::take(&mut names.missing);
            last.extend(missing.into_iter().map(|name| (name, None)));
            self.more.notify_one();
        }
    }
}

#[cfg(test)]
mod tests;
