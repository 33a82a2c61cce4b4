//! The Git repositories that Argo CD reads.

use std::{collections::BTreeSet, time::Duration};

use futures::future::join_all;
use reqwest::{Client, Url};
use serde_json::Value;

use super::{InstallationArgs, finding::Finding, kube::Kube};

const CHECK: &str = "git";
/// How many of the cluster's own are tried.
const MOST: usize = 10;
/// Applications of a page, each of which may be large, and how many pages are read.
const PAGE: u32 = 20;
const PAGES: usize = 25;
const CONNECT: Duration = Duration::from_secs(5);
/// Shorter than the limit of a whole check, so that a silent server is named in the finding.
const ANSWER: Duration = Duration::from_secs(10);
const WHY: &str = "applications are synced from there; where only Argo CD can reach it, all works but what you look at from here";

/// Tries those that are named, or else those of the cluster's applications.
pub(super) async fn check(kube: Option<&Kube>, args: &InstallationArgs) -> Vec<Finding> {
    let urls = match (args.git_urls.as_slice(), kube) {
        ([], Some(kube)) => of_applications(kube, args).await,
        ([], None) => BTreeSet::new(),
        (named, _) => named.iter().cloned().collect(),
    };
    if urls.is_empty() {
        return vec![Finding::ok(
            CHECK,
            "no repository is named, and no application has one yet",
        )];
    }
    let client = Client::builder().connect_timeout(CONNECT).timeout(ANSWER);
    let client = client.build();
    let Ok(client) = client else {
        let todo = "look at the variables HTTPS_PROXY and NO_PROXY";
        return vec![Finding::unknown(
            CHECK,
            "no connection can be made",
            (WHY, todo),
        )];
    };
    join_all(urls.iter().map(|url| one(&client, url))).await
}

/// Of applications wherever the runtime is to see them.
async fn of_applications(kube: &Kube, args: &InstallationArgs) -> BTreeSet<String> {
    let mut urls = BTreeSet::new();
    for place in places(args) {
        let path = format!("/apis/argoproj.io/v1alpha1/{place}applications?limit={PAGE}");
        let mut next = String::new();
        for _ in 0..PAGES {
            let page = kube.get(&format!("{path}{next}")).await;
            let listed = page.ok().flatten().unwrap_or_default();
            add(&mut urls, &listed);
            let more = listed["metadata"]["continue"].as_str().unwrap_or_default();
            if more.is_empty() || urls.len() >= MOST {
                break;
            }
            next = format!("&continue={}", encoded(more));
        }
    }
    urls
}

fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// The parts of paths that say where: of every namespace of a runtime that sees some, or of none where it sees all.
fn places(args: &InstallationArgs) -> BTreeSet<String> {
    if args.scope_namespaces.is_empty() {
        return BTreeSet::from([String::new()]);
    }
    let namespaces = args.scope_namespaces.iter().chain(&args.argocd_namespace);
    namespaces.map(|it| format!("namespaces/{it}/")).collect()
}

fn add(urls: &mut BTreeSet<String>, listed: &Value) {
    let items = listed["items"].as_array().into_iter().flatten();
    for item in items {
        let spec = &item["spec"];
        let several = spec["sources"].as_array().into_iter().flatten();
        for source in several.chain([&spec["source"]]) {
            let chart = source["chart"]
                .as_str()
                .is_some_and(|chart| !chart.is_empty());
            if let Some(url) = source["repoURL"]
                .as_str()
                .filter(|_| !chart && urls.len() < MOST)
            {
                urls.insert(url.to_owned());
            }
        }
    }
}

async fn one(client: &Client, text: &str) -> Finding {
    let shown = shown(text);
    let parsed = Url::parse(text).ok();
    let Some(url) = parsed.filter(|url| matches!(url.scheme(), "http" | "https")) else {
        let todo = "try 'git ls-remote' where Argo CD runs";
        let what = format!("{shown} is not reached by HTTP, and is not tried");
        return Finding::unknown(CHECK, what, (WHY, todo));
    };
    let refs = format!(
        "{}/info/refs?service=git-upload-pack",
        url.as_str().trim_end_matches('/')
    );
    let todo =
        "look at the proxy (HTTPS_PROXY), the firewall and the certificate authority on the way";
    match client.get(refs).send().await {
        Ok(answer) if answer.status().is_success() => {
            Finding::ok(CHECK, format!("{shown} answers"))
        }
        Ok(answer) if matches!(answer.status().as_u16(), 401 | 403 | 404) => {
            Finding::ok(CHECK, format!("{shown} answers, and asks for credentials"))
        }
        Ok(answer) => {
            let what = format!("{shown} answers {}", answer.status());
            Finding::warn(CHECK, what, (WHY, todo))
        }
        Err(error) => {
            let what = format!("{shown} is not reached: {}", cause(&error));
            Finding::warn(CHECK, what, (WHY, todo))
        }
    }
}

/// A repository without what may be secret in its address.
fn shown(text: &str) -> String {
    let Ok(mut url) = Url::parse(text) else {
        return text.chars().take(200).collect();
    };
    // Where there cannot be any, there is none.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.to_string()
}

/// The innermost cause, which says most.
pub(super) fn cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(within) = cause.source() {
        cause = within;
    }
    cause.to_string()
}
