mod recorded;

use serde_json::json;

use super::*;

fn read_as(provider: Provider, headers: &[(&str, &str)], body: &serde_json::Value) -> ReadWebhook {
    let headers = headers.iter();
    let headers = headers.map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec()));
    let body = body.to_string();
    read(
        provider,
        Trust::Signed,
        &Headers::new(headers),
        body.as_bytes(),
    )
}

fn github_push(change: &serde_json::Value) -> serde_json::Value {
    let mut body = json!({
        "ref": "refs/heads/main",
        "before": "aa".repeat(20),
        "after": "bb".repeat(20),
        "forced": false,
        "total_commits": 1,
        "repository": { "clone_url": "https://github.com/acme/shop.git", "default_branch": "main" },
        "commits": [{ "id": "bb".repeat(20), "added": ["a"], "modified": ["b"], "removed": ["c"] }],
    });
    for (name, value) in change.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

#[test]
fn files_are_listed_only_if_the_list_is_surely_complete() {
    let github = |change| {
        let body = github_push(&change);
        let headers = [("x-github-event", "push")];
        read_as(Provider::Github, &headers, &body).event.files
    };
    let whole = ["a", "b", "c"].map(str::to_owned).to_vec();
    assert_eq!(github(json!({})), Some(whole.clone()));
    let commit =
        |id: &str| json!({ "id": id.repeat(20), "added": ["a"], "modified": [], "removed": [] });
    let many: Vec<_> = (0..2048).map(|_| commit("bb")).collect();
    for change in [
        json!({ "forced": true }),
        json!({ "forced": null }),
        json!({ "before": "00".repeat(20) }),
        json!({ "after": "00".repeat(20) }),
        json!({ "commits": [] }),
        json!({ "commits": null }),
        json!({ "commits": [commit("cc")] }),
        json!({ "commits": [{ "id": "bb".repeat(20), "added": ["a"] }] }),
        json!({ "commits": many }),
    ] {
        let shown = change.to_string();
        assert_eq!(github(change), None, "{}", &shown[..shown.len().min(100)]);
    }
    let gitea = |change| {
        let body = github_push(&change);
        let headers = [("x-gitea-event", "push")];
        read_as(Provider::Gitea, &headers, &body).event.files
    };
    assert_eq!(gitea(json!({})), Some(whole));
    assert_eq!(gitea(json!({ "total_commits": 6 })), None);
    assert_eq!(gitea(json!({ "total_commits": null })), None);
}

#[test]
fn a_sender_without_a_signature_narrows_nothing() {
    let body = json!({
        "object_kind": "push",
        "ref": "refs/heads/main",
        "before": "aa".repeat(20),
        "after": "bb".repeat(20),
        "total_commits_count": 1,
        "project": { "git_http_url": "https://gitlab.com/acme/shop.git" },
        "commits": [{ "id": "bb".repeat(20), "added": ["a"], "modified": [], "removed": [] }],
    });
    let body = body.to_string();
    let headers = Headers::default();
    let files = |trust| {
        read(Provider::Gitlab, trust, &headers, body.as_bytes())
            .event
            .files
    };
    assert_eq!(files(Trust::Signed), Some(vec!["a".to_owned()]));
    assert_eq!(files(Trust::Poke), None);
}

#[test]
fn a_form_and_a_body_that_cannot_be_read_are_taken() {
    let body = github_push(&json!({})).to_string();
    let form: String = form_urlencoded::Serializer::new(String::new())
        .append_pair("payload", &body)
        .finish();
    let headers = Headers::new([
        ("x-github-event".to_owned(), b"push".to_vec()),
        (
            "content-type".to_owned(),
            b"application/x-www-form-urlencoded".to_vec(),
        ),
    ]);
    let read = |body: &[u8]| read(Provider::Github, Trust::Signed, &headers, body);
    assert!(read(form.as_bytes()).event.is_push());
    for body in [
        b"".as_slice(),
        b"payload=",
        b"{",
        &[0xff, 0xfe],
        b"[1]",
        b"payload=%7B",
    ] {
        let read = read(body);
        assert!(!read.event.is_push());
        assert_eq!(read.delivery_id.len(), 64, "the digest of the body");
    }
}

#[test]
fn an_event_with_more_references_than_are_kept_stands_for_all() {
    let changes: Vec<_> = (0..101)
        .map(|n| json!({ "refId": format!("refs/heads/b-{n}"), "toHash": "aa".repeat(20) }))
        .collect();
    let body = json!({
        "repository": { "slug": "web", "project": { "key": "SHOP" } },
        "changes": changes,
    });
    let headers = [("x-event-key", "repo:refs_changed")];
    let event = read_as(Provider::BitbucketDataCenter, &headers, &body).event;
    assert_eq!(event.references.len(), MAX_REFERENCES);
    assert!(event.all_references);
}
