//! The API of Azure DevOps: completions that go on after their request, and sign-in pages for bad tokens.

use serde_json::{Value, json};

use super::{
    Call, REPOSITORY, Reply,
    repository::{Pull, Readiness, Repository},
};

const HEADS: &str = "refs/heads/";

pub(super) fn answer(call: &Call, repository: &mut Repository) -> Reply {
    let path: Vec<_> = call.path.iter().map(String::as_str).collect();
    let (project, name) = REPOSITORY.split_once('/').unwrap();
    assert!(call.query("api-version").starts_with("7.1"), "{path:?}");
    match (call.method.as_str(), path.as_slice()) {
        ("GET", ["_apis", "connectionData"]) => {
            let user =
                json!({ "id": format!("id-{}", call.user), "providerDisplayName": call.user });
            Reply::json(200, json!({ "authenticatedUser": user }))
        }
        ("GET", ["_apis", "git", "repositories"]) => {
            values(["acme/other", REPOSITORY].map(shown).to_vec())
        }
        (_, [p, "_apis", "git", "repositories", n, rest @ ..]) if (*p, *n) == (project, name) => {
            below(call, repository, rest)
        }
        _ => Reply::refused(404, "TF401019: The Git repository does not exist"),
    }
}

fn values(all: Vec<Value>) -> Reply {
    Reply::json(
        200,
        json!({ "count": all.len(), "value": Value::Array(all) }),
    )
}

fn shown(name: &str) -> Value {
    let (project, name) = name.split_once('/').unwrap();
    json!({
        "id": "1", "name": name, "project": { "name": project }, "defaultBranch": "refs/heads/main",
        "remoteUrl": format!("https://dev.azure.com/o/{project}/_git/{name}"), "isDisabled": false,
    })
}

fn below(call: &Call, repository: &mut Repository, path: &[&str]) -> Reply {
    match (call.method.as_str(), path) {
        ("GET", []) => Reply::json(200, shown(REPOSITORY)),
        ("GET", ["refs"]) => {
            let prefix = call.query("filter").trim_start_matches("heads/").to_owned();
            let found = repository.branches().into_iter();
            let found = found.filter(|(name, _)| name.starts_with(&prefix));
            let shown = found.map(
                |(name, commit)| json!({ "name": format!("{HEADS}{name}"), "objectId": commit }),
            );
            values(shown.collect())
        }
        ("GET", ["items"]) => items(call, repository),
        ("GET", ["commits"]) => {
            let base = call.query("searchCriteria.compareVersion.version");
            let head = call.query("searchCriteria.itemVersion.version");
            let found = repository.compare(base, head);
            values(
                found
                    .iter()
                    .rev()
                    .map(|(commit, _)| json!({ "commitId": commit }))
                    .collect(),
            )
        }
        ("GET", ["diffs", "commits"]) => {
            let found = repository.compare(call.query("baseVersion"), call.query("targetVersion"));
            let files = found.iter().flat_map(|(_, files)| files);
            let item = |path: &str, kind: &str| json!({ "item": { "path": format!("/{path}"), "gitObjectType": kind } });
            let mut changes: Vec<_> = files.map(|file| item(file, "blob")).collect();
            changes.push(item("app", "tree"));
            Reply::json(
                200,
                json!({ "allChangesIncluded": true, "changes": changes }),
            )
        }
        (_, ["commits", commit, "statuses"]) => statuses(call, repository, commit),
        (_, ["pullrequests", rest @ ..]) => pulls(call, repository, rest),
        _ => Reply::missing(),
    }
}

fn items(call: &Call, repository: &Repository) -> Reply {
    let at = call.query("versionDescriptor.version");
    assert_eq!(call.query("versionDescriptor.versionType"), "branch");
    if !call.query("path").is_empty() {
        return Reply::raw(repository.file(at, call.query("path").trim_start_matches('/')));
    }
    let folder = call.query("scopePath").trim_start_matches('/');
    let entries = repository.entries(at, folder).into_iter();
    let entries =
        entries.map(|(kind, path)| json!({ "path": format!("/{path}"), "gitObjectType": kind }));
    let itself = json!({ "path": format!("/{folder}"), "gitObjectType": "tree", "isFolder": true });
    values([itself].into_iter().chain(entries).collect())
}

fn pull(repository: &Repository, pull: &Pull) -> Value {
    let status = match pull.state {
        "open" => "active",
        "merged" => "completed",
        _ => "abandoned",
    };
    let merge_status = match repository.readiness(pull) {
        Readiness::Computing => "queued",
        Readiness::Ready => "succeeded",
        Readiness::Conflicts => "conflicts",
        Readiness::RulesNotMet => "rejectedByPolicy",
    };
    let voted = pull.approvals.iter();
    let voted = voted.map(|(user, _)| json!({ "displayName": user, "vote": 10 }));
    let waiting = json!({ "displayName": "carol", "vote": 0 });
    let merge_commit = pull.merged.clone();
    let merge_commit = merge_commit.unwrap_or_else(|| "0".repeat(40));
    json!({
        "pullRequestId": pull.number, "title": pull.title, "status": status, "mergeStatus": merge_status,
        "sourceRefName": format!("{HEADS}{}", pull.head), "targetRefName": format!("{HEADS}{}", pull.base),
        "lastMergeSourceCommit": { "commitId": repository.pull_head(pull) },
        // A test merge while it is active.
        "lastMergeCommit": { "commitId": merge_commit },
        "reviewers": voted.chain([waiting]).collect::<Vec<_>>(),
        "url": "https://dev.azure.com/o",
    })
}

