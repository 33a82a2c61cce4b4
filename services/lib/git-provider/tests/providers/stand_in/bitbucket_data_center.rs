//! The API of Bitbucket Data Center: versions of pull requests, vetoes, the user in a header.

use serde_json::{Value, json};

use super::{
    Call, REPOSITORY, Reply,
    repository::{Pull, Readiness, Repository},
};

const HEADS: &str = "refs/heads/";

pub(super) fn answer(call: &Call, repository: &mut Repository) -> Reply {
    let path: Vec<_> = call.path.iter().map(String::as_str).collect();
    let (project, name) = REPOSITORY.split_once('/').unwrap();
    match (call.method.as_str(), path.as_slice()) {
        ("GET", ["api", "1.0", "application-properties"]) => Reply {
            user: Some(call.user.clone()),
            ..Reply::json(
                200,
                json!({ "version": "9.4.0", "displayName": "Bitbucket" }),
            )
        },
        ("GET", ["api", "1.0", "repos"]) => list(call),
        (_, ["build-status", "1.0", "commits", commit]) => statuses(call, repository, commit),
        (_, ["api", "1.0", "projects", p, "repos", n, rest @ ..])
            if (*p, *n) == (project, name) =>
        {
            below(call, repository, rest)
        }
        _ => refused(404, "Repository does not exist."),
    }
}

fn refused(status: u16, message: &str) -> Reply {
    Reply::json(
        status,
        json!({ "errors": [{ "context": null, "message": message }] }),
    )
}

fn page(values: Vec<Value>) -> Reply {
    let values = Value::Array(values);
    Reply::json(
        200,
        json!({ "values": values, "isLastPage": true, "start": 0 }),
    )
}

/// Two pages, the second with the repository of the test.
fn list(call: &Call) -> Reply {
    let search = call.query("name");
    let all = ["acme/other", REPOSITORY].into_iter();
    let all: Vec<_> = all.filter(|name| name.contains(search)).collect();
    let at = call.query("start").parse::<usize>().unwrap_or(0);
    let values = all.iter().skip(at).take(1);
    let values: Vec<_> = values.map(|name| shown(name)).collect();
    let is_last = at + 1 >= all.len();
    let next = (!is_last).then_some(at + 1);
    Reply::json(
        200,
        json!({ "values": values, "isLastPage": is_last, "nextPageStart": next }),
    )
}

fn shown(name: &str) -> Value {
    let (project, slug) = name.split_once('/').unwrap();
    let clone =
        json!([{ "name": "http", "href": format!("https://git.example.com/scm/{name}.git") }]);
    json!({ "slug": slug, "project": { "key": project }, "links": { "clone": clone }, "archived": false })
}

fn below(call: &Call, repository: &mut Repository, path: &[&str]) -> Reply {
    match (call.method.as_str(), path) {
        ("GET", []) => Reply::json(200, shown(REPOSITORY)),
        ("GET", ["default-branch"]) => {
            Reply::json(200, json!({ "id": "refs/heads/main", "displayId": "main" }))
        }
        ("GET", ["branches"]) => {
            let found = repository.branches().into_iter();
            let found = found.filter(|(name, _)| name.contains(call.query("filterText")));
            let shown =
                found.map(|(name, commit)| json!({ "displayId": name, "latestCommit": commit }));
            page(shown.collect())
        }
        ("GET", ["browse", folder @ ..]) => {
            let folder = folder.join("/");
            let entries = repository.entries(call.query("at"), &folder).into_iter();
            let shown = entries.map(|(kind, path)| {
                let kind = if kind == "tree" { "DIRECTORY" } else { "FILE" };
                let name = path.trim_start_matches(&folder).trim_start_matches('/');
                json!({ "path": { "toString": name }, "type": kind })
            });
            let values: Vec<_> = shown.collect();
            Reply::json(
                200,
                json!({ "children": { "values": values, "isLastPage": true } }),
            )
        }
        ("GET", ["raw", file @ ..]) => {
            Reply::raw(repository.file(call.query("at"), &file.join("/")))
        }
        ("GET", ["compare", list]) => {
            let found = repository.compare(call.query("to"), call.query("from"));
            if *list == "commits" {
                return page(
                    found
                        .iter()
                        .rev()
                        .map(|(commit, _)| json!({ "id": commit }))
                        .collect(),
                );
            }
            let files = found.iter().flat_map(|(_, files)| files);
            page(
                files
                    .map(|file| json!({ "path": { "toString": file } }))
                    .collect(),
            )
        }
        (_, ["pull-requests", rest @ ..]) => pulls(call, repository, rest),
        (_, ["webhooks", rest @ ..]) => hooks(call, repository, rest),
        _ => Reply::missing(),
    }
}

/// Each approval and merge is a new version.
fn version(pull: &Pull) -> usize {
    pull.approvals.len()
}

fn pull(repository: &Repository, pull: &Pull) -> Value {
    let state = match pull.state {
        "open" => "OPEN",
        "merged" => "MERGED",
        _ => "DECLINED",
    };
    let approved = pull.approvals.iter().map(|(user, commit)| {
        json!({ "user": { "name": user }, "status": "APPROVED", "lastReviewedCommit": commit })
    });
    let waiting = json!({ "user": { "name": "carol" }, "status": "UNAPPROVED" });
    let properties = pull.merged.as_ref();
    let properties = properties.map_or(
        json!({}),
        |commit| json!({ "mergeCommit": { "id": commit } }),
    );
    json!({
        "id": pull.number, "version": version(pull), "title": pull.title, "state": state,
        "fromRef": { "id": format!("{HEADS}{}", pull.head), "displayId": pull.head, "latestCommit": repository.pull_head(pull) },
        "toRef": { "id": format!("{HEADS}{}", pull.base), "displayId": pull.base, "latestCommit": "" },
        "reviewers": approved.chain([waiting]).collect::<Vec<_>>(),
        "properties": properties,
        "links": { "self": [{ "href": "https://git.example.com/pr" }] },
    })
}

