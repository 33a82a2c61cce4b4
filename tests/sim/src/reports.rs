//! Reports over a network that breaks: nothing is lost, nothing comes back, nothing goes back.

use std::ops::Range;

use crate::{
    plan::Plan,
    scenario::{Twin, run},
};

/// A number in here is the seed of `one_seed`.
const SEED_FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/seed.txt");
/// Seeds that once found something, and are always run.
const REMEMBERED: &[u64] = &[940];
/// How often a single seed is run, since the scheduler is not part of it.
const REPEATS: usize = 20;

/// How many seeds are run in all; more by this variable, for who has time.
fn seeds() -> u64 {
    #[expect(clippy::disallowed_methods, reason = "a test has no flags of its own")]
    let wanted = std::env::var("CAUSEWAY_SEEDS");
    wanted.map_or(1_000, |text| {
        text.parse().expect("CAUSEWAY_SEEDS is a number")
    })
}

fn heals(seeds: impl IntoIterator<Item = u64>, plan: impl Fn(u64) -> Plan) {
    for seed in seeds {
        let plan = plan(seed);
        if let Err(error) = run(seed, &plan, Twin::Whole) {
            panic!(
                "seed {seed} ({:?}): {error:#}\nto run it alone: echo {seed} > {SEED_FILE} && \
                 cargo test -p causeway-sim -p causeway one_seed -- --ignored",
                plan.cast
            );
        }
    }
}

fn found(seeds: Range<u64>, plan: impl Fn(u64) -> Plan, twin: Twin) {
    for seed in seeds {
        let outcome = run(seed, &plan(seed), twin);
        assert!(outcome.is_err(), "seed {seed}: {twin:?} was not found");
    }
}

/// The same of what only some seeds show.
fn found_among(mut seeds: Range<u64>, plan: impl Fn(u64) -> Plan, twin: Twin) {
    let found = seeds.any(|seed| run(seed, &plan(seed), twin).is_err());
    assert!(found, "{twin:?} was not found");
}

#[test]
fn outages_heal_without_loss_first_part() {
    heals(0..seeds() * 2 / 5, Plan::stormy);
}

#[test]
fn outages_heal_without_loss_second_part() {
    heals(seeds() * 2 / 5..seeds() * 4 / 5, Plan::stormy);
}

#[test]
fn outages_heal_without_loss_where_two_reporters_come_and_go() {
    heals(seeds() * 4 / 5..seeds(), Plan::crowded);
}

#[test]
fn regression_seeds_heal() {
    heals(REMEMBERED.iter().copied(), Plan::stormy);
    heals(REMEMBERED.iter().copied(), Plan::crowded);
}

#[test]
#[ignore = "by hand: it runs the seed that a failed test names"]
fn one_seed() {
    let text = std::fs::read_to_string(SEED_FILE).unwrap();
    let seed: u64 = text.trim().parse().unwrap();
    heals(std::iter::repeat_n(seed, REPEATS), Plan::stormy);
    heals(std::iter::repeat_n(seed, REPEATS), Plan::crowded);
}

#[test]
fn store_that_acknowledges_without_storing_is_detected() {
    found(0..5, Plan::calm, Twin::Forgetful);
}

#[test]
fn watch_without_deletions_is_detected() {
    found(0..5, Plan::calm, Twin::BlindToDeletions);
}

#[test]
fn store_that_acknowledges_before_commit_is_detected() {
    found_among(0..50, Plan::stormy, Twin::Hasty);
}

#[test]
fn store_without_fencing_is_detected() {
    found_among(0..50, Plan::crowded, Twin::Unfenced);
}

#[test]
fn queue_that_drops_on_overflow_is_detected() {
    found_among(0..50, Plan::stormy, Twin::Dropping);
}

#[test]
fn queue_without_sweep_is_detected() {
    found_among(0..50, Plan::stormy, Twin::Unswept);
}
