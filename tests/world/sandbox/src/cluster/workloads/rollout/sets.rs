//! The ReplicaSets of a Rollout: one per template, each with its revision.

use serde_json::{Value, json};

use super::{
    super::{
        super::{
            object::{metadata_text, set_metadata},
            refusal::Refusal,
        },
        controller::{Controller, label, owner_reference, template_hash},
    },
    ROLLOUTS,
};

const SETS: &str = "replicasets.apps";
const HASH: &str = "rollouts-pod-template-hash";
const REVISION: &str = "rollout.argoproj.io/revision";

pub(super) struct Sets {
    /// of the template that is wanted
    pub(super) hash: String,
    /// its number
    pub(super) revision: u64,
    all: Vec<Value>,
}

/// How many pods there are to be of the new template, and of the stable one where that is another.
pub(super) struct PodCounts {
    pub(super) new: u64,
    pub(super) stable: String,
    pub(super) old: u64,
}

impl Sets {
    /// With one of the wanted template, whose revision is the highest.
    pub(super) fn of(controller: &mut Controller<'_>, rollout: &Value) -> Result<Self, Refusal> {
        let hash = template_hash(&rollout["spec"]["template"]);
        let mut all = controller.owned(rollout, SETS);
        let others = all.iter().filter(|set| label(set, HASH) != hash);
        let highest = others.map(revision_of).max().unwrap_or(0);
        let own = all.iter().position(|set| label(set, HASH) == hash);
        let revision = match own {
            None => {
                all.push(add(controller, rollout, &hash, highest + 1)?);
                highest + 1
            }
            Some(at) if revision_of(&all[at]) > highest => revision_of(&all[at]),
            Some(at) => {
                annotate(&mut all[at], highest + 1);
                all[at] = controller.write(SETS, &all[at])?;
                highest + 1
            }
        };
        Ok(Self {
            hash,
            revision,
            all,
        })
    }

    /// The Rollout says which revision it is at.
    pub(super) fn told_revision(
        &self,
        controller: &mut Controller<'_>,
        rollout: &Value,
    ) -> Result<Value, Refusal> {
        if revision_of(rollout) == self.revision {
            return Ok(rollout.clone());
        }
        let mut rollout = rollout.clone();
        annotate(&mut rollout, self.revision);
        controller.write(ROLLOUTS, &rollout)
    }

    /// Whether there are as many pods that serve, and no others.
    pub(super) fn are(&self, wanted: &PodCounts) -> bool {
        self.all.iter().all(|set| {
            let count = self.count(set, wanted);
            let is = |field: &str| set["status"][field].as_u64().unwrap_or(0) == count;
            is("replicas") && is("availableReplicas")
        })
    }

    fn count(&self, set: &Value, wanted: &PodCounts) -> u64 {
        match label(set, HASH) {
            hash if hash == self.hash && self.hash == wanted.stable => wanted.new + wanted.old,
            hash if hash == self.hash => wanted.new,
            hash if hash == wanted.stable => wanted.old,
            _ => 0,
        }
    }

    pub(super) fn scale(
        &mut self,
        controller: &mut Controller<'_>,
        wanted: &PodCounts,
    ) -> Result<(), Refusal> {
        for at in 0..self.all.len() {
            let count = self.count(&self.all[at], wanted);
            if self.all[at]["spec"]["replicas"] != count {
                self.all[at]["spec"]["replicas"] = count.into();
                self.all[at] = controller.write(SETS, &self.all[at])?;
            }
        }
        Ok(())
    }

    pub(super) fn pods(&self, controller: &Controller<'_>) -> Vec<Value> {
        let sets = self.all.iter();
        sets.flat_map(|set| controller.owned(set, "pods")).collect()
    }

    /// As the status of a Rollout tells them.
    pub(super) fn counts(&self) -> Value {
        let total = |field: &str| -> u64 {
            let counts = self.all.iter().map(|set| set["status"][field].as_u64());
            counts.flatten().sum()
        };
        let new = self.all.iter().find(|set| label(set, HASH) == self.hash);
        json!({
            "replicas": total("replicas"),
            "HPAReplicas": total("replicas"),
            "readyReplicas": total("readyReplicas"),
            "availableReplicas": total("availableReplicas"),
            "updatedReplicas": new.and_then(|set| set["status"]["replicas"].as_u64()).unwrap_or(0),
        })
    }
}

/// As a label selector is written.
pub(super) fn selector(rollout: &Value) -> String {
    let labels = rollout["spec"]["selector"]["matchLabels"].as_object();
    let pairs = labels.into_iter().flatten();
    let pairs = pairs.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()));
    pairs.collect::<Vec<_>>().join(",")
}

fn add(
    controller: &mut Controller<'_>,
    rollout: &Value,
    hash: &str,
    revision: u64,
) -> Result<Value, Refusal> {
    let mut template = rollout["spec"]["template"].clone();
    template["metadata"]["labels"][HASH] = hash.into();
    let mut selector = rollout["spec"]["selector"].clone();
    selector["matchLabels"][HASH] = hash.into();
    let set = json!({
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": format!("{}-{hash}", metadata_text(rollout, "name")),
            "labels": template["metadata"]["labels"],
            "annotations": { REVISION: revision.to_string() },
            "ownerReferences": owner_reference(rollout),
        },
        "spec": { "replicas": 0, "selector": selector, "template": template },
    });
    controller.create(SETS, metadata_text(rollout, "namespace"), set)
}

fn annotate(object: &mut Value, revision: u64) {
    let mut annotations = object["metadata"]["annotations"].clone();
    annotations[REVISION] = revision.to_string().into();
    set_metadata(object, "annotations", annotations);
}

fn revision_of(object: &Value) -> u64 {
    let text = object["metadata"]["annotations"][REVISION].as_str();
    text.and_then(|text| text.parse().ok()).unwrap_or(0)
}
