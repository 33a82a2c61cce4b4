//! The inventory is killed between commit and acknowledgement, or loses its database, again and again: what it acknowledged is there.

use std::{process::Command, sync::atomic::Ordering, time::Duration};

use causeway_sandbox::SandboxOptions;
use causeway_testkit::{
    Child, Mesh, Postgres, binary,
    history::{Promise, Violation},
    wait_until,
};

use super::{
    sender::{Manners, Sender, credential},
    witness::Witness,
};

const PATIENCE: Duration = Duration::from_secs(120);
const KILLS: usize = 20;
const CRASHES: usize = 6;
/// So many acknowledgements lie between two faults.
const BETWEEN: u64 = 150;

struct World {
    mesh: Mesh,
    flags: Vec<String>,
    inventory: Child,
}

impl World {
    /// A mesh whose inventory is a process of its own, with these flags beside its usual ones.
    async fn start(flags: &[String]) -> Self {
        let mut mesh = Mesh::start(SandboxOptions::in_memory()).await;
        mesh.runtime.reporter.stop().await;
        mesh.inventory.stop().await;
        let listen = mesh.inventory.url().replace("http://", "");
        let flags = [
            mesh.inventory_flags.clone(),
            vec!["--listen".to_owned(), listen],
            flags.to_vec(),
        ]
        .concat();
        let inventory = start(&flags);
        Self {
            mesh,
            flags,
            inventory,
        }
    }

    fn kill(&mut self) {
        self.inventory.kill();
        self.inventory = start(&self.flags);
    }

    /// Has states sent, and something go wrong in between so many times.
    async fn suffer(
        &mut self,
        manners: Manners,
        times: usize,
        fault: impl Fn(&mut Self),
    ) -> Vec<Violation> {
        let witness = Witness::of_platform(&self.mesh);
        let runtime = credential(&self.mesh.runtime.identity);
        let peer = self.mesh.peer(&self.mesh.inventory, runtime);
        let sender = Sender::start(peer, witness.history(), (manners, rand::random()));
        for _ in 0..times {
            let until = sender.acknowledged.load(Ordering::Relaxed) + BETWEEN;
            wait_until("acknowledgements", PATIENCE, async || {
                match sender.acknowledged.load(Ordering::Relaxed) {
                    count if count >= until => Ok(()),
                    count => Err(format!("{count} of {until}: {:?}", self.inventory.lines())),
                }
            })
            .await;
            fault(self);
        }
        sender.finish().await;
        let history = match manners {
            Manners::Honest => witness.settle(|_| true).await,
            Manners::Lying => witness.now().await,
        };
        history.judge(u64::MAX)
    }
}

fn start(flags: &[String]) -> Child {
    let mut command = Command::new(binary());
    command.args(["serve", "inventory"]).args(flags);
    Child::start(&mut command)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_04_an_inventory_that_is_killed_keeps_all_that_it_acknowledged() {
    let mut world = World::start(&[]).await;
    let broken = world.suffer(Manners::Honest, KILLS, World::kill).await;
    assert_eq!(broken, []);
    world.mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_04_an_acknowledgement_of_what_was_not_kept_is_noticed() {
    let mut world = World::start(&[]).await;
    let broken = world.suffer(Manners::Lying, 2, World::kill).await;
    let promises: Vec<Promise> = broken.iter().map(|it| it.promise).collect();
    assert!(promises.contains(&Promise::Durable), "{broken:#?}");
    world.mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_07_a_database_that_crashes_keeps_all_that_was_acknowledged() {
    let Some(server) = Postgres::start() else {
        return;
    };
    let flags = ["--database".to_owned(), server.database()];
    let mut world = World::start(&flags).await;
    let crash = |_: &mut World| {
        server.stop();
        server.start_again();
    };
    let broken = world.suffer(Manners::Honest, CRASHES, crash).await;
    assert_eq!(broken, []);
    world.mesh.stop().await;
}
