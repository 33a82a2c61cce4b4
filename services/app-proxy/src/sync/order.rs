//! A sync that a user asked for, as Argo CD's API takes it and as the Application itself does.

use std::time::Duration;

use causeway_argocd::{
    application::Info,
    rest::{self, Apply, Backoff, RetryStrategy, Sync, SyncOptions},
};
use causeway_proto::ids::UserId;
use serde_json::{Value, json};

use super::{OrderError, Selection, infos, patch};
use crate::outcome::RequestIdentity;

/// A sync that a user asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncOrder {
    /// The request.
    pub asked: RequestIdentity,
    /// Who asks.
    pub user: UserId,
    /// The revision to sync to; absent for the one that the Application asks for.
    pub revision: Option<String>,
    /// The revision of some of several sources.
    pub revisions: Vec<SourceRevision>,
    /// What to do with what left Git.
    pub prune: Prune,
    /// Whether it counts.
    pub mode: Mode,
    /// Which resources.
    pub(crate) resources: Selection,
    /// How it is applied.
    pub strategy: Strategy,
    /// Replaces objects that cannot be patched.
    pub force: bool,
    /// Options as `NAME=VALUE`, beside the Application's own.
    pub options: Vec<String>,
    /// Whether and how often to try again; absent for what the Application says.
    pub retry: Option<Retry>,
    /// What the operation carries along for its readers.
    pub infos: Vec<Info>,
    /// The trace that it is part of, as W3C traceparent.
    pub trace: Option<String>,
}

/// The revision of one of several sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceRevision {
    /// 1 for the first one.
    pub position: u32,
    /// The revision.
    pub revision: String,
}

/// What happens to what left Git.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Prune {
    /// It stays.
    Keep,
    /// It is deleted.
    Delete,
}

/// Whether a sync counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// It does.
    Apply,
    /// It only tries.
    DryRun,
}

/// How a sync applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// Without hooks.
    Apply,
    /// With hooks.
    Hook,
}

/// Whether and how often a failed sync is tried again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retry {
    /// How often; -1 for ever.
    pub limit: i64,
    /// Before the first time.
    pub backoff: Duration,
    /// By how much each wait grows.
    pub factor: u32,
    /// The longest wait.
    pub longest: Duration,
    /// True if the newest revision is tried.
    pub refresh: bool,
}

impl SyncOrder {
    /// What Argo CD's API is asked for, given the live object.
    ///
    /// # Errors
    /// The order makes no sense for it.
    pub fn request(&self, live: &Value) -> Result<Sync, OrderError> {
        self.check_sources(live)?;
        let revisions = self.revisions.iter();
        let infos = infos(&self.asked, &self.user, self.trace.as_deref());
        Ok(Sync {
            revision: self.revision.clone(),
            revisions: revisions.clone().map(|it| it.revision.clone()).collect(),
            source_positions: revisions.map(|it| it.position).collect(),
            prune: self.prune == Prune::Delete,
            dry_run: self.mode == Mode::DryRun,
            resources: self.resources.of(live)?,
            strategy: Some(self.strategy()),
            sync_options: self.options(live).map(|items| SyncOptions { items }),
            retry_strategy: self.retry.as_ref().map(Retry::to_strategy),
            infos: infos.into_iter().chain(self.infos.clone()).collect(),
        })
    }

    /// The patch that starts it, good for exactly the object that was decided by. The Application's own options hold, as
    /// they do when Argo CD's API starts a sync. `at` is in milliseconds since 1970.
    ///
    /// # Errors
    /// The order makes no sense for the object.
    pub fn patch(&self, live: &Value, at: i64) -> Result<Value, OrderError> {
        let request = self.request(live)?;
        let mut sync = json!({ "syncStrategy": request.strategy });
        if let Some(revision) = &request.revision {
            sync["revision"] = json!(revision);
        }
        if !self.revisions.is_empty() {
            sync["revisions"] = json!(self.all_revisions(live));
        }
        if request.prune {
            sync["prune"] = json!(true);
        }
        if request.dry_run {
            sync["dryRun"] = json!(true);
        }
        if !request.resources.is_empty() {
            sync["resources"] = json!(request.resources);
        }
        let own = live.pointer("/spec/syncPolicy/syncOptions").cloned();
        let options = request.sync_options.map(|them| json!(them.items));
        if let Some(options) = options.or(own) {
            sync["syncOptions"] = options;
        }
        let mut operation = json!({
            "initiatedBy": { "username": self.user.to_string() },
            "info": request.infos,
            "sync": sync,
        });
        let own = live.pointer("/spec/syncPolicy/retry").cloned();
        if let Some(retry) = request.retry_strategy.map(|it| json!(it)).or(own) {
            operation["retry"] = retry;
        }
        Ok(patch(live, &self.asked, &operation, at))
    }

    /// True if it may be to something else than what the Application asks for.
    pub(crate) fn names_a_revision(&self) -> bool {
        self.revision.is_some() || !self.revisions.is_empty()
    }

    fn strategy(&self) -> rest::Strategy {
        let apply = Apply { force: self.force };
        match self.strategy {
            Strategy::Apply => rest::Strategy::Apply(apply),
            Strategy::Hook => rest::Strategy::Hook(apply),
        }
    }

    /// The Application's own options with these in place of those of the same name; nothing where there are none to add.
    fn options(&self, live: &Value) -> Option<Vec<String>> {
        if self.options.is_empty() {
            return None;
        }
        let own = live.pointer("/spec/syncPolicy/syncOptions");
        let own = own.and_then(Value::as_array).into_iter().flatten();
        let replaced = |option: &&str| {
            let mut ours = self.options.iter();
            ours.any(|other| option_name(other) == option_name(option))
        };
        let kept = own.filter_map(Value::as_str).filter(|it| !replaced(it));
        Some(
            kept.map(str::to_owned)
                .chain(self.options.clone())
                .collect(),
        )
    }

    fn check_sources(&self, live: &Value) -> Result<(), OrderError> {
        let sources = sources(live);
        if sources > 0 && self.revision.is_some() {
            return Err(OrderError::SeveralSources);
        }
        let beyond = |it: &&SourceRevision| it.position as usize > sources;
        match self.revisions.iter().find(beyond) {
            Some(SourceRevision { position, .. }) => Err(OrderError::NoSource {
                position: *position,
                sources,
            }),
            None => Ok(()),
        }
    }

    /// One for each source; empty for what the source itself says.
    fn all_revisions(&self, live: &Value) -> Vec<&str> {
        let mut all = vec![""; sources(live)];
        for SourceRevision { position, revision } in &self.revisions {
            if let Some(place) = all.get_mut(*position as usize - 1) {
                *place = revision;
            }
        }
        all
    }
}

impl Retry {
    fn to_strategy(&self) -> RetryStrategy {
        let text = |duration: Duration| format!("{}ms", duration.as_millis());
        RetryStrategy {
            limit: self.limit,
            backoff: Backoff {
                duration: text(self.backoff),
                factor: self.factor,
                max_duration: text(self.longest),
            },
            refresh: self.refresh,
        }
    }
}

fn option_name(option: &str) -> &str {
    option.split_once('=').map_or(option, |(name, _)| name)
}

/// Number of sources in the list of them, which is empty where there is one.
fn sources(live: &Value) -> usize {
    let list = live.pointer("/spec/sources").and_then(Value::as_array);
    list.map_or(0, Vec::len)
}

#[cfg(test)]
mod tests;
