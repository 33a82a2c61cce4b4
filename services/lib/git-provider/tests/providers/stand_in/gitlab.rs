//! The API of GitLab.

use serde_json::{Value, json};

use super::{
    Call, REPOSITORY, Reply,
    repository::{Pull, Readiness, Repository},
};

pub(super) fn answer(call: &Call, repository: &mut Repository) -> Reply {
    let path: Vec<_> = call.path.iter().map(String::as_str).collect();
    match (call.method.as_str(), path.as_slice()) {
        ("GET", ["user"]) => Reply::json(200, json!({ "username": call.user })),
        ("GET", ["projects"]) => list(call),
        (_, ["projects", name, rest @ ..]) if *name == REPOSITORY => below(call, repository, rest),
        _ => Reply::refused(404, "404 Project Not Found"),
    }
}

/// Two pages, the second with the repository of the test.
fn list(call: &Call) -> Reply {
    let search = call.query("search");
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
    let next = page + 1;
    let next = format!(
        "{}/api/v4/projects?search={search}&page={next}",
        call.origin
    );
    Reply {
        next: (page < all.len()).then_some(next),
        ..Reply::json(200, items.into())
    }
}

fn shown(name: &str) -> Value {
    json!({
        "id": 1, "path_with_namespace": name, "default_branch": "main", "archived": false,
        "http_url_to_repo": format!("https://gitlab.example.com/{name}.git"),
    })
}

fn below(call: &Call, repository: &mut Repository, path: &[&str]) -> Reply {
    match (call.method.as_str(), path) {
        ("GET", []) => Reply::json(200, shown(REPOSITORY)),
        ("GET", ["repository", "branches"]) => {
            let branches = repository.branches().into_iter();
            Reply::json(
                200,
                branches
                    .map(|(name, commit)| branch(&name, &commit))
                    .collect(),
            )
        }
        ("GET", ["repository", "branches", name]) => {
            let head = repository.head(name);
            head.map_or_else(Reply::missing, |head| Reply::json(200, branch(name, &head)))
        }
        ("GET", ["repository", "tree"]) => {
            let entries = repository.entries(call.query("ref"), call.query("path"));
            let shown = entries
                .into_iter()
                .map(|(kind, path)| json!({ "type": kind, "path": path }));
            Reply::json(200, shown.collect())
        }
        ("GET", ["repository", "files", file, "raw"]) => {
            Reply::raw(repository.file(call.query("ref"), file))
        }
        ("GET", ["repository", "compare"]) => {
            let found = repository.compare(call.query("from"), call.query("to"));
            let commits: Vec<_> = found
                .iter()
                .map(|(commit, _)| json!({ "id": commit }))
                .collect();
            let files = found.iter().flat_map(|(_, files)| files);
            let diffs: Vec<_> = files
                .map(|file| json!({ "old_path": file, "new_path": file }))
                .collect();
            Reply::json(
                200,
                json!({ "commits": commits, "diffs": diffs, "compare_timeout": false }),
            )
        }
        ("GET", ["repository", "commits", commit, "statuses"]) => statuses(repository, commit),
        ("POST", ["statuses", commit]) => set_status(call, repository, commit),
        (_, ["merge_requests", rest @ ..]) => requests(call, repository, rest),
        (_, ["hooks", rest @ ..]) => hooks(call, repository, rest),
        _ => Reply::missing(),
    }
}

fn branch(name: &str, commit: &str) -> Value {
    json!({ "name": name, "commit": { "id": commit }, "protected": false })
}

fn request(repository: &Repository, pull: &Pull) -> Value {
    let status = match repository.readiness(pull) {
        Readiness::Computing => "checking",
        Readiness::Ready => "mergeable",
        Readiness::Conflicts => "conflict",
        Readiness::RulesNotMet => "not_approved",
    };
    let state = match pull.state {
        "open" => "opened",
        other => other,
    };
    json!({
        "iid": pull.number, "title": pull.title, "state": state, "draft": false,
        "source_branch": pull.head, "target_branch": pull.base,
        "sha": repository.pull_head(pull),
        "detailed_merge_status": status,
        "merge_commit_sha": pull.merged, "squash_commit_sha": null,
        "web_url": format!("https://gitlab.example.com/{REPOSITORY}/-/merge_requests/{}", pull.number),
    })
}

fn show(repository: &mut Repository, number: &str, status: u16) -> Reply {
    repository.read(number);
    let found = repository
        .pulls
        .iter()
        .find(|pull| pull.number.to_string() == number);
    found.map_or_else(Reply::missing, |found| {
        Reply::json(status, request(repository, found))
    })
}

