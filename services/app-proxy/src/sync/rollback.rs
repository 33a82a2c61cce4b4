//! A rollback: a sync to the sources and revisions of a deployment of the history. Argo CD's API for it carries no request along,
//! so that it is written into the Application as that API would write it.

use causeway_proto::ids::UserId;
use serde_json::{Value, json};

use super::{Mode, OrderError, Prune, infos, patch};
use crate::outcome::RequestIdentity;

/// A rollback that a user asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RollbackOrder {
    /// The request.
    pub asked: RequestIdentity,
    /// Who asks.
    pub user: UserId,
    /// The deployment in the history; absent for the one before the last.
    pub history_id: Option<i64>,
    /// What to do with what that deployment had not.
    pub prune: Prune,
    /// Whether it counts.
    pub mode: Mode,
    /// The trace that it is part of, as W3C traceparent.
    pub trace: Option<String>,
}

impl RollbackOrder {
    /// The patch that starts it, good for exactly the object that was decided by. `at` is in milliseconds since 1970.
    ///
    /// # Errors
    /// The order makes no sense for the object.
    pub fn patch(&self, live: &Value, at: i64) -> Result<Value, OrderError> {
        if is_automated(live) {
            return Err(OrderError::AutoSync);
        }
        let deployment = self.deployment(live)?;
        let mut sync = json!({ "syncStrategy": { "apply": {} } });
        for field in ["revision", "revisions", "source", "sources"] {
            if let Some(value) = deployment.get(field) {
                sync[field] = value.clone();
            }
        }
        if sync.get("source").is_none() && sync.get("sources").is_none() {
            return Err(OrderError::NoSourceKept(id(deployment)));
        }
        if self.prune == Prune::Delete {
            sync["prune"] = json!(true);
        }
        if self.mode == Mode::DryRun {
            sync["dryRun"] = json!(true);
        }
        if let Some(options) = live.pointer("/spec/syncPolicy/syncOptions") {
            sync["syncOptions"] = options.clone();
        }
        let operation = json!({
            "initiatedBy": { "username": self.user.to_string() },
            "info": infos(&self.asked, &self.user, self.trace.as_deref()),
            "sync": sync,
        });
        Ok(patch(live, &self.asked, &operation, at))
    }

    fn deployment<'a>(&self, live: &'a Value) -> Result<&'a Value, OrderError> {
        let history = live.pointer("/status/history").and_then(Value::as_array);
        let history = history.map_or(&[][..], Vec::as_slice);
        let Some(wanted) = self.history_id else {
            let [.., previous, _] = history else {
                return Err(OrderError::NoPrevious);
            };
            return Ok(previous);
        };
        let found = history.iter().find(|it| id(it) == wanted);
        found.ok_or_else(|| OrderError::NoDeployment {
            id: wanted,
            there: there(history),
            name: live["metadata"]["name"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        })
    }
}

/// Argo CD leaves the id of its first deployment out.
fn id(deployment: &Value) -> i64 {
    deployment["id"].as_i64().unwrap_or(0)
}

fn there(history: &[Value]) -> String {
    match history {
        [] => "it is empty".to_owned(),
        [first, .., last] => format!("it has {} to {}", id(first), id(last)),
        [only] => format!("it has only {}", id(only)),
    }
}

fn is_automated(live: &Value) -> bool {
    let policy = live.pointer("/spec/syncPolicy/automated");
    let policy = policy.filter(|policy| !policy.is_null());
    policy.is_some_and(|policy| policy["enabled"] != false)
}

#[cfg(test)]
mod tests;
