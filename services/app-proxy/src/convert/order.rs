//! What users ask for.

use std::{collections::BTreeSet, time::Duration};

use causeway_argocd::{application::Info, rest::ApplicationName};
use causeway_proto::proxy::v1 as pb;
use tracing::Span;

use super::{FieldError, read_name, read_request_identity, read_revision};
use crate::{
    action::{Cascade, DeleteOrder, RefreshMode, RefreshOrder},
    outcome::{Effect, RequestIdentity},
    scope::Requester,
    sync::{
        Choice, Mode, Prune, Retry, RollbackOrder, Selection, SourceRevision, Strategy, SyncOrder,
    },
};

const MOST_RESOURCES: usize = 1_000;
const MOST_OPTIONS: usize = 50;
const MOST_INFOS: usize = 20;
const MOST_SOURCES: usize = 100;
const LONGEST_TEXT: usize = 512;
const LONGEST_UID: usize = 64;
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 3600);
/// As Argo CD waits where nothing is said.
const FIRST_WAIT: Duration = Duration::from_secs(5);
const LAST_WAIT: Duration = Duration::from_secs(180);
const GROWTH: u32 = 2;

pub(crate) fn read_sync(
    request: pb::SyncApplicationRequest,
    requester: &Requester,
) -> Result<(ApplicationName, SyncOrder), FieldError> {
    let asked = read_request_identity(
        ("SyncApplication", &requester.user),
        &request.request_id,
        &request,
    )?;
    let strategy = read_strategy(request.strategy)?;
    let name = read_name(request.namespace, request.name)?;
    let order = SyncOrder {
        asked,
        user: requester.user.clone(),
        revision: read_revision(request.revision)?,
        revisions: read_revisions(request.source_revisions)?,
        prune: to_prune(request.prune),
        mode: to_mode(request.dry_run),
        resources: read_selection(request.resources)?,
        strategy,
        force: request.force,
        options: read_options(request.sync_options)?,
        retry: request.retry.map(read_retry).transpose()?,
        infos: read_infos(request.infos)?,
        trace: causeway_shell::traceparent(&Span::current()),
    };
    Ok((name, order))
}

pub(crate) fn read_refresh(
    request: pb::RefreshApplicationRequest,
    requester: &Requester,
) -> Result<(ApplicationName, RefreshOrder), FieldError> {
    let asked = read_request_identity(
        ("RefreshApplication", &requester.user),
        &request.request_id,
        &request,
    )?;
    let refresh = match pb::RefreshKind::try_from(request.kind) {
        Ok(pb::RefreshKind::Unspecified | pb::RefreshKind::Normal) => RefreshMode::Normal,
        Ok(pb::RefreshKind::Hard) => RefreshMode::Hard,
        Err(_) => return Err(choice("kind", request.kind, "NORMAL or HARD")),
    };
    let name = read_name(request.namespace, request.name)?;
    let asked = RequestIdentity {
        effect: Effect::Refresh,
        ..asked
    };
    Ok((name, RefreshOrder { asked, refresh }))
}

pub(crate) fn read_terminate(
    request: pb::TerminateOperationRequest,
    requester: &Requester,
) -> Result<(ApplicationName, RequestIdentity), FieldError> {
    let asked = read_request_identity(
        ("TerminateOperation", &requester.user),
        &request.request_id,
        &request,
    )?;
    Ok((read_name(request.namespace, request.name)?, asked))
}

pub(crate) fn read_rollback(
    request: pb::RollbackApplicationRequest,
    requester: &Requester,
) -> Result<(ApplicationName, RollbackOrder), FieldError> {
    let asked = read_request_identity(
        ("RollbackApplication", &requester.user),
        &request.request_id,
        &request,
    )?;
    let order = RollbackOrder {
        asked,
        user: requester.user.clone(),
        history_id: request.history_id,
        prune: to_prune(request.prune),
        mode: to_mode(request.dry_run),
        trace: causeway_shell::traceparent(&Span::current()),
    };
    Ok((read_name(request.namespace, request.name)?, order))
}

pub(crate) fn read_delete(
    request: pb::DeleteApplicationRequest,
    requester: &Requester,
) -> Result<(ApplicationName, DeleteOrder), FieldError> {
    let asked = read_request_identity(
        ("DeleteApplication", &requester.user),
        &request.request_id,
        &request,
    )?;
    let cascade = match pb::DeletionCascade::try_from(request.cascade) {
        Ok(pb::DeletionCascade::Unspecified | pb::DeletionCascade::Foreground) => {
            Cascade::Foreground
        }
        Ok(pb::DeletionCascade::Background) => Cascade::Background,
        Ok(pb::DeletionCascade::Orphan) => Cascade::Orphan,
        Err(_) => {
            let choices = "FOREGROUND, BACKGROUND or ORPHAN";
            return Err(choice("cascade", request.cascade, choices));
        }
    };
    let uid = read_text("uid", request.uid, LONGEST_UID)?;
    let order = DeleteOrder {
        asked,
        cascade,
        uid: (!uid.is_empty()).then_some(uid),
    };
    Ok((read_name(request.namespace, request.name)?, order))
}

