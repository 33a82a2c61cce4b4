//! Escapes that other objects of the cluster open.

use serde_json::Value;

use crate::{
    object::{Object, is_owned_by, text},
    plan::{application_project, source_project},
    refusal::Refusal,
    spec::{Spec, may_match},
};

/// What the cluster holds beside the source.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Surroundings {
    /// All AppProjects of Argo CD's namespace.
    pub projects: Vec<Value>,
    /// The Application with the source's name.
    pub application: Option<Value>,
    /// All sources of both kinds, this one too.
    pub sources: Vec<Object>,
    /// Number of Applications in the namespace that the source used before, if that is another one.
    pub left_behind: usize,
}

impl Surroundings {
    /// Finds the first reason not to create or change the objects of a source.
    ///
    /// # Errors
    /// The source is refused.
    pub fn check(&self, object: &Object, spec: &Spec) -> Result<(), Refusal> {
        self.check_owners(object)?;
        self.check_claims(object, spec)?;
        self.check_projects(object, spec)?;
        let from = object.accepted_namespace();
        if !from.is_empty() && from != spec.source_namespace && self.left_behind > 0 {
            return Err(Refusal::RenamedWhileInUse {
                from: from.to_owned(),
                to: spec.source_namespace.clone(),
                number: self.left_behind,
            });
        }
        Ok(())
    }

    /// What has a name of ours and another owner is never adopted.
    fn check_owners(&self, object: &Object) -> Result<(), Refusal> {
        for project in [
            application_project(&object.name),
            source_project(&object.name),
        ] {
            let named = |it: &&Value| text(it, "/metadata/name") == project;
            let found = self.projects.iter().find(named);
            if found.is_some_and(|it| !is_owned_by(it, &object.uid)) {
                return Err(Refusal::ProjectNotOwned { project });
            }
        }
        match &self.application {
            Some(found) if !is_owned_by(found, &object.uid) => Err(Refusal::ApplicationNotOwned {
                application: object.name.clone(),
            }),
            Some(_) | None => Ok(()),
        }
    }

    /// The oldest source of a namespace has it.
    fn check_claims(&self, object: &Object, spec: &Spec) -> Result<(), Refusal> {
        let age = |it: &Object| (it.created.clone(), it.uid.clone());
        let claims = |it: &&Object| {
            it.uid != object.uid && it.namespace_in_use() == Some(&spec.source_namespace)
        };
        let mut others = self.sources.iter().filter(claims);
        let holds = object.accepted_namespace() == spec.source_namespace;
        let first = others.find(|it| {
            let other_holds = it.accepted_namespace() == spec.source_namespace;
            (other_holds && !holds) || (other_holds == holds && age(it) < age(object))
        });
        match first {
            Some(owner) => Err(Refusal::NamespaceClaimed {
                namespace: spec.source_namespace.clone(),
                owner: owner.described(),
            }),
            None => Ok(()),
        }
    }

    fn check_projects(&self, object: &Object, spec: &Spec) -> Result<(), Refusal> {
        let namespace = &spec.source_namespace;
        let others = self
            .projects
            .iter()
            .filter(|it| !is_owned_by(it, &object.uid));
        for project in others {
            let patterns = project.pointer("/spec/sourceNamespaces");
            let patterns = patterns.and_then(Value::as_array).into_iter().flatten();
            let mut patterns = patterns.filter_map(Value::as_str);
            if let Some(pattern) = patterns.find(|pattern| may_match(pattern, namespace)) {
                return Err(Refusal::NamespaceOpenToProject {
                    namespace: namespace.clone(),
                    project: text(project, "/metadata/name").to_owned(),
                    pattern: pattern.to_owned(),
                });
            }
        }
        Ok(())
    }
}
