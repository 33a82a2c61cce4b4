//! Converts the revision of each source: a commit or a chart version.

use causeway_argocd::application::Source;
use causeway_proto::inventory::v1 as pb;

use super::state::to_commit;
use crate::enrichment::Enrichment;

/// The chart of the first source that has one. One in Git is known by the labels of what it renders.
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

/// What each of several sources is at; nothing where there is one, of which the application itself tells.
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

/// The version of a chart is its revision.
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
