//! Events and images in memory, by the same rules as rows.

use std::cmp::Reverse;

use causeway_proto::ids::AccountId;

use super::{
    resource::{Place, now},
    table::{Tables, millis_before},
};
use causeway_inventory::{
    application::{Change, Key, ObjectName, Scope, ScopeTraits},
    event::{
        Event, EventFilter, EventPage, EventPlace, EventRecord, EventsOf, MOST_OF_ACCOUNT,
        MOST_OF_OBJECT,
    },
    image::{ImageFilter, ImageName, ImageUse},
    order::{self, Head, Merge, ObjectLife, Position},
    store::Outcome,
};

#[derive(Debug, Clone)]
pub(super) struct EventRow {
    pub(super) position: Position,
    pub(super) life: ObjectLife,
    pub(super) object: ObjectName,
    pub(super) event: Event,
    pub(super) received_at: i64,
    /// Rises with each event that is new.
    number: u64,
    runtime_name: String,
}

impl Tables {
    pub(super) fn apply_event(&mut self, change: &Change<Event>) -> Outcome {
        if self.is_fenced(change) {
            return Outcome::Superseded;
        }
        let place = ((*change.scope).clone(), change.uid.clone());
        let head = self.events.get(&place).map(|held| Head {
            position: held.position,
            life: held.life,
        });
        let merge = order::merge(
            change.position,
            change.life(),
            change.continuity,
            head,
            None,
        );
        match (merge, &change.state) {
            (Merge::Live { .. }, Some(event)) => {
                self.keep_event(change, event, place, head.is_none());
                Outcome::Stored
            }
            (Merge::Gone | Merge::Buried, _) => {
                if let Some(row) = self.events.get_mut(&place) {
                    row.position = change.position;
                    row.life = ObjectLife::Gone;
                }
                Outcome::Stored
            }
            (Merge::Superseded | Merge::Live { .. }, _) => Outcome::Superseded,
        }
    }

    fn keep_event(&mut self, change: &Change<Event>, event: &Event, place: Place, is_new: bool) {
        let number = match self.events.get(&place) {
            Some(held) => held.number,
            None => {
                self.events
                    .values()
                    .map(|row| row.number)
                    .max()
                    .unwrap_or(0)
                    + 1
            }
        };
        let mut event = event.clone();
        event.last_seen = event.last_seen.min(now());
        let row = EventRow {
            position: change.position,
            life: ObjectLife::Live,
            object: change.object.clone(),
            event,
            received_at: now(),
            number,
            runtime_name: change.runtime_name.as_str().to_owned(),
        };
        let account = place.0.account.clone();
        let (scope, regarding) = (place.0.clone(), row.event.regarding.clone());
        self.events.insert(place, row);
        if is_new {
            self.prune_events(MOST_OF_OBJECT, |place, row| {
                (place.0 == scope && row.event.regarding == regarding)
                    .then_some((row.event.last_seen, row.number))
            });
            self.prune_events(MOST_OF_ACCOUNT, |place, row| {
                (place.0.account == account).then_some((row.received_at, row.number))
            });
        }
    }

    /// Of those that have an age the newest stay.
    fn prune_events(&mut self, most: usize, age: impl Fn(&Place, &EventRow) -> Option<(i64, u64)>) {
        let mut found: Vec<_> = (self.events.iter())
            .filter_map(|(place, row)| Some((Reverse(age(place, row)?), place.clone())))
            .collect();
        found.sort_unstable();
        for (_, place) in found.into_iter().skip(most) {
            self.events.remove(&place);
        }
    }

    pub(super) fn listed_events(
        &self,
        account: &AccountId,
        filter: &EventFilter,
        after: Option<EventPlace>,
        limit: usize,
    ) -> EventPage {
        let since = millis_before(causeway_inventory::event::KEPT_FOR);
        let mut found: Vec<_> = (self.events.iter())
            .filter(|((scope, _), row)| scope.account == *account && row.received_at > since)
            .filter(|((scope, _), row)| is_of(filter, scope, row))
            .map(|((scope, _), row)| self.event_record(scope, row))
            .filter(|record| after.is_none_or(|after| record.place() < after))
            .collect();
        found.sort_unstable_by_key(|record| Reverse(record.place()));
        let mut page = EventPage::default();
        for record in found {
            if !page.look(record, &filter.visible, limit) {
                return page;
            }
        }
        page.looked = None;
        page
    }

    pub(super) fn event_place(&self, account: &AccountId, number: u64) -> Option<EventPlace> {
        let mut own = (self.events.iter()).filter(|((scope, _), _)| scope.account == *account);
        let (_, row) = own.find(|(_, row)| row.number == number)?;
        let last_seen = row.event.last_seen;
        Some(EventPlace { last_seen, number })
    }

    fn event_record(&self, scope: &Scope, row: &EventRow) -> EventRecord {
        EventRecord {
            number: row.number,
            runtime_name: row.runtime_name.clone(),
            cluster: scope.cluster.to_string(),
            namespace: row.event.regarding.namespace.to_string(),
            belongs: self.belonging(scope, row.event.application.as_ref()),
            last_seen: row.event.last_seen,
            content: row.event.content.clone(),
        }
    }

    /// Uses of images, each once, in their order.
    pub(super) fn image_uses(&self, account: &AccountId, filter: &ImageFilter) -> Vec<ImageUse> {
        let own = self.live.iter().filter(|((of, _), _)| of == account);
        let mut uses = Vec::new();
        for ((_, key), place) in own {
            let row = &self.rows[place];
            let traits = &row.record.summary.traits;
            let theirs = (self.resources.iter())
                .filter(|((scope, _), it)| {
                    scope.account == *account && scope.runtime == place.0.runtime && it.is_of(key)
                })
                .filter_map(|(_, row)| row.state.as_ref())
                .flat_map(|state| &state.images);
            for image in row.images.iter().chain(theirs) {
                push_use(&mut uses, image, key, filter, traits);
            }
        }
        uses.sort_by(|one, other| one.order().cmp(&other.order()));
        uses.dedup();
        uses
    }
}

fn push_use(
    uses: &mut Vec<ImageUse>,
    image: &ImageName,
    key: &Key,
    filter: &ImageFilter,
    traits: &ScopeTraits,
) {
    let found = ImageUse {
        image: image.clone(),
        application: key.clone(),
    };
    if filter.matches(&found, traits) {
        uses.push(found);
    }
}

fn is_of(filter: &EventFilter, scope: &Scope, row: &EventRow) -> bool {
    let same = |wanted: &str, there: &str| wanted.is_empty() || wanted == there;
    let of = match &filter.of {
        EventsOf::Application { namespace, name } => {
            let application = row.event.application.as_ref();
            application.is_some_and(|it| same(namespace, &it.namespace) && *name == *it.name)
        }
        EventsOf::All { kind, namespace } => {
            let it = &row.event.regarding;
            same(kind, &it.kind) && same(namespace, &it.namespace)
        }
        EventsOf::Object {
            kind,
            namespace,
            name,
        } => {
            let it = &row.event.regarding;
            same(kind, &it.kind) && *namespace == *it.namespace && *name == *it.name
        }
    };
    of && same(&filter.runtime, &row.runtime_name) && same(&filter.cluster, scope.cluster.as_str())
}
