//! What a webhook says, and no more of it than which repository, references, commits and pull request. All else is read again where it
//! is needed. Unknown fields are ignored, and a body that cannot be read says nothing.

mod azure_devops;
mod bitbucket_cloud;
mod bitbucket_data_center;
mod commit_list;
mod github_style;
mod gitlab;
mod standard;

use std::borrow::Cow;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use sha2::{Digest as _, Sha256};

use crate::{
    repository::Repository,
    route::Provider,
    signature::{Headers, Trust, hex},
};

/// References of one event that are kept. More stand for all.
const MAX_REFERENCES: usize = 100;
/// Changed files of one event that are kept. More make the list incomplete.
const MAX_FILES: usize = 5_000;
const MAX_REPOSITORIES: usize = 8;
const MAX_TEXT: usize = 1024;
const MAX_ID: usize = 128;

/// What a webhook says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The provider's name of it, for example `push`.
    pub kind: String,
    /// URLs of one repository.
    pub repositories: Vec<Repository>,
    /// Changed references. Empty if the event changes none.
    pub references: Vec<Reference>,
    /// True if it changes more references than are listed.
    pub all_references: bool,
    /// The default branch, if the event says it.
    pub default_branch: Option<String>,
    pub pull_request: Option<u64>,
    /// All changed files, or none if the event may not list all of them.
    pub files: Option<Vec<String>>,
}

/// A changed reference.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// The full name, for example `refs/heads/main`.
    pub name: String,
    /// Empty if the reference is new.
    pub before: String,
    /// Empty if the reference was deleted.
    pub after: String,
}

/// A webhook that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadWebhook {
    pub event: Event,
    /// The provider's id of the delivery; the same when it is sent again.
    pub delivery_id: String,
}

/// Reads a verified webhook.
pub fn read(provider: Provider, trust: Trust, headers: &Headers, body: &[u8]) -> ReadWebhook {
    let json = payload(headers, body);
    let header = |name| headers.text(name).map(str::to_owned);
    let (event, id) = match provider {
        Provider::Github => (
            github_style::read(
                headers.text("x-github-event"),
                &json,
                github_style::Kind::Github,
            ),
            header("x-github-delivery"),
        ),
        Provider::Gitea => (
            github_style::read(
                headers
                    .text("x-forgejo-event")
                    .or(headers.text("x-gitea-event")),
                &json,
                github_style::Kind::Gitea,
            ),
            header("x-forgejo-delivery").or(header("x-gitea-delivery")),
        ),
        Provider::Gitlab => {
            let id = ["webhook-id", "idempotency-key", "x-gitlab-event-uuid"];
            (gitlab::read(&json), id.into_iter().find_map(header))
        }
        Provider::BitbucketCloud => (
            bitbucket_cloud::read(headers.text("x-event-key"), &json),
            header("x-request-uuid"),
        ),
        Provider::BitbucketDataCenter => (
            bitbucket_data_center::read(headers.text("x-event-key"), &json),
            header("x-request-id"),
        ),
        Provider::AzureDevops => azure_devops::read(&json),
        Provider::Standard => (standard::read(&json), header("webhook-id")),
    };
    let mut event = event.unwrap_or_default().bounded();
    if trust == Trust::Poke {
        event.files = None;
    }
    ReadWebhook {
        event,
        delivery_id: delivery_id(id, body),
    }
}

/// The JSON of a body, which some providers send as the field `payload` of a form.
fn payload<'b>(headers: &Headers, body: &'b [u8]) -> Cow<'b, [u8]> {
    let form = "application/x-www-form-urlencoded";
    let is_form = headers
        .text("content-type")
        .is_some_and(|kind| kind.trim_start().starts_with(form));
    if !is_form {
        return Cow::Borrowed(body);
    }
    let field = form_urlencoded::parse(body).find(|(name, _)| name == "payload");
    Cow::Owned(field.map_or_else(Vec::new, |(_, value)| value.into_owned().into_bytes()))
}

/// An id that could not be kept is replaced by the digest of the body.
fn delivery_id(id: Option<String>, body: &[u8]) -> String {
    let usable = |id: &String| {
        (1..=MAX_ID).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic())
    };
    id.filter(usable)
        .unwrap_or_else(|| hex(&Sha256::digest(body)))
}

fn parse<T: DeserializeOwned>(json: &[u8]) -> Option<T> {
    serde_json::from_slice(json).ok()
}

/// A commit id, empty for the zeros that stand for none.
fn commit(id: Option<String>) -> String {
    let id = id.unwrap_or_default();
    let plain = id.len() <= 64 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let none = id.bytes().all(|byte| byte == b'0');
    if plain && !none { id } else { String::new() }
}

fn repositories<'u>(urls: impl IntoIterator<Item = &'u Option<String>>) -> Vec<Repository> {
    let urls = urls.into_iter().flatten();
    urls.filter_map(|url| Repository::parse(url)).collect()
}

impl Event {
    fn bounded(mut self) -> Self {
        self.repositories.sort();
        self.repositories.dedup();
        self.repositories.truncate(MAX_REPOSITORIES);
        let short = |text: &String| text.len() <= MAX_TEXT;
        if self.references.len() > MAX_REFERENCES
            || !self.references.iter().all(|one| short(&one.name))
        {
            self.all_references = true;
            self.references.retain(|one| short(&one.name));
            self.references.truncate(MAX_REFERENCES);
        }
        self.default_branch = self.default_branch.filter(short);
        self.kind = self.kind.chars().take(64).collect();
        self.files = self
            .files
            .filter(|files| files.len() <= MAX_FILES && files.iter().all(short));
        self
    }

    /// True if it changes references of a repository.
    pub fn is_push(&self) -> bool {
        !self.repositories.is_empty() && (self.all_references || !self.references.is_empty())
    }
}

#[cfg(test)]
mod tests;
