//! What a verb does to a Rollout as it is now: the writes that `kubectl argo rollouts` makes, decided by the live objects alone.

pub(crate) mod act;
mod template;

use serde_json::{Value, json};

use crate::merge::changes_nothing;

/// What can be asked of a Rollout.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Verb {
    /// Go on past the pause or the step that it is at.
    Promote,
    /// Go to the end at once.
    PromoteFull,
    /// Stay where it is.
    Pause,
    /// Forget what it is paused by.
    Resume,
    /// Give the update up.
    Abort,
    /// Begin an aborted update again.
    Retry,
    /// Replace all pods, after so many seconds.
    Restart { delay: u64 },
    /// Take the template of an earlier revision; nothing for the one before the newest.
    Undo { revision: Option<u64> },
    /// Change the image of a container, or of all by `*`.
    SetImage { container: String, image: String },
}

/// What is to be written.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Plan {
    /// A merge patch of the object.
    pub(crate) object: Option<Value>,
    /// A merge patch of its status.
    pub(crate) status: Option<Value>,
}

/// Why a Rollout is not for this. Each text is one line that says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RolloutRefusal {
    #[error("its template is that of {kind}/{name}: change that one")]
    Referenced { kind: String, name: String },
    #[error("it has no container {0}; its containers are {1}")]
    NoContainer(String, String),
    #[error("it has no revision {0}; 'causeway rollout get' shows those that it has")]
    NoRevision(u64),
    #[error("it has no revision before this one; 'causeway rollout get' shows those that it has")]
    NothingBefore,
}

/// Rollout and its ReplicaSets at one time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RolloutState<'a> {
    /// The Rollout.
    pub(crate) rollout: &'a Value,
    /// The ReplicaSets of its namespace; needed only to undo.
    pub(crate) replica_sets: &'a [Value],
    /// Seconds since 1970.
    pub(crate) now: u64,
}

impl Verb {
    /// What it is called.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Promote => "promote",
            Self::PromoteFull => "promote --full",
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Abort => "abort",
            Self::Retry => "retry",
            Self::Restart { .. } => "restart",
            Self::Undo { .. } => "undo",
            Self::SetImage { .. } => "set-image",
        }
    }

    /// True if it can be told from the live object that it was done, once another revision has come.
    pub(crate) fn outlives_revisions(&self) -> bool {
        !matches!(self, Self::PromoteFull | Self::Abort)
    }

    /// What is to be written, without what would change nothing.
    ///
    /// # Errors
    /// The Rollout is not for this.
    pub(crate) fn plan(&self, seen: RolloutState<'_>) -> Result<Plan, RolloutRefusal> {
        let rollout = seen.rollout;
        let plan = match self {
            Self::Promote => promote(rollout),
            Self::PromoteFull => promote_full(rollout),
            Self::Pause => Plan::of_object(json!({"spec": {"paused": true}})),
            Self::Resume => Plan {
                object: unpause(rollout),
                status: Some(json!({"status": {"pauseConditions": null}})),
            },
            Self::Abort => Plan::of_status(json!({"status": {"abort": true}})),
            Self::Retry => Plan::of_status(json!({"status": {"abort": false}})),
            Self::Restart { delay } => Plan::of_object(restart(seen.now, *delay)),
            Self::Undo { revision } => Plan::of_object(template::undo(seen, *revision)?),
            Self::SetImage { container, image } => {
                Plan::of_object(template::set_image(rollout, container, image)?)
            }
        };
        Ok(plan.without_needless(rollout))
    }
}

impl Plan {
    fn of_object(patch: Value) -> Self {
        Self {
            object: Some(patch),
            status: None,
        }
    }

    fn of_status(patch: Value) -> Self {
        Self {
            object: None,
            status: Some(patch),
        }
    }

    fn without_needless(self, rollout: &Value) -> Self {
        let needed =
            |patch: &Value| !changes_nothing(rollout, patch) && !is_false_anyway(rollout, patch);
        Self {
            object: self.object.filter(needed),
            status: self.status.filter(needed),
        }
    }
}

