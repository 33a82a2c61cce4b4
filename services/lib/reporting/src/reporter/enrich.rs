//! Starts enrichment of objects and applies its results.

use super::{Answers, EnrichmentOf, KEPT_BYTES, Reporter};
use crate::{
    enricher::{Asked, Enriched},
    enrichment::{Enrichment as _, Freshness, Quality},
    object::{ObjectKey, WatchScope},
    reported_kind::ReportedKind,
    session::Stage,
    trace,
};

impl<R: ReportedKind> Reporter<R> {
    pub(super) fn ask(&mut self, key: ObjectKey) {
        if let Some(enricher) = &mut self.enricher {
            enricher.ask(key);
        }
    }

    /// Asks about what there is a place for. Answers wait for a stream, so that none are made without one.
    pub(super) fn start_questions(&mut self) {
        let open = |stage| stage == Stage::Compared;
        let connected = self
            .link
            .session()
            .is_some_and(|session| open(session.stage));
        let (cache, share) = (&self.cache, &self.share);
        if let Some(enricher) = &mut self.enricher
            && connected
            && self.kept < KEPT_BYTES
        {
            enricher.start(|key| {
                let entry = cache.get(key)?;
                let object = entry.object().filter(|_| share.has(key))?;
                let trace = trace::of_operation(entry, Some(&object)).map(str::to_owned);
                Some(Asked { object, trace })
            });
        }
    }

    pub(super) fn enrich(&mut self, enriched: Enriched<Answers<R>>) {
        let key = enriched.key;
        let Some(entry) = self.cache.get_mut(&key).filter(|entry| !entry.is_gone()) else {
            return;
        };
        let (renewed, contents) = entry.enrichment().renewed(enriched.answers);
        entry.failures = match renewed.quality() {
            Quality::Lacking => entry.failures + 1,
            Quality::Blank | Quality::Whole => 0,
        };
        if let Some(enricher) = &mut self.enricher {
            match (entry.failures, enriched.freshness) {
                (0, Freshness::Cached) if R::Enrichment::SETTLES => {
                    enricher.ask_when_settled(key.clone());
                }
                (0, _) => {}
                (failures, _) => enricher.ask_later(key.clone(), failures - 1),
            }
        }
        entry.enrich(renewed);
        if !contents.is_empty() {
            self.keep(&key, contents.into());
        }
        self.queue.put(key);
    }

    /// Asks again about what is answered and may be otherwise by now.
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
                enricher.ask(key.clone());
            }
        }
    }
}
