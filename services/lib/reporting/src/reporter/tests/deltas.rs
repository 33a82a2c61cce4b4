use bytes::Bytes;
use prost::Message as _;

use super::*;
use crate::{fixtures::state, manifest::Digest};

/// A receiver of deltas.
#[derive(Default)]
pub(super) struct Holding {
    /// The states, as they were encoded.
    states: BTreeMap<String, Bytes>,
    care: Care,
    /// How many came as a patch of a base.
    patches: usize,
    /// How often a base was wanted.
    wanted: usize,
}

/// Whether it looks at what it is told.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Care {
    #[default]
    Careful,
    /// Broken on purpose: applies a patch to whatever it holds, and keeps whatever that makes.
    Careless,
}

impl Holding {
    /// Takes a state; an answer where it was not taken.
    pub(super) fn take(
        &mut self,
        sequence: u64,
        name: &str,
        delta: &pb::StateDelta,
    ) -> Option<Response> {
        let is_patch = !delta.base_root_digest.is_empty();
        self.patches += usize::from(is_patch);
        let base = match (is_patch, self.care) {
            (false, _) => Bytes::new(),
            (true, Care::Careless) => self.states.values().next().cloned().unwrap_or_default(),
            (true, Care::Careful) => {
                let held = self.states.get(name).cloned().unwrap_or_default();
                if Digest::compute(&held).to_bytes() != delta.base_root_digest {
                    self.wanted += 1;
                    return Some(Response::BaseWanted(pb::BaseWanted { sequence }));
                }
                held
            }
        };
        let made = causeway_proto::delta::apply(&base, &delta.patch, 1 << 20).unwrap_or_default();
        let right = Digest::compute(&made).to_bytes() == delta.root_digest;
        assert!(right || self.care == Care::Careless);
        self.states.insert(name.to_owned(), made);
        None
    }
}

/// Three things change in turn, and now and then the receiver loses what it held of one.
async fn after_changes(care: Care) -> (Stage, BTreeMap<String, Bytes>) {
    let inventory = Inventory::default();
    inventory.seen().holding = Some(Holding {
        care,
        ..Holding::default()
    });
    let mut stage = Stage::before(inventory);
    stage.list().await;
    for round in 0..30_usize {
        let name = ["a", "b", "c"][round % 3];
        stage.change(name).await;
        stage.inventory.until(name, stage.version).await;
        if round % 7 == 6
            && let Some(holding) = &mut stage.inventory.seen().holding
        {
            holding.states.remove(name);
        }
    }
    for name in ["a", "b", "c"] {
        stage.change(name).await;
        stage.inventory.until(name, stage.version).await;
    }
    let things = stage.things.iter();
    let truth = things.map(|(name, version)| {
        let encoded = state(&Thing::new(name, *version)).encode_to_vec();
        (name.clone(), Bytes::from(encoded))
    });
    let truth = truth.collect();
    (stage, truth)
}

#[tokio::test(start_paused = true)]
async fn states_are_told_by_what_the_receiver_has_and_whole_where_it_has_not() {
    let (stage, truth) = after_changes(Care::Careful).await;
    let seen = stage.inventory.seen();
    let holding = seen.holding.as_ref().unwrap();
    assert_eq!(holding.states, truth);
    assert_eq!(holding.wanted, 4);
    // All but the first of each, and those whose base was lost come again.
    assert_eq!(holding.patches, 30);
}

#[tokio::test(start_paused = true)]
async fn a_receiver_that_takes_another_base_is_noticed() {
    let (stage, truth) = after_changes(Care::Careless).await;
    let seen = stage.inventory.seen();
    assert_ne!(seen.holding.as_ref().unwrap().states, truth);
}
