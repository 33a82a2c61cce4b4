//! From a chart that was installed to a runtime that is online.

use std::{collections::BTreeMap, time::Duration};

use anyhow::Context as _;
use causeway_proto::{ids::RuntimeName, platform::v1 as pb};
use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::helm::Helm;
use crate::{
    connection::Connection,
    failure::WaitTimeout,
    output::{self, Progress},
    status::list_parts,
};

const EVERY: Duration = Duration::from_secs(1);
/// What every runtime has.
const PARTS: [&str; 5] = [
    "app-proxy",
    "application-event-reporter",
    "request-router",
    "resource-event-reporter",
    "source-server",
];
const TUNNEL: &str = "tunnel-client";

/// Path of calls into a runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IngressMode {
    /// By a tunnel, without which it is not online.
    Tunnel,
    /// Directly: the heartbeats of its parts show that it is online.
    Direct,
}

impl IngressMode {
    /// The parts of a runtime whose calls come in so.
    fn expected(self) -> impl Iterator<Item = &'static str> {
        let tunnel = (self == Self::Tunnel).then_some(TUNNEL);
        PARTS.into_iter().chain(tunnel)
    }
}

/// How a runtime is known to the platform now.
pub(super) async fn way(
    connection: &Connection,
    name: &RuntimeName,
) -> anyhow::Result<IngressMode> {
    let listed = list_parts(connection).await?.parts;
    let mut own = listed.iter().filter(|part| part.runtime == name.as_str());
    let direct = own.clone().next().is_some() && !own.any(|part| part.part == TUNNEL);
    Ok(if direct {
        IngressMode::Direct
    } else {
        IngressMode::Tunnel
    })
}

/// Shows how each part comes up, and ends when the runtime is there.
///
/// # Errors
/// It is not there in time; the error says why.
pub(super) async fn until_online(
    connection: &Connection,
    helm: &Helm,
    (name, release): (&RuntimeName, &str),
    wait: Duration,
    way: IngressMode,
) -> anyhow::Result<()> {
    if wait.is_zero() {
        return output::line(format!(
            "{name}: installed; 'causeway runtime list' tells when it is online"
        ));
    }
    let until = Instant::now() + wait;
    let mut told = BTreeMap::new();
    let progress = Progress::items("parts that serve", way.expected().count());
    loop {
        let now = look(connection, name, way).await?;
        now.print_changes(&mut told);
        progress.reached(now.serving().count());
        if now.is_whole() {
            return output::line(format!("{name}: online, with {} parts", now.parts.len()));
        }
        if Instant::now() >= until {
            let reason = reason(&now, helm, release).await;
            let wait = humantime::format_duration(wait);
            return Err(WaitTimeout(format!("{name} is not online after {wait}: {reason}")).into());
        }
        sleep(EVERY).await;
    }
}

/// State of a runtime.
pub(super) struct RuntimeState {
    pub(super) runtime: Option<pb::Runtime>,
    pub(super) way: IngressMode,
    /// By name; of several replicas the one that is best.
    pub(super) parts: BTreeMap<String, pb::PartStatus>,
}

async fn look(
    connection: &Connection,
    name: &RuntimeName,
    way: IngressMode,
) -> anyhow::Result<RuntimeState> {
    let runtimes = super::super::list::list_all(connection).await?.runtimes;
    let runtime = runtimes.into_iter().find(|it| it.name == name.as_str());
    let listed = list_parts(connection)
        .await
        .context("asking for the parts")?
        .parts;
    let mut parts: BTreeMap<String, pb::PartStatus> = BTreeMap::new();
    for part in listed.into_iter().filter(|it| it.runtime == name.as_str()) {
        let better = |known: &pb::PartStatus| known.health() != pb::Health::Serving;
        if parts.get(&part.part).is_none_or(better) {
            parts.insert(part.part.clone(), part);
        }
    }
    Ok(RuntimeState {
        runtime,
        way,
        parts,
    })
}

impl RuntimeState {
    pub(super) fn is_whole(&self) -> bool {
        let serve = self.serving().count() == self.way.expected().count();
        self.runtime.is_some() && self.is_reached() && serve
    }

