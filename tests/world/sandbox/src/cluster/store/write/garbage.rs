//! The end of objects: finalizers, owner references, and what namespaces and definitions contain.
//!
//! Garbage collection: all effects of a delete happen under the same lock, each as a revision of its own.

use std::{collections::VecDeque, sync::Arc};

use serde_json::{Value, json};

use super::{
    super::{
        super::{
            object::{ObjectKey, Stored, child, finalizers, is_deleting, metadata, metadata_text},
            refusal::Refusal,
        },
        Reference, Store,
    },
    Context, Propagation, is_definition,
};

const FOREGROUND: &str = "foregroundDeletion";
const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

enum Work {
    Begin(Reference, Propagation),
    /// ends it if it is marked and nothing holds it
    Try(Reference),
    Gone(Arc<Stored>),
}

impl Store {
    /// Gives the object as it was marked, unless it ended at once.
    pub(super) fn begin_end(
        &mut self,
        reference: Reference,
        propagation: Propagation,
        context: &Context<'_>,
    ) -> Result<Option<Arc<Stored>>, Refusal> {
        let mut queue = VecDeque::new();
        let marked = self.begin(reference, propagation, context, &mut queue)?;
        self.run(queue, context)?;
        Ok(marked)
    }

    /// Ends an object that nothing holds.
    pub(super) fn end_now(
        &mut self,
        reference: &Reference,
        context: &Context<'_>,
    ) -> Result<(), Refusal> {
        let mut queue = VecDeque::new();
        self.end(reference, &mut queue)?;
        self.run(queue, context)
    }

    fn run(&mut self, mut queue: VecDeque<Work>, context: &Context<'_>) -> Result<(), Refusal> {
        while let Some(work) = queue.pop_front() {
            match work {
                Work::Begin(reference, propagation) => {
                    drop(self.begin(reference, propagation, context, &mut queue)?);
                }
                Work::Try(reference) => self.try_finish(&reference, &mut queue)?,
                Work::Gone(gone) => self.release_from(&gone, &mut queue)?,
            }
        }
        Ok(())
    }

    fn begin(
        &mut self,
        reference: Reference,
        propagation: Propagation,
        context: &Context<'_>,
        queue: &mut VecDeque<Work>,
    ) -> Result<Option<Arc<Stored>>, Refusal> {
        let Some(current) = self.get(&reference.resource, &reference.key).cloned() else {
            return Ok(None);
        };
        let dependents = self.dependents_of(&current.uid);
        if propagation == Propagation::Orphan {
            for dependent in &dependents {
                self.disown(dependent, &current.uid)?;
            }
        }
        let mut value = current.value();
        if is_deleting(&value) {
            queue.push_back(Work::Try(reference));
            return Ok(Some(current));
        }
        let contents = self.contents(&reference);
        let waits = propagation == Propagation::Foreground && !dependents.is_empty();
        if waits {
            add_finalizer(&mut value, FOREGROUND);
        }
        if is_definition(&reference.resource) {
            add_finalizer(&mut value, CLEANUP);
        }
        let is_container = is_definition(&reference.resource) || is_namespace(&reference);
        if finalizers(&value).is_empty() && !is_container {
            self.end(&reference, queue)?;
            return Ok(None);
        }
        mark(&mut value, &reference, context.now);
        let marked = self.put(&reference.resource, value)?;
        queue.extend(
            contents
                .into_iter()
                .map(|content| Work::Begin(content, Propagation::Background)),
        );
        if waits {
            queue.extend(
                dependents
                    .into_iter()
                    .map(|dependent| Work::Begin(dependent, Propagation::Foreground)),
            );
        }
        queue.push_back(Work::Try(reference));
        Ok(Some(marked))
    }

    fn try_finish(
        &mut self,
        reference: &Reference,
        queue: &mut VecDeque<Work>,
    ) -> Result<(), Refusal> {
        let Some(current) = self.get(&reference.resource, &reference.key).cloned() else {
            return Ok(());
        };
        let mut value = current.value();
        if !is_deleting(&value) || !self.contents(reference).is_empty() {
            return Ok(());
        }
        if finalizers(&value).contains(&FOREGROUND) && !self.is_blocked(&current.uid) {
            drop_finalizer(&mut value, FOREGROUND);
            self.put(&reference.resource, value.clone())?;
        }
        drop_finalizer(&mut value, CLEANUP);
        if finalizers(&value).is_empty() {
            self.end(reference, queue)?;
        }
        Ok(())
    }

    fn end(&mut self, reference: &Reference, queue: &mut VecDeque<Work>) -> Result<(), Refusal> {
        if let Some(gone) = self.remove(&reference.resource, &reference.key)? {
            queue.push_back(Work::Gone(gone));
        }
        Ok(())
    }