fn requests(call: &Call, repository: &mut Repository, path: &[&str]) -> Reply {
    match (call.method.as_str(), path) {
        ("POST", []) => {
            let fields = ["source_branch", "target_branch", "title"];
            let [head, base, title] = fields.map(|name| call.text(name));
            let opened = repository.open(&call.user, &title, (&head, &base));
            let exists = json!({ "message": ["Another open merge request already exists for this source branch: !1"] });
            opened.map_or(Reply::json(409, exists), |number| {
                show(repository, &number.to_string(), 201)
            })
        }
        ("GET", []) => {
            let wanted = (call.query("source_branch"), call.query("target_branch"));
            let found = repository.pulls.iter().rev();
            let found = found.filter(|pull| pull.is_between(wanted));
            let found = found.filter(|pull| pull.is_in("opened", call.query("state")));
            Reply::json(200, found.map(|pull| request(repository, pull)).collect())
        }
        ("GET", [number]) => show(repository, number, 200),
        ("PUT", [number]) => {
            repository.close(number);
            show(repository, number, 200)
        }
        ("PUT", [number, "merge"]) => merge(call, repository, number),
        ("GET", [number, "approvals"]) => {
            let Some(pull) = repository.pull(number) else {
                return Reply::missing();
            };
            let by = pull
                .approvals
                .iter()
                .map(|(user, _)| json!({ "user": { "username": user } }));
            Reply::json(200, json!({ "approved_by": by.collect::<Vec<_>>() }))
        }
        ("POST", [number, "approve"]) => {
            let Some(pull) = repository.pull(number) else {
                return Reply::missing();
            };
            if pull.author == call.user {
                return Reply::refused(401, "401 Unauthorized");
            }
            pull.approvals.push((call.user.clone(), call.text("sha")));
            repository.run_scheduled();
            Reply::json(201, json!({}))
        }
        (_, [number, "notes"]) => notes(call, repository, number),
        _ => Reply::missing(),
    }
}

/// 405 is the answer to nearly everything.
fn merge(call: &Call, repository: &mut Repository, number: &str) -> Reply {
    let found = repository
        .pulls
        .iter()
        .find(|pull| pull.number.to_string() == number);
    let Some(found) = found else {
        return Reply::missing();
    };
    if found.state != "open" {
        return Reply::refused(405, "405 Method Not Allowed");
    }
    if repository.pull_head(found) != call.text("sha") {
        return Reply::refused(409, "SHA does not match HEAD of source branch");
    }
    match repository.readiness(found) {
        Readiness::RulesNotMet if call.body["auto_merge"] == json!(true) => {
            repository.pull(number).unwrap().is_scheduled = true;
            show(repository, number, 200)
        }
        Readiness::Computing | Readiness::Conflicts | Readiness::RulesNotMet => {
            Reply::refused(405, "405 Method Not Allowed")
        }
        Readiness::Ready => {
            repository.merge(number, "merge").unwrap();
            show(repository, number, 200)
        }
    }
}

fn statuses(repository: &Repository, commit: &str) -> Reply {
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
        json!({ "name": name, "status": state, "description": description, "target_url": url })
    });
    Reply::json(200, shown.collect())
}

fn set_status(call: &Call, repository: &mut Repository, commit: &str) -> Reply {
    let fields = ["name", "state", "description", "target_url"];
    let [name, state, description, url] = fields.map(|field| call.text(field));
    let known = repository.statuses.iter().rev();
    let mut known = known.filter(|status| status[0] == commit && status[1] == name);
    if known.next().is_some_and(|last| last[2] == state) {
        return Reply::refused(400, "Cannot transition status via :run from :running");
    }
    repository
        .statuses
        .push([commit.to_owned(), name, state, description, url]);
    repository.run_scheduled();
    Reply::json(201, json!({}))
}

/// GitLab writes notes of its own among those of users.
fn notes(call: &Call, repository: &mut Repository, number: &str) -> Reply {
    let Some(pull) = repository.pull(number) else {
        return Reply::missing();
    };
    let shown = |id: usize, (user, body): &(String, String)| json!({ "id": id, "author": { "username": user }, "body": body, "system": false });
    if call.method == "POST" {
        pull.comments.push((call.user.clone(), call.text("body")));
        let made = pull.comments.last().unwrap();
        return Reply::json(201, shown(pull.comments.len(), made));
    }
    let all = pull.comments.iter().enumerate();
    let mut all: Vec<_> = all.map(|(at, each)| shown(at + 1, each)).collect();
    all.push(
        json!({ "id": 99, "author": { "username": "ghost" }, "body": "assigned", "system": true }),
    );
    Reply::json(200, all.into())
}

fn hooks(call: &Call, repository: &mut Repository, path: &[&str]) -> Reply {
    let shown = |id: u64, body: &Value| {
        json!({
            "id": id, "url": body["url"], "push_events": body["push_events"], "alert_status": "executable",
            "merge_requests_events": body["merge_requests_events"], "pipeline_events": body["pipeline_events"],
        })
    };
    match (call.method.as_str(), path) {
        ("GET", []) => {
            let all = repository.hooks.iter();
            Reply::json(200, all.map(|hook| shown(hook.id, &hook.body)).collect())
        }
        ("POST", []) => {
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
        ("GET", [id, "events"]) => {
            let hook = repository
                .hooks
                .iter()
                .find(|hook| hook.id.to_string() == *id);
            let all = (1..=hook.map_or(0, |hook| hook.deliveries)).rev();
            let shown = all
                .map(|id| json!({ "id": id, "trigger": "push_hooks", "response_status": "502" }));
            Reply::json(200, shown.collect())
        }
        ("POST", [id, "events", _, "resend"]) => {
            let mut all = repository.hooks.iter_mut();
            let hook = all.find(|hook| hook.id.to_string() == *id);
            hook.map_or_else(Reply::missing, |hook| {
                hook.deliveries += 1;
                Reply::json(201, json!({ "response_status": 502 }))
            })
        }
        _ => Reply::missing(),
    }
}