    /// The parts that it is to have and that serve.
    fn serving(&self) -> impl Iterator<Item = &'static str> {
        self.way.expected().filter(|part| {
            let part = self.parts.get(*part);
            part.is_some_and(|part| part.health() == pb::Health::Serving)
        })
    }

    fn is_reached(&self) -> bool {
        let connection = self.runtime.as_ref().map(pb::Runtime::connection);
        self.way == IngressMode::Direct || connection == Some(pb::Connection::Online)
    }

    /// Tells what is not as it was when it was told last.
    fn print_changes(&self, told: &mut BTreeMap<String, String>) {
        let joined = match &self.runtime {
            Some(_) => "joined".to_owned(),
            None => "has not joined yet".to_owned(),
        };
        let parts = self
            .parts
            .iter()
            .map(|(name, part)| (name.clone(), word(part)));
        let runtime = [("runtime".to_owned(), joined)];
        for (name, word) in runtime.into_iter().chain(parts) {
            if told.get(&name) != Some(&word) {
                output::note(format!("  {name:<28} {word}"));
                told.insert(name, word);
            }
        }
    }

    /// What the platform knows of why it is not there.
    pub(super) fn reason(&self) -> String {
        if self.runtime.is_none() {
            return "it has not joined".to_owned();
        }
        let silent = self
            .way
            .expected()
            .filter(|part| !self.parts.contains_key(*part));
        let waiting = self
            .parts
            .values()
            .filter(|it| it.health() != pb::Health::Serving);
        let mut reasons: Vec<_> = waiting
            .map(|part| format!("{} {}", part.part, word(part)))
            .collect();
        reasons.extend(silent.map(|part| format!("nothing is heard of {part}")));
        if !self.is_reached() {
            reasons.push("no tunnel is open".to_owned());
        }
        reasons.join("; ")
    }
}

fn word(part: &pb::PartStatus) -> String {
    match (part.health(), part.pending.is_empty()) {
        (pb::Health::Serving, _) => "serving".to_owned(),
        (_, true) => "is not ready".to_owned(),
        (_, false) => format!("waits for {}", part.pending.join(", ")),
    }
}

/// What the platform and the cluster know.
async fn reason(now: &RuntimeState, helm: &Helm, release: &str) -> String {
    let pods = pods(helm, release).await;
    let pods =
        pods.unwrap_or_else(|error| vec![format!("its pods cannot be looked at: {error:#}")]);
    let mut reasons = vec![now.reason()];
    reasons.extend(pods);
    reasons.retain(|it| !it.is_empty());
    reasons.join("; ")
}

async fn pods(helm: &Helm, release: &str) -> anyhow::Result<Vec<String>> {
    let cluster = causeway_argocd::Cluster::open(&helm.kube()).await?;
    let path = format!(
        "/api/v1/namespaces/{}/pods?labelSelector=app.kubernetes.io%2Finstance%3D{release}",
        helm.namespace()
    );
    let request = http::Request::get(path).body(Vec::new())?;
    let listed: Value = cluster.client().request(request).await?;
    let items = listed["items"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    Ok(if items.is_empty() {
        vec![format!(
            "there are no pods of {release} in {}",
            helm.namespace()
        )]
    } else {
        items.iter().flat_map(stuck).collect()
    })
}

/// Why the containers of a pod do not run, and where to look.
pub(super) fn stuck(pod: &Value) -> Vec<String> {
    let name = pod["metadata"]["name"].as_str().unwrap_or_default();
    let status = &pod["status"];
    let all = ["initContainerStatuses", "containerStatuses"];
    let all = all
        .iter()
        .flat_map(|list| status[*list].as_array().into_iter().flatten());
    let waiting = all.filter_map(|container| {
        let waiting = &container["state"]["waiting"];
        let reason = waiting["reason"].as_str()?;
        let usual = matches!(reason, "PodInitializing" | "ContainerCreating");
        let message = waiting["message"].as_str().unwrap_or_default();
        let container = container["name"].as_str().unwrap_or_default();
        (!usual).then(|| {
            format!("pod {name}: {container} {reason} {message}")
                .trim_end()
                .to_owned()
        })
    });
    let mut reasons: Vec<String> = waiting.collect();
    let conditions = status["conditions"].as_array().into_iter().flatten();
    let unplaced = conditions.filter(|it| it["type"] == "PodScheduled" && it["status"] == "False");
    reasons.extend(unplaced.map(|it| {
        let message = it["message"].as_str().unwrap_or_default();
        format!("pod {name} has no node: {message}")
    }));
    reasons
}
