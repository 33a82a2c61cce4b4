//! Histories in memory, appended to and compacted by the same rules as rows.

use std::collections::BTreeMap;

use bytes::Bytes;
use causeway_proto::ids::AccountId;

use super::table::Row;
use causeway_inventory::{
    application::{Change, Key, ScopeTraits, State},
    history::{
        BaseState, Entry, EntrySummary, Frame, History, Importance, MAX_PATCHES, Moment,
        ReadBudget, StatusKey, next_frame,
        retention::{EntryAction, RetentionRules, plan_actions},
    },
    inventory::ApplicationRequest,
    order::ObjectLife,
    patch,
    quota::{HistoryExcess, Owner},
};

/// All histories.
#[derive(Debug, Default)]
pub(super) struct Histories {
    by_id: BTreeMap<i64, StoredHistory>,
    ids: BTreeMap<Place, i64>,
}

/// Account, runtime, cluster, namespace and name.
type Place = (AccountId, [String; 4]);

#[derive(Debug)]
struct StoredHistory {
    account: AccountId,
    history: History,
    entries: Vec<Entry>,
}

impl StoredHistory {
    fn owner(&self) -> Owner {
        let runtime = self.history.key.runtime.parse();
        (
            self.account.clone(),
            runtime.expect("it is the id of a runtime"),
        )
    }

    fn patches(&self) -> usize {
        let newest_first = self.entries.iter().rev();
        newest_first
            .take_while(|entry| !entry.frame.is_standalone())
            .count()
    }

    fn last(&self) -> i64 {
        self.entries.last().map_or(0, |entry| entry.moment.at)
    }
}

fn place(account: &AccountId, key: &Key) -> Place {
    let parts = [&key.runtime, &key.cluster, &key.namespace, &key.name];
    (account.clone(), parts.map(String::clone))
}

impl Histories {
    fn history_of(&mut self, account: &AccountId, key: &Key) -> &mut StoredHistory {
        let next = self.by_id.keys().next_back().map_or(1, |last| last + 1);
        let number = *self.ids.entry(place(account, key)).or_insert(next);
        self.by_id.entry(number).or_insert_with(|| StoredHistory {
            account: account.clone(),
            history: History {
                id: number,
                key: key.clone(),
                life: ObjectLife::Gone,
                traits: ScopeTraits::default(),
            },
            entries: Vec::new(),
        })
    }

    /// Appends a state after the held one; returns its time.
    pub(super) fn append_state(
        &mut self,
        (change, state): (&Change, &State),
        key: &Key,
        held: Option<&Row>,
        moment: Moment,
    ) -> i64 {
        let stored = self.history_of(&change.scope.account, key);
        let patches = stored.patches();
        let held = held.filter(|row| row.record.life == ObjectLife::Live);
        let before = held.map(|row| BaseState {
            canonical: row.canonical.clone(),
            patches,
        });
        let packed = Bytes::from(patch::encode(b"", &state.canonical));
        let (frame, _) = next_frame(before.as_ref(), &change.uid, state, &packed);
        let at = moment.at.max(stored.last());
        stored.history.life = ObjectLife::Live;
        stored.history.traits = state.summary.traits.clone();
        stored.entries.push(Entry {
            moment: Moment { at, ..moment },
            resource_version: change.position.resource_version,
            summary: EntrySummary::from_state(state),
            importance: StatusKey::from_state(state).importance_after(held.map(|row| row.status)),
            root_digest: Some(state.root_digest),
            frame,
        });
        at
    }

    /// Appends the deletion of the held state; returns its time.
    pub(super) fn append_deletion(
        &mut self,
        account: &AccountId,
        row: &Row,
        moment: Moment,
    ) -> i64 {
        let stored = self.history_of(account, &row.record.key);
        let at = moment.at.max(stored.last());
        stored.history.life = ObjectLife::Gone;
        stored.entries.push(Entry {
            moment: Moment { at, ..moment },
            resource_version: row.record.resource_version,
            summary: EntrySummary::tombstone(),
            importance: Importance::Milestone,
            root_digest: None,
            frame: Frame::Tombstone,
        });
        at
    }

    pub(super) fn find(&self, account: &AccountId, wanted: &ApplicationRequest) -> Vec<History> {
        let is = |history: &History| {
            let key = &history.key;
            let cluster = wanted.cluster.is_empty() || wanted.cluster == key.cluster;
            let names = [&key.runtime_name, &key.namespace, &key.name];
            cluster && names == [&wanted.runtime, &wanted.namespace, &wanted.name]
        };
        let own = self
            .by_id
            .values()
            .filter(|stored| stored.account == *account);
        let histories = own
            .map(|stored| &stored.history)
            .filter(|history| is(history));
        histories.cloned().collect()
    }

    fn entries_of(&self, account: &AccountId, history: i64) -> &[Entry] {
        let stored = self.by_id.get(&history);
        let own = stored.filter(|stored| stored.account == *account);
        own.map_or(&[], |stored| &stored.entries)
    }

    pub(super) fn entries(
        &self,
        account: &AccountId,
        history: i64,
        until: Moment,
        most: usize,
    ) -> Vec<Entry> {
        let newest_first = self.entries_of(account, history).iter().rev();
        let (mut entries, mut budget) = (Vec::new(), ReadBudget::default());
        for entry in newest_first.filter(|entry| entry.moment <= until) {
            budget.add(&entry.frame);
            entries.push(entry.clone());
            let enough = entries.len() >= most || budget.is_exhausted();
            if enough && entry.frame.is_standalone() || entries.len() == most + MAX_PATCHES {
                break;
            }
        }
        entries
    }

    pub(super) fn start(&self, account: &AccountId, history: i64) -> Option<Moment> {
        let first = self.entries_of(account, history).first();
        first.map(|entry| entry.moment)
    }

    /// Runtimes with more entries than allowed, and the time of the first one beyond.
    pub(super) fn excess(&self, most: u64) -> Vec<HistoryExcess> {
        let mut times = BTreeMap::<Owner, Vec<i64>>::new();
        for stored in self.by_id.values() {
            let entries = stored.entries.iter().map(|entry| entry.moment.at);
            times.entry(stored.owner()).or_default().extend(entries);
        }
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let first_beyond = |(owner, mut times): (Owner, Vec<i64>)| {
            times.sort_unstable_by(|one, other| other.cmp(one));
            let until = *times.get(most)?;
            Some(HistoryExcess { owner, until })
        };
        times.into_iter().filter_map(first_beyond).collect()
    }

    /// Compacts the histories of one runtime, or of all.
    pub(super) fn compact(&mut self, owner: Option<&Owner>, rules: RetentionRules) {
        for stored in self.by_id.values_mut() {
            if owner.is_some_and(|owner| *owner != stored.owner()) {
                continue;
            }
            let Ok(actions) = plan_actions(&stored.entries, rules) else {
                tracing::error!(
                    history = stored.history.id,
                    "a history cannot be decoded; it is not compacted"
                );
                continue;
            };
            let entries = std::mem::take(&mut stored.entries).into_iter().zip(actions);
            let kept = entries.filter_map(|(entry, action)| match action {
                EntryAction::Keep => Some(entry),
                EntryAction::Drop => None,
                EntryAction::Rewrite(frame) => Some(Entry { frame, ..entry }),
            });
            stored.entries = kept.collect();
        }
        self.by_id.retain(|_, stored| !stored.entries.is_empty());
        let stored = &self.by_id;
        self.ids.retain(|_, number| stored.contains_key(number));
    }
}
