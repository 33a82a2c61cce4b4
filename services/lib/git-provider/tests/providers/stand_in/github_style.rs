//! The API that GitHub and Gitea have alike, and where they differ.

use serde_json::{Value, json};

use super::{
    Call, REPOSITORY, Reply,
    repository::{Pull, Readiness, Repository},
};

pub(super) fn answer(call: &Call, repository: &mut Repository, is_github: bool) -> Reply {
    let path: Vec<_> = call.path.iter().map(String::as_str).collect();
    let (owner, name) = REPOSITORY.split_once('/').unwrap();
    match (call.method.as_str(), path.as_slice()) {
        ("GET", ["user"]) => Reply::json(200, json!({ "login": call.user })),
        ("GET", ["repos", "search"]) if !is_github => {
            list(call, |page| json!({ "ok": true, "data": page }))
        }
        ("GET", ["user", "repos"]) if is_github => list(call, |page| page),
        ("POST", ["graphql"]) if is_github => schedule(call, repository),
        (_, ["repos", o, n, rest @ ..]) if (*o, *n) == (owner, name) => {
            below(call, repository, is_github, rest)
        }
        _ => Reply::missing(),
    }
}

/// Two pages, the second with the repository of the test.
fn list(call: &Call, wrap: impl Fn(Value) -> Value) -> Reply {
    let search = call.query("q");
    let all = ["acme/other", REPOSITORY];
    let all: Vec<_> = all
        .into_iter()
        .filter(|name| name.contains(search))
        .collect();
    let page = call.query("page").parse::<usize>().unwrap_or(1);
    let items: Vec<_> = all
        .iter()
        .skip(page - 1)
        .take(1)
        .map(|name| shown(name))
        .collect();
    let next = format!("{}/api/{}", call.origin, next_path(call, page + 1));
    Reply {
        next: (page < all.len()).then_some(next),
        ..Reply::json(200, wrap(items.into()))
    }
}

fn next_path(call: &Call, page: usize) -> String {
    let version = if call.path[0] == "user" { "v3" } else { "v1" };
    let search = call.query("q");
    format!("{version}/{}?q={search}&page={page}", call.path.join("/"))
}

fn shown(name: &str) -> Value {
    json!({
        "id": 1, "full_name": name, "default_branch": "main", "private": true, "archived": false,
        "clone_url": format!("https://git.example.com/{name}.git"),
    })
}

fn below(call: &Call, repository: &mut Repository, is_github: bool, path: &[&str]) -> Reply {
    match (call.method.as_str(), path) {
        ("GET", []) => Reply::json(200, shown(REPOSITORY)),
        ("GET", ["branches"]) => {
            let branches = repository.branches().into_iter();
            let shown = branches.map(|(name, commit)| branch(&name, &commit, is_github));
            Reply::json(200, shown.collect())
        }
        ("GET", ["branches", name @ ..]) => {
            let name = name.join("/");
            let head = repository.head(&name);
            head.map_or_else(Reply::missing, |head| {
                Reply::json(200, branch(&name, &head, is_github))
            })
        }
        ("GET", ["contents", file @ ..])
            if is_github
                && repository
                    .file(call.query("ref"), &file.join("/"))
                    .is_some_and(|text| !text.starts_with("tree "))
                && !file.is_empty() =>
        {
            Reply::raw(repository.file(call.query("ref"), &file.join("/")))
        }
        ("GET", ["raw", file @ ..]) if !is_github => {
            Reply::raw(repository.file(call.query("ref"), &file.join("/")))
        }
        ("GET", ["contents", folder @ ..]) => contents(call, repository, &folder.join("/")),
        ("GET", ["compare", range @ ..]) => {
            let range = range.join("/");
            let (base, head) = range.split_once("...").unwrap();
            compare(repository, base, head, is_github)
        }
        (_, ["pulls", rest @ ..]) => pulls(call, repository, is_github, rest),
        ("GET", ["commits", commit, "status"]) => statuses(repository, commit, is_github),
        ("GET", ["commits", _, "check-runs"]) if is_github => {
            Reply::json(200, json!({ "total_count": 0, "check_runs": [] }))
        }
        ("POST", ["statuses", commit]) => {
            let fields = ["context", "state", "description", "target_url"];
            let [context, state, description, url] = fields.map(|name| call.text(name));
            let status = [(*commit).to_owned(), context, state, description, url];
            repository.statuses.push(status);
            repository.run_scheduled();
            Reply::json(201, json!({}))
        }
        (_, ["issues", number, "comments"]) => comments(call, repository, number),
        (_, ["hooks", rest @ ..]) => hooks(call, repository, is_github, rest),
        _ => Reply::missing(),
    }
}

