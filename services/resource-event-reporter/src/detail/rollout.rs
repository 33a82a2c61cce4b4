//! Fields of a Rollout, named as in the Argo Rollouts API, and its progress.

use serde::Deserialize;
use serde_json::Value;

use super::PodTemplate;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Rollout {
    pub(crate) spec: RolloutSpec,
    pub(crate) status: RolloutStatus,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RolloutSpec {
    pub(crate) replicas: Option<i64>,
    pub(crate) paused: bool,
    pub(crate) strategy: Strategy,
    pub(crate) template: PodTemplate,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Strategy {
    pub(crate) canary: Option<Canary>,
    pub(crate) blue_green: Option<BlueGreen>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Canary {
    pub(crate) steps: Vec<Step>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct BlueGreen {}

/// Step of a canary.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "Value")]
pub(crate) struct Step {
    /// Summary for users.
    pub(crate) text: String,
    /// The weight that the step sets.
    pub(crate) weight: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RolloutStatus {
    pub(crate) phase: String,
    pub(crate) message: String,
    pub(crate) current_step_index: Option<u32>,
    pub(crate) pause_conditions: Vec<PauseCondition>,
    pub(crate) abort: bool,
    #[serde(rename = "stableRS")]
    pub(crate) stable_revision: String,
    #[serde(rename = "currentPodHash")]
    pub(crate) current_revision: String,
    pub(crate) canary: CanaryStatus,
    pub(crate) blue_green: BlueGreenStatus,
    pub(crate) ready_replicas: i64,
    pub(crate) available_replicas: i64,
    pub(crate) updated_replicas: i64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct PauseCondition {
    pub(crate) reason: String,
    pub(crate) start_time: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct CanaryStatus {
    pub(crate) weights: Option<Weights>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Weights {
    pub(crate) canary: Weight,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Weight {
    pub(crate) weight: u32,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct BlueGreenStatus {
    pub(crate) active_selector: String,
    pub(crate) preview_selector: String,
}

impl Rollout {
    /// Returns the canary steps.
    pub(crate) fn steps(&self) -> &[Step] {
        let canary = self.spec.strategy.canary.as_ref();
        canary.map_or(&[], |canary| &canary.steps)
    }

    /// Returns the index of the current step; the number of steps when all are complete.
    pub(crate) fn current_step(&self) -> Option<usize> {
        let count = self.steps().len();
        let index = usize::try_from(self.status.current_step_index?).unwrap_or(count);
        (count > 0).then_some(index.min(count))
    }

    /// Returns the weight of the new revision that the steps request, in percent.
    pub(crate) fn desired_weight(&self) -> Option<u32> {
        self.spec.strategy.canary.as_ref()?;
        if self.status.abort {
            return Some(0);
        }
        let whole = self.is_promoted() || self.current_step() == Some(self.steps().len());
        if whole || self.steps().is_empty() {
            return Some(100);
        }
        let taken = self.current_step().map_or(0, |at| at + 1);
        let taken = self.steps().iter().take(taken).rev();
        Some(taken.filter_map(|step| step.weight).next().unwrap_or(0))
    }

    /// Returns true if the newest revision serves all traffic.
    pub(crate) fn is_promoted(&self) -> bool {
        let status = &self.status;
        !status.stable_revision.is_empty() && status.stable_revision == status.current_revision
    }
}

impl From<Value> for Step {
    fn from(step: Value) -> Self {
        let name = step.as_object().and_then(|map| map.keys().next());
        let name = name.map_or("", String::as_str);
        let weight = step.get("setWeight").and_then(Value::as_u64);
        let weight = weight.and_then(|weight| u32::try_from(weight).ok());
        let more = match (weight, step.pointer("/pause/duration")) {
            (Some(weight), _) => weight.to_string(),
            (None, Some(Value::String(duration))) => duration.clone(),
            (None, Some(Value::Number(seconds))) => format!("{seconds}s"),
            (None, _) => String::new(),
        };
        let text = match more.as_str() {
            "" => name.to_owned(),
            more => format!("{name} {more}"),
        };
        Self { text, weight }
    }
}

#[cfg(test)]
mod tests;
