mod commits;
mod deltas;
mod manifests;
mod owners;
mod quotas;
mod reports;
mod resources;
mod streams;

use std::pin::Pin;

use futures::channel::mpsc;
use uuid::Uuid;

use super::*;
use crate::{
    application::{HeldObject, ObjectKind, ObjectName, State, View},
    fixture::{Bench, account, all, keeping, scope, soon, state},
    inventory::Inventory,
    report::{Delta, ReportedState, convert::delta::from_delta},
};

/// For how long a reporter may be silent.
const SILENCE: Duration = Duration::from_secs(35);

/// A reporter's end of a stream.
struct Wire {
    up: Option<mpsc::UnboundedSender<Incoming>>,
    down: Pin<Box<dyn Stream<Item = Result<Outgoing, SessionError>> + Send>>,
}

impl Wire {
    fn to(inventory: &Inventory) -> Self {
        Self::reading(inventory, from_delta)
    }

    fn reading(inventory: &Inventory, read_delta: ReadDelta) -> Self {
        let (up, incoming) = mpsc::unbounded();
        let reporter = Reporter {
            account: account("default"),
            runtime: "rt-one".parse().unwrap(),
            runtime_name: "edge".parse().unwrap(),
        };
        let down = serve(inventory.clone(), reporter, read_delta, incoming.boxed());
        Self {
            up: Some(up),
            down: Box::pin(down),
        }
    }

    /// A stream whose greeting is done, with what it was told.
    async fn open(inventory: &Inventory, hello: Hello) -> (Self, Welcome, Vec<HeldObject>) {
        Self::to(inventory).greeted(hello).await
    }

    async fn greeted(self, hello: Hello) -> (Self, Welcome, Vec<HeldObject>) {
        let mut wire = self;
        wire.send(Incoming::Hello(Ok(hello)));
        let Outgoing::Welcome(welcome) = wire.next().await else {
            panic!("welcome comes first");
        };
        let mut held = Vec::new();
        loop {
            let Outgoing::Held(objects, part) = wire.next().await else {
                panic!("held follows welcome");
            };
            held.extend(objects);
            if part == Part::Last {
                return (wire, welcome, held);
            }
        }
    }

    fn send(&self, message: Incoming) {
        self.up.as_ref().unwrap().unbounded_send(message).unwrap();
    }

    async fn next(&mut self) -> Outgoing {
        soon(self.down.next()).await.unwrap().unwrap()
    }

    async fn end(&mut self) -> Option<SessionError> {
        loop {
            match soon(self.down.next()).await {
                Some(Ok(_)) => {}
                Some(Err(error)) => return Some(error),
                None => return None,
            }
        }
    }

    /// Reads until so many reports are acknowledged.
    async fn acknowledged(&mut self, count: usize) -> Vec<u64> {
        let mut sequences = Vec::new();
        while sequences.len() < count {
            if let Outgoing::Acknowledged(some) = self.next().await {
                sequences.extend(some);
            }
        }
        sequences.sort_unstable();
        sequences
    }
}

fn hello(instance: u128) -> Hello {
    Hello {
        instance: Uuid::from_u128(instance),
        kind: ObjectKind::Application,
        cluster: "in-cluster".into(),
        namespaces: Vec::new(),
        continuity: Continuity::Continued,
        version: "1.2.3".to_owned(),
        patience: SILENCE,
    }
}

fn report(sequence: u64, name: &str, resource_version: u64) -> Report {
    Report {
        sequence,
        object: ObjectName {
            namespace: "argocd".into(),
            name: name.into(),
        },
        uid: format!("uid-{name}").as_str().into(),
        resource_version,
        state: Some(ReportedState::Application(Box::new(state(&format!(
            "{name} at {resource_version}"
        ))))),
        operations: Vec::new(),
        trace: None,
    }
}

fn sent(report: Report) -> Incoming {
    Incoming::Report(Ok(report))
}

fn with_manifests(report: Report, contents: &[&str]) -> Incoming {
    let manifests = contents
        .iter()
        .map(|content| Digest::of(content.as_bytes()))
        .collect();
    let state = match report.state {
        Some(ReportedState::Application(state)) => {
            let state = State {
                manifests,
                ..*state
            };
            Some(ReportedState::Application(Box::new(state)))
        }
        other => other,
    };
    sent(Report { state, ..report })
}

async fn versions(store: &dyn Store) -> Vec<(String, u64)> {
    let all = all();
    let page = store
        .reads()
        .list_applications(&account("default"), &all, View::Basic, None, 1000)
        .await
        .unwrap();
    let records = page.items.into_iter();
    records
        .map(|record| (record.key.name, record.resource_version))
        .collect()
}