fn branch(name: &str, commit: &str, is_github: bool) -> Value {
    let id = if is_github { "sha" } else { "id" };
    json!({ "name": name, "commit": { id: commit, "url": "https://git.example.com" }, "protected": false })
}

fn contents(call: &Call, repository: &Repository, folder: &str) -> Reply {
    let entries = repository.entries(call.query("ref"), folder).into_iter();
    let shown = entries.map(|(kind, path)| {
        let kind = match kind.as_str() {
            "blob" => "file",
            "tree" => "dir",
            _ => "submodule",
        };
        json!({ "path": path, "type": kind, "size": 1 })
    });
    let shown: Vec<_> = shown.collect();
    if shown.is_empty() {
        return Reply::missing();
    }
    Reply::json(200, shown.into())
}

/// GitHub lists files once, Gitea below each commit.
fn compare(repository: &Repository, base: &str, head: &str, is_github: bool) -> Reply {
    let found = repository.compare(base, head);
    let named = |files: &[String]| -> Vec<Value> {
        files
            .iter()
            .map(|name| json!({ "filename": name, "status": "modified" }))
            .collect()
    };
    let commits: Vec<_> = found
        .iter()
        .map(|(commit, files)| {
            if is_github {
                json!({ "sha": commit })
            } else {
                json!({ "sha": commit, "files": named(files) })
            }
        })
        .collect();
    let mut body = json!({ "total_commits": commits.len(), "commits": commits });
    if is_github {
        let all: Vec<_> = found.iter().flat_map(|(_, files)| files.clone()).collect();
        body["files"] = named(&all).into();
    }
    Reply::json(200, body)
}

fn pull(repository: &Repository, pull: &Pull, is_github: bool) -> Value {
    let readiness = repository.readiness(pull);
    let (mergeable, state) = match (readiness, is_github) {
        (Readiness::Computing, true) => (Value::Null, "unknown"),
        (Readiness::Computing | Readiness::Conflicts, false) => (json!(false), ""),
        (Readiness::Conflicts, true) => (json!(false), "dirty"),
        (Readiness::RulesNotMet, _) => (json!(true), "blocked"),
        (Readiness::Ready, _) => (json!(true), "clean"),
    };
    let mut shown = json!({
        "number": pull.number, "title": pull.title, "draft": false,
        "state": if pull.state == "open" { "open" } else { "closed" },
        "merged": pull.merged.is_some(),
        "merged_at": pull.merged.as_ref().map(|_| "2026-01-01T00:00:00Z"),
        "mergeable": mergeable,
        "merge_commit_sha": pull.merged,
        "head": { "ref": pull.head, "sha": repository.pull_head(pull) },
        "base": { "ref": pull.base, "sha": repository.head(&pull.base) },
        "html_url": format!("https://git.example.com/{REPOSITORY}/pulls/{}", pull.number),
        "user": { "login": pull.author },
    });
    if is_github {
        shown["node_id"] = json!(pull.number.to_string());
        shown["mergeable_state"] = json!(state);
        // While it is open GitHub names a test merge.
        if pull.merged.is_none() {
            shown["merge_commit_sha"] = json!("0123456789012345678901234567890123456789");
        }
    }
    shown
}

fn show(repository: &mut Repository, number: &str, is_github: bool, status: u16) -> Reply {
    repository.read(number);
    let found = repository
        .pulls
        .iter()
        .find(|pull| pull.number.to_string() == number);
    found.map_or_else(Reply::missing, |found| {
        Reply::json(status, pull(repository, found, is_github))
    })
}

