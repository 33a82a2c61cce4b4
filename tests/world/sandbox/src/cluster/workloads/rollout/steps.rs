//! The steps of a canary and the current position among them.

use std::time::Duration;

use serde_json::{Value, json};

use super::super::controller::elapsed;

const CONDITION: &str = "CanaryPauseStep";

/// A step of the canary and the state of its pause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Position {
    index: usize,
    pause: Pause,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Pause {
    /// Not begun.
    None,
    /// Since a time, or since now.
    Since(Option<String>),
    /// Ended by a promotion.
    Promoted,
}

fn steps(rollout: &Value) -> &[Value] {
    let steps = rollout.pointer("/spec/strategy/canary/steps");
    steps.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

impl Position {
    pub(super) fn first() -> Self {
        Self::at(0)
    }

    pub(super) fn last(rollout: &Value) -> Self {
        Self::at(steps(rollout).len())
    }

    fn at(index: usize) -> Self {
        Self {
            index,
            pause: Pause::None,
        }
    }

    /// Reads the status. A promotion removes the conditions and leaves `controllerPause`.
    pub(super) fn read(rollout: &Value) -> Self {
        let status = &rollout["status"];
        let index = status["currentStepIndex"].as_u64().unwrap_or(0);
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        let condition = &status["pauseConditions"][0];
        let since = condition["startTime"].as_str().map(str::to_owned);
        let pause = match (since, status["controllerPause"] == true) {
            (Some(since), _) => Pause::Since(Some(since)),
            (None, true) => Pause::Promoted,
            (None, false) => Pause::None,
        };
        Self {
            index: index.min(steps(rollout).len()),
            pause,
        }
    }

    pub(super) fn index(&self) -> usize {
        self.index
    }

    pub(super) fn is_last(&self, rollout: &Value) -> bool {
        self.index >= steps(rollout).len()
    }

    pub(super) fn is_paused(&self) -> bool {
        matches!(self.pause, Pause::Since(_))
    }

    pub(super) fn conditions(&self, now: &str) -> Value {
        match &self.pause {
            Pause::Since(since) => {
                let since = since.as_deref().unwrap_or(now);
                json!([{"reason": CONDITION, "startTime": since}])
            }
            Pause::None | Pause::Promoted => Value::Null,
        }
    }

    /// The weight of the new template: that of the last step before this one or at it that has one.
    pub(super) fn weight(&self, rollout: &Value) -> u64 {
        let steps = steps(rollout);
        if self.is_last(rollout) {
            return 100;
        }
        let set = steps[..=self.index].iter().rev();
        set.filter_map(|step| step["setWeight"].as_u64())
            .next()
            .unwrap_or(0)
            .min(100)
    }

    /// The position after this step, or how long it is to be waited at where that is known.
    pub(super) fn next(
        &mut self,
        rollout: &Value,
        reached: bool,
    ) -> Result<Self, Option<Duration>> {
        let step = &steps(rollout)[self.index];
        if step["pause"].is_null() {
            return if reached {
                Ok(Self::at(self.index + 1))
            } else {
                Err(None)
            };
        }
        let length = length(&step["pause"]["duration"]);
        match (&self.pause, length) {
            (Pause::Promoted, _) => Ok(Self::at(self.index + 1)),
            (Pause::None, length) => {
                self.pause = Pause::Since(None);
                Err(length)
            }
            (Pause::Since(_), None) => Err(None),
            (Pause::Since(since), Some(length)) => {
                let past = since.as_deref().map_or(Duration::ZERO, elapsed);
                match length.checked_sub(past).filter(|left| !left.is_zero()) {
                    Some(left) => Err(Some(left)),
                    None => Ok(Self::at(self.index + 1)),
                }
            }
        }
    }
}

/// Seconds, or a number with a unit.
fn length(duration: &Value) -> Option<Duration> {
    if let Some(seconds) = duration.as_u64() {
        return Some(Duration::from_secs(seconds));
    }
    let text = duration.as_str()?;
    let digits = text.trim_end_matches(|it: char| it.is_ascii_alphabetic());
    let number: u64 = digits.parse().ok()?;
    let seconds = match &text[digits.len()..] {
        "" | "s" => 1,
        "m" => 60,
        "h" => 3_600,
        _ => return None,
    };
    Some(Duration::from_secs(number.saturating_mul(seconds)))
}
