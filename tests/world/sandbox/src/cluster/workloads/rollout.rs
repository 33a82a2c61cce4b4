//! Rollouts of Argo: a canary that goes by its weights and pauses, and what people do to it. Neither analyses nor traffic routers.

mod sets;
mod steps;

use std::time::Duration;

use serde_json::{Value, json};

use self::{sets::Sets, steps::Position};
use super::{
    super::{object::is_deleting, refusal::Refusal},
    controller::{Controller, desired, without_zeros},
};

pub(super) const ROLLOUTS: &str = "rollouts.argoproj.io";

/// Where an update stands.
struct Update {
    /// the hash of the template that is wanted
    hash: String,
    /// the one that serves whatever becomes of the update
    stable: String,
    position: Position,
    aborted: bool,
    /// said until all of it is done
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
    let mut sets = Sets::of(controller, rollout)?;
    let rollout = sets.told_revision(controller, rollout)?;
    let mut update = Update::of(&rollout, &sets);
    let wait = update.go_on(&rollout, &sets);
    sets.scale(controller, &update.wanted(&rollout))?;
    let restarted = restart(controller, &rollout, &sets)?;
    let status = update.status(controller, &rollout, &sets, &restarted);
    controller.write_status(ROLLOUTS, &rollout, status)?;
    Ok(wait)
}

impl Update {
    /// As the last look left it, and as people changed it since. Another template begins anew.
    fn of(rollout: &Value, sets: &Sets) -> Self {
        let status = &rollout["status"];
        let text = |field: &str| status[field].as_str().unwrap_or_default().to_owned();
        let (hash, stable) = (sets.hash.clone(), text("stableRS"));
        let known = text("currentPodHash") == hash;
        let position = match known {
            true => Position::of(rollout),
            false => Position::first(),
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

    /// Takes the steps that can be taken now; answers when the next one can be.
    fn go_on(&mut self, rollout: &Value, sets: &Sets) -> Option<Duration> {
        let paused = rollout["spec"]["paused"] == true;
        let mut wait = None;
        while !paused && !self.aborted && !self.position.is_last(rollout) {
            let reached = sets.are(&self.wanted(rollout));
            match self.position.next(rollout, reached) {
                Ok(next) => self.position = next,
                Err(left) => {
                    wait = left;
                    break;
                }
            }
        }
        let whole = self.position.is_last(rollout) && !self.aborted && !paused;
        if whole && sets.are(&self.wanted(rollout)) {
            self.stable.clone_from(&self.hash);
        }
        wait
    }

    /// How many pods of the new template and of the stable one there are to be.
    fn wanted(&self, rollout: &Value) -> sets::PodCounts {
        let all = desired(rollout, "replicas");
        let weight = match (self.aborted, self.stable.is_empty()) {
            (true, _) => 0,
            (false, true) => 100,
            (false, false) => self.position.weight(rollout),
        };
        let new = (all * weight).div_ceil(100).min(all);
        sets::PodCounts {
            new,
            stable: self.stable.clone(),
            old: all - new,
        }
    }

    fn is_over(&self, rollout: &Value, sets: &Sets) -> bool {
        self.stable == self.hash && sets.are(&self.wanted(rollout))
    }

    fn phase(&self, rollout: &Value, sets: &Sets) -> (&'static str, String) {
        if self.aborted {
            let revision = sets.revision;
            let text = format!("RolloutAborted: Rollout aborted update to revision {revision}");
            return ("Degraded", text);
        }
        if rollout["spec"]["paused"] == true {
            return ("Paused", "manually paused".to_owned());
        }
        match (self.position.is_paused(), self.is_over(rollout, sets)) {
            (true, _) => ("Paused", "CanaryPauseStep".to_owned()),
            (false, true) => ("Healthy", String::new()),
            (false, false) => ("Progressing", "more replicas need to be updated".to_owned()),
        }
    }

    fn status(
        &self,
        controller: &Controller<'_>,
        rollout: &Value,
        sets: &Sets,
        restarted: &Value,
    ) -> Value {
        let (phase, message) = self.phase(rollout, sets);
        let before = &rollout["status"];
        let aborted = match (self.aborted, before["abortedAt"].is_string()) {
            (false, _) => Value::Null,
            (true, true) => before["abortedAt"].clone(),
            (true, false) => controller.context.now.into(),
        };
        let mut status = without_zeros(sets.counts());
        let told = json!({
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
            "selector": sets::selector(rollout),
        });
        for (field, value) in told.as_object().into_iter().flatten() {
            let says = !value.is_null() && *value != false && *value != "";
            if says {
                status[field] = value.clone();
            }
        }
        status
    }
}

/// Deletes the pods from before the time that is asked for; answers when that was done last.
fn restart(
    controller: &mut Controller<'_>,
    rollout: &Value,
    sets: &Sets,
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
