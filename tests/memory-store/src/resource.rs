//! Resources, events and images in memory, by the same rules as rows.

use std::time::SystemTime;

use bytes::Bytes;
use causeway_proto::time;

use super::table::{Tables, count, millis_before};
use causeway_inventory::{
    application::{Change, HeldObject, ObjectName, Scope, Uid},
    event::HELD_FOR,
    order::{self, Displacement, Head, Merge, ObjectLife, Position},
    resource::{
        ApplicationName, OwnerApplication, Resource, ResourceKey, ResourceRecord, moved_on,
    },
    store::Outcome,
};

#[derive(Debug, Clone)]
pub(super) struct ResourceRow {
    pub(super) position: Position,
    pub(super) state: Option<Resource>,
    pub(super) record: ResourceRecord,
}

pub(super) type Place = (Scope, Uid);

pub(super) fn now() -> i64 {
    time::to_millis(SystemTime::now())
}

impl ResourceRow {
    fn head(&self) -> Head {
        Head {
            position: self.position,
            life: self.record.life,
        }
    }

    pub(super) fn manifest(&self) -> Option<causeway_inventory::digest::Digest> {
        self.state.as_ref().and_then(|state| state.manifest)
    }
}

impl Tables {
    pub(super) fn apply_resource(&mut self, change: &Change<Resource>) -> Outcome {
        let place = ((*change.scope).clone(), change.uid.clone());
        let namesake = self.namesake_of(change, &place);
        let merge = order::merge(
            change.position,
            change.life(),
            change.continuity,
            self.resources.get(&place).map(ResourceRow::head),
            namesake.as_ref().map(|held| self.resources[held].position),
        );
        if merge == Merge::Superseded || self.is_fenced(change) {
            return Outcome::Superseded;
        }
        let named: Vec<_> = change.state.iter().filter_map(|it| it.manifest).collect();
        let missing = self.missing_manifests(&change.scope.account, &named);
        if !missing.is_empty() {
            return Outcome::Missing(missing);
        }
        self.unmark_manifests(&change.scope.account, &named);
        match (merge, &change.state) {
            (Merge::Live { displaces }, Some(state)) => {
                if let (Displacement::Namesake, Some(other)) = (displaces, namesake) {
                    self.displace_resource(&other);
                }
                self.live_resource(change, state, place);
            }
            _ => self.end_resource(change, place, merge),
        }
        Outcome::Stored
    }

    fn namesake_of(&self, change: &Change<Resource>, place: &Place) -> Option<Place> {
        let same = |(held, row): &(&Place, &ResourceRow)| {
            held.0 == place.0
                && held.1 != place.1
                && row.record.life == ObjectLife::Live
                && row.record.key.namespace == *change.object.namespace
                && row.record.key.name == *change.object.name
        };
        self.resources
            .iter()
            .find(same)
            .map(|(held, _)| held.clone())
    }

    fn live_resource(&mut self, change: &Change<Resource>, state: &Resource, place: Place) {
        let number = self.next_change(&place.0.account);
        let belongs = self.belonging(&place.0, state.application.as_ref());
        let past = self.resources.get(&place).map_or_else(Vec::new, |held| {
            let held = &held.record;
            moved_on(
                held.past.clone(),
                held.belongs.clone(),
                belongs.as_ref(),
                number,
            )
        });
        let record = ResourceRecord {
            key: key_of(change),
            kind: state.kind.to_string(),
            uid: change.uid.clone(),
            resource_version: change.position.resource_version,
            life: ObjectLife::Live,
            labels: state.labels.clone(),
            health: state.health,
            belongs,
            past,
            change: number,
            received_at: now(),
            basic: state.basic.clone(),
            detail: state.detail.clone(),
        };
        let row = ResourceRow {
            position: change.position,
            state: Some(state.clone()),
            record,
        };
        self.resources.insert(place, row);
    }

    fn end_resource(&mut self, change: &Change<Resource>, place: Place, merge: Merge) {
        let number = match merge {
            Merge::Gone => self.next_change(&place.0.account),
            Merge::Superseded | Merge::Buried | Merge::Live { .. } => 0,
        };
        let row = self.resources.entry(place).or_insert_with(|| ResourceRow {
            position: change.position,
            state: None,
            record: unknown(change),
        });
        row.position = change.position;
        row.bury(number.max(row.record.change));
        row.record.resource_version = change.position.resource_version;
    }

    fn displace_resource(&mut self, place: &Place) {
        let number = self.next_change(&place.0.account);
        if let Some(row) = self.resources.get_mut(place) {
            row.bury(number);
        }
    }

