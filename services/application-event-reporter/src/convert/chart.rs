//! Converts the revision of each source: a commit or a chart version.

use causeway_argocd::application::Source;
use causeway_proto::inventory::v1 as pb;

use super::state::to_commit;
use crate::enrichment::Enrichment;

/// Returns the chart of the first source that has one. A chart in Git is known by the labels of its manifests.
pub(super) fn first_chart(
    sources: &[Source],
    revisions: &[String],
    enrichment: &Enrichment,
) -> Option<pb::Chart> {
    let mut places = sources.iter().zip(revisions);
    let named = places.find_map(|(source, revision)| to_chart(source, revision, enrichment));
    named.or_else(|| {
        let chart = enrichment.charts.first()?;
        Some(pb::Chart {
            name: chart.name.clone(),
            version: chart.version.clone(),
            app_version: chart.app_version.clone(),
        })
    })
}

/// Returns the state of each of several sources; empty for one source, whose state is part of the application.
pub(super) fn to_sources(
    sources: &[Source],
    revisions: &[String],
    enrichment: &Enrichment,
) -> Vec<pb::SourceState> {
    if sources.len() < 2 || sources.len() != revisions.len() {
        return Vec::new();
    }
    let places = sources.iter().zip(revisions);
    let state = |(source, revision): (&Source, &String)| {
        let commit = enrichment.commits.get(revision);
        pb::SourceState {
            revision: revision.clone(),
            commit: commit.map(|commit| to_commit(revision, commit)),
            chart: to_chart(source, revision, enrichment),
        }
    };
    places.map(state).collect()
}

/// The revision of a chart is its version.
fn to_chart(source: &Source, revision: &str, enrichment: &Enrichment) -> Option<pb::Chart> {
    if source.chart.is_empty() {
        return None;
    }
    // In a registry the name has a folder before it.
    let name = source.chart.rsplit('/').next().unwrap_or_default();
    let rendered = enrichment.charts.iter().find(|it| it.name == name);
    Some(pb::Chart {
        name: source.chart.clone(),
        version: revision.to_owned(),
        app_version: rendered.map_or_else(String::new, |it| it.app_version.clone()),
    })
}
