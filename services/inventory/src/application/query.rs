//! Which applications a caller asks for, and how they are handed out.

use causeway_assertion::glob_matches;
use causeway_shell::suggest;

use super::{Health, Key, LabelSelector, Place, Record, Sort, Source, Summary, Sync, Visible};

/// How many encoded bytes of applications one answer may hold, so that it fits into a gRPC message of 4 MiB.
pub const ANSWER_BYTES: usize = 3 << 20;

/// How much of each application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
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

    fn matches(&self, key: &Key, summary: &Summary) -> bool {
        let fields = [&*key.name, &*key.namespace, &*summary.traits.project];
        self.patterns()
            .all(|pattern| fields.iter().any(|field| glob_matches(&pattern, field)))
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
    /// The order.
    pub sort: Sort,
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
    pub fn admits(&self, key: &Key) -> bool {
        let same = |wanted: &str, there: &str| wanted.is_empty() || wanted == there;
        same(&self.runtime, &key.runtime_name)
            && same(&self.cluster, &key.cluster)
            && same(&self.namespace, &key.namespace)
            && same(&self.name, &key.name)
    }

    /// True if an application in this state matches, given that its place does.
    pub fn accepts(&self, key: &Key, summary: &Summary) -> bool {
        (self.project.is_empty() || *self.project == *summary.traits.project)
            && (self.sync.is_empty() || self.sync.contains(&summary.sync))
            && (self.health.is_empty() || self.health.contains(&summary.health))
            && (self.source.is_empty() || self.source.contains(&summary.source))
            && self.labels.matches(&summary.traits.labels)
            && self.text.matches(key, summary)
    }

    /// True if an application matches and is visible. There is no other place that decides it.
    pub fn matches(&self, key: &Key, summary: &Summary) -> bool {
        self.admits(key) && self.accepts(key, summary) && self.visible.contains(key, summary)
    }

    /// True if many applications may be looked at for one that matches.
    pub fn is_searching(&self) -> bool {
        !self.sync.is_empty()
            || !self.health.is_empty()
            || !self.source.is_empty()
            || !self.labels.is_everything()
            || !self.text.is_empty()
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
