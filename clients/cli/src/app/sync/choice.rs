//! Values of flags with the syntax of `argocd app sync`.

use std::{fmt, str::FromStr};

use causeway_assertion::glob_matches;
use causeway_proto::{inventory::v1 as pb, proxy::v1 as proxy};

/// Sync strategy.
#[derive(clap::ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StrategyName {
    /// Run hooks
    Hook,
    /// Apply like kubectl, without hooks
    Apply,
}

/// `[!]GROUP:KIND:[NAMESPACE/]NAME`
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Resource(proxy::ResourceSelector);

/// `NUMBER=REVISION`
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourceRevision(proxy::SourceRevision);

/// `NAME=VALUE`
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeyValue {
    name: String,
    value: String,
}

impl From<StrategyName> for proxy::SyncStrategy {
    fn from(name: StrategyName) -> Self {
        match name {
            StrategyName::Hook => Self::Hook,
            StrategyName::Apply => Self::Apply,
        }
    }
}

impl FromStr for Resource {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (exclude, fields) = match text.strip_prefix('!') {
            Some(fields) => (true, fields),
            None => (false, text),
        };
        let fields: Vec<&str> = fields.split(':').collect();
        let [group, kind, name] = fields.as_slice() else {
            return Err("write GROUP:KIND:NAME, with an empty GROUP for core".to_owned());
        };
        let (namespace, name) = name.split_once('/').unwrap_or(("", name));
        Ok(Self(proxy::ResourceSelector {
            group: (*group).to_owned(),
            kind: (*kind).to_owned(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            exclude,
        }))
    }
}

impl Resource {
    /// Selects resources as a sync does: all without a choice, and no excluded one. Dependents and
    /// hooks are never selected.
    pub(crate) fn select<'a>(
        choices: &[Self],
        resources: &'a [pb::Resource],
    ) -> impl Iterator<Item = &'a pb::Resource> {
        let managed = |it: &&pb::Resource| it.sync() != pb::SyncStatus::Unspecified && !it.hook;
        let (out, wanted): (Vec<_>, Vec<_>) = choices.iter().partition(|choice| choice.0.exclude);
        resources.iter().filter(managed).filter(move |resource| {
            let matches = |choice: &&Self| choice.matches(resource);
            (wanted.is_empty() || wanted.iter().any(matches)) && !out.iter().any(matches)
        })
    }

    /// True for an exclusion.
    pub(super) fn excludes(&self) -> bool {
        self.0.exclude
    }

    /// True if a resource matches, for an inclusion or an exclusion.
    pub(super) fn matches(&self, resource: &pb::Resource) -> bool {
        let Self(choice) = self;
        let is = |pattern: &str, value: &str| pattern.is_empty() || glob_matches(pattern, value);
        let group = match choice.group.as_str() {
            "" => resource.group.is_empty(),
            pattern => glob_matches(pattern, &resource.group),
        };
        group
            && is(&choice.kind, &resource.kind)
            && is(&choice.namespace, &resource.namespace)
            && is(&choice.name, &resource.name)
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(choice) = self;
        let out = if choice.exclude { "!" } else { "" };
        write!(formatter, "{out}{}:{}:", choice.group, choice.kind)?;
        if !choice.namespace.is_empty() {
            write!(formatter, "{}/", choice.namespace)?;
        }
        formatter.write_str(&choice.name)
    }
}

impl From<proxy::ResourceSelector> for Resource {
    fn from(selector: proxy::ResourceSelector) -> Self {
        Self(selector)
    }
}

impl From<&Resource> for proxy::ResourceSelector {
    fn from(resource: &Resource) -> Self {
        resource.0.clone()
    }
}

impl FromStr for SourceRevision {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (number, revision) = text.split_once('=').unwrap_or((text, ""));
        match number.parse() {
            Ok(position) if position > 0 && !revision.is_empty() => {
                Ok(Self(proxy::SourceRevision {
                    position,
                    revision: revision.to_owned(),
                }))
            }
            _ => Err("write NUMBER=REVISION, for example 1=main".to_owned()),
        }
    }
}

impl From<&SourceRevision> for proxy::SourceRevision {
    fn from(revision: &SourceRevision) -> Self {
        revision.0.clone()
    }
}

impl KeyValue {
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn value(&self) -> &str {
        &self.value
    }
}

impl FromStr for KeyValue {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((name, value)) if !name.is_empty() => Ok(Self {
                name: name.to_owned(),
                value: value.to_owned(),
            }),
            _ => Err("write NAME=VALUE".to_owned()),
        }
    }
}

impl fmt::Display for KeyValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}={}", self.name, self.value)
    }
}

impl From<&KeyValue> for proxy::OperationInfo {
    fn from(info: &KeyValue) -> Self {
        Self {
            name: info.name.clone(),
            value: info.value.clone(),
        }
    }
}
