//! Argo Rollouts: canaries with weights and pauses, and the verbs of users. Neither analyses nor traffic routers.

mod steps;

use std::time::Duration;

use serde_json::{Value, json};

use self::steps::Position;
use super::{
    super::{object::is_deleting, refusal::Refusal},
    controller::{Controller, desired, without_zeros},
    replica_sets::{OwnerKind, ReplicaSets},
};

pub(super) const ROLLOUTS: OwnerKind = OwnerKind {
    id: "rollouts.argoproj.io",
    hash_label: "rollouts-pod-template-hash",
    revision_annotation: "rollout.argoproj.io/revision",
};

/// State of an update.
struct Update {
    /// hash of the current template
    hash: String,
    /// hash of the template that serves until the update is complete
    stable: String,
    position: Position,
    aborted: bool,
    /// set until the update is complete
    promoted_in_full: bool,
}

pub(super) fn reconcile(
    controller: &mut Controller<'_>,
    rollout: &Value,
) -> Result<Option<Duration>, Refusal> {
    // One without a template of its own takes that of another object, which is not simulated.
    if is_deleting(rollout) || rollout["spec"]["template"].is_null() {
        return Ok(None);
    }
    let mut sets = ReplicaSets::load(controller, rollout, &ROLLOUTS)?;
    let rollout = sets.annotate_owner(controller, rollout)?;
    let mut update = Update::read(&rollout, &sets);
    let wait = update.advance(&rollout, &sets);
    let replicas = desired(&rollout, "replicas");
    let weight = update.weight(&rollout);
    sets.scale(controller, |hash| {
        Some(update.replicas_of(hash, replicas, weight))
    })?;
    let restarted = restart(controller, &rollout, &sets)?;
    let status = update.status(controller, &rollout, &sets, &restarted);
    controller.write_status(ROLLOUTS.id, &rollout, status)?;
    Ok(wait)
}

impl Update {
    /// Reads where the last look left the update and what users changed since. Another template starts over.
    fn read(rollout: &Value, sets: &ReplicaSets) -> Self {
        let status = &rollout["status"];
        let text = |field: &str| status[field].as_str().unwrap_or_default().to_owned();
        let (hash, stable) = (sets.hash.clone(), text("stableRS"));
        let known = text("currentPodHash") == hash;
        let position = if known {
            Position::read(rollout)
        } else {
            Position::first()
        };
        let mut update = Self {
            aborted: known && status["abort"] == true,
            hash,
            stable,
            position,
            promoted_in_full: known && status["promoteFull"] == true,
        };
        if update.promoted_in_full {
            update.position = Position::last(rollout);
            update.aborted = false;
        }
        if update.aborted {
            update.position = Position::first();
        }
        // The first one serves at once, and so does one that is gone back to.
        if update.stable.is_empty() || update.stable == update.hash {
            update.position = Position::last(rollout);
        }
        update
    }

    /// Takes the steps that can be taken now; returns when the next one can be.
    fn advance(&mut self, rollout: &Value, sets: &ReplicaSets) -> Option<Duration> {
        let paused = rollout["spec"]["paused"] == true;
        let mut wait = None;
        while !paused && !self.aborted && !self.position.is_last(rollout) {
            let reached = self.is_scaled(rollout, sets);
            match self.position.next(rollout, reached) {
                Ok(next) => self.position = next,
                Err(left) => {
                    wait = left;
                    break;
                }
            }
        }
        let whole = self.position.is_last(rollout) && !self.aborted && !paused;
        if whole && self.is_scaled(rollout, sets) {
            self.stable.clone_from(&self.hash);
        }
        wait
    }

    /// Percentage of the pods that run the new template.
    fn weight(&self, rollout: &Value) -> u64 {
        if self.aborted {
            0
        } else if self.stable.is_empty() {
            100
        } else {
            self.position.weight(rollout)
        }
    }