fn show(repository: &mut Repository, number: &str, status: u16) -> Reply {
    repository.read(number);
    let mut all = repository.pulls.iter();
    let found = all.find(|pull| pull.number.to_string() == number);
    found.map_or_else(Reply::missing, |found| {
        Reply::json(status, pull(repository, found))
    })
}

fn pulls(call: &Call, repository: &mut Repository, path: &[&str]) -> Reply {
    match (call.method.as_str(), path) {
        ("POST", []) => {
            let side = |name: &str| {
                let id = call.body[name]["id"].as_str().unwrap_or_default();
                id.trim_start_matches(HEADS).to_owned()
            };
            let (head, base) = (side("fromRef"), side("toRef"));
            let opened = repository.open(&call.user, &call.text("title"), (&head, &base));
            let exists = refused(
                409,
                "Only one pull request may be open for a given source and target branch",
            );
            opened.map_or(exists, |number| show(repository, &number.to_string(), 201))
        }
        ("GET", []) => {
            let head = call.query("at").trim_start_matches(HEADS);
            // Without a direction, the branch is the target.
            assert!(head.is_empty() || call.query("direction") == "OUTGOING");
            let found = repository.pulls.iter().rev();
            let found = found.filter(|pull| pull.is_between((head, "")));
            let found = found.filter(|pull| pull.is_in("OPEN", call.query("state")));
            page(found.map(|found| pull(repository, found)).collect())
        }
        ("GET", [number]) => show(repository, number, 200),
        ("POST", [number, "decline"]) => {
            repository.close(number);
            show(repository, number, 200)
        }
        (method, [number, "merge"]) => merge(call, repository, method == "GET", number),
        ("PUT", [number, "participants", user]) => {
            assert_eq!(*user, call.user);
            let Some(pull) = repository.pull(number) else {
                return Reply::missing();
            };
            if pull.author == call.user {
                return refused(409, "You cannot review your own pull request.");
            }
            pull.approvals
                .push((call.user.clone(), call.text("lastReviewedCommit")));
            Reply::json(200, json!({}))
        }
        (method, [number, list]) => comments(call, repository, (method, number, list)),
        _ => Reply::missing(),
    }
}

fn merge(call: &Call, repository: &mut Repository, looks: bool, number: &str) -> Reply {
    let mut all = repository.pulls.iter();
    let found = all.find(|pull| pull.number.to_string() == number).unwrap();
    let readiness = repository.readiness(found);
    if looks {
        let veto = json!({ "summaryMessage": "Not all required builds are successful yet" });
        let (outcome, vetoes) = match readiness {
            Readiness::Computing => ("UNKNOWN", vec![]),
            Readiness::Conflicts => ("CONFLICTED", vec![]),
            Readiness::RulesNotMet => ("CLEAN", vec![veto]),
            Readiness::Ready => ("CLEAN", vec![]),
        };
        return Reply::json(
            200,
            json!({
                "canMerge": readiness == Readiness::Ready, "conflicted": readiness == Readiness::Conflicts,
                "outcome": outcome, "vetoes": vetoes,
            }),
        );
    }
    if call.query("version") != version(found).to_string() {
        return refused(
            409,
            "You are attempting to modify a pull request based on out-of-date information.",
        );
    }
    if readiness != Readiness::Ready {
        return refused(409, "The pull request cannot be merged");
    }
    repository.merge(number, "merge").unwrap();
    show(repository, number, 200)
}

fn statuses(call: &Call, repository: &mut Repository, commit: &str) -> Reply {
    if call.method == "POST" {
        let fields = ["name", "state", "description", "url"];
        let [name, state, description, url] = fields.map(|field| call.text(field));
        // Rules of the repository know one word for it.
        let state = if state == "SUCCESSFUL" {
            "success".to_owned()
        } else {
            state
        };
        repository
            .statuses
            .push([commit.to_owned(), name, state, description, url]);
        return Reply::json(204, Value::Null);
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

fn comments(
    call: &Call,
    repository: &mut Repository,
    (method, number, list): (&str, &str, &str),
) -> Reply {
    let Some(pull) = repository.pull(number) else {
        return Reply::missing();
    };
    let shown = |id: usize, (user, text): &(String, String)| json!({ "id": id, "text": text, "author": { "name": user } });
    match (method, list) {
        ("POST", "comments") => {
            pull.comments.push((call.user.clone(), call.text("text")));
            let made = pull.comments.last().unwrap();
            Reply::json(201, shown(pull.comments.len(), made))
        }
        ("GET", "activities") => {
            let all = pull.comments.iter().enumerate().rev();
            let all = all
                .map(|(at, each)| json!({ "action": "COMMENTED", "comment": shown(at + 1, each) }));
            page(all.chain([json!({ "action": "OPENED" })]).collect())
        }
        _ => Reply::missing(),
    }
}

fn hooks(call: &Call, repository: &mut Repository, path: &[&str]) -> Reply {
    let shown = |id: u64, body: &Value| json!({ "id": id, "name": body["name"], "url": body["url"], "active": true, "events": body["events"] });
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
            repository.hooks.retain(|hook| hook.id.to_string() != *id);
            if repository.hooks.len() == before {
                return refused(404, "The webhook does not exist");
            }
            Reply::json(204, Value::Null)
        }
        _ => Reply::missing(),
    }
}
