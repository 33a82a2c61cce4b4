//! Writes: create, update and delete with Kubernetes' rules about versions, finalizers and immutable fields.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    super::{
        admission, apply,
        apply::ApplyRequest,
        object::{
            ObjectKey, Stored, finalizers, is_deleting, metadata, metadata_text, set_metadata,
        },
        ownership,
        refusal::Refusal,
        resource::{Resource, Status},
    },
    DEFINITIONS, Reference, Store,
};

mod garbage;

/// Field manager and time of a write, RFC 3339 with whole seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    pub(crate) now: &'a str,
    pub(crate) manager: &'a str,
}

/// Half of an object that an update writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Main,
    Status,
}

/// Deletion propagation to owned objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Propagation {
    Background,
    Foreground,
    Orphan,
}

/// A delete request. Empty preconditions hold always.
#[derive(Clone, Debug)]
pub(crate) struct DeleteRequest {
    pub(crate) propagation: Propagation,
    pub(crate) uid: String,
    pub(crate) revision: String,
}

/// Result of a delete.
pub(crate) enum Outcome {
    Gone(Arc<Stored>),
    /// finalizers held it, if only for a moment
    Marked(Arc<Stored>),
}

impl Store {
    /// # Errors
    /// As Kubernetes: bad names, a missing or ending namespace, an object of this name.
    pub(crate) fn create(
        &mut self,
        resource: &Arc<Resource>,
        namespace: &str,
        value: Value,
        context: &Context<'_>,
    ) -> Result<Arc<Stored>, Refusal> {
        self.create_from(resource, namespace, value, None, context)
    }

    /// Server-side apply: creates the object or merges the request into it.
    ///
    /// # Errors
    /// As create and update; `Conflict` when a field has another owner and another value.
    pub(crate) fn apply(
        &mut self,
        key: &ObjectKey,
        resource: &Arc<Resource>,
        request: &ApplyRequest<'_>,
        context: &Context<'_>,
    ) -> Result<Arc<Stored>, Refusal> {
        let Some(current) = self.get(&resource.id, key).cloned() else {
            if request.part == Part::Status || !metadata_text(request.applied, "uid").is_empty() {
                return Err(Refusal::not_found(&resource.id, &key.name));
            }
            return self.create_from(
                resource,
                &key.namespace,
                request.applied.clone(),
                Some(request.applied),
                context,
            );
        };
        let old = current.value();
        check_identity(resource, key, &old, request.applied)?;
        let mut value = apply::apply(request, &old, context)?;
        let owners = value["metadata"].get("managedFields").cloned();
        admission::keep_what_is_fixed(resource, &old, &mut value, request.part);
        admission::prepare_changed(resource, &old, &mut value, context.now)?;
        if let Some(owners) = owners {
            set_metadata(&mut value, "managedFields", owners);
        }
        self.replace(resource, &current, &old, value, context)
    }

    fn create_from(
        &mut self,
        resource: &Arc<Resource>,
        namespace: &str,
        mut value: Value,
        applied: Option<&Value>,
        context: &Context<'_>,
    ) -> Result<Arc<Stored>, Refusal> {
        admission::name_new(resource, namespace, &mut value)?;
        let key = ObjectKey::new(namespace, metadata_text(&value, "name"));
        if resource.is_namespaced() {
            self.check_namespace(resource, &key)?;
        }
        if self.get(&resource.id, &key).is_some() {
            return Err(Refusal::already_exists(&resource.id, &key.name));
        }
        admission::prepare_new(resource, &mut value, context.now)?;
        ownership::record_creation(resource, &mut value, applied, context);
        let stored = self.put(&resource.id, value)?;
        if &*resource.id == "namespaces" {
            self.furnish_namespace(&key.name, context)?;
        }
        Ok(stored)
    }

    /// Writes `value` over the object of the same name.
    ///
    /// # Errors
    /// As [`Self::change`].
    pub(crate) fn update(
        &mut self,
        resource: &Arc<Resource>,
        key: &ObjectKey,
        value: Value,
        part: Part,
        context: &Context<'_>,
    ) -> Result<Arc<Stored>, Refusal> {
        self.change(resource, key, part, context, |_| Ok(value))
    }

