#!/usr/bin/env python3
"""Makes the recorded answers in this folder from the packages that README.md names.

usage: make.py GITHUB_OPENAPI GITLAB_TESTDATA
"""
import json
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).parent
# what no call reads, and what makes the bodies long
DROPPED = {
    "_links", "permissions", "organization", "parent", "source", "template_repository",
    "repo", "body_html", "body_text", "verification", "license", "security_and_analysis",
    "topics", "labels", "milestone", "assignees", "requested_reviewers", "requested_teams",
    "patch", "raw_url", "blob_url", "plan", "links", "references", "time_stats",
}
KEPT = {"html_url", "clone_url", "target_url", "web_url", "http_url_to_repo"}
GITHUB = {
    "user": ("/user", 0),
    "repositories": ("/user/repos", 0),
    "installation_repositories": ("/installation/repositories", 0),
    "organisations": ("/user/orgs", 0),
    "repository": ("/repos/{owner}/{repo}", 0),
    "branches": ("/repos/{owner}/{repo}/branches", 0),
    "branch": ("/repos/{owner}/{repo}/branches/{branch}", 0),
    "contents": ("/repos/{owner}/{repo}/contents/{path}", 1),
    "compare": ("/repos/{owner}/{repo}/compare/{basehead}", 0),
    "pull": ("/repos/{owner}/{repo}/pulls/{pull_number}", 0),
    "pulls": ("/repos/{owner}/{repo}/pulls", 0),
    "reviews": ("/repos/{owner}/{repo}/pulls/{pull_number}/reviews", 0),
    "status": ("/repos/{owner}/{repo}/commits/{ref}/status", 0),
    "check_runs": ("/repos/{owner}/{repo}/commits/{ref}/check-runs", 0),
    "comments": ("/repos/{owner}/{repo}/issues/{issue_number}/comments", 0),
    "hooks": ("/repos/{owner}/{repo}/hooks", 0),
    "deliveries": ("/repos/{owner}/{repo}/hooks/{hook_id}/deliveries", 0),
}
GITLAB = ["get_user", "get_branch", "list_branches", "get_merge_request", "get_merge_requests"]


def reduced(value):
    if isinstance(value, list):
        return [reduced(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: reduced(each)
        for key, each in value.items()
        if key not in DROPPED and (key in KEPT or not key.endswith("_url"))
    }


def write(name, value):
    text = json.dumps(reduced(value), indent=1, ensure_ascii=False)
    (HERE / f"{name}.json").write_text(text + "\n")


def resolve(document, value):
    while "$ref" in value:
        found = document
        for key in value["$ref"].split("/")[1:]:
            found = found[key]
        value = found
    return value


def github(package):
    document = json.loads((package / "generated/api.github.com.json").read_text())
    for name, (path, at) in GITHUB.items():
        answer = resolve(document, document["paths"][path]["get"]["responses"]["200"])
        examples = list(answer["content"]["application/json"]["examples"].values())
        write(f"github/{name}", resolve(document, examples[at])["value"])
    shutil.copyfile(package / "LICENSE", HERE / "github/LICENSE")


def gitlab(module):
    for name in GITLAB:
        write(f"gitlab/{name}", json.loads((module / f"testdata/{name}.json").read_text()))
    shutil.copyfile(module / "LICENSE", HERE / "gitlab/LICENSE")


github(pathlib.Path(sys.argv[1]))
gitlab(pathlib.Path(sys.argv[2]))
