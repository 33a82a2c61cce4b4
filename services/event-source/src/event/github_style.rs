//! Events of GitHub, Gitea and Forgejo.

use serde::Deserialize;

use super::{
    Event, Reference, commit,
    commit_list::{ListedCommit, files},
    parse, repositories,
};

/// GitHub lists at most so many commits of a push.
const LISTED_COMMITS: usize = 2048;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Github,
    Gitea,
}

#[derive(Deserialize)]
struct Body {
    repository: Option<RepositoryUrls>,
    #[serde(rename = "ref")]
    reference: Option<String>,
    before: Option<String>,
    after: Option<String>,
    forced: Option<bool>,
    total_commits: Option<usize>,
    #[serde(default)]
    commits: Option<Vec<ListedCommit>>,
    pull_request: Option<PullRequest>,
}

#[derive(Deserialize)]
struct RepositoryUrls {
    clone_url: Option<String>,
    ssh_url: Option<String>,
    html_url: Option<String>,
    default_branch: Option<String>,
}

#[derive(Deserialize)]
struct PullRequest {
    number: Option<u64>,
}

pub(super) fn read(event: Option<&str>, json: &[u8], kind: Kind) -> Option<Event> {
    let name = event?;
    let Some(body) = parse::<Body>(json) else {
        return Some(Event {
            kind: name.to_owned(),
            ..Event::default()
        });
    };
    let files = (name == "push").then(|| body.files(kind)).flatten();
    let urls = body.repository.as_ref();
    let mut read = Event {
        kind: name.to_owned(),
        repositories: urls
            .map(|urls| repositories([&urls.clone_url, &urls.ssh_url, &urls.html_url]))
            .unwrap_or_default(),
        default_branch: urls.and_then(|urls| urls.default_branch.clone()),
        pull_request: body.pull_request.and_then(|request| request.number),
        files,
        ..Event::default()
    };
    if name == "push"
        && let Some(name) = body.reference
    {
        read.references = vec![Reference {
            name,
            before: commit(body.before),
            after: commit(body.after),
        }];
    }
    Some(read)
}

impl Body {
    /// All files between both commits, if the body surely lists each commit between them.
    fn files(&self, kind: Kind) -> Option<Vec<String>> {
        let commits = self.commits.as_ref()?;
        let is_whole = match kind {
            Kind::Github => self.forced == Some(false) && commits.len() < LISTED_COMMITS,
            Kind::Gitea => self.total_commits == Some(commits.len()),
        };
        is_whole.then_some(())?;
        files(commits, self.before.as_ref(), self.after.as_ref())
    }
}
