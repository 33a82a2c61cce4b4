//! The API of Bitbucket Cloud: short ids of commits, merges that go on after their request.

use serde_json::{Value, json};

use super::{
    Call, REPOSITORY, Reply,
    repository::{Pull, Readiness, Repository},
};

const SHORT: usize = 12;

pub(super) fn answer(call: &Call, repository: &mut Repository) -> Reply {
    let path: Vec<_> = call.path.iter().map(String::as_str).collect();
    let (owner, name) = REPOSITORY.split_once('/').unwrap();
    match (call.method.as_str(), path.as_slice()) {
        ("GET", ["user"]) => Reply::json(200, json!({ "nickname": call.user })),
        ("GET", ["repositories", workspace]) if *workspace == owner => list(call),
        (_, ["repositories", o, n, rest @ ..]) if (*o, *n) == (owner, name) => {
            below(call, repository, rest)
        }
        _ => refused(404, "Repository not found"),
    }
}

fn refused(status: u16, message: &str) -> Reply {
    let error = json!({ "type": "error", "error": { "message": message } });
    Reply::json(status, error)
}

fn page(values: Vec<Value>) -> Reply {
    Reply::json(
        200,
        json!({ "pagelen": 100, "values": Value::Array(values) }),
    )
}

/// Two pages, the second with the repository of the test.
fn list(call: &Call) -> Reply {
    let filter = call.query("q").trim_start_matches("name ~ ");
    let search = filter.trim_matches('"');
    let all = ["acme/other", REPOSITORY].into_iter();
    let all: Vec<_> = all.filter(|name| name.contains(search)).collect();
    let at = call.query("page").parse::<usize>().unwrap_or(1);
    let values = all.iter().skip(at - 1).take(1);
    let values: Vec<_> = values.map(|name| shown(name)).collect();
    let mut body = json!({ "values": values });
    if at < all.len() {
        let next = at + 1;
        body["next"] = json!(format!("{}/2.0/repositories/acme?page={next}", call.origin));
    }
    Reply::json(200, body)
}

fn shown(name: &str) -> Value {
    let clone = json!([
        { "name": "https", "href": format!("https://bitbucket.org/{name}.git") },
        { "name": "ssh", "href": format!("git@bitbucket.org:{name}.git") },
    ]);
    json!({ "full_name": name, "mainbranch": { "name": "main" }, "links": { "clone": clone } })
}

fn below(call: &Call, repository: &mut Repository, path: &[&str]) -> Reply {
    match (call.method.as_str(), path) {
        ("GET", []) => Reply::json(200, shown(REPOSITORY)),
        ("GET", ["refs", "branches"]) => {
            let branches = repository.branches().into_iter();
            page(branches.map(|(name, head)| branch(&name, &head)).collect())
        }
        ("GET", ["refs", "branches", name]) => {
            let head = repository.head(name);
            head.map_or_else(Reply::missing, |head| Reply::json(200, branch(name, &head)))
        }
        ("GET", ["commit", commit]) => match repository.resolve(commit) {
            Some(hash) => Reply::json(200, json!({ "hash": hash })),
            None => refused(404, "Commit not found"),
        },
        ("GET", ["src", commit, folder @ .., ""]) => {
            let entries = repository.entries(commit, &folder.join("/")).into_iter();
            let entries = entries.map(|(kind, path)| {
                let kind = if kind == "tree" {
                    "commit_directory"
                } else {
                    "commit_file"
                };
                json!({ "type": kind, "path": path })
            });
            page(entries.collect())
        }
        ("GET", ["src", commit, file @ ..]) => Reply::raw(repository.file(commit, &file.join("/"))),
        ("GET", ["commits"]) => {
            let found = repository.compare(call.query("exclude"), call.query("include"));
            page(
                found
                    .iter()
                    .rev()
                    .map(|(commit, _)| json!({ "hash": commit }))
                    .collect(),
            )
        }
        ("GET", ["diffstat", range]) => {
            let (head, base) = range.split_once("..").unwrap();
            let found = repository.compare(base, head);
            let files = found.iter().flat_map(|(_, files)| files);
            let change =
                |file: &String| json!({ "old": { "path": file }, "new": { "path": file } });
            page(files.map(change).collect())
        }
        (_, ["commit", commit, "statuses", rest @ ..]) => statuses(call, repository, commit, rest),
        (_, ["pullrequests", rest @ ..]) => pulls(call, repository, rest),
        (_, ["hooks", rest @ ..]) => hooks(call, repository, rest),
        _ => Reply::missing(),
    }
}

fn branch(name: &str, commit: &str) -> Value {
    json!({ "name": name, "target": { "hash": commit } })
}

fn short(commit: &str) -> &str {
    &commit[..SHORT]
}

fn pull(repository: &Repository, pull: &Pull) -> Value {
    let state = match pull.state {
        "open" => "OPEN",
        "merged" => "MERGED",
        _ => "DECLINED",
    };
    let participants = pull.approvals.iter().map(
        |(user, _)| json!({ "user": { "nickname": user }, "approved": true, "state": "approved" }),
    );
    let waiting = json!({ "user": { "nickname": "carol" }, "approved": false, "state": null });
    json!({
        "id": pull.number, "title": pull.title, "state": state,
        "source": { "branch": { "name": pull.head }, "commit": { "hash": short(&repository.pull_head(pull)) } },
        "destination": { "branch": { "name": pull.base } },
        "merge_commit": pull.merged.as_ref().map(|commit| json!({ "hash": short(commit) })),
        "participants": participants.chain([waiting]).collect::<Vec<_>>(),
        "links": { "html": { "href": format!("https://bitbucket.org/{REPOSITORY}/pull-requests/{}", pull.number) } },
    })
}

