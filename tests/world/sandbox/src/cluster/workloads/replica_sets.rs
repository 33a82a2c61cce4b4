//! The ReplicaSets of a Deployment or a Rollout: one per pod template, numbered by revision.

use serde_json::{Value, json};

use super::{
    super::{
        object::{metadata_text, set_metadata},
        refusal::Refusal,
    },
    controller::{Controller, label, owner_reference, template_hash},
};

const REPLICA_SETS: &str = "replicasets.apps";

/// Labels and annotations by which a kind marks its ReplicaSets.
pub(super) struct OwnerKind {
    pub(super) id: &'static str,
    pub(super) hash_label: &'static str,
    pub(super) revision_annotation: &'static str,
}

pub(super) struct ReplicaSets {
    /// hash of the owner's current template
    pub(super) hash: String,
    pub(super) revision: u64,
    kind: &'static OwnerKind,
    all: Vec<Value>,
}

impl ReplicaSets {
    /// Loads the sets of `owner`. Unless it is paused, creates the set of its template and gives it the highest revision.
    pub(super) fn load(
        controller: &mut Controller<'_>,
        owner: &Value,
        kind: &'static OwnerKind,
    ) -> Result<Self, Refusal> {
        let mut sets = Self {
            hash: template_hash(&owner["spec"]["template"]),
            revision: 0,
            kind,
            all: controller.owned(owner, REPLICA_SETS),
        };
        let current = sets.all.iter().position(|set| sets.is_current(set));
        let others = sets.all.iter().filter(|set| !sets.is_current(set));
        let highest = others.map(|set| sets.revision_of(set)).max().unwrap_or(0);
        sets.revision = highest + 1;
        match current {
            None if owner["spec"]["paused"] == true => sets.revision = highest,
            None => {
                let set = controller.create(
                    REPLICA_SETS,
                    metadata_text(owner, "namespace"),
                    sets.new_set(owner),
                )?;
                sets.all.push(set);
            }
            Some(at) if sets.revision_of(&sets.all[at]) > highest => {
                sets.revision = sets.revision_of(&sets.all[at]);
            }
            // A template that came back is the newest revision again.
            Some(at) => {
                annotate(&mut sets.all[at], kind, sets.revision);
                sets.all[at] = controller.write(REPLICA_SETS, &sets.all[at])?;
            }
        }
        Ok(sets)
    }

    fn new_set(&self, owner: &Value) -> Value {
        let mut template = owner["spec"]["template"].clone();
        template["metadata"]["labels"][self.kind.hash_label] = self.hash.as_str().into();
        let mut selector = owner["spec"]["selector"].clone();
        selector["matchLabels"][self.kind.hash_label] = self.hash.as_str().into();
        json!({
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {
                "name": format!("{}-{}", metadata_text(owner, "name"), self.hash),
                "labels": template["metadata"]["labels"],
                "annotations": { self.kind.revision_annotation: self.revision.to_string() },
                "ownerReferences": owner_reference(owner),
            },
            "spec": { "replicas": 0, "selector": selector, "template": template },
        })
    }

    /// Writes the current revision into the owner; returns the owner as it is then.
    pub(super) fn annotate_owner(
        &self,
        controller: &mut Controller<'_>,
        owner: &Value,
    ) -> Result<Value, Refusal> {
        if self.revision_of(owner) == self.revision {
            return Ok(owner.clone());
        }
        let mut owner = owner.clone();
        annotate(&mut owner, self.kind, self.revision);
        controller.write(self.kind.id, &owner)
    }

    /// Scales each set to what `wanted` gives for its template hash; nothing leaves it alone.
    pub(super) fn scale(
        &mut self,
        controller: &mut Controller<'_>,
        wanted: impl Fn(&str) -> Option<u64>,
    ) -> Result<(), Refusal> {
        for set in &mut self.all {
            let Some(count) = wanted(label(set, self.kind.hash_label)) else {
                continue;
            };
            if set["spec"]["replicas"] != count {
                set["spec"]["replicas"] = count.into();
                *set = controller.write(REPLICA_SETS, set)?;
            }
        }
        Ok(())
    }

    /// True when each set has the available pods that `wanted` gives, and no others.
    pub(super) fn have(&self, wanted: impl Fn(&str) -> u64) -> bool {
        self.all.iter().all(|set| {
            let count = wanted(label(set, self.kind.hash_label));
            count_of(set, "replicas") == count && count_of(set, "availableReplicas") == count
        })
    }

    /// A count of the status, summed over all sets.
    pub(super) fn total(&self, field: &str) -> u64 {
        self.all.iter().map(|set| count_of(set, field)).sum()
    }

    /// A count of the status of the current template's set.
    pub(super) fn updated(&self, field: &str) -> u64 {
        self.current().map_or(0, |set| count_of(set, field))
    }

    pub(super) fn current_name(&self) -> &str {
        self.current().map_or("", |set| metadata_text(set, "name"))
    }

    pub(super) fn pods(&self, controller: &Controller<'_>) -> Vec<Value> {
        let sets = self.all.iter();
        sets.flat_map(|set| controller.owned(set, "pods")).collect()
    }

    /// Deletes the oldest empty sets beyond `kept`.
    pub(super) fn drop_history(
        &self,
        controller: &mut Controller<'_>,
        kept: usize,
    ) -> Result<(), Refusal> {
        let is_empty =
            |set: &&Value| set["spec"]["replicas"] == 0 && set["status"]["replicas"] == 0;
        let old = self.all.iter().filter(|set| !self.is_current(set));
        let mut old: Vec<&Value> = old.filter(is_empty).collect();
        old.sort_by_key(|set| std::cmp::Reverse(self.revision_of(set)));
        for set in old.into_iter().skip(kept) {
            controller.delete(REPLICA_SETS, set)?;
        }
        Ok(())
    }

    fn current(&self) -> Option<&Value> {
        self.all.iter().find(|set| self.is_current(set))
    }

    fn is_current(&self, set: &Value) -> bool {
        label(set, self.kind.hash_label) == self.hash
    }

    fn revision_of(&self, object: &Value) -> u64 {
        let text = object["metadata"]["annotations"][self.kind.revision_annotation].as_str();
        text.and_then(|text| text.parse().ok()).unwrap_or(0)
    }
}

fn count_of(set: &Value, field: &str) -> u64 {
    set["status"][field].as_u64().unwrap_or(0)
}

fn annotate(object: &mut Value, kind: &OwnerKind, revision: u64) {
    let mut annotations = object["metadata"]["annotations"].clone();
    annotations[kind.revision_annotation] = revision.to_string().into();
    set_metadata(object, "annotations", annotations);
}
