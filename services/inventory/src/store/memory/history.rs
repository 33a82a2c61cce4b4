//! Histories, told and made thin by the same rules.

use std::collections::BTreeMap;

use bytes::Bytes;
use causeway_proto::ids::AccountId;

use super::table::Row;
use crate::{
    application::{Change, Key, State, Traits},
    history::{
        Bearing, Before, Entry, Frame, Load, MOST_PATCHES, Moment, Outline, Story, Weight,
        next_frame,
        retention::{Rules, Verdict, thinned},
    },
    inventory::Wanted,
    order::Life,
    patch,
};

/// All histories, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Stories {
    told: BTreeMap<i64, Told>,
    numbers: BTreeMap<Place, i64>,
}

/// Account, runtime, cluster, namespace and name.
type Place = (AccountId, [String; 4]);

#[derive(Debug)]
struct Told {
    account: AccountId,
    story: Story,
    entries: Vec<Entry>,
}

impl Told {
    fn patches(&self) -> usize {
        let newest_first = self.entries.iter().rev();
        newest_first
            .take_while(|entry| !entry.frame.stands_alone())
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

impl Stories {
    fn told_of(&mut self, account: &AccountId, key: &Key) -> &mut Told {
        let next = self.told.keys().next_back().map_or(1, |last| last + 1);
        let number = *self.numbers.entry(place(account, key)).or_insert(next);
        self.told.entry(number).or_insert_with(|| Told {
            account: account.clone(),
            story: Story {
                id: number,
                key: key.clone(),
                life: Life::Gone,
                traits: Traits::default(),
            },
            entries: Vec::new(),
        })
    }

    /// Tells of a state after the one that is held; tells when.
    pub(super) fn tell(
        &mut self,
        (change, state): (&Change, &State),
        key: &Key,
        held: Option<&Row>,
        moment: Moment,
    ) -> i64 {
        let told = self.told_of(&change.scope.account, key);
        let patches = told.patches();
        let held = held.filter(|row| row.record.life == Life::Live);
        let before = held.map(|row| Before {
            canonical: row.canonical.clone(),
            patches,
        });
        let packed = Bytes::from(patch::encode(b"", &state.canonical));
        let (frame, _) = next_frame(before.as_ref(), &change.uid, state, &packed);
        let at = moment.at.max(told.last());
        told.story.life = Life::Live;
        told.story.traits = state.summary.traits.clone();
        told.entries.push(Entry {
            moment: Moment { at, ..moment },
            resource_version: change.position.resource_version,
            outline: Outline::of(state),
            weight: Bearing::of(state).after(held.map(|row| row.bearing)),
            root_digest: Some(state.root_digest),
            frame,
        });
        at
    }

    /// Tells that what is held is gone; tells when.
    pub(super) fn tell_end(&mut self, account: &AccountId, row: &Row, moment: Moment) -> i64 {
        let told = self.told_of(account, &row.record.key);
        let at = moment.at.max(told.last());
        told.story.life = Life::Gone;
        told.entries.push(Entry {
            moment: Moment { at, ..moment },
            resource_version: row.record.resource_version,
            outline: Outline::gone(),
            weight: Weight::Lasting,
            root_digest: None,
            frame: Frame::Gone,
        });
        at
    }

    pub(super) fn of(&self, account: &AccountId, wanted: &Wanted) -> Vec<Story> {
        let is = |story: &Story| {
            let key = &story.key;
            let cluster = wanted.cluster.is_empty() || wanted.cluster == key.cluster;
            let names = [&key.runtime_name, &key.namespace, &key.name];
            cluster && names == [&wanted.runtime, &wanted.namespace, &wanted.name]
        };
        let own = self.told.values().filter(|told| told.account == *account);
        let stories = own.map(|told| &told.story).filter(|story| is(story));
        stories.cloned().collect()
    }

    fn entries_of(&self, account: &AccountId, story: i64) -> &[Entry] {
        let told = self.told.get(&story);
        let own = told.filter(|told| told.account == *account);
        own.map_or(&[], |told| &told.entries)
    }

    pub(super) fn entries(
        &self,
        account: &AccountId,
        story: i64,
        until: Moment,
        most: usize,
    ) -> Vec<Entry> {
        let newest_first = self.entries_of(account, story).iter().rev();
        let (mut entries, mut load) = (Vec::new(), Load::default());
        for entry in newest_first.filter(|entry| entry.moment <= until) {
            load.add(&entry.frame);
            entries.push(entry.clone());
            let enough = entries.len() >= most || load.is_full();
            if enough && entry.frame.stands_alone() || entries.len() == most + MOST_PATCHES {
                break;
            }
        }
        entries
    }

    pub(super) fn beginning(&self, account: &AccountId, story: i64) -> Option<Moment> {
        let first = self.entries_of(account, story).first();
        first.map(|entry| entry.moment)
    }

    pub(super) fn thin(&mut self, rules: Rules) {
        for told in self.told.values_mut() {
            let Ok(verdicts) = thinned(&told.entries, rules) else {
                tracing::error!(
                    story = told.story.id,
                    "a history cannot be read and stays as it is"
                );
                continue;
            };
            let entries = std::mem::take(&mut told.entries).into_iter().zip(verdicts);
            let kept = entries.filter_map(|(entry, verdict)| match verdict {
                Verdict::Keep => Some(entry),
                Verdict::Drop => None,
                Verdict::Rewrite(frame) => Some(Entry { frame, ..entry }),
            });
            told.entries = kept.collect();
        }
        self.told.retain(|_, told| !told.entries.is_empty());
        let told = &self.told;
        self.numbers.retain(|_, number| told.contains_key(number));
    }
}
