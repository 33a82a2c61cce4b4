//! Bodies of webhooks as providers sent them, cut to the fields that are read, and what each is read as. They are from the Go module
//! github.com/go-playground/webhooks/v6 6.4.0, whose licence is beside them.
//! `WEBHOOK_BODIES=$(go env GOMODCACHE)/github.com/go-playground/webhooks/v6@v6.4.0 cargo test -p causeway-event-source recorded`
//! takes them anew.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value};

use crate::{
    event::{Event, read},
    route::Provider,
    signature::{Headers, Trust},
};

const FROM: &str = "WEBHOOK_BODIES";
const EXPECTED: &str = "expected.txt";
const HEAD: &str = "# Body, event, repository, references with their commits, number of changed files, pull request.\n";

/// Folders of the module, and who sent what is in them.
const FOLDERS: [(&str, Provider); 6] = [
    ("azuredevops", Provider::AzureDevops),
    ("bitbucket", Provider::BitbucketCloud),
    ("bitbucket-server", Provider::BitbucketDataCenter),
    ("gitea", Provider::Gitea),
    ("github", Provider::Github),
    ("gitlab", Provider::Gitlab),
];

/// Fields that are read, wherever they are in what is read.
const FIELDS: [&str; 56] = [
    "added",
    "after",
    "before",
    "changes",
    "clone",
    "clone_url",
    "commits",
    "default_branch",
    "defaultBranch",
    "eventType",
    "event_name",
    "forced",
    "fromHash",
    "full_name",
    "git_http_url",
    "git_ssh_url",
    "hash",
    "href",
    "html_url",
    "id",
    "iid",
    "key",
    "links",
    "mainbranch",
    "merge_request",
    "modified",
    "name",
    "new",
    "newObjectId",
    "notificationId",
    "number",
    "object_attributes",
    "object_kind",
    "old",
    "oldObjectId",
    "project",
    "pullRequest",
    "pullRequestId",
    "pull_request",
    "pullrequest",
    "push",
    "ref",
    "refId",
    "refUpdates",
    "remoteUrl",
    "removed",
    "repository",
    "resource",
    "slug",
    "ssh_url",
    "subscriptionId",
    "target",
    "toHash",
    "toRef",
    "total_commits_count",
    "type",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("recorded")
}

/// All bodies by name, sorted.
fn bodies() -> Vec<(String, Provider, Vec<u8>)> {
    let mut found = Vec::new();
    for (name, provider) in FOLDERS {
        for entry in fs::read_dir(folder().join(name)).unwrap() {
            let path = entry.unwrap().path();
            let file = path.file_name().unwrap().to_str().unwrap();
            found.push((format!("{name}/{file}"), provider, fs::read(&path).unwrap()));
        }
    }
    found.sort_by(|one, other| one.0.cmp(&other.0));
    found
}

/// The event's name, which these providers send in a header.
fn headers(name: &str) -> Headers {
    let (_, file) = name.split_once('/').unwrap();
    let event = file.trim_end_matches(".json").trim_end_matches("-event");
    let event = event.replace('-', "_").into_bytes();
    let names = ["x-github-event", "x-gitea-event", "x-event-key"];
    Headers::new(names.map(|name| (name.to_owned(), event.clone())))
}

fn line(name: &str, event: &Event) -> String {
    let or_dash = |text: String| {
        if text.is_empty() {
            "-".to_owned()
        } else {
            text
        }
    };
    let repositories: Vec<_> = event.repositories.iter().map(|it| it.to_url()).collect();
    let short = |commit: &str| or_dash(commit.chars().take(7).collect());
    let references = event.references.iter();
    let references: Vec<_> = references
        .map(|one| format!("{}:{}..{}", one.name, short(&one.before), short(&one.after)))
        .collect();
    let files = event.files.as_ref();
    let files = files.map_or("-".to_owned(), |files| files.len().to_string());
    let number = event.pull_request.unwrap_or(0);
    let kind = or_dash(event.kind.replace(' ', "_"));
    let repositories = or_dash(repositories.join(","));
    let references = or_dash(references.join(","));
    format!("{name} {kind} {repositories} {references} {files} {number}\n")
}

fn cut(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let read = fields
                .iter()
                .filter(|(name, _)| FIELDS.contains(&name.as_str()));
            let read = read.map(|(name, value)| (name.clone(), cut(value)));
            Value::Object(read.collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(items.iter().map(cut).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// Takes the bodies from the module.
fn renew(module: &Path) {
    for (name, _) in FOLDERS {
        let to = folder().join(name);
        let _ = fs::remove_dir_all(&to);
        fs::create_dir_all(&to).unwrap();
        for entry in fs::read_dir(module.join("testdata").join(name)).unwrap() {
            let path = entry.unwrap().path();
            let Ok(body) = serde_json::from_slice::<Value>(&fs::read(&path).unwrap()) else {
                continue;
            };
            let text = serde_json::to_string(&cut(&body)).unwrap() + "\n";
            fs::write(to.join(path.file_name().unwrap()), text).unwrap();
        }
    }
    fs::copy(module.join("LICENSE"), folder().join("LICENSE")).unwrap();
    let mut expected = HEAD.to_owned();
    for (name, provider, body) in bodies() {
        let event = read(provider, Trust::Signed, &headers(&name), &body).event;
        expected.push_str(&line(&name, &event));
    }
    fs::write(folder().join(EXPECTED), expected).unwrap();
}

#[test]
fn recorded_bodies_are_read_as_expected() {
    if let Some(module) = std::env::var_os(FROM) {
        renew(Path::new(&module));
    }
    let mut found = HEAD.to_owned();
    let bodies = bodies();
    assert!(bodies.len() > 140, "{}", bodies.len());
    for (name, provider, body) in bodies {
        let event = read(provider, Trust::Signed, &headers(&name), &body).event;
        write!(found, "{}", line(&name, &event)).unwrap();
    }
    let expected = fs::read_to_string(folder().join(EXPECTED)).unwrap();
    assert_eq!(found, expected);
}

#[test]
fn recorded_bodies_that_were_changed_are_read_without_a_panic() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % u64::try_from(below.max(1)).unwrap()).unwrap()
    };
    for (name, _, body) in bodies() {
        for _ in 0..40 {
            let mut changed = body.clone();
            for _ in 0..=random(4) {
                let at = random(changed.len());
                match random(3) {
                    0 => changed.truncate(at),
                    1 => changed.insert(at.min(changed.len()), b"\"{}[]:,0\xff"[random(9)]),
                    _ if !changed.is_empty() => changed[at] ^= 1 << random(8),
                    _ => {}
                }
            }
            for (_, provider) in FOLDERS {
                let read = read(provider, Trust::Signed, &headers(&name), &changed);
                assert!(read.event.references.len() <= 100);
                assert!(read.event.repositories.len() <= 8);
            }
        }
    }
}