fn pulls(call: &Call, repository: &mut Repository, is_github: bool, path: &[&str]) -> Reply {
    match (call.method.as_str(), path) {
        ("POST", []) => {
            let [head, base, title] = ["head", "base", "title"].map(|name| call.text(name));
            match repository.open(&call.user, &title, (&head, &base)) {
                Some(number) => show(repository, &number.to_string(), is_github, 201),
                None if is_github => Reply::json(
                    422,
                    json!({ "message": "Validation Failed", "errors": [{ "message": "A pull request already exists" }] }),
                ),
                None => Reply::refused(409, "pull request already exists for these targets"),
            }
        }
        ("GET", []) => {
            let head = call.query("head").split_once(':').map(|(_, head)| head);
            let wanted = (head.unwrap_or_default(), call.query("base"));
            let found = repository.pulls.iter().rev();
            let found = found.filter(|pull| pull.is_between(wanted));
            let found = found.filter(|pull| pull.is_in("open", call.query("state")));
            let shown = found.map(|found| pull(repository, found, is_github));
            Reply::json(200, shown.collect())
        }
        ("GET", [number]) => show(repository, number, is_github, 200),
        ("PATCH", [number]) => {
            repository.close(number);
            show(repository, number, is_github, 200)
        }
        ("PUT" | "POST", [number, "merge"]) => merge(call, repository, is_github, number),
        ("GET", [number, "reviews"]) => {
            let Some(pull) = repository.pull(number) else {
                return Reply::missing();
            };
            let shown = pull.approvals.iter().map(|(user, commit)| {
                json!({ "user": { "login": user }, "state": "APPROVED", "commit_id": commit, "stale": false, "dismissed": false })
            });
            Reply::json(200, shown.collect())
        }
        ("POST", [number, "reviews"]) => review(call, repository, is_github, number),
        // Behind the paths with a word of their own in this place.
        ("GET", [base, head]) if !is_github => {
            let found = repository.pulls.iter().rev();
            let mut found = found.filter(|pull| pull.base == *base && pull.head == *head);
            let number = found.next().map(|pull| pull.number.to_string());
            number.map_or_else(Reply::missing, |number| {
                show(repository, &number, false, 200)
            })
        }
        _ => Reply::missing(),
    }
}

fn review(call: &Call, repository: &mut Repository, is_github: bool, number: &str) -> Reply {
    let expected = if is_github { "APPROVE" } else { "APPROVED" };
    let Some(pull) = repository.pull(number) else {
        return Reply::missing();
    };
    if call.text("event") != expected {
        return Reply::refused(422, "unknown event");
    }
    if pull.author == call.user {
        return Reply::refused(422, "approve your own pull is not allowed");
    }
    pull.approvals
        .push((call.user.clone(), call.text("commit_id")));
    repository.run_scheduled();
    Reply::json(200, json!({}))
}

fn merge(call: &Call, repository: &mut Repository, is_github: bool, number: &str) -> Reply {
    let found = repository
        .pulls
        .iter()
        .find(|pull| pull.number.to_string() == number);
    let Some(found) = found else {
        return Reply::missing();
    };
    let pin = call.text(if is_github { "sha" } else { "head_commit_id" });
    let is_moved = repository.pull_head(found) != pin;
    let schedules = call.body["merge_when_checks_succeed"] == json!(true);
    if found.state != "open" {
        return Reply::refused(405, "The PR is not open");
    }
    match repository.readiness(found) {
        Readiness::Computing | Readiness::Conflicts if is_github => {
            Reply::refused(405, "Pull Request is not mergeable")
        }
        Readiness::Computing | Readiness::Conflicts => {
            Reply::refused(405, "Please try again later")
        }
        Readiness::RulesNotMet if schedules => {
            repository.pull(number).unwrap().is_scheduled = true;
            Reply::json(201, Value::Null)
        }
        Readiness::RulesNotMet => Reply::refused(405, "Not all required status checks successful"),
        Readiness::Ready if is_moved => Reply::refused(409, "head out of date"),
        Readiness::Ready => {
            let commit = repository.merge(number, "merge").unwrap();
            Reply::json(200, json!({ "merged": true, "sha": commit }))
        }
    }
}