impl Verb {
    /// What the status is, as far as this verb changes it: another one as soon as it has had its effect, and the same one as long as
    /// it has not.
    pub(crate) fn standing(&self, rollout: &Value) -> String {
        let fields: &[&str] = match self {
            Self::Promote | Self::Resume => &["stableRS", "currentStepIndex", "pauseConditions"],
            Self::PromoteFull => &["stableRS", "promoteFull"],
            Self::Abort | Self::Retry => &["abort", "abortedAt"],
            Self::Pause | Self::Restart { .. } | Self::Undo { .. } | Self::SetImage { .. } => &[],
        };
        let field = |name: &&str| {
            let value = rollout.pointer(&format!("/status/{name}"));
            value.filter(|value| **value != json!(false))
        };
        let told: Vec<Option<&Value>> = fields.iter().map(field).collect();
        format!("{} {}", revision(rollout), digest(&json!(told).to_string()))
    }
}

/// The revision, of pods' templates, that a standing was at.
pub(crate) fn revision_of(standing: &str) -> &str {
    standing.split(' ').next().unwrap_or_default()
}

/// The revision that is being brought in.
pub(crate) fn revision(rollout: &Value) -> &str {
    let hash = rollout.pointer("/status/currentPodHash");
    hash.and_then(Value::as_str).unwrap_or("-")
}

/// Short, and the same in every process.
pub(crate) fn digest(text: &str) -> String {
    // FNV-1a suffices: a writer of the annotation can forge it without a collision.
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

fn is_paused(rollout: &Value) -> bool {
    rollout.pointer("/spec/paused") == Some(&json!(true))
}

fn unpause(rollout: &Value) -> Option<Value> {
    is_paused(rollout).then(|| json!({"spec": {"paused": false}}))
}

/// "false" is what the API server leaves out.
fn is_false_anyway(rollout: &Value, patch: &Value) -> bool {
    *patch == json!({"status": {"abort": false}}) && rollout.pointer("/status/abort").is_none()
}

/// The step after the one that it is at; nothing where there are no steps.
fn next_step(rollout: &Value) -> Option<u64> {
    let steps = rollout.pointer("/spec/strategy/canary/steps")?.as_array()?;
    if steps.is_empty() {
        return None;
    }
    let at = rollout.pointer("/status/currentStepIndex");
    let at = at.and_then(Value::as_u64).unwrap_or(0);
    let last = u64::try_from(steps.len()).unwrap_or(u64::MAX);
    Some(if at < last { at + 1 } else { at })
}

fn promote(rollout: &Value) -> Plan {
    let conditions = rollout.pointer("/status/pauseConditions");
    let paused = conditions.is_some_and(|it| it.as_array().is_some_and(|it| !it.is_empty()));
    let held = rollout.pointer("/status/controllerPause") == Some(&json!(true));
    let analysis = rollout.pointer("/status/canary/currentStepAnalysisRunStatus/status");
    let undecided = rollout.pointer("/spec/strategy/canary").is_some()
        && analysis == Some(&json!("Inconclusive"));
    let status = match (paused, next_step(rollout)) {
        (true, next) if undecided && held => next.map(|next| {
            json!({"pauseConditions": null, "controllerPause": false, "currentStepIndex": next})
        }),
        (true, _) => Some(json!({"pauseConditions": null})),
        (false, next) => next.map(|next| json!({"pauseConditions": null, "currentStepIndex": next})),
    };
    Plan {
        object: unpause(rollout),
        status: status.map(|status| json!({"status": status})),
    }
}

fn promote_full(rollout: &Value) -> Plan {
    let status = |name: &str| rollout.pointer(&format!("/status/{name}"));
    let under_way = status("currentPodHash") != status("stableRS");
    Plan {
        object: unpause(rollout),
        status: under_way.then(|| json!({"status": {"promoteFull": true}})),
    }
}

fn restart(now: u64, delay: u64) -> Value {
    let at = i64::try_from(now.saturating_add(delay)).unwrap_or(i64::MAX);
    let at = jiff::Timestamp::from_second(at).unwrap_or(jiff::Timestamp::MAX);
    json!({"spec": {"restartAt": at.to_string()}})
}

#[cfg(test)]
mod tests;
