//! Processes that are killed while a change is under way, wherever it is on its way to the cluster. The caller asks again with the
//! same request id: one effect, one outcome, and an audit that says no more than was known.

mod asked;
mod gate;
mod world;

use std::{collections::BTreeMap, sync::Mutex};

pub(crate) use self::asked::define;
use self::{
    asked::{ASKED, Asked},
    gate::{Marks, Point},
    world::{Victim, World},
};

/// Rounds for who has time.
const SOAK: usize = 20;

/// Kills in one world. Each leaves an application in the one repository, which every commit that follows has reconciled again.
const FEW: usize = 16;

/// Worlds at a time in the long run, where most of the time is spent waiting for who comes back.
const WORLDS: usize = 4;

/// Whether there is time for all points and many rounds.
fn soaks() -> bool {
    #[expect(clippy::disallowed_methods, reason = "a test has no flags of its own")]
    let wanted = std::env::var("CAUSEWAY_SOAK");
    wanted.is_ok_and(|wanted| !wanted.is_empty())
}

/// Where a change can be lost that makes so many writes.
fn points(writes: usize) -> Vec<Point> {
    let of = |number| [Point::Before(number), Point::After(number)];
    (0..writes).flat_map(of).collect()
}

/// Every point of each change in the long run, and else one for each victim, another one for each change.
fn chosen(number: usize, victim: Victim, writes: usize) -> Vec<Point> {
    let points = points(writes);
    if soaks() {
        let rounds = std::iter::repeat_n(points, SOAK);
        return rounds.flatten().collect();
    }
    vec![points[(number + victim as usize) % points.len()]]
}

/// How many writes each change makes, for all tests of this process.
static WRITES: Mutex<BTreeMap<&str, usize>> = Mutex::new(BTreeMap::new());

fn writes(world: &mut World, asked: &Asked) -> usize {
    let known = WRITES.lock().unwrap().get(asked.name).copied();
    let writes = known.unwrap_or_else(|| world.undisturbed(asked));
    assert!(writes > 0, "{asked:?} writes nothing");
    WRITES.lock().unwrap().insert(asked.name, writes);
    writes
}

fn killed(victim: Victim) {
    let worlds = if soaks() { WORLDS } else { 1 };
    std::thread::scope(|scope| {
        for first in 0..worlds {
            scope.spawn(move || {
                let changes = ASKED.iter().enumerate();
                killed_at(victim, changes.skip(first).step_by(worlds));
            });
        }
    });
}

fn killed_at<'a>(victim: Victim, changes: impl Iterator<Item = (usize, &'a Asked)>) {
    let mut world = World::set(Marks::Kept);
    for (number, asked) in changes {
        let writes = writes(&mut world, asked);
        let points = chosen(number, victim, writes);
        for (done, point) in points.iter().enumerate() {
            if done > 0 && done % FEW == 0 {
                world = World::set(Marks::Kept);
            }
            let seen = world.crash(asked, victim, *point);
            seen.check(asked, victim, *point, writes);
        }
        if soaks() {
            world = World::set(Marks::Kept);
            tell(&format!(
                "{}: {victim:?} killed {} times at {} points",
                asked.name,
                points.len(),
                points.len() / SOAK
            ));
        }
    }
}

/// How far a long run is.
#[expect(clippy::print_stderr, reason = "it takes an hour")]
fn tell(line: &str) {
    eprintln!("{line}");
}

#[test]
fn r_53_an_app_proxy_that_is_killed_at_each_change_has_one_effect_and_one_outcome() {
    killed(Victim::AppProxy);
}

#[test]
fn r_53_a_tunnel_client_that_is_killed_at_each_change_has_one_effect_and_one_outcome() {
    killed(Victim::TunnelClient);
}

#[test]
fn r_53_a_tunnel_server_that_is_killed_at_each_change_has_one_effect_and_one_outcome() {
    killed(Victim::TunnelServer);
}

/// Broken on purpose: where requests leave no mark, the next process does it again, and this sees it.
#[test]
fn r_53_without_marks_a_change_has_two_effects() {
    let mut world = World::set(Marks::Dropped);
    for name in ["refresh", "runAction"] {
        let asked: &Asked = ASKED.iter().find(|it| it.name == name).unwrap();
        let writes = world.undisturbed(asked);
        let last = Point::After(writes - 1);
        let seen = world.crash(asked, Victim::AppProxy, last);
        assert!(seen.writes.len() > writes, "{name}: {seen:?}");
    }
}
