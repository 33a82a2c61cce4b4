//! Removes what a deleted source consists of: the Application with all it made, then the projects, then the finalizer.

use causeway_git_source::{Object, application_project, source_project};
use serde_json::Value;

use crate::{
    kube::{ObjectError, ObjectKind},
    reconcile::{FINALIZER, Operator},
    status::Outcome,
};

/// So many Applications are named while they are waited for.
const MOST_NAMES: usize = 5;

impl Operator {
    /// Takes the next step; none once the finalizer is off.
    pub(crate) async fn remove(
        &self,
        object: &Object,
        live: &Value,
    ) -> Result<Option<Outcome>, ObjectError> {
        if !object.finalizers.iter().any(|it| it == FINALIZER) {
            return Ok(None);
        }
        let kind = ObjectKind::Application;
        if let Some(application) = self.owned(kind, object, &object.name).await? {
            if application.pointer("/metadata/deletionTimestamp").is_none() {
                self.objects.delete(kind, &application).await?;
            }
            let message = format!("waiting for Application {} to be deleted", object.name);
            return Ok(Some(Outcome::Removing(message)));
        }
        // Argo CD cannot finish the deletion of an Application whose project is gone.
        if let Some(namespace) = object.namespace_in_use() {
            let names = self.applications_of(object, namespace).await?;
            if !names.is_empty() {
                let (number, most) = (names.len(), MOST_NAMES.min(names.len()));
                let shown = names[..most].join(", ");
                let message = format!(
                    "waiting for {number} Applications of {namespace} to be deleted: {shown}"
                );
                return Ok(Some(Outcome::Removing(message)));
            }
        }
        for project in [
            application_project(&object.name),
            source_project(&object.name),
        ] {
            let kind = ObjectKind::Project;
            if let Some(project) = self.owned(kind, object, &project).await? {
                self.objects.delete(kind, &project).await?;
            }
        }
        let others = object.finalizers.iter().filter(|it| *it != FINALIZER);
        let others: Vec<String> = others.cloned().collect();
        let kind = ObjectKind::Source(object.kind);
        match self.objects.set_finalizers(kind, live, &others).await {
            Ok(_) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