/// A completion that was accepted is done a few reads later.
fn show(repository: &mut Repository, number: &str, status: u16) -> Reply {
    if repository.read(number).is_multiple_of(3) {
        repository.run_scheduled();
    }
    let mut all = repository.pulls.iter();
    let found = all.find(|pull| pull.number.to_string() == number);
    found.map_or_else(Reply::missing, |found| {
        Reply::json(status, pull(repository, found))
    })
}

fn branch(text: &str) -> String {
    text.trim_start_matches(HEADS).to_owned()
}

fn pulls(call: &Call, repository: &mut Repository, path: &[&str]) -> Reply {
    match (call.method.as_str(), path) {
        ("POST", []) => {
            let [head, base] =
                ["sourceRefName", "targetRefName"].map(|name| branch(&call.text(name)));
            let opened = repository.open(&call.user, &call.text("title"), (&head, &base));
            let exists = Reply::refused(
                409,
                "TF401179: An active pull request for the source and target branch already exists.",
            );
            opened.map_or(exists, |number| show(repository, &number.to_string(), 201))
        }
        ("GET", []) => {
            let side = |name| branch(call.query(name));
            let (head, base) = (
                side("searchCriteria.sourceRefName"),
                side("searchCriteria.targetRefName"),
            );
            let found = repository.pulls.iter().rev();
            let found = found.filter(|pull| pull.is_between((&head, &base)));
            let status = call.query("searchCriteria.status");
            let found = found.filter(|pull| pull.is_in("active", status));
            values(found.map(|found| pull(repository, found)).collect())
        }
        ("GET", [number]) => show(repository, number, 200),
        ("PATCH", [number]) => change(call, repository, number),
        ("PUT", [number, "reviewers", id]) => {
            assert_eq!(*id, format!("id-{}", call.user));
            assert_eq!(call.body["vote"], 10);
            let user = call.user.clone();
            repository
                .pull(number)
                .unwrap()
                .approvals
                .push((user, String::new()));
            repository.run_scheduled();
            Reply::json(200, json!({}))
        }
        (_, [number, "threads"]) => threads(call, repository, number),
        _ => Reply::missing(),
    }
}

fn change(call: &Call, repository: &mut Repository, number: &str) -> Reply {
    if call.text("status") == "abandoned" {
        repository.close(number);
        return show(repository, number, 200);
    }
    let is_auto = call.body["autoCompleteSetBy"]["id"].is_string();
    let pin = call.body["lastMergeSourceCommit"]["commitId"]
        .as_str()
        .unwrap_or_default();
    let mut all = repository.pulls.iter();
    let found = all.find(|pull| pull.number.to_string() == number).unwrap();
    if !is_auto && repository.pull_head(found) != pin {
        return Reply::refused(409, "TF401192: The pull request's source has changed");
    }
    repository.pull(number).unwrap().is_scheduled = true;
    show(repository, number, 200)
}

fn statuses(call: &Call, repository: &mut Repository, commit: &str) -> Reply {
    if call.method == "POST" {
        let [state, description, url] =
            ["state", "description", "targetUrl"].map(|name| call.text(name));
        let name = call.body["context"]["name"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        // Rules of the repository know one word for it.
        let state = if state == "succeeded" {
            "success".to_owned()
        } else {
            state
        };
        repository
            .statuses
            .push([commit.to_owned(), name, state, description, url]);
        repository.run_scheduled();
        return Reply::json(201, json!({}));
    }
    let mut latest: Vec<&[String; 5]> = Vec::new();
    for status in repository
        .statuses
        .iter()
        .filter(|status| status[0] == commit)
    {
        latest.retain(|found| found[1] != status[1]);
        latest.push(status);
    }
    let shown = latest.into_iter().map(|[_, name, state, description, url]| {
        let state = if state == "success" { "succeeded" } else { state };
        json!({ "state": state, "description": description, "targetUrl": url, "context": { "name": name, "genre": null } })
    });
    values(shown.collect())
}

fn threads(call: &Call, repository: &mut Repository, number: &str) -> Reply {
    let Some(pull) = repository.pull(number) else {
        return Reply::missing();
    };
    let shown = |id: usize, (user, text): &(String, String)| {
        let comment = json!({ "id": 1, "author": { "displayName": user }, "content": text, "commentType": "text" });
        json!({ "id": id, "comments": [comment] })
    };
    if call.method == "POST" {
        let text = call.body["comments"][0]["content"]
            .as_str()
            .unwrap_or_default();
        pull.comments.push((call.user.clone(), text.to_owned()));
        let made = pull.comments.last().unwrap();
        return Reply::json(200, shown(pull.comments.len(), made));
    }
    let all = pull.comments.iter().enumerate();
    let mut all: Vec<_> = all.map(|(at, each)| shown(at + 1, each)).collect();
    let system = json!({ "id": 1, "author": { "displayName": "ghost" }, "content": "voted", "commentType": "system" });
    all.push(json!({ "id": 99, "comments": [system] }));
    values(all)
}