fn schedule(call: &Call, repository: &mut Repository) -> Reply {
    let input = &call.body["variables"]["input"];
    let number = input["pullRequestId"].as_str().unwrap_or_default();
    let head = repository
        .pulls
        .iter()
        .find(|pull| pull.number.to_string() == number);
    let head = head.map(|pull| repository.pull_head(pull));
    if head.as_deref() != input["expectedHeadOid"].as_str() {
        return Reply::json(
            200,
            json!({ "errors": [{ "message": "Head sha didn't match" }] }),
        );
    }
    repository.pull(number).unwrap().is_scheduled = true;
    Reply::json(
        200,
        json!({ "data": { "enablePullRequestAutoMerge": { "clientMutationId": null } } }),
    )
}

fn statuses(repository: &Repository, commit: &str, is_github: bool) -> Reply {
    let mut latest: Vec<&[String; 5]> = Vec::new();
    for status in repository
        .statuses
        .iter()
        .filter(|status| status[0] == commit)
    {
        latest.retain(|found| found[1] != status[1]);
        latest.push(status);
    }
    let state = if is_github { "state" } else { "status" };
    let shown = latest.into_iter().map(|[_, context, found, description, url]| {
        json!({ "context": context, state: found, "description": description, "target_url": url })
    });
    let shown: Vec<_> = shown.collect();
    Reply::json(200, json!({ "state": "pending", "statuses": shown }))
}

fn comments(call: &Call, repository: &mut Repository, number: &str) -> Reply {
    let Some(pull) = repository.pull(number) else {
        return Reply::missing();
    };
    let shown = |id: usize, (user, body): &(String, String)| json!({ "id": id, "user": { "login": user }, "body": body });
    if call.method == "POST" {
        pull.comments.push((call.user.clone(), call.text("body")));
        let made = pull.comments.last().unwrap();
        return Reply::json(201, shown(pull.comments.len(), made));
    }
    let all = pull.comments.iter().enumerate();
    Reply::json(200, all.map(|(at, each)| shown(at + 1, each)).collect())
}

fn hooks(call: &Call, repository: &mut Repository, is_github: bool, path: &[&str]) -> Reply {
    let shown = |id: u64, body: &Value| {
        // The secret is never shown again.
        let config = json!({ "url": body["config"]["url"], "content_type": "json" });
        json!({ "id": id, "active": true, "events": body["events"], "config": config })
    };
    match (call.method.as_str(), path) {
        ("GET", []) => {
            let all = repository.hooks.iter();
            Reply::json(200, all.map(|hook| shown(hook.id, &hook.body)).collect())
        }
        ("POST", []) => {
            let kind = if is_github {
                call.text("name")
            } else {
                call.text("type")
            };
            if !["web", "gitea"].contains(&kind.as_str()) {
                return Reply::refused(422, "Invalid hook type");
            }
            let id = repository.add_hook(call.body.clone());
            Reply::json(201, shown(id, &call.body))
        }
        ("DELETE", [id]) => {
            let before = repository.hooks.len();
            repository.hooks.retain(|hook| hook.id.to_string() != *id);
            if repository.hooks.len() == before {
                return Reply::missing();
            }
            Reply::json(204, Value::Null)
        }
        ("GET", [id, "deliveries"]) if is_github => {
            let hook = repository
                .hooks
                .iter()
                .find(|hook| hook.id.to_string() == *id);
            let count = hook.map_or(0, |hook| hook.deliveries);
            let all = (1..=count).rev();
            let shown = all.map(|id| json!({ "id": id, "event": "push", "status": "Bad Gateway", "status_code": 502 }));
            Reply::json(200, shown.collect())
        }
        ("POST", [id, "deliveries", _, "attempts"]) if is_github => {
            let mut all = repository.hooks.iter_mut();
            let hook = all.find(|hook| hook.id.to_string() == *id);
            hook.map_or_else(Reply::missing, |hook| {
                hook.deliveries += 1;
                Reply::json(202, json!({}))
            })
        }
        _ => Reply::missing(),
    }
}
