//! Scope of a caller: the objects it may read and change. `platform` decides it, the assertion carries it, each service applies it.
//!
//! [`Scope::contains`] is the only decision; index lookups may narrow the candidates first. An unknown selector makes the whole
//! assertion invalid, because ignoring it would grant more than intended.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::Digest as _;

use super::glob::{glob_matches, is_match_all};

/// Maximum number of rules of a scope, including its limits.
pub const MAX_RULES: usize = 64;

/// Maximum size of a scope as JSON, so that an assertion fits into a header.
pub const MAX_SCOPE_BYTES: usize = 4 * 1024;

/// Role and rules of a caller. Without rules nothing is in scope.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Scope {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub role: String,
    /// At least one must match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<ScopeRule>,
    /// Limits of the credential; if set, at least one must match as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Vec<ScopeRule>>,
    /// Version of the account's policy from which the rules were derived.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub policy_version: String,
}

/// A rule matches if all its selectors match; an empty selector matches everything.
/// A list matches if one of its globs does; labels match if all are equal.
#[derive(Clone, Debug, Default, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
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
    /// No object has a product yet, so a rule with a product matches nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub products: Vec<String>,
    /// No object has an environment yet, so a rule with an environment matches nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environments: Vec<String>,
}

/// Attributes of an application that scope rules select by.
#[derive(Clone, Copy, Debug)]
pub struct ApplicationAttributes<'a> {
    /// The name of its runtime.
    pub runtime: &'a str,
    /// Cluster name as used by its runtime.
    pub cluster: &'a str,
    pub project: &'a str,
    pub namespace: &'a str,
    pub name: &'a str,
    pub labels: &'a BTreeMap<String, String>,
}

/// Location of an object that belongs to no known application.
#[derive(Clone, Copy, Debug)]
pub struct UnownedObject<'a> {
    /// The name of its runtime.
    pub runtime: &'a str,
    /// Cluster name as used by its runtime.
    pub cluster: &'a str,
    /// Empty for cluster-scoped objects.
    pub namespace: &'a str,
}

/// The rules do not fit into an assertion.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "{rules} rules of {bytes} bytes apply to this call, and at most {MAX_RULES} rules of {MAX_SCOPE_BYTES} bytes fit: make the role smaller, with patterns such as team-* in place of lists or with fewer rules"
)]
pub struct ScopeTooLarge {
    pub rules: usize,
    pub bytes: usize,
}

impl Scope {
    /// One rule without limits.
    #[must_use]
    pub fn everything(role: impl Into<String>) -> Self {
        Self {
            role: role.into(),
            rules: vec![ScopeRule::default()],
            ..Self::default()
        }
    }

    /// Returns true if the application is in scope.
    #[must_use]
    pub fn contains(&self, object: &ApplicationAttributes<'_>) -> bool {
        let holds = |rules: &[ScopeRule]| rules.iter().any(|rule| rule.contains(object));
        holds(&self.rules) && self.limits.as_deref().is_none_or(holds)
    }

    /// Returns true if an object without an application is in scope. It has no project, name or labels, so only rules
    /// without these selectors match it.
    #[must_use]
    pub fn contains_unowned(&self, ground: &UnownedObject<'_>) -> bool {
        let covers = |rules: &[ScopeRule]| rules.iter().any(|rule| rule.contains_unowned(ground));
        covers(&self.rules) && self.limits.as_deref().is_none_or(covers)
    }

    /// Returns true if every object is in scope.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        let all = |rules: &[ScopeRule]| rules.iter().any(ScopeRule::is_everything);
        all(&self.rules) && self.limits.as_deref().is_none_or(all)
    }

    /// Removes duplicate rules; a rule that matches everything replaces all others.
    #[must_use]
    pub fn reduced(mut self) -> Self {
        self.rules = reduced(self.rules);
        self.limits = self.limits.map(reduced);
        self
    }

    /// Checks that the scope fits into an assertion.
    ///
    /// # Errors
    /// It has too many rules or is too long.
    pub fn check_size(&self) -> Result<(), ScopeTooLarge> {
        let rules = self.rules.len() + self.limits.as_ref().map_or(0, Vec::len);
        let bytes = json(self).len();
        if rules <= MAX_RULES && bytes <= MAX_SCOPE_BYTES {
            Ok(())
        } else {
            Err(ScopeTooLarge { rules, bytes })
        }
    }

    /// Returns a hash of the rules and limits, without the role and the policy version.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let digest = sha2::Sha256::digest(json(&(&self.rules, &self.limits)));
        let first = digest.first_chunk().expect("a SHA-256 has 32 bytes");
        u64::from_be_bytes(*first)
    }
}

impl ScopeRule {
    /// Returns true if every selector matches the application.
    #[must_use]
    pub fn contains(&self, object: &ApplicationAttributes<'_>) -> bool {
        let label = |(name, value): (&String, &String)| object.labels.get(name) == Some(value);
        selects(&self.runtimes, object.runtime)
            && selects(&self.clusters, object.cluster)
            && selects(&self.projects, object.project)
            && selects(&self.namespaces, object.namespace)
            && selects(&self.names, object.name)
            && self.labels.iter().all(label)
            && self.can_match()
    }

    /// Returns true if the rule matches every object at this location.
    #[must_use]
    pub fn contains_unowned(&self, ground: &UnownedObject<'_>) -> bool {
        selects(&self.runtimes, ground.runtime)
            && selects(&self.clusters, ground.cluster)
            && selects(&self.namespaces, ground.namespace)
            && is_no_limit(&self.projects)
            && is_no_limit(&self.names)
            && self.labels.is_empty()
            && self.can_match()
    }

    /// Returns true if the rule matches everything.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        let lists = [
            &self.runtimes,
            &self.clusters,
            &self.projects,
            &self.namespaces,
            &self.names,
        ];
        lists.into_iter().all(|list| is_no_limit(list))
            && self.labels.is_empty()
            && self.can_match()
    }

    /// Returns false if the rule can match nothing.
    #[must_use]
    pub fn can_match(&self) -> bool {
        self.products.is_empty() && self.environments.is_empty()
    }
}

fn selects(selector: &[String], value: &str) -> bool {
    selector.is_empty() || selector.iter().any(|pattern| glob_matches(pattern, value))
}

fn is_no_limit(selector: &[String]) -> bool {
    selector.is_empty() || selector.iter().any(|pattern| is_match_all(pattern))
}

fn reduced(rules: Vec<ScopeRule>) -> Vec<ScopeRule> {
    if rules.iter().any(ScopeRule::is_everything) {
        return vec![ScopeRule::default()];
    }
    let mut kept: Vec<ScopeRule> = Vec::with_capacity(rules.len());
    for rule in rules {
        if rule.can_match() && !kept.contains(&rule) {
            kept.push(rule);
        }
    }
    kept
}

fn json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("a scope is lists and maps of texts")
}

#[cfg(test)]
mod tests;
