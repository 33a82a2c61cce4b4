//! Compares the objects that the inventory holds with the cache at the start of a stream, so that only differences are sent.

use std::collections::HashSet;

use causeway_proto::inventory::v1 as pb;

use super::{HEARTBEAT_MS, Reporter, Suspicion};
use crate::{
    manifest::Digest,
    object::{ObjectKey, WatchScope},
    object_cache::{CacheUpdate, Continuity, Remote, Sender},
    operations::Observer,
    reported_kind::{DeletionPolicy, ReportedKind},
    session::Stage,
};

impl<R: ReportedKind> Reporter<R> {
    pub(super) fn hello(&self) -> pb::Hello {
        let setup = &self.setup;
        let named = |scope: &WatchScope| match scope {
            WatchScope::All => None,
            WatchScope::Namespace(namespace) => Some(namespace.clone()),
        };
        let continuity = match self.continuity {
            Continuity::Continued => pb::StoreContinuity::Continued,
            Continuity::Restored => pb::StoreContinuity::Restored,
        };
        pb::Hello {
            instance: setup.instance.clone(),
            kind: self.share.kind.clone(),
            cluster: setup.cluster.clone(),
            namespaces: setup.scopes.iter().filter_map(named).collect(),
            store_identity: setup.store_identity.clone(),
            continuity: continuity.into(),
            version: setup.version.clone(),
            heartbeat_ms: HEARTBEAT_MS,
        }
    }

    pub(super) fn on_welcome(&mut self, welcome: &pb::Welcome) {
        self.recheck_room();
        if let Some(members) = &welcome.members {
            self.share.members.clone_from(&members.instances);
            self.recover_operations();
        }
        let incarnation = welcome.epoch.as_ref().map(|epoch| epoch.incarnation);
        if let (Some(before), Some(now)) = (self.incarnation, incarnation)
            && before != now
        {
            tracing::warn!("the inventory was restored from a backup: reporting what it lacks");
            self.requeue_operations();
        }
        self.incarnation = incarnation.or(self.incarnation);
        if let Some(session) = self.link.session() {
            session.welcome(welcome);
        }
        self.link.mark_healthy();
        self.compare();
    }

    /// Queues the operations of all objects. Held states drop theirs in the comparison that follows.
    fn requeue_operations(&mut self) {
        let mut cut = 0;
        for (key, entry) in self.cache.iter_mut() {
            let Some(object) = entry.object() else {
                continue;
            };
            let ended = self.setup.kind.ended_operations(&object);
            let observer = if self.share.has(key) {
                Observer::Own
            } else {
                Observer::Other
            };
            cut += entry.operations.requeue(ended, observer);
        }
        self.setup.metrics.operations_lost(cut);
    }

    /// Queues the operations that were dropped while another reporter had the object.
    ///
    /// Reporters that end one after the other, each before its first report, leave more than the few that are kept.
    pub(super) fn recover_operations(&mut self) {
        for (key, entry) in self.cache.iter_mut() {
            if entry.operations.is_cut()
                && self.share.has(key)
                && let Some(object) = entry.object()
            {
                let ended = self.setup.kind.ended_operations(&object);
                let cut = entry.operations.requeue(ended, Observer::Own);
                self.setup.metrics.operations_lost(cut);
            }
        }
    }

    pub(super) fn on_held(&mut self, held: pb::Held) {
        let Some(session) = self.link.session() else {
            return;
        };
        session.held.extend(held.objects);
        if held.last {
            session.stage = Stage::HeldReceived;
            self.compare();
        }
    }

    pub(super) fn on_disconnected(&mut self) {
        self.queue.release();
        self.unseen.clear();
        self.cache
            .entries_mut()
            .for_each(|entry| entry.remote = None);
    }

    pub(super) fn list_started(&mut self, scope: &WatchScope, resource_version: u64) {
        let older = self.confirms_restore(scope, resource_version);
        let restored = self.cache.start_list(scope, resource_version) == Continuity::Restored;
        if (older || restored) && self.continuity == Continuity::Continued {
            tracing::warn!(
                resource_version,
                "the cluster's store was restored from a backup: reporting all objects again"
            );
            self.continuity = Continuity::Restored;
            self.link.close();
            self.on_disconnected();
        }
    }

