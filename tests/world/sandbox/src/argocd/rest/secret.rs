//! Hiding what Secrets hold. Equal values look equal and different ones different, and no more can be seen.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::argocd::manifest::{LAST_APPLIED, annotation, set_annotation};

const SHORTEST: usize = 8;

/// The values of one Secret in several states, each with its stand-in.
#[derive(Debug, Default)]
pub(super) struct Secret {
    seen: BTreeMap<String, Vec<Value>>,
}

impl Secret {
    pub(super) fn hide(&mut self, state: &mut Value) {
        for field in ["data", "stringData"] {
            for (name, value) in state
                .get_mut(field)
                .and_then(Value::as_object_mut)
                .into_iter()
                .flatten()
            {
                *value = self.stand_in(name, value).into();
            }
        }
        let applied = annotation(state, LAST_APPLIED).map(serde_json::from_str::<Value>);
        match applied {
            Some(Ok(mut applied)) => {
                self.hide(&mut applied);
                set_annotation(state, LAST_APPLIED, applied.to_string());
            }
            Some(Err(_)) => set_annotation(state, LAST_APPLIED, "+".repeat(SHORTEST)),
            None => {}
        }
    }

    fn stand_in(&mut self, name: &str, value: &Value) -> String {
        let seen = self.seen.entry(name.to_owned()).or_default();
        let at = seen
            .iter()
            .position(|held| held == value)
            .unwrap_or_else(|| {
                seen.push(value.clone());
                seen.len() - 1
            });
        "+".repeat(SHORTEST + at)
    }
}

#[cfg(test)]
mod tests;
