//! Between the contract and the domain.

pub(crate) mod resource;

use causeway_argocd::rest::ApplicationName;
use causeway_proto::{
    ids::{RequestId, RequestIdError},
    proxy::v1 as pb,
    time::millis_to_timestamp,
};
use causeway_shell::Caller;

use crate::{
    action::{Live, Refresh},
    outcome::{Origin, Outcome},
    scope::Asker,
    sync::{Mode, Prune, SyncOrder},
};

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
    #[error("kind {0} is unknown: use NORMAL or HARD")]
    Refresh(i32),
    #[error("only a user can ask for this")]
    Caller,
    #[error("{field} {rule}")]
    Rule {
        field: &'static str,
        /// What it must be.
        rule: &'static str,
    },
}

/// Who asks, if it is a user.
pub(crate) fn read_asker(caller: &Caller) -> Result<Asker, FieldError> {
    let user = caller.user().ok_or(FieldError::Caller)?;
    Ok(Asker {
        user: user.clone(),
        scope: caller.scope.clone(),
        asked_at: caller.asked_at,
    })
}

pub(crate) fn read_sync(
    request: pb::SyncApplicationRequest,
    asker: &Asker,
) -> Result<(ApplicationName, SyncOrder), FieldError> {
    let name = read_name(request.namespace, request.name)?;
    let order = SyncOrder {
        request_id: request.request_id.parse()?,
        user: asker.user.clone(),
        revision: read_revision(request.revision)?,
        prune: match request.prune {
            true => Prune::Delete,
            false => Prune::Keep,
        },
        mode: match request.dry_run {
            true => Mode::DryRun,
            false => Mode::Apply,
        },
    };
    Ok((name, order))
}

pub(crate) fn read_refresh(
    request: pb::RefreshApplicationRequest,
) -> Result<(ApplicationName, Refresh), FieldError> {
    let _: RequestId = request.request_id.parse()?;
    let refresh = match pb::RefreshKind::try_from(request.kind) {
        Ok(pb::RefreshKind::Unspecified | pb::RefreshKind::Normal) => Refresh::Normal,
        Ok(pb::RefreshKind::Hard) => Refresh::Hard,
        Err(_) => return Err(FieldError::Refresh(request.kind)),
    };
    Ok((read_name(request.namespace, request.name)?, refresh))
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
    match edges && bytes.len() <= LONGEST_NAME && bytes.iter().all(inner) {
        true => Ok(()),
        false => Err(FieldError::Name(field)),
    }
}

fn read_revision(revision: String) -> Result<Option<String>, FieldError> {
    let odd = |character: char| character.is_whitespace() || character.is_control();
    if revision.len() > LONGEST_REVISION || revision.contains(odd) {
        return Err(FieldError::Revision);
    }
    Ok((!revision.is_empty()).then_some(revision))
}

pub(crate) fn to_sync_response(
    order: &SyncOrder,
    outcome: &Outcome,
) -> pb::SyncApplicationResponse {
    pb::SyncApplicationResponse {
        request_id: order.request_id.to_string(),
        repeated_request: outcome.origin == Origin::EarlierCall,
        resource_version: outcome.resource_version,
        accepted_at: Some(millis_to_timestamp(outcome.accepted_at)),
    }
}

impl From<Live> for pb::GetLiveApplicationResponse {
    fn from(live: Live) -> Self {
        Self {
            manifest: live.object.to_string().into(),
            resource_version: live.resource_version,
        }
    }
}