    fn relist(&self) {
        self.objects
            .relist
            .iter()
            .for_each(|scope| scope.notify_one());
    }

    /// True when a starting list confirms that the store was restored.
    fn confirms_restore(&mut self, scope: &WatchScope, resource_version: u64) -> bool {
        let Some(mut suspicion) = self.suspicion.take() else {
            return false;
        };
        if resource_version >= suspicion.held {
            return false;
        }
        // The first list may have been requested before the suspicion arose.
        if !suspicion.listed.insert(scope.clone()) {
            return true;
        }
        self.suspicion = Some(suspicion);
        self.relist();
        false
    }

    /// Queues the differences once all scopes are listed and the inventory has sent what it holds.
    pub(super) fn compare(&mut self) {
        let listed = self
            .setup
            .scopes
            .iter()
            .all(|scope| self.listed.contains(scope));
        let Some(session) = self.link.session() else {
            return;
        };
        if !listed || session.stage != Stage::HeldReceived {
            return;
        }
        session.stage = Stage::Compared;
        let held = std::mem::take(&mut session.held);
        for object in held {
            self.compare_held(object);
        }
        if self.suspicion.is_some() {
            self.relist();
        }
        self.queue_all();
        self.setup.ready = None;
    }

    /// Queues all objects after a list or a change of membership, so that missed changes are reported.
    pub(super) fn recheck_membership(&mut self) {
        let compared = |stage| stage == Stage::Compared;
        if self
            .link
            .session()
            .is_some_and(|session| compared(session.stage))
        {
            self.queue_all();
        }
    }

    /// Queues every object. Those that the inventory holds are skipped when their turn comes.
    pub(super) fn queue_all(&mut self) {
        let keys: Vec<ObjectKey> = self.cache.keys().cloned().collect();
        keys.into_iter().for_each(|key| self.queue.put(key));
    }

    fn compare_held(&mut self, object: pb::HeldObject) {
        let version = object.resource_version;
        if self.continuity == Continuity::Continued
            && version > self.cache.newest(&object.namespace)
        {
            let held = self.suspicion.as_ref().map_or(0, |it| it.held);
            self.suspicion = Some(Suspicion {
                held: held.max(version),
                listed: HashSet::new(),
            });
        }
        self.reconcile_held(object);
    }

    /// Reconciles the unseen objects again, since a complete list may have caught up with them.
    pub(super) fn compare_unseen(&mut self) {
        for object in std::mem::take(&mut self.unseen) {
            self.reconcile_held(object);
        }
    }

    /// Reconciles an object that the inventory holds. A missing one counts as deleted, unless this watch lags behind.
    fn reconcile_held(&mut self, object: pb::HeldObject) {
        let version = object.resource_version;
        let key = ObjectKey {
            namespace: object.namespace,
            name: object.name,
            uid: object.uid,
        };
        // Version 0 means an empty kind, not a lagging watch.
        let newest = self.cache.newest(&key.namespace);
        let lags = (1..version).contains(&newest);
        if let Some(entry) = self.cache.get_mut(&key) {
            if version == entry.resource_version {
                entry.operations.drop_held();
            }
            entry.remote = Digest::from_bytes(&object.root_digest).map(|root| Remote {
                resource_version: version,
                root,
                sender: Sender::Earlier,
            });
        } else if lags && self.continuity == Continuity::Continued {
            self.unseen.push(pb::HeldObject {
                namespace: key.namespace,
                name: key.name,
                uid: key.uid,
                resource_version: version,
                root_digest: object.root_digest,
            });
        } else if self.setup.kind.deletion_policy() == DeletionPolicy::Report
            && self.cache.mark_absent(&key, version) == CacheUpdate::Changed
        {
            self.queue.put(key);
        }
    }
}