    /// Writes what `change` makes of the object.
    ///
    /// # Errors
    /// As Kubernetes: absent, a resourceVersion that is not the current one, a field that may not change.
    pub(crate) fn change(
        &mut self,
        resource: &Arc<Resource>,
        key: &ObjectKey,
        part: Part,
        context: &Context<'_>,
        change: impl FnOnce(&Value) -> Result<Value, Refusal>,
    ) -> Result<Arc<Stored>, Refusal> {
        let current = self.require(resource, key)?;
        let old = current.value();
        let mut value = change(&old)?;
        check_identity(resource, key, &old, &value)?;
        admission::keep_what_is_fixed(resource, &old, &mut value, part);
        admission::prepare_changed(resource, &old, &mut value, context.now)?;
        ownership::record_update(resource, &old, &mut value, part, context);
        self.replace(resource, &current, &old, value, context)
    }

    /// Commits a prepared new state of `current`, unless nothing changed.
    pub(crate) fn replace(
        &mut self,
        resource: &Arc<Resource>,
        current: &Arc<Stored>,
        old: &Value,
        value: Value,
        context: &Context<'_>,
    ) -> Result<Arc<Stored>, Refusal> {
        if *old == value {
            return Ok(Arc::clone(current));
        }
        let reference = Reference {
            resource: Arc::clone(&resource.id),
            key: current.key.clone(),
        };
        let ends = is_deleting(&value) && finalizers(&value).is_empty();
        if ends && self.contents(&reference).is_empty() {
            // the last write of an ending object is not seen on its own
            self.end_now(&reference, context)?;
            return Ok(Arc::new(Stored::new(&value)));
        }
        self.put(&resource.id, value)
    }

    /// # Errors
    /// Absent, or a precondition that does not hold.
    pub(crate) fn delete(
        &mut self,
        resource: &Arc<Resource>,
        key: &ObjectKey,
        removal: &DeleteRequest,
        context: &Context<'_>,
    ) -> Result<Outcome, Refusal> {
        let current = self.require(resource, key)?;
        check_preconditions(resource, &current, removal)?;
        let reference = Reference {
            resource: Arc::clone(&resource.id),
            key: key.clone(),
        };
        let marked = self.begin_end(reference, removal.propagation, context)?;
        Ok(match marked {
            Some(marked) => Outcome::Marked(marked),
            None => Outcome::Gone(current),
        })
    }

    /// Stores anything under its own name, unchecked but for uid and revision: how tests plant malformed objects.
    pub(crate) fn write_raw(
        &mut self,
        id: &str,
        mut value: Value,
        now: &str,
    ) -> Result<Arc<Stored>, Refusal> {
        let resource = &self
            .collection(id)
            .ok_or_else(Refusal::unknown_path)?
            .resource;
        let (id, is_namespaced) = (Arc::clone(&resource.id), resource.is_namespaced());
        if is_namespaced && metadata_text(&value, "namespace").is_empty() {
            set_metadata(&mut value, "namespace", "default");
        }
        let key = ObjectKey::new(
            metadata_text(&value, "namespace"),
            metadata_text(&value, "name"),
        );
        let known = self.get(&id, &key).map(|stored| stored.uid.clone());
        let fields = metadata(&mut value);
        fields.insert(
            "uid".to_owned(),
            known.unwrap_or_else(admission::new_uid).into(),
        );
        fields
            .entry("creationTimestamp")
            .or_insert_with(|| now.into());
        self.put(&id, value)
    }

    /// Removes an object whatever holds it; gives its last state, or nothing where it is not there.
    pub(crate) fn remove_raw(
        &mut self,
        id: &str,
        namespace: &str,
        name: &str,
    ) -> Result<Option<Arc<Stored>>, Refusal> {
        let collection = self.collection(id).ok_or_else(Refusal::unknown_path)?;
        let id = Arc::clone(&collection.resource.id);
        self.remove(&id, &ObjectKey::new(namespace, name))
    }

