//! Rules: permissions, selectors and containment between rules. Rules only allow, never deny.

use std::{collections::BTreeMap, sync::LazyLock};

use causeway_assertion::{ScopeRule, glob_matches};
use causeway_proto::method::methods;
use serde::{Deserialize, Serialize};

use crate::roles::pattern;

/// Stands for all entities or all actions.
pub(crate) const ALL: &str = "*";
/// A rule has at most so many entities, actions, and values in each field of its selector.
const MOST_VALUES: usize = 64;
/// Longest pattern or label, in bytes.
const LONGEST_VALUE: usize = 256;
/// The entities whose parts look at selectors. Of all others a rule with a selector allows nothing.
const SELECTABLE: [&str; 15] = [
    "api-key",
    "application",
    "event",
    "exec",
    "git-source",
    "integration",
    "log",
    "part",
    "repository",
    "resource",
    "role",
    "rollout",
    "runtime",
    "user",
    "workflow",
];
/// The entities that are selected by the runtime that they are or are in, and by nothing else.
const OF_RUNTIMES: [&str; 2] = ["part", "runtime"];

/// What is done to what, as it stands in the contract: `<entity>.<action>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Permission<'a> {
    entity: &'a str,
    action: &'a str,
}

/// Allows each action on each entity that the selector selects.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rule {
    /// Kinds of things; [`ALL`] for all.
    pub entities: Vec<String>,
    /// What is done to them; [`ALL`] for all.
    pub actions: Vec<String>,
    /// Which of them.
    #[serde(default, skip_serializing_if = "Selector::is_everything")]
    pub selector: Selector,
}

/// Selects things: every field that has values must hold, by one of them; labels by all. Values are patterns, but labels.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Selector {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runtimes: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clusters: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub projects: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub namespaces: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Nothing has any yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub products: Vec<String>,
    /// Nothing has any yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub environments: Vec<String>,
}

/// What is known of a thing. What is not known is not looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Target<'a> {
    pub runtime: Option<&'a str>,
    pub cluster: Option<&'a str>,
    pub project: Option<&'a str>,
    pub namespace: Option<&'a str>,
    pub name: Option<&'a str>,
    pub labels: Option<&'a BTreeMap<String, String>>,
}

impl<'a> Target<'a> {
    /// A thing of the platform itself, such as a user: it is in no runtime.
    pub(crate) fn of_platform(name: &'a str) -> Self {
        Self {
            runtime: Some(""),
            cluster: Some(""),
            project: Some(""),
            namespace: Some(""),
            name: Some(name),
            labels: None,
        }
    }

    /// A runtime, or what it is made of: it is in no project, namespace or cluster, and its name is that of a runtime.
    pub(crate) fn of_runtime(runtime: &'a str, none: &'a BTreeMap<String, String>) -> Self {
        Self {
            runtime: Some(runtime),
            labels: Some(none),
            ..Self::of_platform("")
        }
    }
}

/// Whether a selector selects a thing of which not all may be known; in the order of how much that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Selection {
    /// It does not, whatever is not known.
    No,
    /// That depends on what is not known.
    Perhaps,
    /// It does.
    Yes,
}

/// What is wrong with a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RuleError {
    #[error("no entities: set at least one, or '*' for all")]
    NoEntities,
    #[error("no actions: set at least one, or '*' for all")]
    NoActions,
    #[error("no entity '{word}': there are {}", known(|permission| permission.entity).join(", "))]
    UnknownEntity { word: String },
    #[error("no action '{word}': there are {}", known(|permission| permission.action).join(", "))]
    UnknownAction { word: String },
    #[error("{0}: more than {MOST_VALUES} values")]
    TooMany(&'static str),
    #[error("{0}: a value has 1 to {LONGEST_VALUE} bytes, none of them a control character")]
    Value(&'static str),
}

/// Every permission of the contract, in the order of their names.
pub(crate) fn permissions() -> &'static [Permission<'static>] {
    static PERMISSIONS: LazyLock<Vec<Permission<'static>>> = LazyLock::new(|| {
        let mut names: Vec<&str> = methods()
            .values()
            .map(|method| method.permission.as_str())
            .collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter().filter_map(Permission::parse).collect()
    });
    &PERMISSIONS
}

