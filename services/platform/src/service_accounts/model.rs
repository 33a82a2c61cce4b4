//! Service accounts: users for CI systems, and their trust rules. A trust rule must identify its subjects, or it is rejected.

use std::collections::BTreeMap;

use causeway_assertion::glob_matches;
use causeway_oidc::Claims;
use serde::{Deserialize, Serialize};

use crate::users::model::User;

/// A service account trusts by at most so many rules.
pub(crate) const MOST_TRUST_RULES: usize = 20;
/// A rule has patterns for at most so many claims.
const MOST_CLAIMS: usize = 16;
/// Longest pattern, in bytes.
const LONGEST: usize = 256;
/// What subjects begin with that says nothing of whose they are.
const SCHEMES: [&str; 3] = ["repo:", "project_path:", "system:serviceaccount:"];
/// What subjects can be made to begin with that says what runs, but not whose it is.
const NOBODYS: [&str; 9] = [
    "actor",
    "base_ref",
    "context",
    "environment",
    "event_name",
    "head_ref",
    "job_workflow_ref",
    "ref",
    "workflow",
];
/// Claims that say whose a token is. A branch or an environment of that name is in every repository, and every repository may call
/// the workflow of a public one.
const OWNERS: [&str; 11] = [
    "repository",
    "repository_id",
    "repository_owner",
    "repository_owner_id",
    "enterprise_id",
    "project_path",
    "project_id",
    "namespace_path",
    "namespace_id",
    "organization_id",
    "email",
];

/// A user for a CI system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServiceAccount {
    pub user: User,
    /// Any of these is enough.
    pub trust: Vec<TrustRule>,
}

/// Which tokens are trusted: those of which all of this holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TrustRule {
    /// Exactly.
    pub issuer: String,
    /// Exactly.
    pub audience: String,
    /// A pattern; none for any.
    pub subject: Option<String>,
    /// Patterns of other claims.
    pub claims: BTreeMap<String, String>,
}

/// Why a rule of trust is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TrustError {
    #[error("more than {MOST_TRUST_RULES} rules")]
    TooMany,
    #[error(
        "a rule needs an issuer and an audience of its own: say which tokens are meant for this platform"
    )]
    Incomplete,
    #[error(
        "more than {MOST_CLAIMS} claims, or a claim or pattern that is empty or longer than {LONGEST} bytes"
    )]
    Size,
    #[error(
        "'{0}' would trust everybody who uses this issuer: name the owner in the subject, for example repo:acme/shop:*, or in a claim such as repository"
    )]
    Anybody(String),
}

impl TrustRule {
    /// Whether it says whose tokens it means. The issuer is looked at elsewhere.
    pub(crate) fn check(&self) -> Result<(), TrustError> {
        if self.issuer.trim().is_empty() || self.audience.trim().is_empty() {
            return Err(TrustError::Incomplete);
        }
        let claims = self.claims.iter().flat_map(|(name, value)| [name, value]);
        let mut texts = claims.chain(self.subject.as_ref());
        let fits = |text: &String| !text.trim().is_empty() && text.len() <= LONGEST;
        if self.claims.len() > MOST_CLAIMS || !texts.all(fits) || self.audience.len() > LONGEST {
            return Err(TrustError::Size);
        }
        let subject = self.subject.as_deref();
        let owners = OWNERS.iter().filter_map(|name| self.claims.get(*name));
        let mut owners = owners.map(String::as_str);
        if subject.is_some_and(subject_names_owner) || owners.any(|it| fixed(it) > 0) {
            Ok(())
        } else {
            Err(TrustError::Anybody(subject.unwrap_or("*").to_owned()))
        }
    }

    /// True if it trusts a token that its issuer signed for its audience. A claim that is missing or empty matches nothing.
    pub(crate) fn matches(&self, claims: &Claims) -> bool {
        let holds = |name: &str, pattern: &str| {
            let value = claims.text(name);
            value.is_some_and(|value| glob_matches(pattern, value))
        };
        let subject = self.subject.as_deref();
        let own = self.claims.iter();
        subject.is_none_or(|pattern| holds("sub", pattern))
            && claims.text("sub").is_some_and(|sub| !sub.trim().is_empty())
            && own.into_iter().all(|(name, pattern)| holds(name, pattern))
    }
}

/// True if a pattern of subjects says at least whose everything is that it matches.
fn subject_names_owner(pattern: &str) -> bool {
    let known = SCHEMES
        .iter()
        .find_map(|scheme| pattern.strip_prefix(scheme));
    let Some(rest) = known else {
        let first = pattern.split([':', '/']).next().unwrap_or_default();
        // Of a form that is not known the first word may say only what follows, as in organization:*.
        let one = !pattern.contains(['*', '?']);
        return !NOBODYS.contains(&first) && (one || fixed(pattern) > 1);
    };
    fixed(rest) > 0
}

/// How many words a pattern begins with that are the same in all that it matches. What is behind a word must be fixed to begin with, or
/// acme* would be acme-evil too.
fn fixed(pattern: &str) -> usize {
    let (sure, open) = match pattern.find(['*', '?']) {
        Some(end) => (&pattern[..end], 1),
        None => (pattern, 0),
    };
    let words: Vec<_> = sure.split(['/', ':']).collect();
    let whole = &words[..words.len() - open];
    whole.iter().take_while(|word| !word.is_empty()).count()
}

#[cfg(test)]
mod tests;
