//! An inventory that is a process of its own, and somebody who sends it states while things go wrong.

use std::{path::Path, process::Command, sync::atomic::Ordering, time::Duration};

use causeway_client::PeerUrl;
use causeway_sandbox::SandboxOptions;
use causeway_testkit::{
    Child, Mesh, binary,
    history::{History, Violation},
    wait_until,
};

use super::{
    ledger::Version,
    relay::{Fault, Relay},
    sender::{Pace, Sender, credential},
    witness::{MOST_QUEUED, Witness},
};

const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct World {
    mesh: Mesh,
    /// The program and all that it is told.
    command: Vec<String>,
    pub(crate) inventory: Child,
}

/// Somebody sends, and somebody sees what comes of it.
pub(crate) struct Traffic {
    witness: Witness,
    sender: Sender,
    relay: Option<Relay>,
}

impl World {
    /// A mesh whose inventory is a process of its own, with these flags beside its usual ones.
    pub(crate) async fn start(flags: &[String]) -> Self {
        Self::start_by(&[], flags).await
    }

    /// The same, started by another program, which gets the inventory's folder and then its whole command.
    pub(crate) async fn start_by(starter: &[&str], flags: &[String]) -> Self {
        let mut mesh = Mesh::start(SandboxOptions::in_memory()).await;
        mesh.runtime.reporter.stop().await;
        mesh.inventory.stop().await;
        let mut command: Vec<_> = starter.iter().map(|&word| word.to_owned()).collect();
        if !starter.is_empty() {
            command.push(folder_of(&mesh).display().to_string());
        }
        let listen = mesh.inventory.url().replace("http://", "");
        command.push(binary().display().to_string());
        command.extend(["serve", "inventory", "--listen", &listen].map(str::to_owned));
        command.extend_from_slice(&mesh.inventory_flags);
        command.extend_from_slice(flags);
        let inventory = start(&command);
        Self {
            mesh,
            command,
            inventory,
        }
    }

    /// Where the inventory keeps its file.
    pub(crate) fn folder(&self) -> &Path {
        folder_of(&self.mesh)
    }

    pub(crate) fn kill(&mut self) {
        self.inventory.kill();
        self.inventory = start(&self.command);
    }

    /// Has states sent, straight to the inventory or by a way that breaks a promise.
    pub(crate) async fn send(&self, pace: Pace, fault: Option<Fault>) -> Traffic {
        let witness = Witness::of_platform(&self.mesh, Version::Whole);
        let address = self.mesh.inventory.url();
        let relay = match fault {
            Some(fault) => Some(Relay::start(&address, fault).await),
            None => None,
        };
        let address = relay.as_ref().map_or(&address, |relay| &relay.url);
        let address = PeerUrl::parse(address, None).unwrap();
        let runtime = credential(&self.mesh.runtime.identity);
        let peer = causeway_client::Peer::new(&address, runtime);
        Traffic {
            sender: Sender::start(peer, witness.history(), pace),
            witness,
            relay,
        }
    }

    /// Waits for so many more acknowledgements.
    pub(crate) async fn until_acknowledged(&self, traffic: &Traffic, more: u64) {
        let until = traffic.acknowledged() + more;
        wait_until("acknowledgements", PATIENCE, async || {
            match traffic.acknowledged() {
                count if count >= until => Ok(()),
                count => Err(format!("{count} of {until}: {:?}", self.inventory.lines())),
            }
        })
        .await;
    }

    /// Waits until the inventory says that it cannot write.
    pub(crate) fn until_refused(&mut self) {
        let refused = |line: &str| {
            let words = [
                "disk is full",
                "No space left",
                "the database does not answer",
            ];
            words.iter().any(|word| line.contains(word)).then_some(())
        };
        let inventory = &mut self.inventory;
        tokio::task::block_in_place(|| {
            inventory.wait_for_line("a refused write", PATIENCE, refused)
        });
    }

    pub(crate) fn stop(self) -> impl Future<Output = ()> {
        drop(self.inventory);
        self.mesh.stop()
    }
}

impl Traffic {
    /// How many reports were acknowledged.
    pub(crate) fn acknowledged(&self) -> u64 {
        self.sender.acknowledged.load(Ordering::Relaxed)
    }

    /// Ends it, and tells what is broken once everything was acknowledged and shown.
    pub(crate) async fn judged(self) -> Vec<Violation> {
        self.sender.finish().await;
        let history: History = match self.relay {
            None => self.witness.settle(|_| true).await,
            // What is broken never settles.
            Some(_) => self.witness.at_rest().await,
        };
        history.judge(MOST_QUEUED)
    }
}

fn start(command: &[String]) -> Child {
    Child::start(Command::new(&command[0]).args(&command[1..]))
}

fn folder_of(mesh: &Mesh) -> &Path {
    let flags = &mesh.inventory_flags;
    let data = flags.iter().position(|flag| flag == "--data").unwrap();
    Path::new(&flags[data + 1])
}
