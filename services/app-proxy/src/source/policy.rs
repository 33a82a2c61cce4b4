//! Automated sync of a live Application.

use serde_json::{Value, json};

use super::SourceError;

const PLACE: &str = "spec.syncPolicy.automated";

/// A change of automated sync; what is absent stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PolicyOrder {
    /// Whether new commits are synced.
    pub(crate) automated: Option<Automated>,
    /// Whether resources that were removed from Git are deleted.
    pub(crate) prune: Option<bool>,
    /// Whether changes in the cluster are reverted.
    pub(crate) self_heal: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Automated {
    Enabled,
    Disabled,
}

impl PolicyOrder {
    /// Returns the merge patch of `spec.syncPolicy` and the changed fields.
    pub(super) fn changed(&self, live: &Value) -> Result<(Value, Vec<String>), SourceError> {
        let before = live.pointer("/spec/syncPolicy/automated");
        let before = before.filter(|it| it.is_object());
        let was_enabled = before.is_some_and(|it| it["enabled"] != json!(false));
        let enables = match self.automated {
            Some(Automated::Enabled) => true,
            Some(Automated::Disabled) => false,
            None => was_enabled,
        };
        if !enables {
            return self.disabled(was_enabled);
        }
        let (mut patch, mut fields) = (json!({}), Vec::new());
        if !was_enabled {
            if before.is_some() {
                patch["enabled"] = Value::Null;
            }
            fields.push(PLACE.to_owned());
        }
        for (name, wanted) in [("prune", self.prune), ("selfHeal", self.self_heal)] {
            let held = before.and_then(|it| it[name].as_bool()).unwrap_or(false);
            if let Some(wanted) = wanted.filter(|wanted| *wanted != held) {
                patch[name] = json!(wanted);
                fields.push(format!("{PLACE}.{name}"));
            }
        }
        Ok((json!({ "automated": patch }), fields))
    }

    fn disabled(&self, was_enabled: bool) -> Result<(Value, Vec<String>), SourceError> {
        if self.prune.is_some() || self.self_heal.is_some() {
            return Err(SourceError::NotAutomated);
        }
        let fields = was_enabled.then(|| PLACE.to_owned());
        Ok((json!({ "automated": null }), fields.into_iter().collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live(automated: &Value) -> Value {
        json!({ "spec": { "syncPolicy": { "automated": automated } } })
    }

    fn order(automated: Option<Automated>, prune: Option<bool>) -> PolicyOrder {
        PolicyOrder {
            automated,
            prune,
            self_heal: None,
        }
    }

    #[test]
    fn automated_sync_is_set_and_unset_and_what_is_so_already_is_no_change() {
        let (on, off) = (Some(Automated::Enabled), Some(Automated::Disabled));
        let held = json!({ "prune": true, "selfHeal": true });
        for (before, order, patch, fields) in [
            (Value::Null, order(on, None), json!({}), vec![PLACE]),
            (
                Value::Null,
                order(on, Some(true)),
                json!({ "prune": true }),
                vec![PLACE, "spec.syncPolicy.automated.prune"],
            ),
            (
                json!({ "enabled": false }),
                order(on, None),
                json!({ "enabled": null }),
                vec![PLACE],
            ),
            (held.clone(), order(on, Some(true)), json!({}), vec![]),
            (
                held.clone(),
                order(None, Some(false)),
                json!({ "prune": false }),
                vec!["spec.syncPolicy.automated.prune"],
            ),
            (held, order(off, None), Value::Null, vec![PLACE]),
            (Value::Null, order(off, None), Value::Null, vec![]),
        ] {
            let found = order.changed(&live(&before)).unwrap();
            let fields: Vec<_> = fields.into_iter().map(str::to_owned).collect();
            assert_eq!(found, (json!({ "automated": patch }), fields), "{before}");
        }
    }

    #[test]
    fn pruning_and_self_healing_need_automated_sync() {
        let off = order(Some(Automated::Disabled), Some(true));
        let manual = order(None, Some(true));
        for order in [off, manual] {
            let refused = order.changed(&live(&Value::Null)).unwrap_err();
            assert_eq!(refused, SourceError::NotAutomated);
        }
    }
}
