//! What a caller may see and touch, as `platform` decided it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The role and the selectors of a caller. Without a rule nothing is in scope.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Scope {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub role: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<ScopeRule>,
    /// Which version of the account's policy the rules come from.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub policy_version: String,
}

/// A rule holds where each selector that it names holds; an empty selector is no limit.
/// A list holds where one of its names is equal; labels hold where all are equal.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct ScopeRule {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runtimes: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clusters: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub projects: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub namespaces: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
}

impl Scope {
    /// One rule without limits.
    #[must_use]
    pub fn everything(role: impl Into<String>) -> Self {
        Self {
            role: role.into(),
            rules: vec![ScopeRule::default()],
            policy_version: String::new(),
        }
    }
}
