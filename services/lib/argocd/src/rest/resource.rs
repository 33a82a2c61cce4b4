//! Rendered manifests and resource actions.

use std::collections::BTreeMap;

use reqwest::Method;
use serde::{Deserialize, Serialize};

use super::{ApplicationName, Argocd};
use crate::{ArgocdError, application::or_default};

/// Identifies a resource of an application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceRef {
    pub group: String,
    pub version: String,
    pub kind: String,
    pub namespace: String,
    pub name: String,
}

/// Action of a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceAction {
    #[serde(deserialize_with = "or_default")]
    pub name: String,
    /// True if it is unavailable in the current state of the resource.
    #[serde(deserialize_with = "or_default")]
    pub disabled: bool,
    #[serde(deserialize_with = "or_default")]
    pub display_name: String,
}

#[derive(Deserialize)]
struct Actions {
    #[serde(default, deserialize_with = "or_default")]
    actions: Vec<ResourceAction>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RunRequest<'a> {
    name: &'a str,
    app_namespace: &'a str,
    project: &'a str,
    namespace: &'a str,
    resource_name: &'a str,
    version: &'a str,
    group: &'a str,
    kind: &'a str,
    action: &'a str,
    resource_action_parameters: Vec<Parameter<'a>>,
}

#[derive(Serialize)]
struct Parameter<'a> {
    name: &'a str,
    value: &'a str,
}

#[derive(Deserialize)]
struct Rendered {
    #[serde(default, deserialize_with = "or_default")]
    manifests: Vec<String>,
}

impl Argocd {
    /// Returns the rendered manifests of an application at a revision as JSON texts; none for the revision of the Application.
    ///
    /// # Errors
    /// See [`ArgocdError`]; `Failed` if the revision does not exist or cannot be rendered.
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

    /// Returns the actions of a resource.
    pub async fn resource_actions(
        &self,
        application: &ApplicationName,
        resource: &ResourceRef,
    ) -> Result<Vec<ResourceAction>, ArgocdError> {
        let path = format!("{}/resource/actions", application.path());
        let query = resource.query();
        let actions: Actions = self.get(&path, application, &query, "actions").await?;
        Ok(actions.actions)
    }

    /// Runs an action of a resource. Argo CD keeps no record: a second call runs it again.
    pub async fn run_resource_action(
        &self,
        application: &ApplicationName,
        resource: &ResourceRef,
        action: &str,
        parameters: &BTreeMap<String, String>,
    ) -> Result<(), ArgocdError> {
        let path = format!("{}/resource/actions", application.path());
        let run = RunRequest::new(application, resource, action, parameters);
        let (server, request) = self.request(Method::POST, &format!("{path}/v2")).await?;
        let response = self.send(&server, request.json(&run), application).await;
        // Older versions have another path without parameters.
        let is_old = matches!(
            response,
            Err(ArgocdError::NotFound { .. } | ArgocdError::ServerNotFound { .. })
        );
        if !is_old || !parameters.is_empty() {
            return response.map(drop);
        }
        let (server, request) = self.request(Method::POST, &path).await?;
        let request = request.query(&application.query()).query(&resource.query());
        let response = self.send(&server, request.json(action), application).await;
        response.map(drop)
    }
}

impl ResourceRef {
    fn query(&self) -> Vec<(&'static str, String)> {
        vec![
            ("namespace", self.namespace.clone()),
            ("resourceName", self.name.clone()),
            ("version", self.version.clone()),
            ("group", self.group.clone()),
            ("kind", self.kind.clone()),
        ]
    }
}

impl<'a> RunRequest<'a> {
    fn new(
        application: &'a ApplicationName,
        resource: &'a ResourceRef,
        action: &'a str,
        parameters: &'a BTreeMap<String, String>,
    ) -> Self {
        let parameters = parameters.iter();
        Self {
            name: &application.name,
            app_namespace: &application.namespace,
            project: &application.project,
            namespace: &resource.namespace,
            resource_name: &resource.name,
            version: &resource.version,
            group: &resource.group,
            kind: &resource.kind,
            action,
            resource_action_parameters: parameters
                .map(|(name, value)| Parameter { name, value })
                .collect(),
        }
    }
}