fn choice(field: &'static str, value: i32, choices: &'static str) -> FieldError {
    FieldError::Choice {
        field,
        value,
        choices,
    }
}

fn to_prune(prune: bool) -> Prune {
    if prune { Prune::Delete } else { Prune::Keep }
}

pub(super) fn to_mode(dry_run: bool) -> Mode {
    if dry_run { Mode::DryRun } else { Mode::Apply }
}

fn read_strategy(number: i32) -> Result<Strategy, FieldError> {
    match pb::SyncStrategy::try_from(number) {
        Ok(pb::SyncStrategy::Apply) => Ok(Strategy::Apply),
        Ok(pb::SyncStrategy::Unspecified | pb::SyncStrategy::Hook) => Ok(Strategy::Hook),
        Err(_) => Err(choice("strategy", number, "APPLY or HOOK")),
    }
}

fn read_selection(selectors: Vec<pb::ResourceSelector>) -> Result<Selection, FieldError> {
    check_number("resources", selectors.len(), MOST_RESOURCES)?;
    let choices = selectors.into_iter().map(read_selector);
    let choices = choices.collect::<Result<_, _>>()?;
    Ok(Selection { choices })
}

fn read_selector(selector: pb::ResourceSelector) -> Result<Choice, FieldError> {
    Ok(Choice {
        group: read_text("resources.group", selector.group, LONGEST_TEXT)?,
        kind: read_text("resources.kind", selector.kind, LONGEST_TEXT)?,
        namespace: read_text("resources.namespace", selector.namespace, LONGEST_TEXT)?,
        name: read_text("resources.name", selector.name, LONGEST_TEXT)?,
        exclude: selector.exclude,
    })
}

fn read_options(options: Vec<String>) -> Result<Vec<String>, FieldError> {
    check_number("sync_options", options.len(), MOST_OPTIONS)?;
    let read = |option: String| {
        let option = read_text("sync_options", option, LONGEST_TEXT)?;
        match option.split_once('=') {
            Some((name, value)) if !name.is_empty() && !value.is_empty() => Ok(option),
            _ => Err(FieldError::Option(option)),
        }
    };
    options.into_iter().map(read).collect()
}

fn read_infos(infos: Vec<pb::OperationInfo>) -> Result<Vec<Info>, FieldError> {
    check_number("infos", infos.len(), MOST_INFOS)?;
    let read = |info: pb::OperationInfo| {
        let name = read_text("infos.name", info.name, LONGEST_TEXT)?;
        let value = read_text("infos.value", info.value, LONGEST_TEXT)?;
        // By these the operation is known again.
        if name.is_empty() || name.starts_with("causeway.io/") {
            Err(FieldError::Info(name))
        } else {
            Ok(Info { name, value })
        }
    };
    infos.into_iter().map(read).collect()
}

fn read_revisions(revisions: Vec<pb::SourceRevision>) -> Result<Vec<SourceRevision>, FieldError> {
    check_number("source_revisions", revisions.len(), MOST_SOURCES)?;
    let mut seen = BTreeSet::new();
    let mut read = |it: pb::SourceRevision| match read_revision(it.revision)? {
        Some(revision) if it.position > 0 && seen.insert(it.position) => Ok(SourceRevision {
            position: it.position,
            revision,
        }),
        _ => Err(FieldError::Sources),
    };
    revisions.into_iter().map(&mut read).collect()
}

fn read_retry(retry: pb::RetryStrategy) -> Result<Retry, FieldError> {
    if !(-1..=1_000).contains(&retry.limit) {
        return Err(FieldError::Retry("limit"));
    }
    if retry.factor > 100 {
        return Err(FieldError::Retry("factor"));
    }
    Ok(Retry {
        limit: retry.limit,
        backoff: read_wait("backoff", retry.backoff, FIRST_WAIT)?,
        factor: match retry.factor {
            0 => GROWTH,
            factor => factor,
        },
        longest: read_wait("max_backoff", retry.max_backoff, LAST_WAIT)?,
        refresh: retry.refresh,
    })
}

fn read_wait(
    field: &'static str,
    wait: Option<prost_types::Duration>,
    usual: Duration,
) -> Result<Duration, FieldError> {
    let Some(wait) = wait else { return Ok(usual) };
    let wait = Duration::try_from(wait).map_err(|_| FieldError::Wait(field))?;
    if (Duration::from_millis(1)..=LONGEST_WAIT).contains(&wait) {
        Ok(wait)
    } else {
        Err(FieldError::Wait(field))
    }
}

pub(super) fn read_text(
    field: &'static str,
    text: String,
    most: usize,
) -> Result<String, FieldError> {
    if text.len() > most || text.contains(char::is_control) {
        Err(FieldError::Text { field, most })
    } else {
        Ok(text)
    }
}

pub(super) fn check_number(
    field: &'static str,
    number: usize,
    most: usize,
) -> Result<(), FieldError> {
    if number > most {
        Err(FieldError::Many {
            field,
            number,
            most,
        })
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
