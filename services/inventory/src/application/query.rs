//! Which applications a caller asks for, and how they are handed out.

use std::collections::BTreeSet;

use causeway_assertion::{glob_matches, is_glob};
use causeway_shell::suggest;

use super::{
    Exclusion, Facts, Health, Key, LabelSelector, Patterns, Place, Record, Sort, Source, Sync,
    Visible,
};
use crate::history::Phase;

/// How many encoded bytes of applications one answer may hold, so that it fits into a gRPC message of 4 MiB.
pub const ANSWER_BYTES: usize = 3 << 20;

/// How much of each application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// One line of a list; stores read the same as for the basic view.
    Row,
    /// Without trees, histories and results per resource.
    Basic,
    /// Everything.
    Full,
}

/// Words of which each must be in the name, the namespace or the project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text(Vec<String>);

impl Text {
    /// The words of a text, with small letters, as Kubernetes has them in names.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let words = text.split_whitespace().map(str::to_ascii_lowercase);
        Self(words.collect())
    }

    /// Number of words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if it says nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What one of the three texts must be like, for each word.
    pub fn patterns(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|word| format!("*{word}*"))
    }

    fn matches(&self, facts: &Facts<'_>) -> bool {
        let fields = [facts.name, facts.namespace, facts.project];
        self.0.iter().all(|word| {
            if is_glob(word) {
                let pattern = format!("*{word}*");
                return fields.iter().any(|field| glob_matches(&pattern, field));
            }
            fields.iter().any(|field| field.contains(word.as_str()))
        })
    }
}

/// Which applications, and in which order; an empty field matches all. By default it matches nothing, as nothing is visible.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// What the caller may see at all.
    pub visible: Visible,
    /// Of this runtime, by name.
    pub runtime: String,
    /// Of this cluster.
    pub cluster: String,
    /// Of this namespace.
    pub namespace: String,
    /// Of this name.
    pub name: String,
    /// Of this project.
    pub project: String,
    /// Of one of these sync states.
    pub sync: Vec<Sync>,
    /// Of one of these health states.
    pub health: Vec<Health>,
    /// From one of these kinds of sources.
    pub source: Vec<Source>,
    /// With labels that it selects.
    pub labels: LabelSelector,
    /// With these words.
    pub text: Text,
    /// Of runtimes with one of these names.
    pub runtimes: Patterns,
    /// Of one of these clusters.
    pub clusters: Patterns,
    /// Of one of these namespaces.
    pub namespaces: Patterns,
    /// Of one of these projects.
    pub projects: Patterns,
    /// With one of these names.
    pub names: Patterns,
    /// With an operation in one of these phases.
    pub operation: Vec<Phase>,
    /// That sync automatically, or that do not.
    pub automated: Option<bool>,
    /// From one of these repositories.
    pub repositories: Vec<String>,
    /// Of one of these parents, as NAMESPACE/NAME.
    pub parents: Vec<String>,
    /// Accepted then or later, milliseconds since 1970.
    pub changed_since: Option<i64>,
    /// One of these, as RUNTIME/CLUSTER/NAMESPACE/NAME.
    pub keys: BTreeSet<String>,
    /// What is left out.
    pub exclude: Exclusion,
    /// The order.
    pub sort: Sort,
    /// Whether the order is reversed; ties keep theirs.
    pub descending: bool,
}

impl Filter {
    /// All that is visible.
    #[must_use]
    pub fn within(visible: Visible) -> Self {
        Self {
            visible,
            ..Self::default()
        }
    }

    /// True if an application of this place can ever match.
    pub fn admits(&self, facts: &Facts<'_>) -> bool {
        let same = |wanted: &str, there: &str| wanted.is_empty() || wanted == there;
        same(&self.runtime, facts.runtime_name)
            && same(&self.cluster, facts.cluster)
            && same(&self.namespace, facts.namespace)
            && same(&self.name, facts.name)
            && self.runtimes.admit(facts.runtime_name)
            && self.clusters.admit(facts.cluster)
            && self.namespaces.admit(facts.namespace)
            && self.names.admit(facts.name)
            && self.has_key(facts)
    }

    fn has_key(&self, facts: &Facts<'_>) -> bool {
        let Facts {
            runtime_name,
            cluster,
            namespace,
            name,
            ..
        } = facts;
        self.keys.is_empty()
            || self
                .keys
                .contains(&format!("{runtime_name}/{cluster}/{namespace}/{name}"))
    }

    /// True if an application in this state matches, given that its place does.
    pub fn accepts(&self, facts: &Facts<'_>) -> bool {
        (self.project.is_empty() || self.project == facts.project)
            && self.projects.admit(facts.project)
            && (self.sync.is_empty() || self.sync.contains(&facts.sync))
            && (self.health.is_empty() || self.health.contains(&facts.health))
            && (self.source.is_empty() || self.source.contains(&facts.source))
            && self
                .changed_since
                .is_none_or(|since| facts.received_at >= since)
            && self.labels.matches(facts.labels)
            && self.text.matches(facts)
    }

