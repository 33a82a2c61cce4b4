//! Manifests as Git has them.

use serde::Deserialize;

use super::{ApplicationName, Argocd};
use crate::{ArgocdError, application::or_default};

#[derive(Deserialize)]
struct Rendered {
    #[serde(default, deserialize_with = "or_default")]
    manifests: Vec<String>,
}

impl Argocd {
    /// JSON texts of what an application's sources render to at a revision; absent for the one that the Application asks for.
    ///
    /// # Errors
    /// See [`ArgocdError`]; `Failed` where there is no such revision, or it cannot be rendered.
    pub async fn manifests(
        &self,
        application: &ApplicationName,
        revision: Option<&str>,
    ) -> Result<Vec<String>, ArgocdError> {
        let path = format!("{}/manifests", application.path());
        let revision = revision.map(|revision| ("revision", revision.to_owned()));
        let query: Vec<_> = revision.into_iter().collect();
        let rendered: Rendered = self.get(&path, application, &query, "manifests").await?;
        Ok(rendered.manifests)
    }
}