    /// Queues the owned objects, owners and container of a deleted object.
    fn release_from(&mut self, gone: &Stored, queue: &mut VecDeque<Work>) -> Result<(), Refusal> {
        for dependent in self.dependents_of(&gone.uid) {
            let Some(object) = self.get(&dependent.resource, &dependent.key) else {
                continue;
            };
            if object
                .owners
                .iter()
                .any(|owner| self.by_uid.contains_key(owner))
            {
                self.disown(&dependent, &gone.uid)?;
            } else {
                queue.push_back(Work::Begin(dependent, Propagation::Background));
            }
        }
        let owners = gone
            .owners
            .iter()
            .filter_map(|owner| self.by_uid.get(owner).cloned());
        queue.extend(owners.map(Work::Try));
        if !gone.key.namespace.is_empty() {
            let namespace = ObjectKey::new("", &gone.key.namespace);
            queue.push_back(Work::Try(Reference {
                resource: "namespaces".into(),
                key: namespace,
            }));
        }
        queue.extend(self.ending_definitions().into_iter().map(Work::Try));
        Ok(())
    }

    /// The objects that name this one as an owner.
    pub(crate) fn dependents_of(&self, uid: &str) -> Vec<Reference> {
        self.dependents
            .get(uid)
            .into_iter()
            .flatten()
            .cloned()
            .collect()
    }

    /// True while a blocking dependent holds its owner.
    fn is_blocked(&self, owner: &str) -> bool {
        self.dependents_of(owner).iter().any(|dependent| {
            let object = self
                .get(&dependent.resource, &dependent.key)
                .map(|stored| stored.value());
            let owners = object
                .as_ref()
                .and_then(|object| object.pointer("/metadata/ownerReferences"));
            let mut owners = owners.and_then(Value::as_array).into_iter().flatten();
            owners.any(|reference| {
                reference["uid"] == owner && reference["blockOwnerDeletion"] == true
            })
        })
    }

    fn disown(&mut self, dependent: &Reference, owner: &str) -> Result<(), Refusal> {
        let Some(object) = self.get(&dependent.resource, &dependent.key) else {
            return Ok(());
        };
        let mut value = object.value();
        let fields = metadata(&mut value);
        if let Some(owners) = fields
            .get_mut("ownerReferences")
            .and_then(Value::as_array_mut)
        {
            owners.retain(|reference| reference["uid"] != owner);
            if owners.is_empty() {
                fields.remove("ownerReferences");
            }
        }
        self.put(&dependent.resource, value).map(drop)
    }

    /// Objects that must be deleted first: those of a namespace or a definition.
    pub(super) fn contents(&self, reference: &Reference) -> Vec<Reference> {
        if is_namespace(reference) {
            return self.in_namespace(&reference.key.name);
        }
        if !is_definition(&reference.resource) {
            return Vec::new();
        }
        let collection = self.collection(&reference.key.name);
        let keys = collection
            .into_iter()
            .flat_map(|collection| collection.objects.keys());
        let resource: Arc<str> = reference.key.name.as_str().into();
        keys.map(|key| Reference {
            resource: Arc::clone(&resource),
            key: key.clone(),
        })
        .collect()
    }

    fn in_namespace(&self, namespace: &str) -> Vec<Reference> {
        let first = ObjectKey::new(namespace, "");
        let collections = self.collections.iter();
        collections
            .flat_map(|(id, collection)| {
                collection
                    .objects
                    .range(first.clone()..)
                    .map(move |(key, _)| (id, key))
            })
            .filter(|(_, key)| key.namespace == namespace)
            .map(|(id, key)| Reference {
                resource: Arc::clone(id),
                key: key.clone(),
            })
            .collect()
    }

    fn ending_definitions(&self) -> Vec<Reference> {
        let definitions = self.collection(super::DEFINITIONS).into_iter();
        definitions
            .flat_map(|collection| collection.objects.values())
            .filter(|stored| is_deleting(&stored.value()))
            .map(|stored| Reference {
                resource: super::DEFINITIONS.into(),
                key: stored.key.clone(),
            })
            .collect()
    }
}

fn is_namespace(reference: &Reference) -> bool {
    &*reference.resource == "namespaces"
}

fn mark(value: &mut Value, reference: &Reference, now: &str) {
    let generation = value
        .pointer("/metadata/generation")
        .and_then(Value::as_u64);
    let fields = metadata(value);
    fields.insert("deletionTimestamp".to_owned(), now.into());
    if !is_namespace(reference) && !is_definition(&reference.resource) {
        fields.insert("deletionGracePeriodSeconds".to_owned(), 0.into());
        if let Some(generation) = generation {
            fields.insert("generation".to_owned(), (generation + 1).into());
        }
    }
    if is_namespace(reference) {
        child(value, "status").insert("phase".to_owned(), json!("Terminating"));
    }
}

fn add_finalizer(value: &mut Value, name: &str) {
    let list = metadata(value)
        .entry("finalizers")
        .or_insert_with(|| json!([]));
    if let Some(list) = list.as_array_mut() {
        list.push(name.into());
    }
}

fn drop_finalizer(value: &mut Value, name: &str) {
    if metadata_text(value, "name").is_empty() {
        return;
    }
    let fields = metadata(value);
    if let Some(list) = fields.get_mut("finalizers").and_then(Value::as_array_mut) {
        list.retain(|finalizer| finalizer != name);
        if list.is_empty() {
            fields.remove("finalizers");
        }
    }
}