/// A merge that was accepted is done a few reads later.
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

fn pulls(call: &Call, repository: &mut Repository, path: &[&str]) -> Reply {
    match (call.method.as_str(), path) {
        ("POST", []) => {
            let name = |side: &str| {
                let name = call.body[side]["branch"]["name"].as_str();
                name.unwrap_or_default().to_owned()
            };
            let (head, base) = (name("source"), name("destination"));
            let opened = repository.open(&call.user, &call.text("title"), (&head, &base));
            // The real one would change the open one; no test may come here.
            let number = opened.expect("opened twice");
            show(repository, &number.to_string(), 201)
        }
        ("GET", []) => {
            let filter = call.query("q").to_owned();
            let states = call.query.iter().filter(|(name, _)| name == "state");
            let is_open_only = states.count() == 1;
            let is_match = |pull: &&Pull| {
                let (head, base) = (&pull.head, &pull.base);
                let is_listed = !is_open_only || pull.state == "open";
                is_listed && filter.is_empty()
                    || filter
                        == format!(
                            "source.branch.name = \"{head}\" AND destination.branch.name = \"{base}\""
                        )
            };
            let found = repository.pulls.iter().rev().filter(is_match);
            page(found.map(|found| pull(repository, found)).collect())
        }
        ("GET", [number]) => show(repository, number, 200),
        ("POST", [number, "decline"]) => {
            repository.close(number);
            show(repository, number, 200)
        }
        ("POST", [number, "merge"]) => merge(call, repository, number),
        ("POST", [number, "approve"]) => {
            let user = call.user.clone();
            let Some(pull) = repository.pull(number) else {
                return Reply::missing();
            };
            pull.approvals.push((user, String::new()));
            Reply::json(200, json!({ "approved": true }))
        }
        (_, [number, "comments"]) => comments(call, repository, number),
        _ => Reply::missing(),
    }
}

fn merge(call: &Call, repository: &mut Repository, number: &str) -> Reply {
    assert_eq!(call.query("async"), "true");
    let mut all = repository.pulls.iter();
    let Some(found) = all.find(|pull| pull.number.to_string() == number) else {
        return Reply::missing();
    };
    assert!(!found.is_scheduled, "requested twice");
    if found.state != "open" {
        return refused(409, "This pull request is already closed.");
    }
    match repository.readiness(found) {
        Readiness::Computing => refused(409, "The destination branch is locked by another merge"),
        Readiness::Conflicts => refused(
            400,
            "You can't merge until you resolve all merge conflicts.",
        ),
        Readiness::RulesNotMet => refused(400, "2 failed merge checks"),
        Readiness::Ready => {
            repository.pull(number).unwrap().is_scheduled = true;
            Reply::json(202, Value::Null)
        }
    }
}

fn statuses(call: &Call, repository: &mut Repository, commit: &str, path: &[&str]) -> Reply {
    if call.method == "POST" && path == ["build"] {
        let fields = ["name", "state", "description", "url"];
        let [name, state, description, url] = fields.map(|field| call.text(field));
        if call.text("key").len() > 40 || url.is_empty() {
            return refused(400, "Bad request");
        }
        // Rules of the repository know one word for it.
        let state = if state == "SUCCESSFUL" {
            "success".to_owned()
        } else {
            state
        };
        let status = [commit.to_owned(), name, state, description, url];
        repository.statuses.push(status);
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
        let state = if state == "success" { "SUCCESSFUL" } else { state };
        json!({ "key": name, "name": name, "state": state, "description": description, "url": url })
    });
    page(shown.collect())
}

fn comments(call: &Call, repository: &mut Repository, number: &str) -> Reply {
    let Some(pull) = repository.pull(number) else {
        return Reply::missing();
    };
    let shown = |id: usize, (user, text): &(String, String)| json!({ "id": id, "user": { "nickname": user }, "content": { "raw": text } });
    if call.method == "POST" {
        let text = call.body["content"]["raw"].as_str().unwrap_or_default();
        pull.comments.push((call.user.clone(), text.to_owned()));
        let made = pull.comments.last().unwrap();
        return Reply::json(201, shown(pull.comments.len(), made));
    }
    let all = pull.comments.iter().enumerate();
    page(all.map(|(at, each)| shown(at + 1, each)).collect())
}

/// Ids are in braces.
fn hooks(call: &Call, repository: &mut Repository, path: &[&str]) -> Reply {
    let shown = |id: u64, body: &Value| json!({ "uuid": format!("{{{id}}}"), "url": body["url"], "active": true, "events": body["events"] });
    match (call.method.as_str(), path) {
        ("GET", []) => {
            let all = repository.hooks.iter();
            page(all.map(|hook| shown(hook.id, &hook.body)).collect())
        }
        ("POST", []) => {
            let id = repository.add_hook(call.body.clone());
            Reply::json(201, shown(id, &call.body))
        }
        ("DELETE", [id]) => {
            let before = repository.hooks.len();
            repository
                .hooks
                .retain(|hook| format!("{{{}}}", hook.id) != *id);
            if repository.hooks.len() == before {
                return refused(404, "No such webhook");
            }
            Reply::json(204, Value::Null)
        }
        _ => Reply::missing(),
    }
}
