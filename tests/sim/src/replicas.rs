//! Reporters that come and go on two replicas of the inventory, under churn. What must hold is said of states; how long it took is
//! printed.

mod crew;
mod replica;
mod stage;

use std::io::Write as _;

use causeway_testkit::Postgres;

use self::stage::Stage;

/// How many names the objects have, enough for shares to be near what is expected of them.
const NAMES: usize = 600;
const SEED: u64 = 7;

fn say(what: &str) {
    // A figure for people; whoever runs the tests with --nocapture sees it.
    let _ = writeln!(std::io::stderr(), "{what}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_reporters_become_eight_and_then_three_and_nothing_is_lost() {
    let Some(server) = Postgres::shared() else {
        return;
    };
    let mut stage = Stage::start(&server.database(), SEED, NAMES).await;
    for _ in 0..5 {
        stage.join().await;
    }
    stage.agrees().await;
    stage.churns();
    for _ in 5..8 {
        let step = stage.join().await;
        step.check("came");
    }
    stage.leave(0).await.check("left");
    stage.kill_replica(0).await;
    stage.start_replica().await;
    stage.leave(1).await.check("left");
    stage.pause(2).await.check("fell silent");
    for number in [3, 4] {
        stage.leave(number).await.check("left");
    }
    stage.goes_on(2).await;
    stage.leave(2).await;
    stage.rests();
    stage.agrees().await;
    assert_eq!(stage.members().await.len(), 3);
}