    /// True if an application matches in what no column of a store has.
    pub fn accepts_details(&self, facts: &Facts<'_>) -> bool {
        (self.operation.is_empty() || self.operation.contains(&facts.operation))
            && self
                .automated
                .is_none_or(|automated| automated == facts.automated)
            && (self.parents.is_empty() || self.parents.iter().any(|it| it == facts.parent))
            && (self.repositories.is_empty() || self.has_repository(facts))
            && !self.exclude.matches(facts)
    }

    fn has_repository(&self, facts: &Facts<'_>) -> bool {
        let mut own = facts.repositories.lines();
        own.any(|own| self.repositories.iter().any(|wanted| wanted == own))
    }

    /// True if an application matches and is visible. There is no other place that decides it.
    pub fn matches(&self, facts: &Facts<'_>) -> bool {
        self.admits(facts)
            && self.accepts(facts)
            && self.accepts_details(facts)
            && self.visible.includes(facts)
    }

    /// True if many applications may be looked at for one that matches.
    pub fn is_searching(&self) -> bool {
        !self.sync.is_empty()
            || !self.health.is_empty()
            || !self.source.is_empty()
            || !self.labels.is_everything()
            || !self.text.is_empty()
            || self.has_patterns()
            || self.changed_since.is_some()
            || self.has_details()
    }

    /// True if it asks for what applications are now, which what is recorded of them does not tell.
    pub fn has_states(&self) -> bool {
        !self.sync.is_empty()
            || !self.health.is_empty()
            || !self.source.is_empty()
            || !self.operation.is_empty()
            || self.automated.is_some()
            || !self.repositories.is_empty()
            || !self.parents.is_empty()
            || self.changed_since.is_some()
            || !self.exclude.sync.is_empty()
            || !self.exclude.health.is_empty()
    }

    /// The filter without what applications are now.
    #[must_use]
    pub fn without_states(&self) -> Self {
        let mut filter = self.clone();
        (filter.automated, filter.changed_since) = (None, None);
        filter.sync.clear();
        filter.health.clear();
        filter.source.clear();
        filter.operation.clear();
        filter.repositories.clear();
        filter.parents.clear();
        filter.exclude.sync.clear();
        filter.exclude.health.clear();
        filter
    }

    fn has_patterns(&self) -> bool {
        let lists = [
            &self.runtimes,
            &self.clusters,
            &self.namespaces,
            &self.projects,
            &self.names,
        ];
        lists.iter().any(|list| !list.is_empty())
    }

    /// True if it asks for what no column of a store has: stores return what matches, but cannot count it.
    pub fn has_details(&self) -> bool {
        !self.operation.is_empty()
            || self.automated.is_some()
            || !self.repositories.is_empty()
            || !self.parents.is_empty()
            || !self.keys.is_empty()
            || !self.exclude.is_empty()
    }
}

/// A page of what was asked for, in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The items.
    pub items: Vec<T>,
    /// Whether there is more after them.
    pub rest: NextPage,
}

/// Continuation of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextPage {
    /// There may be, after the last item.
    More,
    /// There may be, after an application that was looked at and is not told of. No caller may learn its key.
    ScanPosition(Box<ScanPosition>),
    /// There is not.
    End,
}

/// Where a list goes on. Its caller holds it sealed.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageToken {
    /// The order of the list.
    pub sort: Sort,
    /// The last application that was told of.
    pub place: Option<Place>,
    /// The number of the last change of an application after it that was looked at.
    pub looked: Option<u64>,
    /// Which account and scope it was made for.
    pub stamp: u64,
}

/// Position that a scan has reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanPosition {
    /// The last application that was looked at.
    pub place: Place,
    /// The number of its last change, which says the same to those who may not know its key.
    pub change: u64,
}

impl Page<Record> {
    /// Where the next page begins, when this one began at `from`; nothing where this is the last.
    #[must_use]
    pub fn next(&self, from: Option<&PageToken>, sort: Sort, stamp: u64) -> Option<PageToken> {
        let looked = match &self.rest {
            NextPage::End => return None,
            NextPage::More => None,
            NextPage::ScanPosition(looked) => Some(looked.change),
        };
        let last = self.items.last().map(|record| sort.place_of(record));
        Some(PageToken {
            sort,
            place: last.or_else(|| from.and_then(|from| from.place.clone())),
            looked,
            stamp,
        })
    }

    /// Adds a record unless the page is full; `false` once nothing more fits.
    pub fn push(&mut self, record: Record, limit: usize, bytes: &mut usize) -> bool {
        let fits = self.items.is_empty() || *bytes + record.size() <= ANSWER_BYTES;
        if self.items.len() >= limit || !fits {
            self.rest = NextPage::More;
            return false;
        }
        *bytes += record.size();
        self.items.push(record);
        true
    }
}

/// Returns at most three of `known` that resemble an application that does not exist, most similar first.
pub fn nearest(wanted: &Key, known: &[Key]) -> Vec<Key> {
    let known = known.iter().map(|key| {
        let is_elsewhere =
            key.runtime_name != wanted.runtime_name || key.namespace != wanted.namespace;
        (&*key.name, (is_elsewhere, key))
    });
    let similar = suggest(&wanted.name, known).into_iter();
    similar.map(|(_, key)| key.clone()).collect()
}
