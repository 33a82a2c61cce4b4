use std::{sync::Arc, time::Duration};

use causeway_client::Jitter;
use tokio::time::Instant;

use super::{Enricher, EnricherEvent, EnrichmentRequest};
use crate::{
    enrichment::{Enrichment, Freshness, Quality},
    fixtures::Thing,
    manifest::Content,
    object::ObjectKey,
};

/// Answers with the version of the thing; what is asked about a broken one is a mistake.
#[derive(Debug, Clone, Default)]
struct Version;

impl Enrichment<Thing> for Version {
    type Source = ();
    type Answers = u64;

    const SETTLES: bool = false;
    const REVISITS: bool = false;

    fn without_source() -> Self {
        Self
    }

    fn quality(&self) -> Quality {
        Quality::Whole
    }

    fn is_current(&self, _: &Thing) -> bool {
        true
    }

    async fn fetch((): (), thing: Arc<Thing>, _: Freshness) -> u64 {
        assert_ne!(thing.key.name, "broken");
        thing.version
    }

    fn merge(&self, _: u64) -> (Self, Vec<Content>) {
        (Self, Vec::new())
    }

    fn without_manifests(&self) -> Self {
        Self
    }
}

fn enricher() -> Enricher<Thing, Version> {
    Enricher::new((), Jitter::default())
}

fn key(name: &str) -> ObjectKey {
    Thing::new(name, 0).key
}

fn there(key: &ObjectKey) -> Option<EnrichmentRequest<Thing>> {
    Some(asked(&key.name, 1))
}

fn asked(name: &str, version: u64) -> EnrichmentRequest<Thing> {
    EnrichmentRequest {
        object: Arc::new(Thing::new(name, version)),
        trace: None,
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_that_breaks_is_asked_again_later() {
    let mut enricher = enricher();
    enricher.request(key("broken"));
    enricher.start(there);
    let begun = Instant::now();
    let EnricherEvent::Retry(again) = enricher.next().await else {
        panic!("it was answered");
    };
    assert_eq!(again, key("broken"));
    assert!(begun.elapsed() >= Duration::from_secs(60));
    enricher.request(again);
    enricher.start(|_| Some(asked("mended", 7)));
    let EnricherEvent::Answered(enriched) = enricher.next().await else {
        panic!("it was not answered");
    };
    assert_eq!((enriched.key, enriched.answers), (key("broken"), 7));
}

#[tokio::test(start_paused = true)]
async fn nothing_is_kept_of_what_is_gone_when_it_has_settled() {
    let mut enricher = enricher();
    enricher.request_when_settled(key("gone"));
    let EnricherEvent::Retry(gone) = enricher.next().await else {
        panic!("it was answered");
    };
    enricher.request(gone);
    enricher.start(|_| None);
    assert!(enricher.settled.is_empty() && enricher.waiting.is_idle());
}
