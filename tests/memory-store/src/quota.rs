//! What one runtime has, by the same rules as rows.

use super::table::Tables;
use causeway_inventory::{
    application::{ObjectName, Scope, Uid},
    order::ObjectLife,
    quota::{Owner, Usage},
};

impl Tables {
    pub(super) fn usage(&self, owner: &Owner) -> Usage {
        let own = |scope: &Scope| scope.account == owner.0 && scope.runtime == owner.1;
        let live = |life: ObjectLife| life == ObjectLife::Live;
        let mut usage = Usage::default();
        for ((scope, _), row) in &self.rows {
            if own(scope) && live(row.record.life) {
                usage.objects += 1;
                let record = &row.record;
                usage.bytes +=
                    (row.canonical.len() + record.basic.len() + record.detail.len()) as u64;
            }
        }
        for ((scope, _), row) in &self.resources {
            if own(scope) && live(row.record.life) {
                usage.objects += 1;
                usage.bytes += (row.record.basic.len() + row.record.detail.len()) as u64;
            }
        }
        for ((scope, _), row) in &self.events {
            if own(scope) && live(row.life) {
                usage.events += 1;
                usage.bytes += row.event.content.len() as u64;
            }
        }
        for (place, (unused_since, content)) in &self.manifests {
            let sent = self.manifest_senders.get(place);
            if place.0 == owner.0 && sent == Some(&owner.1) && unused_since.is_none() {
                usage.bytes += content.len() as u64;
            }
        }
        usage
    }

    pub(super) fn is_held(&self, scope: &Scope, uid: &Uid, object: &ObjectName) -> bool {
        let key = (scope.clone(), uid.clone());
        let own_event = |row: &super::event::EventRow| row.life == ObjectLife::Live;
        self.events.get(&key).is_some_and(own_event)
            || self.rows.iter().any(|((of, held), row)| {
                let key = &row.record.key;
                let same_name = *key.namespace == *object.namespace && *key.name == *object.name;
                of == scope && row.record.life == ObjectLife::Live && (held == uid || same_name)
            })
            || self.resources.iter().any(|((of, held), row)| {
                let key = &row.record.key;
                let same_name = *key.namespace == *object.namespace && *key.name == *object.name;
                of == scope && row.record.life == ObjectLife::Live && (held == uid || same_name)
            })
    }
}
