//! The three places where the status of an Application is seen, each watched in the same way.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    pin::pin,
};

use anyhow::{Context as _, bail};
use causeway_client::Peer;
use causeway_proto::inventory::v1::{
    self as pb, application_service_client::ApplicationServiceClient,
    watch_applications_response::Event,
};
use futures::TryStreamExt as _;
use kube::{
    Api,
    api::DynamicObject,
    runtime::{WatchStreamExt as _, watcher},
};
use serde::Deserialize;
use tokio::{sync::mpsc, task::JoinSet, time::Instant};

use super::fleet::Fleet;
use crate::up::Up;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// Kubernetes' own watch
    Cluster,
    /// Argo CD's own watch API
    Argocd,
    Platform,
}

/// An application that is Synced at a revision that it was not seen at before.
#[derive(Debug)]
pub(crate) struct Sighting {
    pub(crate) place: Place,
    pub(crate) name: String,
    pub(crate) revision: String,
    pub(crate) at: Instant,
}

/// All three, open.
pub(crate) struct Places {
    seen: mpsc::UnboundedReceiver<Sighting>,
    watchers: JoinSet<anyhow::Result<()>>,
}

/// Who looks at one place.
struct Lookout {
    place: Place,
    last: BTreeMap<String, String>,
    seen: mpsc::UnboundedSender<Sighting>,
}

impl Places {
    pub(crate) fn open(fleet: &Fleet, up: &Up) -> anyhow::Result<Self> {
        let (sender, seen) = mpsc::unbounded_channel();
        let lookout = |place| Lookout {
            place,
            last: BTreeMap::new(),
            seen: sender.clone(),
        };
        let mut watchers = JoinSet::new();
        watchers.spawn(cluster(fleet.api(), lookout(Place::Cluster)));
        watchers.spawn(argocd(request(fleet)?, lookout(Place::Argocd)));
        watchers.spawn(platform(up.peer().clone(), lookout(Place::Platform)));
        Ok(Self { seen, watchers })
    }

    /// Returns when each place has shown that many applications.
    pub(crate) async fn complete(&mut self, applications: usize) -> anyhow::Result<()> {
        let mut shown = BTreeSet::new();
        while shown.len() < 3 * applications {
            let next = self.next().await?;
            shown.insert((next.place, next.name));
        }
        Ok(())
    }

    pub(crate) async fn next(&mut self) -> anyhow::Result<Sighting> {
        tokio::select! {
            next = self.seen.recv() => next.context("nobody watches any more"),
            ended = self.watchers.join_next() => match ended {
                Some(ended) => bail!("a watch ended: {:?}", ended?),
                None => bail!("nobody watches"),
            },
        }
    }
}

impl Lookout {
    fn saw(&mut self, name: &str, revision: &str) -> anyhow::Result<()> {
        let at = Instant::now();
        if self.last.get(name).is_some_and(|last| last == revision) {
            return Ok(());
        }
        self.last.insert(name.to_owned(), revision.to_owned());
        self.seen.send(Sighting {
            place: self.place,
            name: name.to_owned(),
            revision: revision.to_owned(),
            at,
        })?;
        Ok(())
    }
}

async fn cluster(api: Api<DynamicObject>, mut lookout: Lookout) -> anyhow::Result<()> {
    let objects = watcher(api, watcher::Config::default()).applied_objects();
    let mut objects = pin!(objects);
    while let Some(object) = objects.try_next().await? {
        let sync = &object.data["status"]["sync"];
        let name = object.metadata.name.as_deref().unwrap_or_default();
        if sync["status"] == "Synced" {
            lookout.saw(name, sync["revision"].as_str().unwrap_or_default())?;
        }
    }
    Ok(())
}

/// A line of Argo CD's watch, as far as it is needed.
#[derive(Deserialize)]
struct Line {
    result: Changed,
}

#[derive(Deserialize)]
struct Changed {
    application: Application,
}

#[derive(Deserialize)]
struct Application {
    metadata: Metadata,
    status: Status,
}

#[derive(Deserialize)]
struct Metadata {
    name: String,
}

#[derive(Deserialize)]
struct Status {
    sync: Sync,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Sync {
    status: String,
    revision: String,
}

fn request(fleet: &Fleet) -> anyhow::Result<reqwest::RequestBuilder> {
    let argocd = fleet.argocd();
    let url = argocd.url.join("api/v1/stream/applications")?;
    let token = fs::read_to_string(&argocd.admin_token_file)?;
    let client = reqwest::Client::builder().no_proxy().build()?;
    Ok(client.get(url).bearer_auth(token.trim()))
}

async fn argocd(request: reqwest::RequestBuilder, mut lookout: Lookout) -> anyhow::Result<()> {
    let mut answer = request.send().await?.error_for_status()?;
    let mut rest = Vec::new();
    while let Some(chunk) = answer.chunk().await? {
        rest.extend_from_slice(&chunk);
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = rest.drain(..=end).collect();
            let Line { result } = serde_json::from_slice(&line)?;
            let sync = &result.application.status.sync;
            if sync.status == "Synced" {
                lookout.saw(&result.application.metadata.name, &sync.revision)?;
            }
        }
    }
    Ok(())
}

async fn platform(peer: Peer, mut lookout: Lookout) -> anyhow::Result<()> {
    let mut client = ApplicationServiceClient::new(peer);
    let request = pb::WatchApplicationsRequest::default();
    let mut stream = client.watch_applications(request).await?.into_inner();
    while let Some(message) = stream.message().await? {
        let Some(Event::Updated(application)) = message.event else {
            continue;
        };
        let sync = application.status.and_then(|status| status.sync);
        let sync = sync.unwrap_or_default();
        if sync.status() == pb::SyncStatus::Synced {
            let revision = sync.revisions.first().map(String::as_str);
            lookout.saw(&application.name, revision.unwrap_or_default())?;
        }
    }
    Ok(())
}
