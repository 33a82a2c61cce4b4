//! Owners of one object after each other, on two replicas of which the first hears nothing of the other.

use super::*;
use crate::{
    application::Change,
    fixture::inventory_on,
    order::Position,
    store::{MembershipStore, Reads, Receipt, memory::MemoryStore},
};

/// A store that looks at no epochs: broken on purpose.
struct Unfenced(MemoryStore);

impl Store for Unfenced {
    fn submit(&self, write: Write) -> BoxFuture<'_, Result<Receipt, StoreError>> {
        let Write::Report(change, _) = write else {
            return self.0.submit(write);
        };
        let position = Position {
            epoch: 1,
            ..change.position
        };
        let change = Change {
            position,
            ..(*change).clone()
        };
        self.0.submit(Write::Report(Arc::new(change), None))
    }

    fn reads(&self) -> &dyn Reads {
        self.0.reads()
    }

    fn memberships(&self) -> &dyn MembershipStore {
        self.0.memberships()
    }
}

fn saying(report: Report, text: &str) -> Incoming {
    sent(Report {
        state: Some(ReportedState::Application(Box::new(state(text)))),
        ..report
    })
}

/// What is held of an object whose owner fell silent, whose heir told of it, and whose owner then went on.
async fn held_after_a_pause(store: Arc<dyn Store>) -> Digest {
    let [here, there] = [(); 2].map(|()| inventory_on(store.clone()));
    let _keeping = keeping(&there);
    let (mut paused, _, _) = Wire::open(&here, hello(1)).await;
    paused.send(saying(report(1, "web", 7), "first"));
    paused.acknowledged(1).await;
    let (mut heir, _, _) = Wire::open(&there, hello(2)).await;
    loop {
        heir.send(Incoming::Heartbeat);
        let next = timeout(SILENCE / 2, heir.down.next());
        if let Ok(Some(Ok(Outgoing::Held(..)))) = next.await {
            break;
        }
    }
    heir.send(saying(report(1, "web", 7), "of the heir"));
    heir.acknowledged(1).await;
    // What the other one knew of the same version long ago, and an older version with it.
    paused.send(saying(report(2, "web", 7), "stale"));
    paused.send(saying(report(3, "web", 6), "older"));
    paused.acknowledged(2).await;
    let held = store.reads().list_held(&scope(), None, 10).await.unwrap();
    assert_eq!(held.len(), 1);
    held[0].root_digest
}

#[tokio::test(start_paused = true)]
async fn an_owner_that_was_paused_and_goes_on_overwrites_nothing() {
    let held = held_after_a_pause(Arc::new(MemoryStore::default())).await;
    assert_eq!(held, state("of the heir").root_digest);
}

#[tokio::test(start_paused = true)]
async fn without_a_fence_it_would() {
    let held = held_after_a_pause(Arc::new(Unfenced(MemoryStore::default()))).await;
    assert_eq!(held, state("stale").root_digest);
}

#[tokio::test]
async fn a_new_owner_whose_watch_lags_brings_back_no_older_state() {
    for bench in Bench::all().await {
        let [here, there] = [(); 2].map(|()| inventory_on(bench.store.clone()));
        let (mut owner, _, _) = Wire::open(&here, hello(1)).await;
        owner.send(sent(report(1, "web", 9)));
        owner.acknowledged(1).await;
        let (mut heir, welcome, _) = Wire::open(&there, hello(2)).await;
        assert!(welcome.epoch > 1, "its epoch is the later one");
        heir.send(sent(report(1, "web", 7)));
        let gone = Report {
            state: None,
            ..report(2, "web", 8)
        };
        heir.send(sent(gone));
        assert_eq!(heir.acknowledged(2).await, [1, 2]);
        assert_eq!(versions(&*bench.store).await, [("web".to_owned(), 9)]);
    }
}