fn known(part: impl Fn(&Permission<'static>) -> &'static str) -> Vec<&'static str> {
    let mut known: Vec<_> = permissions().iter().map(part).collect();
    known.sort_unstable();
    known.dedup();
    known
}

impl<'a> Permission<'a> {
    /// Reads `<entity>.<action>`; none for any other text.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let (entity, action) = text.split_once('.')?;
        let word = |text: &str| {
            let known = |byte: u8| byte.is_ascii_lowercase() || byte == b'-';
            !text.is_empty() && text.bytes().all(known)
        };
        (word(entity) && word(action)).then_some(Self { entity, action })
    }

    /// What it is about.
    pub(crate) fn entity(self) -> &'a str {
        self.entity
    }

    /// True if the contract has it.
    pub(crate) fn is_known(self) -> bool {
        permissions().contains(&self)
    }

    /// True if it is about runtimes themselves.
    pub(crate) fn is_of_runtimes(self) -> bool {
        OF_RUNTIMES.contains(&self.entity)
    }

    /// True if who serves it looks at selectors.
    pub(crate) fn is_selectable(self) -> bool {
        SELECTABLE.contains(&self.entity)
    }
}

impl std::fmt::Display for Permission<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}.{}", self.entity, self.action)
    }
}

impl Rule {
    /// Whether it allows something on a thing, as far as that is known.
    pub(crate) fn allows(&self, permission: Permission<'_>, target: &Target<'_>) -> Selection {
        let among = |words: &[String], word| words.iter().any(|own| own == ALL || own == word);
        if !among(&self.entities, permission.entity) || !among(&self.actions, permission.action) {
            return Selection::No;
        }
        if self.selector.is_everything() {
            return Selection::Yes;
        }
        if !permission.is_selectable() {
            return Selection::No;
        }
        self.selector.selects(target)
    }

    /// True if it allows all that `action` on `entity` with a selector does, where either word may be [`ALL`].
    pub(crate) fn covers(&self, entity: &str, action: &str, selector: &Selector) -> bool {
        let among = |words: &[String], word| words.iter().any(|own| own == ALL || own == word);
        among(&self.entities, entity)
            && among(&self.actions, action)
            && self.selector.covers(selector)
    }

    /// Each of its entities with each of its actions.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let actions = move |entity| {
            self.actions
                .iter()
                .map(move |action| (entity, action.as_str()))
        };
        self.entities
            .iter()
            .flat_map(move |entity| actions(entity.as_str()))
    }

    /// Whether it is within bounds and names what there is.
    pub(crate) fn check(&self) -> Result<(), RuleError> {
        check_words(&self.entities, "entities", RuleError::NoEntities)?;
        check_words(&self.actions, "actions", RuleError::NoActions)?;
        let entities = known(|permission| permission.entity);
        let actions = known(|permission| permission.action);
        let unknown = |words: &[String], known: &[&str]| {
            let strange = |word: &&String| *word != ALL && !known.contains(&word.as_str());
            words.iter().find(strange).cloned()
        };
        if let Some(word) = unknown(&self.entities, &entities) {
            return Err(RuleError::UnknownEntity { word });
        }
        if let Some(word) = unknown(&self.actions, &actions) {
            return Err(RuleError::UnknownAction { word });
        }
        self.selector.check()
    }
}

fn check_words(words: &[String], field: &'static str, none: RuleError) -> Result<(), RuleError> {
    if words.is_empty() {
        return Err(none);
    }
    check_values(field, words.iter())
}

