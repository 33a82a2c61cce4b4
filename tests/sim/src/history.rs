//! What a watch has shown, step by step, held against what may be shown: states that were, never an older one after a newer
//! one, and nothing that is gone.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use causeway_proto::inventory::v1 as pb;
use pb::watch_applications_response::Event;

use crate::cluster::{Cluster, Moment, Place};

/// The view of one who watches.
pub(crate) struct History {
    cluster: Arc<Cluster>,
    shown: BTreeMap<Place, Moment>,
    /// What a first state has told so far, while one is being told.
    first: Option<HashSet<Place>>,
    newest: HashMap<String, u64>,
    gone: HashSet<String>,
    /// Where to go on.
    pub(crate) cursor: String,
    /// The first thing that must not be.
    pub(crate) violation: Option<String>,
}

impl History {
    pub(crate) fn new(cluster: Arc<Cluster>) -> Self {
        Self {
            cluster,
            shown: BTreeMap::new(),
            first: None,
            newest: HashMap::new(),
            gone: HashSet::new(),
            cursor: String::new(),
            violation: None,
        }
    }

    /// A watch begins at the cursor.
    pub(crate) fn begin(&mut self) {
        self.first = self.cursor.is_empty().then(HashSet::new);
    }

    pub(crate) fn take(&mut self, response: pb::WatchApplicationsResponse) {
        match response.event {
            Some(Event::Updated(application)) => self.updated(application),
            Some(Event::Deleted(gone)) => self.deleted(&(gone.namespace, gone.name)),
            Some(Event::Bookmark(bookmark)) if bookmark.initial_state_sent => self.caught_up(),
            Some(Event::Bookmark(_)) => {}
            None => self.violate("a response without an event".to_owned()),
        }
        self.cursor = response.cursor;
    }

    /// What is shown now.
    pub(crate) fn shown(&self) -> &BTreeMap<Place, Moment> {
        &self.shown
    }

    fn updated(&mut self, application: pb::Application) {
        let sync = application.status.and_then(|status| status.sync);
        let revisions = sync.map(|sync| sync.revisions).unwrap_or_default();
        let moment = Moment {
            uid: application.uid,
            resource_version: application.resource_version,
            revision: revisions.concat(),
        };
        if !self.cluster.was(&moment) {
            self.violate(format!("never was: {moment:?}"));
        }
        if self.gone.contains(&moment.uid) {
            self.violate(format!("came back: {moment:?}"));
        }
        let newest = self.newest.entry(moment.uid.clone()).or_default();
        if *newest > moment.resource_version {
            let newest = *newest;
            self.violate(format!("went back from {newest}: {moment:?}"));
        } else {
            *newest = moment.resource_version;
        }
        let place = (application.namespace, application.name);
        if let Some(first) = &mut self.first {
            first.insert(place.clone());
        }
        let uid = moment.uid.clone();
        let before = self.shown.insert(place, moment);
        self.gone.extend(
            before
                .map(|before| before.uid)
                .filter(|before| *before != uid),
        );
    }

    fn deleted(&mut self, place: &Place) {
        if let Some(before) = self.shown.remove(place) {
            self.gone.insert(before.uid);
        }
    }

    fn caught_up(&mut self) {
        let Some(first) = self.first.take() else {
            return;
        };
        let absent = self.shown.keys().filter(|place| !first.contains(*place));
        let absent: Vec<Place> = absent.cloned().collect();
        absent.iter().for_each(|place| self.deleted(place));
    }

    fn violate(&mut self, what: String) {
        self.violation.get_or_insert(what);
    }
}
