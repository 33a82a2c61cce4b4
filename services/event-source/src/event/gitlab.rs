//! Events of GitLab.

use serde::Deserialize;

use super::{
    Event, Reference, commit,
    commit_list::{ListedCommit, files},
    parse, repositories,
};

#[derive(Deserialize)]
struct Body {
    object_kind: Option<String>,
    event_name: Option<String>,
    #[serde(rename = "ref")]
    reference: Option<String>,
    before: Option<String>,
    after: Option<String>,
    project: Option<Project>,
    object_attributes: Option<Attributes>,
    merge_request: Option<Attributes>,
    total_commits_count: Option<usize>,
    commits: Option<Vec<ListedCommit>>,
}

#[derive(Deserialize)]
struct Project {
    git_http_url: Option<String>,
    git_ssh_url: Option<String>,
    web_url: Option<String>,
    default_branch: Option<String>,
}

#[derive(Deserialize)]
struct Attributes {
    iid: Option<u64>,
}

pub(super) fn read(json: &[u8]) -> Option<Event> {
    let body: Body = parse(json)?;
    let kind = body.object_kind.clone().or(body.event_name.clone());
    let kind = kind.unwrap_or_default();
    let is_push = matches!(kind.as_str(), "push" | "tag_push");
    let files = (kind == "push").then(|| body.files()).flatten();
    let number = match kind.as_str() {
        "merge_request" => body.object_attributes,
        _ => body.merge_request,
    };
    let project = body.project.as_ref();
    let mut read = Event {
        kind,
        repositories: project
            .map(|it| repositories([&it.git_http_url, &it.git_ssh_url, &it.web_url]))
            .unwrap_or_default(),
        default_branch: project.and_then(|it| it.default_branch.clone()),
        pull_request: number.and_then(|it| it.iid),
        files,
        ..Event::default()
    };
    if is_push && let Some(name) = body.reference {
        read.references = vec![Reference {
            name,
            before: commit(body.before),
            after: commit(body.after),
        }];
    }
    Some(read)
}

impl Body {
    /// GitLab lists at most 20 commits and counts all of them.
    fn files(&self) -> Option<Vec<String>> {
        let commits = self.commits.as_ref()?;
        (self.total_commits_count == Some(commits.len())).then_some(())?;
        files(commits, self.before.as_ref(), self.after.as_ref())
    }
}