    pub(crate) fn require(
        &self,
        resource: &Resource,
        key: &ObjectKey,
    ) -> Result<Arc<Stored>, Refusal> {
        self.get(&resource.id, key)
            .cloned()
            .ok_or_else(|| Refusal::not_found(&resource.id, &key.name))
    }

    fn check_namespace(&self, resource: &Resource, key: &ObjectKey) -> Result<(), Refusal> {
        let namespace = self
            .get("namespaces", &ObjectKey::new("", &key.namespace))
            .ok_or_else(|| Refusal::not_found("namespaces", &key.namespace))?;
        if is_deleting(&namespace.value()) {
            let why = format!(
                "unable to create new content in namespace {} because it is being terminated",
                key.namespace
            );
            let mut refusal = Refusal::forbidden(&resource.id, &key.name, &why);
            refusal.details["causes"] = json!([{
                "reason": "NamespaceTerminating",
                "message": format!("namespace {} is being terminated", key.namespace),
                "field": "metadata.namespace",
            }]);
            return Err(refusal);
        }
        Ok(())
    }

    fn furnish_namespace(&mut self, namespace: &str, context: &Context<'_>) -> Result<(), Refusal> {
        let Some(accounts) = self.collection("serviceaccounts") else {
            return Ok(());
        };
        let resource = Arc::clone(&accounts.resource);
        let account = json!({ "apiVersion": "v1", "kind": "ServiceAccount", "metadata": { "name": "default" } });
        self.create(&resource, namespace, account, context)
            .map(drop)
    }
}

/// The body must speak of the object that the path names, and of its current version if of any.
fn check_identity(
    resource: &Resource,
    key: &ObjectKey,
    old: &Value,
    value: &Value,
) -> Result<(), Refusal> {
    let name = metadata_text(value, "name");
    if name != key.name {
        let why = format!(
            "the name of the object ({name}) does not match the name on the URL ({})",
            key.name
        );
        return Err(Refusal::bad_request(why));
    }
    let namespace = metadata_text(value, "namespace");
    if !namespace.is_empty() && namespace != key.namespace {
        return Err(Refusal::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    let revision = metadata_text(value, "resourceVersion");
    if !revision.is_empty() && revision != metadata_text(old, "resourceVersion") {
        return Err(Refusal::stale(&resource.id, &key.name));
    }
    let uid = metadata_text(value, "uid");
    if !uid.is_empty() && uid != metadata_text(old, "uid") {
        return Err(uid_differs(
            resource,
            &key.name,
            uid,
            metadata_text(old, "uid"),
        ));
    }
    Ok(())
}

fn check_preconditions(
    resource: &Resource,
    current: &Stored,
    removal: &DeleteRequest,
) -> Result<(), Refusal> {
    let name = &current.key.name;
    if !removal.uid.is_empty() && removal.uid != current.uid {
        let why = format!(
            "the UID in the precondition ({}) does not match the UID in record ({}). The object might have been deleted and then recreated",
            removal.uid, current.uid
        );
        return Err(Refusal::conflict(&resource.kind, name, &why));
    }
    if !removal.revision.is_empty() && removal.revision != current.revision.to_string() {
        let why = format!(
            "the ResourceVersion in the precondition ({}) does not match the ResourceVersion in record ({}). The object might have been modified",
            removal.revision, current.revision
        );
        return Err(Refusal::conflict(&resource.kind, name, &why));
    }
    Ok(())
}

fn uid_differs(resource: &Resource, name: &str, asked: &str, held: &str) -> Refusal {
    let why =
        format!("Precondition failed: UID in precondition: {asked}, UID in object meta: {held}");
    Refusal::conflict(&resource.id, name, &why)
}

/// True when updates of the main endpoint leave status alone.
pub(crate) fn keeps_status(resource: &Resource) -> bool {
    resource.preferred().status == Status::Separate
}

pub(super) fn is_definition(id: &str) -> bool {
    id == DEFINITIONS
}
