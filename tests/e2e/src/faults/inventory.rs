//! The inventory is killed between commit and acknowledgement, or loses its database, again and again: what it acknowledged is there.

use std::{io::Write as _, time::Duration};

use causeway_testkit::{Postgres, history::Promise};
use tokio::time::{Instant, interval_at};

use super::{relay::Fault, sender::Pace, world::World};

const KILLS: usize = 20;
const CRASHES: usize = 6;
/// So many acknowledgements lie between two faults.
const BETWEEN: u64 = 150;
/// For who has time: so many states a second, and so long between two crashes.
const SOAK: (u64, Duration) = (500, Duration::from_secs(20));

/// Whether there is time for a long run.
fn soaks() -> bool {
    #[expect(clippy::disallowed_methods, reason = "a test has no flags of its own")]
    let wanted = std::env::var("CAUSEWAY_SOAK");
    wanted.is_ok_and(|wanted| !wanted.is_empty())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_04_an_inventory_that_is_killed_keeps_all_that_it_acknowledged() {
    let mut world = World::start(&[]).await;
    let traffic = world.send(Pace::Unbounded, None).await;
    for _ in 0..KILLS {
        world.until_acknowledged(&traffic, BETWEEN).await;
        world.kill();
    }
    assert_eq!(traffic.judged().await, []);
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_04_r_07_r_09_an_inventory_that_acknowledges_before_it_commits_is_noticed() {
    let mut world = World::start(&[]).await;
    let traffic = world.send(Pace::Unbounded, Some(Fault::AcknowledgesFirst));
    let traffic = traffic.await;
    for _ in 0..2 {
        world.until_acknowledged(&traffic, BETWEEN).await;
        world.kill();
    }
    let broken = traffic.judged().await;
    let promises: Vec<Promise> = broken.iter().map(|it| it.promise).collect();
    assert!(promises.contains(&Promise::Durable), "{broken:#?}");
    assert!(promises.contains(&Promise::Operations), "{broken:#?}");
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_07_a_database_that_crashes_keeps_all_that_was_acknowledged() {
    let Some(server) = Postgres::start() else {
        return;
    };
    let world = World::start(&["--database".to_owned(), server.database()]).await;
    let (begun, soaks) = (Instant::now(), soaks());
    let (rate, pause) = SOAK;
    let pace = if soaks {
        Pace::EachSecond(rate)
    } else {
        Pace::Unbounded
    };
    let traffic = world.send(pace, None).await;
    let mut times = interval_at(begun + pause, pause);
    for _ in 0..CRASHES {
        if soaks {
            times.tick().await;
        } else {
            world.until_acknowledged(&traffic, BETWEEN).await;
        }
        server.stop();
        server.start_again();
    }
    let (acknowledged, took) = (traffic.acknowledged(), begun.elapsed());
    assert_eq!(traffic.judged().await, []);
    // A figure for people; whoever runs the tests with --nocapture sees it.
    let _ = writeln!(
        std::io::stderr(),
        "PostgreSQL crashed {CRASHES} times in {took:?}: {acknowledged} reports acknowledged, all there, none twice"
    );
    world.stop().await;
}
