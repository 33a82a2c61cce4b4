//! Starts enrichment of objects and applies its results.

use super::{Answers, EnrichmentOf, MAX_CONTENT_BYTES, Reporter};
use crate::{
    enricher::{Enriched, EnrichmentRequest},
    enrichment::{Enrichment as _, Freshness, Quality},
    object::{ObjectKey, WatchScope},
    reported_kind::ReportedKind,
    session::Stage,
    trace,
};

impl<R: ReportedKind> Reporter<R> {
    pub(super) fn request_enrichment(&mut self, key: ObjectKey) {
        if let Some(enricher) = &mut self.enricher {
            enricher.request(key);
        }
    }

    /// Starts queued enrichment while a stream is open: without one its results would pile up.
    pub(super) fn start_enrichment(&mut self) {
        let open = |stage| stage == Stage::Compared;
        let connected = self
            .link
            .session()
            .is_some_and(|session| open(session.stage));
        let (cache, share) = (&self.cache, &self.share);
        if let Some(enricher) = &mut self.enricher
            && connected
            && self.content_bytes < MAX_CONTENT_BYTES
        {
            enricher.start(|key| {
                let entry = cache.get(key)?;
                let object = entry.object().filter(|_| share.has(key))?;
                let trace = trace::of_operation(entry, Some(&object)).map(str::to_owned);
                Some(EnrichmentRequest { object, trace })
            });
        }
    }

    pub(super) fn enrich(&mut self, enriched: Enriched<Answers<R>>) {
        let key = enriched.key;
        let Some(entry) = self.cache.get_mut(&key).filter(|entry| !entry.is_gone()) else {
            return;
        };
        let (renewed, contents) = entry.enrichment().merge(enriched.answers);
        entry.failures = match renewed.quality() {
            Quality::Lacking => entry.failures + 1,
            Quality::Blank | Quality::Whole => 0,
        };
        if let Some(enricher) = &mut self.enricher {
            match (entry.failures, enriched.freshness) {
                (0, Freshness::Cached) if R::Enrichment::SETTLES => {
                    enricher.request_when_settled(key.clone());
                }
                (0, _) => {}
                (failures, _) => enricher.retry_later(key.clone(), failures - 1),
            }
        }
        entry.enrich(renewed);
        if !contents.is_empty() {
            self.set_contents(&key, contents.into());
        }
        self.queue.put(key);
    }

    /// Requests complete enrichment again where it can change without the object.
    pub(super) fn revisit(&mut self, scope: &WatchScope) {
        let Some(enricher) = self
            .enricher
            .as_mut()
            .filter(|_| EnrichmentOf::<R>::REVISITS)
        else {
            return;
        };
        for (key, entry) in self.cache.live(scope) {
            if entry.enrichment().quality() == Quality::Whole && self.share.has(key) {
                enricher.request(key.clone());
            }
        }
    }
}
