//! One entry of the list: `ACTION[+ACTION]...[:FIELD=PATTERN]...`

use std::{collections::BTreeMap, fmt, str::FromStr};

use causeway_assertion::{ApplicationAttributes, UnownedObject, glob_matches};
use causeway_proto::ids::UserId;

use super::Action;

/// How long an entry may be, in bytes.
const LONGEST_ENTRY: usize = 1024;

/// The whole syntax, for `--help`.
pub(crate) fn syntax() -> String {
    format!(
        "\
What users may do in this runtime at all, whatever the platform allows them; nothing if not given

Entries, separated by commas or given again and again:

    ACTION[+ACTION]...[:FIELD=PATTERN]...

ACTION is {}: read shows the live object and what belongs to it, logs what its pods write, exec runs commands in their containers, and resource-action runs an action that \
Argo CD has for a resource; git-read, commit and integration are about repositories, git-source about folders of Applications. FIELD is user, project, namespace, name, cluster or label.KEY. In a \
PATTERN * stands for any text and ? for one character; a label must be equal. A field given twice holds where one of its \
patterns does, and an entry holds where all its fields do; what belongs to no application has a namespace and a cluster \
alone. What no entry names is not allowed, and an application that no \
entry is about is answered as if it were not there.

    --allow read,sync,refresh,rollout
    --allow 'read,sync+refresh:project=shop'
    --allow 'read,sync:namespace=team-*:label.tier=test:user=ada:user=ci-*'

In YAML and in a shell put quotes around an entry that has a pattern.",
        Action::names()
    )
}

/// Who may do what with which applications.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    actions: Vec<Action>,
    users: Vec<String>,
    projects: Vec<String>,
    namespaces: Vec<String>,
    names: Vec<String>,
    clusters: Vec<String>,
    labels: BTreeMap<String, Vec<String>>,
}

/// A text that is no entry. One line that names the entry and says what to write.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EntryError {
    #[error(
        "an entry is empty: write an action ({names}), and leave no comma at the end",
        names = Action::names()
    )]
    Empty,
    #[error("an entry has {0} bytes: at most {LONGEST_ENTRY}, so make two of it")]
    Long(usize),
    #[error("in '{entry}', '{action}' is no action: use one of {names}, joined by +", names = Action::names())]
    Action { entry: String, action: String },
    #[error("in '{entry}', '{part}' is no FIELD=PATTERN: write for example project=shop")]
    Part { entry: String, part: String },
    #[error(
        "in '{entry}', '{field}' is no field: use user, project, namespace, name, cluster or label.KEY"
    )]
    Field { entry: String, field: String },
    #[error("in '{entry}', {field} has no pattern: write one, or leave the field out")]
    Pattern { entry: String, field: String },
    #[error("in '{entry}', {field} has a pattern, but a label must be equal: write its value")]
    Label { entry: String, field: String },
}

impl Entry {
    /// Without limits.
    #[must_use]
    pub fn of(action: Action) -> Self {
        Self {
            actions: vec![action],
            users: Vec::new(),
            projects: Vec::new(),
            namespaces: Vec::new(),
            names: Vec::new(),
            clusters: Vec::new(),
            labels: BTreeMap::new(),
        }
    }

    pub(super) fn is_about(&self, action: Action) -> bool {
        self.actions.contains(&action)
    }

    pub(super) fn is_for(&self, user: &UserId) -> bool {
        holds(&self.users, user.as_str())
    }

    pub(super) fn selects_all(&self) -> bool {
        let lists = [
            &self.projects,
            &self.namespaces,
            &self.names,
            &self.clusters,
        ];
        lists.into_iter().all(Vec::is_empty) && self.labels.is_empty()
    }

    pub(super) fn selects(&self, object: &ApplicationAttributes<'_>) -> bool {
        let label = |(name, values): (&String, &Vec<String>)| {
            let there = object.labels.get(name);
            there.is_some_and(|there| values.contains(there))
        };
        holds(&self.projects, object.project)
            && holds(&self.namespaces, object.namespace)
            && holds(&self.names, object.name)
            && holds(&self.clusters, object.cluster)
            && self.labels.iter().all(label)
    }

    /// True if it holds for whatever there may be at a place.
    pub(super) fn covers(&self, ground: &UnownedObject<'_>) -> bool {
        let unlimited = self.projects.is_empty() && self.names.is_empty() && self.labels.is_empty();
        unlimited
            && holds(&self.namespaces, ground.namespace)
            && holds(&self.clusters, ground.cluster)
    }

    fn add(&mut self, entry: &str, part: &str) -> Result<(), EntryError> {
        let entry = || entry.to_owned();
        let (field, pattern) = part.split_once('=').ok_or_else(|| EntryError::Part {
            entry: entry(),
            part: part.to_owned(),
        })?;
        let named = || field.to_owned();
        if pattern.is_empty() {
            let (entry, field) = (entry(), named());
            return Err(EntryError::Pattern { entry, field });
        }
        let list = match field {
            "user" => &mut self.users,
            "project" => &mut self.projects,
            "namespace" => &mut self.namespaces,
            "name" => &mut self.names,
            "cluster" => &mut self.clusters,
            _ => match field.strip_prefix("label.").filter(|key| !key.is_empty()) {
                Some(_) if pattern.contains(['*', '?']) => {
                    let (entry, field) = (entry(), named());
                    return Err(EntryError::Label { entry, field });
                }
                Some(key) => self.labels.entry(key.to_owned()).or_default(),
                None => {
                    let (entry, field) = (entry(), named());
                    return Err(EntryError::Field { entry, field });
                }
            },
        };
        list.push(pattern.to_owned());
        Ok(())
    }
}

impl FromStr for Entry {
    type Err = EntryError;

    fn from_str(text: &str) -> Result<Self, EntryError> {
        if text.len() > LONGEST_ENTRY {
            return Err(EntryError::Long(text.len()));
        }
        if text.trim().is_empty() {
            return Err(EntryError::Empty);
        }
        let mut parts = text.trim().split(':');
        let actions = parts.next().unwrap_or_default().split('+');
        let known = |action: &str| {
            let mut all = Action::ALL.iter().copied();
            let found = all.find(|known| known.to_string() == action);
            found.ok_or_else(|| EntryError::Action {
                entry: text.to_owned(),
                action: action.to_owned(),
            })
        };
        let actions = actions.map(known).collect::<Result<Vec<_>, _>>()?;
        let mut entry = Self {
            actions,
            ..Self::of(Action::Read)
        };
        for part in parts {
            entry.add(text, part)?;
        }
        Ok(entry)
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let actions: Vec<String> = self.actions.iter().map(Action::to_string).collect();
        formatter.write_str(&actions.join("+"))?;
        let lists = [
            ("user", &self.users),
            ("project", &self.projects),
            ("namespace", &self.namespaces),
            ("name", &self.names),
            ("cluster", &self.clusters),
        ];
        for (field, pattern) in lists
            .iter()
            .flat_map(|(field, list)| list.iter().map(move |pattern| (field, pattern)))
        {
            write!(formatter, ":{field}={pattern}")?;
        }
        for (key, values) in &self.labels {
            for value in values {
                write!(formatter, ":label.{key}={value}")?;
            }
        }
        Ok(())
    }
}

fn holds(patterns: &[String], value: &str) -> bool {
    patterns.is_empty() || patterns.iter().any(|pattern| glob_matches(pattern, value))
}