    pub(super) fn belonging(
        &self,
        scope: &Scope,
        of: Option<&ApplicationName>,
    ) -> Option<OwnerApplication> {
        let application = of?;
        let live = self.live.iter().find(|((account, key), _)| {
            *account == scope.account
                && key.runtime == scope.runtime.as_str()
                && key.cluster == *application.cluster
                && key.namespace == *application.namespace
                && key.name == *application.name
        });
        live.map(|(_, place)| OwnerApplication {
            application: application.clone(),
            traits: self.rows[place].record.summary.traits.clone(),
        })
    }

    /// What belongs to an application follows what has become of it.
    pub(super) fn follow(&mut self, change: &Change) {
        let application = ApplicationName {
            cluster: change.scope.cluster.as_str().into(),
            namespace: change.object.namespace.clone(),
            name: change.object.name.clone(),
        };
        let belongs = self.belonging(&change.scope, Some(&application));
        let of = |(place, row): &(&Place, &ResourceRow)| {
            place.0.account == change.scope.account
                && place.0.runtime == change.scope.runtime
                && row.record.life == ObjectLife::Live
                && row.record.belongs != belongs
                && row.state.as_ref().and_then(|it| it.application.as_ref()) == Some(&application)
        };
        let found: Vec<Place> = (self.resources.iter().filter(of))
            .map(|(place, _)| place.clone())
            .collect();
        for place in found {
            let number = self.next_change(&place.0.account);
            let Some(row) = self.resources.get_mut(&place) else {
                continue;
            };
            let held = row.record.belongs.take();
            let past = std::mem::take(&mut row.record.past);
            row.record.past = moved_on(past, held, belongs.as_ref(), number);
            row.record.belongs.clone_from(&belongs);
            row.record.change = number;
        }
    }

    /// Live objects of a scope that is not of applications, in the order of uids.
    pub(super) fn held_objects<'a>(
        &'a self,
        scope: &'a Scope,
    ) -> impl Iterator<Item = HeldObject> + 'a {
        let since = millis_before(HELD_FOR);
        let resources = self.resources.iter().filter_map(move |((of, uid), row)| {
            let state = row.state.as_ref().filter(|_| of == scope)?;
            Some(HeldObject {
                object: ObjectName {
                    namespace: row.record.key.namespace.as_str().into(),
                    name: row.record.key.name.as_str().into(),
                },
                uid: uid.clone(),
                resource_version: row.position.resource_version,
                root_digest: state.root_digest,
            })
        });
        let events = self
            .events
            .iter()
            .filter(move |((of, _), row)| of == scope && row.life == ObjectLife::Live)
            .filter(move |(_, row)| row.received_at > since);
        let events = events.map(|((_, uid), row)| HeldObject {
            object: row.object.clone(),
            uid: uid.clone(),
            resource_version: row.position.resource_version,
            root_digest: row.event.root_digest,
        });
        resources.chain(events)
    }

    pub(super) fn collect_resources(&mut self, before: i64) -> u64 {
        let mut gone = Vec::new();
        self.resources.retain(|(scope, _), row| {
            let old = row.record.life == ObjectLife::Gone && row.record.received_at <= before;
            if old {
                gone.push((scope.account.clone(), row.record.change));
            }
            !old
        });
        for (account, change) in &gone {
            self.expire_cursors(account, *change);
        }
        count(gone.len())
    }

    pub(super) fn collect_events(&mut self, before: i64) -> u64 {
        let there = self.events.len();
        self.events.retain(|_, row| row.received_at > before);
        count(there - self.events.len())
    }
}

impl ResourceRow {
    pub(super) fn is_of(&self, key: &causeway_inventory::application::Key) -> bool {
        let state = self.state.as_ref();
        let application = state.and_then(|state| state.application.as_ref());
        application.is_some_and(|it| {
            *it.cluster == *key.cluster && *it.namespace == *key.namespace && *it.name == *key.name
        })
    }

    fn bury(&mut self, number: u64) {
        self.state = None;
        self.record.life = ObjectLife::Gone;
        self.record.change = number;
        self.record.received_at = now();
        self.record.basic = Bytes::new();
        self.record.detail = Bytes::new();
    }
}

fn key_of<S>(change: &Change<S>) -> ResourceKey {
    ResourceKey {
        runtime_name: change.runtime_name.as_str().to_owned(),
        cluster: change.scope.cluster.to_string(),
        resource: change.scope.kind.to_string(),
        namespace: change.object.namespace.to_string(),
        name: change.object.name.to_string(),
        runtime: change.scope.runtime.as_str().to_owned(),
    }
}

fn unknown(change: &Change<Resource>) -> ResourceRecord {
    ResourceRecord {
        key: key_of(change),
        kind: String::new(),
        uid: change.uid.clone(),
        resource_version: change.position.resource_version,
        life: ObjectLife::Gone,
        labels: causeway_inventory::application::Labels::default(),
        health: causeway_inventory::application::Health::Unspecified,
        belongs: None,
        past: Vec::new(),
        change: 0,
        received_at: now(),
        basic: Bytes::new(),
        detail: Bytes::new(),
    }
}