fn check_values<'a>(
    field: &'static str,
    values: impl ExactSizeIterator<Item = &'a String>,
) -> Result<(), RuleError> {
    if values.len() > MOST_VALUES {
        return Err(RuleError::TooMany(field));
    }
    let good = |value: &String| {
        (1..=LONGEST_VALUE).contains(&value.len()) && !value.chars().any(char::is_control)
    };
    if values.into_iter().all(good) {
        Ok(())
    } else {
        Err(RuleError::Value(field))
    }
}

impl Selector {
    /// True if it has no limits.
    pub(crate) fn is_everything(&self) -> bool {
        self.labels.is_empty() && self.lists().iter().all(|(_, values)| values.is_empty())
    }

    /// The fields that hold patterns, with their names.
    pub(crate) fn lists(&self) -> [(&'static str, &Vec<String>); 7] {
        [
            ("runtimes", &self.runtimes),
            ("clusters", &self.clusters),
            ("projects", &self.projects),
            ("namespaces", &self.namespaces),
            ("names", &self.names),
            ("products", &self.products),
            ("environments", &self.environments),
        ]
    }

    /// The same, to change one; in the same order.
    pub(crate) fn list_mut(&mut self, index: usize) -> &mut Vec<String> {
        match index {
            0 => &mut self.runtimes,
            1 => &mut self.clusters,
            2 => &mut self.projects,
            3 => &mut self.namespaces,
            4 => &mut self.names,
            5 => &mut self.products,
            _ => &mut self.environments,
        }
    }

    fn selects(&self, target: &Target<'_>) -> Selection {
        let Target {
            runtime,
            cluster,
            project,
            namespace,
            name,
            labels: _,
        } = *target;
        let fields = [
            among(&self.runtimes, runtime),
            among(&self.clusters, cluster),
            among(&self.projects, project),
            among(&self.namespaces, namespace),
            among(&self.names, name),
            self.selects_labels(target),
            selection(self.is_possible()),
        ];
        fields.into_iter().min().unwrap_or(Selection::Yes)
    }

    /// True if anything can be selected by it: nothing has a product or an environment yet.
    pub(crate) fn is_possible(&self) -> bool {
        self.products.is_empty() && self.environments.is_empty()
    }

    fn selects_labels(&self, target: &Target<'_>) -> Selection {
        match target.labels {
            _ if self.labels.is_empty() => Selection::Yes,
            None => Selection::Perhaps,
            Some(known) => {
                let held = |(label, value)| known.get(label) == Some(value);
                selection(self.labels.iter().all(held))
            }
        }
    }

    /// True if it selects all that another one selects.
    fn covers(&self, other: &Self) -> bool {
        let mut lists = self.lists().into_iter().zip(other.lists());
        let lists = lists.all(|((_, own), (_, other))| {
            let one = |narrow: &String| own.iter().any(|wide| pattern::covers(wide, narrow));
            own.is_empty() || (!other.is_empty() && other.iter().all(one))
        });
        let held = |(label, value)| other.labels.get(label) == Some(value);
        lists && self.labels.iter().all(held)
    }

    fn check(&self) -> Result<(), RuleError> {
        for (field, values) in self.lists() {
            check_values(field, values.iter())?;
        }
        check_values("labels", self.labels.keys())?;
        let values: Vec<_> = self.labels.values().filter(|it| !it.is_empty()).collect();
        check_values("labels", values.into_iter())
    }
}

fn among(patterns: &[String], known: Option<&str>) -> Selection {
    match known {
        _ if patterns.is_empty() => Selection::Yes,
        None => Selection::Perhaps,
        Some(known) => selection(patterns.iter().any(|it| glob_matches(it, known))),
    }
}

fn selection(holds: bool) -> Selection {
    if holds { Selection::Yes } else { Selection::No }
}

impl From<Selector> for ScopeRule {
    fn from(selector: Selector) -> Self {
        Self {
            runtimes: selector.runtimes,
            clusters: selector.clusters,
            projects: selector.projects,
            namespaces: selector.namespaces,
            names: selector.names,
            labels: selector.labels,
            products: selector.products,
            environments: selector.environments,
        }
    }
}

#[cfg(test)]
mod tests;
