//! Converts searches.

use causeway_proto::inventory::v1 as pb;
use prost::Message as _;

use super::{Found, FoundCommit, SearchKind, SearchQuery, SearchResults};
use crate::{
    application::Visible,
    deployment::Deployment,
    report::FieldError,
    summary::convert::{from_health_state, to_text},
};

const LONGEST_TEXT: usize = 200;
const MOST_WORDS: usize = 8;
const DEFAULT_RESULTS: usize = 10;
const MOST_RESULTS: usize = 50;
const LONGEST_DETAIL: usize = 256;

/// What a search asks for.
pub(crate) fn wanted(
    request: &pb::SearchRequest,
    visible: Visible,
) -> Result<(SearchQuery, Vec<SearchKind>), FieldError> {
    if request.text.len() > LONGEST_TEXT {
        return Err(FieldError::new("text", "must have at most 200 bytes"));
    }
    let words = request.text.split_whitespace().map(str::to_lowercase);
    let words: Vec<String> = words.collect();
    if words.is_empty() || words.len() > MOST_WORDS {
        return Err(FieldError::new("text", "must have 1 to 8 words"));
    }
    if request.text.contains(char::is_control) {
        return Err(FieldError::new("text", "must not have control characters"));
    }
    let limit = match usize::try_from(request.most_results) {
        Ok(0) => DEFAULT_RESULTS,
        Ok(most) if most <= MOST_RESULTS => most,
        Ok(_) | Err(_) => return Err(FieldError::new("most_results", "must be 1 to 50")),
    };
    let kinds = request.kinds.iter().map(|code| to_kind(*code));
    let query = SearchQuery {
        visible,
        words,
        limit,
    };
    Ok((query, kinds.collect::<Result<_, _>>()?))
}

fn to_kind(code: i32) -> Result<SearchKind, FieldError> {
    use pb::SearchKind as Pb;
    let unknown = || FieldError::new("kinds", format!("has {code}, which is no kind"));
    match Pb::try_from(code).map_err(|_| unknown())? {
        Pb::Unspecified => Err(unknown()),
        Pb::Application => Ok(SearchKind::Application),
        Pb::Runtime => Ok(SearchKind::Runtime),
        Pb::Cluster => Ok(SearchKind::Cluster),
        Pb::Resource => Ok(SearchKind::Resource),
        Pb::Image => Ok(SearchKind::Image),
        Pb::Commit => Ok(SearchKind::Commit),
    }
}

fn from_kind(kind: SearchKind) -> pb::SearchKind {
    match kind {
        SearchKind::Application => pb::SearchKind::Application,
        SearchKind::Runtime => pb::SearchKind::Runtime,
        SearchKind::Cluster => pb::SearchKind::Cluster,
        SearchKind::Resource => pb::SearchKind::Resource,
        SearchKind::Image => pb::SearchKind::Image,
        SearchKind::Commit => pb::SearchKind::Commit,
    }
}

/// The commit of a recorded operation.
pub(crate) fn to_commit(deployment: &Deployment) -> Option<FoundCommit> {
    let record = pb::OperationRecord::decode(deployment.ended.commit.clone()).ok()?;
    let commit = record.commit?;
    Some(FoundCommit {
        sha: commit.sha,
        author: commit.author,
        message: commit.message,
        key: deployment.key.clone(),
    })
}

/// Results as they are sent.
pub(crate) fn to_results((found, more): SearchResults) -> pb::SearchResponse {
    pb::SearchResponse {
        results: found.into_iter().map(to_result).collect(),
        more: more.into_iter().map(|it| from_kind(it).into()).collect(),
    }
}

fn to_result(found: Found) -> pb::SearchResult {
    let health = from_health_state(found.health()).into();
    let result = match found {
        Found::Application(key, summary) => pb::SearchResult {
            kind: pb::SearchKind::Application.into(),
            detail: summary.traits.project.to_string(),
            runtime: key.runtime_name,
            cluster: key.cluster,
            namespace: key.namespace,
            name: key.name,
            ..pb::SearchResult::default()
        },
        Found::Runtime(name, applications) => pb::SearchResult {
            kind: pb::SearchKind::Runtime.into(),
            runtime: name.clone(),
            name,
            detail: number_of(applications, "application"),
            ..pb::SearchResult::default()
        },
        Found::Cluster(cluster) => pb::SearchResult {
            kind: pb::SearchKind::Cluster.into(),
            runtime: cluster.runtime,
            name: cluster.cluster.clone(),
            cluster: cluster.cluster,
            detail: number_of(cluster.applications, "application"),
            ..pb::SearchResult::default()
        },
        Found::Resource(record) => to_resource(*record),
        Found::Image(image) => pb::SearchResult {
            kind: pb::SearchKind::Image.into(),
            name: match &*image.tag {
                "" => image.repository,
                tag => format!("{}:{tag}", image.repository),
            },
            detail: number_of(image.uses, "use"),
            ..pb::SearchResult::default()
        },
        Found::Commit(commit) => pb::SearchResult {
            kind: pb::SearchKind::Commit.into(),
            runtime: commit.key.runtime_name.clone(),
            application: to_text(&commit.key),
            name: commit.sha,
            detail: first_line(&commit.message),
            ..pb::SearchResult::default()
        },
    };
    pb::SearchResult { health, ..result }
}

fn to_resource(record: crate::resource::ResourceRecord) -> pb::SearchResult {
    let group = record.key.resource.split_once('.').map(|(_, group)| group);
    let owner = record.belongs.map(|owner| {
        let it = owner.application;
        let runtime = &record.key.runtime_name;
        format!("{runtime}/{}/{}/{}", it.cluster, it.namespace, it.name)
    });
    pb::SearchResult {
        kind: pb::SearchKind::Resource.into(),
        resource: match group {
            Some(group) => format!("{}.{group}", record.kind),
            None => record.kind,
        },
        runtime: record.key.runtime_name,
        cluster: record.key.cluster,
        namespace: record.key.namespace,
        name: record.key.name,
        application: owner.unwrap_or_default(),
        ..pb::SearchResult::default()
    }
}

fn number_of(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

fn first_line(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    line[..line.floor_char_boundary(LONGEST_DETAIL)].to_owned()
}
