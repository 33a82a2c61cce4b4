//! The disk is full: nothing is acknowledged that is not kept, and with room again all goes on without a restart.

use causeway_testkit::{Disk, Postgres};

use super::{sender::Pace, world::World};

/// Enough for some thousand states.
const ROOM: &str = "8m";
/// What PostgreSQL takes for itself is the most of it.
const ROOM_OF_SERVER: &str = "128m";
/// So many acknowledgements come before and after.
const AROUND: u64 = 300;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_09_a_full_disk_under_a_file_costs_no_acknowledged_state_and_no_restart() {
    let Some(starter) = Disk::starter(ROOM) else {
        return;
    };
    let starter: Vec<_> = starter.iter().map(|word| &**word).collect();
    let mut world = World::start_by(&starter, &[]).await;
    let traffic = world.send(Pace::Unbounded, None).await;
    world.until_acknowledged(&traffic, AROUND).await;
    let disk = Disk::of(world.inventory.id(), world.folder());
    disk.fill();
    world.until_refused();
    disk.make_room();
    world.until_acknowledged(&traffic, AROUND).await;
    assert_eq!(traffic.judged().await, []);
    assert!(world.inventory.is_running());
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_09_a_full_disk_under_postgresql_costs_no_acknowledged_state_and_no_restart() {
    let Some(server) = Postgres::start_on_disk(ROOM_OF_SERVER) else {
        return;
    };
    let flags = ["--database".to_owned(), server.database()];
    let mut world = World::start(&flags).await;
    let traffic = world.send(Pace::Unbounded, None).await;
    world.until_acknowledged(&traffic, AROUND).await;
    let disk = server.disk();
    disk.fill();
    world.until_refused();
    disk.make_room();
    server.revive();
    world.until_acknowledged(&traffic, AROUND).await;
    assert_eq!(traffic.judged().await, []);
    assert!(world.inventory.is_running());
    world.stop().await;
}