    /// The pods of the template `hash`: the stable one has those that the new one has not.
    fn replicas_of(&self, hash: &str, replicas: u64, weight: u64) -> u64 {
        let new = (replicas * weight).div_ceil(100).min(replicas);
        match (hash == self.hash, hash == self.stable) {
            (true, true) => replicas,
            (true, false) => new,
            (false, true) => replicas - new,
            (false, false) => 0,
        }
    }

    fn is_scaled(&self, rollout: &Value, sets: &ReplicaSets) -> bool {
        let (replicas, weight) = (desired(rollout, "replicas"), self.weight(rollout));
        sets.have(|hash| self.replicas_of(hash, replicas, weight))
    }

    fn phase(&self, rollout: &Value, sets: &ReplicaSets) -> (&'static str, String) {
        if self.aborted {
            let revision = sets.revision;
            let text = format!("RolloutAborted: Rollout aborted update to revision {revision}");
            return ("Degraded", text);
        }
        if rollout["spec"]["paused"] == true {
            return ("Paused", "manually paused".to_owned());
        }
        match (
            self.position.is_paused(),
            self.stable == self.hash && self.is_scaled(rollout, sets),
        ) {
            (true, _) => ("Paused", "CanaryPauseStep".to_owned()),
            (false, true) => ("Healthy", String::new()),
            (false, false) => ("Progressing", "more replicas need to be updated".to_owned()),
        }
    }

    fn status(
        &self,
        controller: &Controller<'_>,
        rollout: &Value,
        sets: &ReplicaSets,
        restarted: &Value,
    ) -> Value {
        let (phase, message) = self.phase(rollout, sets);
        let before = &rollout["status"];
        let aborted = match (self.aborted, before["abortedAt"].is_string()) {
            (false, _) => Value::Null,
            (true, true) => before["abortedAt"].clone(),
            (true, false) => controller.context.now.into(),
        };
        let mut status = without_zeros(json!({
            "replicas": sets.total("replicas"),
            "HPAReplicas": sets.total("replicas"),
            "readyReplicas": sets.total("readyReplicas"),
            "availableReplicas": sets.total("availableReplicas"),
            "updatedReplicas": sets.updated("replicas"),
        }));
        let fields = json!({
            "phase": phase,
            "message": message,
            "currentPodHash": self.hash,
            "stableRS": self.stable,
            "currentStepIndex": self.position.index(),
            "pauseConditions": self.position.conditions(controller.context.now),
            "controllerPause": self.position.is_paused(),
            "abort": self.aborted,
            "promoteFull": self.promoted_in_full && self.stable != self.hash,
            "abortedAt": aborted,
            "restartedAt": restarted,
            "observedGeneration": rollout["metadata"]["generation"].to_string(),
            "selector": selector(rollout),
        });
        for (field, value) in fields.as_object().into_iter().flatten() {
            if !value.is_null() && *value != false && *value != "" {
                status[field] = value.clone();
            }
        }
        status
    }
}

/// Writes a Rollout's selector as a label selector.
fn selector(rollout: &Value) -> String {
    let labels = rollout["spec"]["selector"]["matchLabels"].as_object();
    let pairs = labels.into_iter().flatten();
    let pairs = pairs.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()));
    pairs.collect::<Vec<_>>().join(",")
}

/// Deletes all pods once `spec.restartAt` is reached; returns the last restart.
fn restart(
    controller: &mut Controller<'_>,
    rollout: &Value,
    sets: &ReplicaSets,
) -> Result<Value, Refusal> {
    let done = &rollout["status"]["restartedAt"];
    let Some(at) = rollout["spec"]["restartAt"].as_str() else {
        return Ok(done.clone());
    };
    let time = |text: &str| text.parse::<jiff::Timestamp>().ok();
    let due = time(at).is_some_and(|at| at <= jiff::Timestamp::now());
    if done == at || !due {
        return Ok(done.clone());
    }
    for pod in sets.pods(controller) {
        controller.delete("pods", &pod)?;
    }
    Ok(at.into())
}

#[cfg(test)]
mod tests;
