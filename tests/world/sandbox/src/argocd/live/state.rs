//! Live objects of watched kinds by key; older versions never replace newer ones.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use crate::argocd::manifest::{ResourceKey, items, metadata, text};

/// Owners of owners that are followed: a Pod's ReplicaSet's Deployment, and as many again.
const DEEPEST: usize = 4;
const TOMBSTONES: usize = 4_096;

/// Objects by key, and the revisions at which others went away.
#[derive(Debug, Default)]
pub(super) struct State {
    objects: HashMap<ResourceKey, Value>,
    gone: HashMap<ResourceKey, u64>,
}

impl State {
    /// Takes an object over unless a newer one is held; tells whether it did.
    pub(super) fn put(&mut self, key: ResourceKey, value: Value) -> bool {
        let revision = revision(&value);
        let held = self.objects.get(&key).map(self::revision);
        let deleted = self.gone.get(&key).copied();
        if held.is_some_and(|held| held >= revision)
            || deleted.is_some_and(|deleted| deleted >= revision)
        {
            return false;
        }
        self.objects.insert(key, value);
        true
    }

    pub(super) fn remove(&mut self, key: &ResourceKey, last: &Value) {
        if self.gone.len() >= TOMBSTONES {
            self.gone.clear();
        }
        self.gone.insert(key.clone(), revision(last));
        self.objects.remove(key);
    }

    pub(super) fn drop_object(&mut self, key: &ResourceKey) {
        self.objects.remove(key);
    }

    /// A complete list of one kind: what it lacks is gone. Gives the keys that went.
    pub(super) fn replace(
        &mut self,
        group: &str,
        kind: &str,
        list: HashMap<ResourceKey, Value>,
    ) -> Vec<(ResourceKey, Value)> {
        let lacks =
            |key: &&ResourceKey| key.group == group && key.kind == kind && !list.contains_key(*key);
        let lost: Vec<ResourceKey> = self.objects.keys().filter(lacks).cloned().collect();
        let lost = lost
            .into_iter()
            .filter_map(|key| self.objects.remove_entry(&key))
            .collect();
        for (key, value) in list {
            self.put(key, value);
        }
        lost
    }

    pub(super) fn get(&self, key: &ResourceKey) -> Option<Value> {
        self.objects.get(key).cloned()
    }

    pub(super) fn select(
        &self,
        wanted: impl Fn(&ResourceKey, &Value) -> bool,
    ) -> BTreeMap<ResourceKey, Value> {
        let found = self
            .objects
            .iter()
            .filter(|(key, value)| wanted(key, value));
        found
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    }

    /// The object at the top of those that own this one, where any does.
    pub(super) fn root(&self, key: &ResourceKey, value: &Value) -> Option<(ResourceKey, Value)> {
        let mut root = None;
        let mut at = owner_key(key, value);
        for _ in 0..DEEPEST {
            let Some((key, value)) = at.and_then(|key| self.objects.get_key_value(&key)) else {
                break;
            };
            root = Some((key.clone(), value.clone()));
            at = owner_key(key, value);
        }
        root
    }

    /// These objects and all that they own, through any number of steps.
    pub(super) fn with_descendants(
        &self,
        roots: BTreeMap<ResourceKey, Value>,
    ) -> BTreeMap<ResourceKey, Value> {
        let mut by_owner: HashMap<&str, Vec<&ResourceKey>> = HashMap::new();
        for (key, value) in &self.objects {
            for owner in items(value, "/metadata/ownerReferences") {
                by_owner.entry(text(owner, "/uid")).or_default().push(key);
            }
        }
        let mut queue: Vec<String> = roots
            .values()
            .map(|value| metadata(value, "uid").to_owned())
            .collect();
        let mut found = roots;
        while let Some(uid) = queue.pop() {
            for key in by_owner.get(uid.as_str()).into_iter().flatten() {
                if let Some(value) = self.objects.get(*key).filter(|_| !found.contains_key(*key)) {
                    queue.push(metadata(value, "uid").to_owned());
                    found.insert((*key).clone(), value.clone());
                }
            }
        }
        found
    }
}

/// The object that is responsible for this one, by what its first owner reference says.
fn owner_key(key: &ResourceKey, value: &Value) -> Option<ResourceKey> {
    let owner = items(value, "/metadata/ownerReferences").first()?;
    let group = text(owner, "/apiVersion").split_once('/');
    Some(ResourceKey {
        group: group.map_or("", |(group, _)| group).to_owned(),
        kind: text(owner, "/kind").to_owned(),
        namespace: key.namespace.clone(),
        name: text(owner, "/name").to_owned(),
    })
}

fn revision(value: &Value) -> u64 {
    metadata(value, "resourceVersion").parse().unwrap_or(0)
}
