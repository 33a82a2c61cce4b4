//! Filters of applications.

use causeway_proto::inventory::v1 as pb;

use crate::{
    moment::{Moment, moment},
    words::{parse_health, parse_name},
};

/// Flags that select applications.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct FilterArgs {
    /// Filter by runtime (repeatable; '*' and '?' are wildcards)
    #[arg(long, value_name = "NAME")]
    runtime: Vec<String>,
    /// Filter by cluster, by its name in the runtime (repeatable; wildcards)
    #[arg(long, value_name = "NAME")]
    cluster: Vec<String>,
    /// Filter by namespace (repeatable; wildcards)
    #[arg(short, long, value_name = "NAMESPACE")]
    namespace: Vec<String>,
    /// Filter by Argo CD project (repeatable; wildcards)
    #[arg(short, long, value_name = "PROJECT")]
    project: Vec<String>,
    /// Filter by health, for example Degraded
    #[arg(long, value_name = "HEALTH", value_parser = parse_health)]
    health: Vec<pb::HealthStatus>,
    /// Filter by sync status, for example OutOfSync
    #[arg(long, value_name = "SYNC", value_parser = parse_sync)]
    sync: Vec<pb::SyncStatus>,
    /// Filter by source kind: Git, Helm or Several
    #[arg(long, value_name = "KIND", value_parser = parse_source)]
    source: Vec<pb::SourceKind>,
    /// Filter by labels, for example 'team=a,tier in (gold,iron),!retired'
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,
    /// Filter by words in name, namespace or project
    ///
    /// All words must match; '*' and '?' are wildcards.
    #[arg(long, value_name = "WORDS")]
    text: Option<String>,
    /// Filter by phase of the last operation, for example Failed (repeatable)
    #[arg(long, value_name = "PHASE", value_parser = parse_operation)]
    operation: Vec<pb::OperationPhase>,
    /// Filter by automated sync
    #[arg(long, value_name = "true|false")]
    automated: Option<bool>,
    /// Filter by repository URL of a source (repeatable)
    #[arg(long, value_name = "URL")]
    repository: Vec<String>,
    /// Filter by parent application (repeatable)
    #[arg(long, value_name = "NAMESPACE/NAME")]
    parent: Vec<String>,
    /// Filter by last change: today, 36h, a date or RFC 3339
    #[arg(long, value_name = "TIME", value_parser = moment)]
    changed_since: Option<Moment>,
    /// Leave out applications, for example health=Healthy or name='test-*' (repeatable)
    ///
    /// FIELD is runtime, cluster, namespace, project, name, sync, health or label. Several labels must all match.
    #[arg(long, value_name = "FIELD=VALUE", value_parser = parse_exclusion)]
    exclude: Vec<Exclusion>,
}

/// Values of one field that leave an application out.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Exclusion(pb::ApplicationExclusion);

impl FilterArgs {
    pub(crate) fn to_filter(&self, name: Option<&str>) -> pb::ApplicationFilter {
        let (runtime, runtimes) = one_or_list(&self.runtime);
        let (cluster, clusters) = one_or_list(&self.cluster);
        let (namespace, namespaces) = one_or_list(&self.namespace);
        let (project, projects) = one_or_list(&self.project);
        pb::ApplicationFilter {
            runtime,
            runtimes,
            cluster,
            clusters,
            namespace,
            namespaces,
            name: name.unwrap_or_default().to_owned(),
            project,
            projects,
            sync: self.sync.iter().map(|state| (*state).into()).collect(),
            health: self.health.iter().map(|state| (*state).into()).collect(),
            source: self.source.iter().map(|kind| (*kind).into()).collect(),
            label_selector: self.selector.clone().unwrap_or_default(),
            text: self.text.clone().unwrap_or_default(),
            operation: self.operation.iter().map(|it| (*it).into()).collect(),
            automated: self.automated,
            repositories: self.repository.clone(),
            parents: self.parent.clone(),
            changed_since: self.changed_since.as_ref().map(|moment| moment.0),
            exclude: self.exclusion(),
            ..Default::default()
        }
    }

    fn exclusion(&self) -> Option<pb::ApplicationExclusion> {
        let mut all = self.exclude.iter().map(|it| it.0.clone());
        let first = all.next()?;
        Some(all.fold(first, |mut sum, other| {
            sum.runtimes.extend(other.runtimes);
            sum.clusters.extend(other.clusters);
            sum.namespaces.extend(other.namespaces);
            sum.projects.extend(other.projects);
            sum.names.extend(other.names);
            sum.sync.extend(other.sync);
            sum.health.extend(other.health);
            sum.label_selector = [sum.label_selector, other.label_selector]
                .into_iter()
                .filter(|selector| !selector.is_empty())
                .collect::<Vec<_>>()
                .join(",");
            sum
        }))
    }

    /// Converts to a filter with these words in place of --text, if any.
    pub(super) fn to_filter_with(&self, words: &[String]) -> pb::ApplicationFilter {
        let mut filter = self.to_filter(None);
        if !words.is_empty() {
            filter.text = words.join(" ");
        }
        filter
    }
}

/// One name as such, which older platforms know; several, or wildcards, as a list.
fn one_or_list(names: &[String]) -> (String, Vec<String>) {
    match names {
        [name] if !name.contains(['*', '?']) => (name.clone(), Vec::new()),
        names => (String::new(), names.to_vec()),
    }
}

fn parse_exclusion(text: &str) -> Result<Exclusion, String> {
    let (field, value) = text
        .split_once('=')
        .ok_or_else(|| "write FIELD=VALUE, for example health=Healthy".to_owned())?;
    let mut exclusion = pb::ApplicationExclusion::default();
    let names = vec![value.to_owned()];
    match field {
        "runtime" => exclusion.runtimes = names,
        "cluster" => exclusion.clusters = names,
        "namespace" => exclusion.namespaces = names,
        "project" => exclusion.projects = names,
        "name" => exclusion.names = names,
        "sync" => exclusion.sync.push(parse_sync(value)?.into()),
        "health" => exclusion.health.push(parse_health(value)?.into()),
        "label" => value.clone_into(&mut exclusion.label_selector),
        _ => {
            let fields = "runtime, cluster, namespace, project, name, sync, health, label";
            return Err(format!("FIELD is one of {fields}"));
        }
    }
    Ok(Exclusion(exclusion))
}

pub(super) fn parse_operation(text: &str) -> Result<pb::OperationPhase, String> {
    let names = ["Running", "Terminating", "Succeeded", "Failed", "Error"];
    parse_name(&names, text)
}

pub(super) fn parse_source(text: &str) -> Result<pb::SourceKind, String> {
    parse_name(&["Git", "Helm", "Several"], text)
}

pub(super) fn parse_sync(text: &str) -> Result<pb::SyncStatus, String> {
    parse_name(&["Unknown", "Synced", "OutOfSync"], text)
}
