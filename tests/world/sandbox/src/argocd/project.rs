//! What an application may use: an `AppProject`'s repositories, destinations, kinds and windows.

use serde::Deserialize;
use serde_json::Value;

use super::{
    application::{Application, Destination, SpecError},
    glob::{matches, permits},
    manifest::metadata,
    window::Window,
};

/// A project as far as it decides here. Read tolerantly: what cannot be read allows nothing.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Project {
    #[serde(skip)]
    pub(crate) name: String,
    source_repos: Vec<String>,
    destinations: Vec<Destination>,
    cluster_resource_whitelist: Vec<KindPattern>,
    cluster_resource_blacklist: Vec<KindPattern>,
    namespace_resource_whitelist: Option<Vec<KindPattern>>,
    namespace_resource_blacklist: Vec<KindPattern>,
    pub(crate) sync_windows: Vec<Window>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct KindPattern {
    group: String,
    kind: String,
}

/// Where the objects of a kind live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    Namespaced,
    ClusterWide,
}

impl Project {
    pub(crate) fn parse(object: &Value) -> Self {
        let spec = Self::deserialize(&object["spec"]).unwrap_or_default();
        Self {
            name: metadata(object, "name").to_owned(),
            ..spec
        }
    }

    /// Whether the application may read its sources and write to its destination.
    pub(crate) fn check(&self, application: &Application) -> Result<(), SpecError> {
        let patterns = || self.source_repos.iter().map(String::as_str);
        let origin = application.origin()?;
        let refused = origin
            .sources
            .iter()
            .find(|source| !permits(patterns(), &source.repo_url));
        if let Some(source) = refused {
            return Err(SpecError::RepositoryRefused {
                repository: source.repo_url.clone(),
                project: self.name.clone(),
            });
        }
        let Destination {
            server, namespace, ..
        } = application.destination();
        let permitted = self.destinations.iter().any(|one| {
            let server_matches = one.server.is_empty() || matches(&one.server, &server);
            server_matches && matches(&one.namespace, &namespace)
        });
        if permitted {
            return Ok(());
        }
        Err(SpecError::DestinationRefused {
            server,
            namespace,
            project: self.name.clone(),
        })
    }

    pub(crate) fn permits_kind(&self, group: &str, kind: &str, placement: Placement) -> bool {
        let holds = |patterns: &[KindPattern]| {
            patterns
                .iter()
                .any(|one| matches(&one.group, group) && matches(&one.kind, kind))
        };
        match placement {
            Placement::ClusterWide => {
                holds(&self.cluster_resource_whitelist) && !holds(&self.cluster_resource_blacklist)
            }
            Placement::Namespaced => {
                let listed = self
                    .namespace_resource_whitelist
                    .as_ref()
                    .is_none_or(|list| holds(list));
                listed && !holds(&self.namespace_resource_blacklist)
            }
        }
    }
}
