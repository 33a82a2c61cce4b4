//! Between the contract and the domain.

pub(crate) mod exec;
pub(crate) mod git;
pub(crate) mod git_source;
pub(crate) mod log;
mod order;
pub(crate) mod resource;
mod response;
pub(crate) mod rollout;
mod source;
pub(crate) mod workflow;

use causeway_argocd::rest::ApplicationName;
use causeway_proto::{
    ids::{RequestIdError, UserId},
    proxy::v1 as pb,
};
use causeway_shell::Caller;
use prost::Message;
use sha2::{Digest as _, Sha256};

use crate::{
    action::LiveObject,
    log::GrepError,
    outcome::{Effect, RequestIdentity},
    scope::Requester,
};

pub(crate) use order::{read_delete, read_refresh, read_rollback, read_sync, read_terminate};
pub(crate) use response::{
    to_delete_response, to_refresh_response, to_rollback_response, to_set_source_response,
    to_sync_response, to_terminate_response,
};
pub(crate) use source::read_set_source;

const LONGEST_NAME: usize = 253;
const LONGEST_REVISION: usize = 512;

/// A field of a request that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FieldError {
    #[error(
        "{0} must have 1 to 253 of a-z, 0-9, '-' and '.', beginning and ending with a letter or digit"
    )]
    Name(&'static str),
    #[error("revision must have at most {LONGEST_REVISION} characters, none of them a space")]
    Revision,
    #[error(transparent)]
    RequestId(#[from] RequestIdError),
    #[error("{field} {value} is unknown: use {choices}")]
    Choice {
        field: &'static str,
        value: i32,
        choices: &'static str,
    },
    #[error("{field} has {number} entries: give at most {most}")]
    Many {
        field: &'static str,
        number: usize,
        most: usize,
    },
    #[error("{field} must have at most {most} characters, none of them a control character")]
    Text { field: &'static str, most: usize },
    #[error("sync_options: '{0}' is no NAME=VALUE: write for example Replace=true")]
    Option(String),
    #[error("infos: '{0}' is empty or begins with causeway.io/: take another name")]
    Info(String),
    #[error("{field}: '{value}' is no {what}")]
    Shape {
        field: &'static str,
        value: String,
        /// What it should be, for example an image.
        what: &'static str,
    },
    #[error("nothing is to be changed: set at least one field of the source")]
    Nothing,
    #[error("source_revisions must name each source once, 1 for the first one, and its revision")]
    Sources,
    #[error("retry.{0} must be between 1 ms and 24 h")]
    Wait(&'static str),
    #[error("retry.{0} is out of range: limit is -1 to 1000 and factor at most 100")]
    Retry(&'static str),
    #[error("delay must be 0 to 30 days")]
    Delay,
    #[error("container must be the name of a container, or *")]
    Container,
    #[error("image must have 1 to 512 characters, none of them a space")]
    Image,
    #[error("only a user can ask for this")]
    Caller,
    #[error(transparent)]
    Grep(#[from] GrepError),
    #[error("{field} {rule}")]
    Rule {
        field: &'static str,
        /// What it must be.
        rule: &'static str,
    },
}

/// Who asks, if it is a user.
pub(crate) fn read_requester(caller: &Caller) -> Result<Requester, FieldError> {
    let user = caller.user().ok_or(FieldError::Caller)?;
    Ok(Requester {
        user: user.clone(),
        scope: caller.scope.clone(),
        asked_at: caller.issued_at,
    })
}

/// The names become a path of the cluster's API, so that they must be names and nothing else.
pub(crate) fn read_name(namespace: String, name: String) -> Result<ApplicationName, FieldError> {
    check_name("namespace", &namespace)?;
    check_name("name", &name)?;
    Ok(ApplicationName {
        namespace,
        name,
        project: String::new(),
    })
}

fn check_name(field: &'static str, name: &str) -> Result<(), FieldError> {
    let bytes = name.as_bytes();
    let plain = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let inner = |byte: &u8| plain(byte) || matches!(byte, b'-' | b'.');
    let edges = bytes.first().is_some_and(plain) && bytes.last().is_some_and(plain);
    if edges && bytes.len() <= LONGEST_NAME && bytes.iter().all(inner) {
        Ok(())
    } else {
        Err(FieldError::Name(field))
    }
}

/// Stored bytes of a digest: 96 bits make a collision by chance unlikely.
const DIGEST: usize = 12;

/// Who asks for what; `method` is the name of its RPC. Fields that are not set do not count, so that it stays the same when the
/// contract grows. The user counts, so that no user gets the outcome of another one.
pub(crate) fn read_request_identity<M: Message>(
    (method, user): (&str, &UserId),
    id: &str,
    request: &M,
) -> Result<RequestIdentity, FieldError> {
    let mut digest = Sha256::new();
    digest.update(user.as_str());
    digest.update([0]);
    digest.update(method);
    digest.update(request.encode_to_vec());
    let digest = digest.finalize();
    let digest = digest.iter().take(DIGEST).map(|byte| format!("{byte:02x}"));
    Ok(RequestIdentity {
        id: id.parse()?,
        digest: digest.collect(),
        effect: Effect::Change,
    })
}

fn read_revision(revision: String) -> Result<Option<String>, FieldError> {
    let odd = |character: char| character.is_whitespace() || character.is_control();
    if revision.len() > LONGEST_REVISION || revision.contains(odd) {
        return Err(FieldError::Revision);
    }
    Ok((!revision.is_empty()).then_some(revision))
}

impl From<LiveObject> for pb::GetLiveApplicationResponse {
    fn from(live: LiveObject) -> Self {
        Self {
            manifest: live.object.to_string().into(),
            resource_version: live.resource_version,
        }
    }
}
