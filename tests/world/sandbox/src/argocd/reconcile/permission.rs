//! Checks that the destination and the project of an application exist. What a project allows is left to a real Argo CD.

use super::Reconciler;
use crate::argocd::{
    application::{Application, SpecError},
    cluster::ClusterError,
    controller::project_kind,
    manifest::ResourceKey,
    origin::Origin,
};

impl Reconciler {
    /// Returns where the manifests of a valid application come from.
    pub(crate) fn check(&self, application: &Application) -> Result<Origin, SpecError> {
        application.check_destination()?;
        let project = self.project_key(application);
        if self.live.get(&project).is_none() {
            return Err(SpecError::NoProject(project.name));
        }
        application.origin()
    }

    /// Reads a project past the picture that is not in it: one watch may tell of an application before another tells of
    /// the project that was there first.
    pub(crate) async fn learn_project(
        &self,
        application: &Application,
    ) -> Result<(), ClusterError> {
        let key = self.project_key(application);
        if self.live.get(&key).is_some() {
            return Ok(());
        }
        let Some(served) = self.live.served(&project_kind()).await? else {
            return Ok(());
        };
        match self.live.reread(&served, &key).await {
            Err(error) if !error.is(404) => Err(error),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    fn project_key(&self, application: &Application) -> ResourceKey {
        let kind = project_kind();
        let name = Some(application.spec.project.as_str()).filter(|name| !name.is_empty());
        ResourceKey {
            group: kind.group,
            kind: kind.kind,
            namespace: self.namespace.clone(),
            name: name.unwrap_or("default").to_owned(),
        }
    }
}
