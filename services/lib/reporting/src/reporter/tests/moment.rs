//! Changes of objects about which somebody else is asked.

use std::sync::atomic::{AtomicU64, Ordering};

use causeway_proto::inventory::v1 as pb;
use prost::Message as _;
use serde_json::Value;
use tokio::time::sleep;

use super::*;
use crate::{
    enrichment::{Enrichment, Freshness, Quality},
    fixtures::state,
    manifest::{Content, Digest},
    object::{Malformed, ObjectKey},
    reported_kind::Kind,
};

/// Things about which is asked.
#[derive(Clone, Default)]
struct EnrichedThings(Things);

/// The version that was answered for.
#[derive(Debug, Clone, Default)]
struct Answered(u64);

/// After how many milliseconds it answers.
type Delay = Arc<AtomicU64>;

impl Enrichment<Thing> for Answered {
    type Source = Delay;
    type Answers = u64;

    const SETTLES: bool = false;
    const REVISITS: bool = false;

    fn without_source() -> Self {
        Self::default()
    }

    fn quality(&self) -> Quality {
        match self.0 {
            0 => Quality::Blank,
            _ => Quality::Whole,
        }
    }

    fn is_current(&self, thing: &Thing) -> bool {
        self.0 == thing.version
    }

    async fn fetch(source: Delay, thing: Arc<Thing>, _: Freshness) -> u64 {
        sleep(Duration::from_millis(source.load(Ordering::Relaxed))).await;
        thing.version
    }

    fn merge(&self, answered: u64) -> (Self, Vec<Content>) {
        (Self(answered), Vec::new())
    }

    fn without_manifests(&self) -> Self {
        self.clone()
    }
}

impl ReportedKind for EnrichedThings {
    type Object = Thing;
    type Enrichment = Answered;

    fn kind(&self) -> &Kind {
        self.0.kind()
    }

    fn noun(&self) -> &str {
        self.0.noun()
    }

    fn read(&self, object: Value) -> Result<Option<Thing>, Malformed> {
        self.0.read(object)
    }

    fn key(object: &Thing) -> ObjectKey {
        Things::key(object)
    }

    fn resource_version(object: &Thing) -> u64 {
        Things::resource_version(object)
    }

    fn to_change(
        &self,
        object: &Thing,
        answered: &Answered,
    ) -> Option<(pb::report::Change, Digest)> {
        let mut state = state(object);
        let label = ("answered".to_owned(), answered.0.to_string());
        state.labels.extend([label]);
        let root = Digest::compute(&state.encode_to_vec());
        state.root_digest = root.to_bytes();
        Some((pb::report::Change::Application(state), root))
    }
}

/// What came of a change, in milliseconds after it.
async fn change(stage: &mut Stage, name: &str) -> Vec<u128> {
    let begun = Instant::now();
    stage.change(name).await;
    stage.inventory.until(name, stage.version).await;
    let beats = stage.inventory.seen().heartbeats;
    while stage.inventory.seen().heartbeats < beats + 2 {
        stage.inventory.told.notified().await;
    }
    let told = stage.inventory.told(name).into_iter();
    let told = told.filter(|(_, version)| *version == stage.version);
    told.map(|(at, _)| (at - begun).as_millis()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_change_and_what_is_soon_known_beyond_it_go_in_one_report() {
    let source = Delay::new(5.into());
    let mut stage = Stage::asking(
        Inventory::default(),
        EnrichedThings::default(),
        source.clone(),
    );
    stage.list().await;
    let first = change(&mut stage, "web").await;
    assert_eq!(first.len(), 2, "who is asked has never answered: {first:?}");
    let both = change(&mut stage, "web").await;
    assert!(both.len() == 1 && both[0] < 25, "{both:?}");
    let new = change(&mut stage, "new").await;
    assert!(new.len() == 2 && new[0] < 5, "{new:?}");

    source.store(60, Ordering::Relaxed);
    let late = change(&mut stage, "web").await;
    assert!(late.len() == 2 && late[0] >= 25 && late[0] < 60, "{late:?}");
    let slow = change(&mut stage, "web").await;
    assert!(slow.len() == 2 && slow[0] < 25, "{slow:?}");
}
