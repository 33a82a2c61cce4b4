//! The spec of a restricted Git source, and the escapes that it shows by itself.

use causeway_assertion::glob_matches;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    plan::{IN_CLUSTER, IN_CLUSTER_NAME},
    refusal::Refusal,
};

/// Leaves room for the suffix of the source project in a label of 63 characters.
const LONGEST_NAME: usize = 50;
const LONGEST_TEXT: usize = 1024;
const MOST_ENTRIES: usize = 100;

/// What an admin writes. Field names of the reference are read too.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Spec {
    /// The folder of Applications.
    pub source: GitFolder,
    /// The only namespace of the Applications.
    pub source_namespace: String,
    /// Where the Applications may deploy to.
    pub destinations: Vec<Destination>,
    /// Repositories that the Applications may use; the source's own if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub source_repos: Vec<String>,
    /// Cluster-wide kinds that the Applications may deploy; none if empty.
    #[serde(
        alias = "clusterResourceWhitelist",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub cluster_resource_allow: Vec<GroupKind>,
    #[serde(
        alias = "clusterResourceBlacklist",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub cluster_resource_deny: Vec<GroupKind>,
    /// Kinds in namespaces that the Applications may deploy; all if empty.
    #[serde(
        alias = "namespaceResourceWhitelist",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub namespace_resource_allow: Vec<GroupKind>,
    #[serde(
        alias = "namespaceResourceBlacklist",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub namespace_resource_deny: Vec<GroupKind>,
    /// Sync policy of the source's Application, as Argo CD has it; automated if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_policy: Option<Value>,
}

/// A folder in a Git repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct GitFolder {
    #[serde(rename = "repoURL")]
    pub repo_url: String,
    pub path: String,
    /// Branch, tag or commit; HEAD if empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub target_revision: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory: Option<Directory>,
}

/// Which files of the folder count.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Directory {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub recurse: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub include: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub exclude: String,
}

/// A cluster, by its URL or its name, and a namespace there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Destination {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub server: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    pub namespace: String,
}

/// A kind of resources.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct GroupKind {
    pub group: String,
    pub kind: String,
}

impl Spec {
    /// Reads the field `spec` of an object.
    ///
    /// # Errors
    /// A field is unknown or has another type.
    pub fn read(spec: &Value) -> Result<Self, Refusal> {
        Self::deserialize(spec).map_err(|error| Refusal::SpecMalformed {
            cause: error.to_string().chars().take(200).collect(),
        })
    }

    /// Finds the first escape that the spec shows by itself. `argocd` is the namespace of Argo CD.
    ///
    /// # Errors
    /// The source is refused.
    pub fn check(&self, name: &str, argocd: &str) -> Result<(), Refusal> {
        if name.len() > LONGEST_NAME {
            let (length, most) = (name.len(), LONGEST_NAME);
            return Err(Refusal::NameTooLong { length, most });
        }
        self.check_lengths()?;
        self.source.check()?;
        self.check_namespace(argocd)?;
        if self.destinations.is_empty() {
            let field = "destinations";
            return Err(Refusal::FieldMissing { field });
        }
        for (index, destination) in self.destinations.iter().enumerate() {
            destination.check(index, argocd)?;
        }
        for repository in &self.source_repos {
            check_pattern("sourceRepos", repository)?;
        }
        Ok(())
    }

    fn check_lengths(&self) -> Result<(), Refusal> {
        let lengths = [
            ("destinations", self.destinations.len()),
            ("sourceRepos", self.source_repos.len()),
            ("clusterResourceAllow", self.cluster_resource_allow.len()),
            ("clusterResourceDeny", self.cluster_resource_deny.len()),
            (
                "namespaceResourceAllow",
                self.namespace_resource_allow.len(),
            ),
            ("namespaceResourceDeny", self.namespace_resource_deny.len()),
        ];
        let long = lengths
            .into_iter()
            .find(|(_, number)| *number > MOST_ENTRIES);
        match long {
            Some((field, number)) => Err(Refusal::TooManyEntries {
                field,
                number,
                most: MOST_ENTRIES,
            }),
            None => Ok(()),
        }
    }

    fn check_namespace(&self, argocd: &str) -> Result<(), Refusal> {
        let namespace = self.source_namespace.clone();
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if namespace.is_empty() {
            let field = "sourceNamespace";
            return Err(Refusal::FieldMissing { field });
        }
        if namespace.len() > 63 || !namespace.chars().all(plain) {
            return Err(Refusal::SourceNamespaceInvalid { namespace });
        }
        if namespace == argocd {
            return Err(Refusal::SourceNamespaceReserved { namespace });
        }
        Ok(())
    }
}

impl GitFolder {
    fn check(&self) -> Result<(), Refusal> {
        for (field, text) in [
            ("source.repoURL", &self.repo_url),
            ("source.path", &self.path),
        ] {
            if text.is_empty() {
                return Err(Refusal::FieldMissing { field });
            }
        }
        let odd = |c: char| c.is_control() || c.is_whitespace() || matches!(c, '*' | '?' | '!');
        if self.repo_url.len() > LONGEST_TEXT || self.repo_url.contains(odd) {
            return Err(Refusal::RepositoryInvalid);
        }
        let escapes = self.path.split('/').any(|part| part == "..")
            || self.path.starts_with('/')
            || self.path.contains(['\\', '\0'])
            || self.path.len() > LONGEST_TEXT;
        if escapes {
            let path = self.path.chars().take(100).collect();
            return Err(Refusal::PathEscapes { path });
        }
        Ok(())
    }
}

impl Destination {
    fn check(&self, index: usize, argocd: &str) -> Result<(), Refusal> {
        if self.server.is_empty() == self.name.is_empty() {
            return Err(Refusal::DestinationAmbiguous { index });
        }
        if self.namespace.is_empty() {
            let field = "destinations[].namespace";
            return Err(Refusal::FieldMissing { field });
        }
        for text in [&self.server, &self.name, &self.namespace] {
            check_pattern("destinations", text)?;
        }
        let is_own = may_match(&self.server, IN_CLUSTER) || may_match(&self.name, IN_CLUSTER_NAME);
        if is_own && may_match(&self.namespace, argocd) {
            return Err(Refusal::DestinationReachesArgocd {
                index,
                namespace: argocd.to_owned(),
            });
        }
        Ok(())
    }
}

/// Negated patterns of Argo CD match nearly everything.
fn check_pattern(field: &'static str, text: &str) -> Result<(), Refusal> {
    let odd = |c: char| c.is_control() || c.is_whitespace();
    if text.starts_with('!') || text.len() > LONGEST_TEXT || text.contains(odd) {
        let value = text.chars().take(100).collect();
        return Err(Refusal::PatternInvalid { field, value });
    }
    Ok(())
}

/// Whether a pattern of Argo CD may match. Regular expressions, classes and alternatives count as a match.
pub(crate) fn may_match(pattern: &str, value: &str) -> bool {
    pattern.contains(['[', '{', '\\'])
        || (pattern.len() > 1 && pattern.starts_with('/') && pattern.ends_with('/'))
        || glob_matches(pattern, value)
}
