//! Whether a cluster's store was put back, or another reporter is ahead.

use super::*;

fn scope(namespace: &str) -> WatchScope {
    WatchScope::Namespace(namespace.to_owned())
}

/// A reporter of two namespaces that is told of something newer than all that it has seen.
async fn suspicious() -> Stage {
    let inventory = Inventory::default();
    inventory.seen().held.push(pb::HeldObject {
        namespace: "argocd".to_owned(),
        name: "newer".to_owned(),
        uid: "uid-newer".to_owned(),
        resource_version: 100,
        ..pb::HeldObject::default()
    });
    let mut stage = Stage::of(inventory, vec![scope("argocd"), scope("other")]);
    stage.list_of("argocd", 50).await;
    stage.list_of("other", 50).await;
    // It has compared when it reports.
    stage.change("first").await;
    stage.inventory.until("first", stage.version).await;
    stage
}

impl Stage {
    async fn list_of(&self, namespace: &str, resource_version: u64) {
        let scope = scope(namespace);
        let started = ObjectEvent::ListStarted {
            scope: scope.clone(),
            resource_version,
        };
        self.send(started).await;
        for (name, version) in self.things.iter().filter(|_| namespace == "argocd") {
            let thing = Arc::new(Thing::new(name, *version));
            self.send(ObjectEvent::Applied(thing)).await;
        }
        self.send(ObjectEvent::ListCompleted { scope }).await;
    }

    /// What was said of the store at the beginning of each stream, once a change of now is told.
    async fn said(&mut self) -> Vec<pb::StoreContinuity> {
        self.change("last").await;
        self.inventory.until("last", self.version).await;
        let seen = self.inventory.seen();
        seen.hellos.iter().map(pb::Hello::continuity).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn one_list_of_each_of_two_namespaces_is_no_proof_that_the_store_was_put_back() {
    let mut stage = suspicious().await;
    stage.list_of("argocd", 60).await;
    stage.list_of("other", 60).await;
    assert_eq!(stage.said().await, [pb::StoreContinuity::Continued]);
}

#[tokio::test(start_paused = true)]
async fn two_lists_of_one_namespace_are() {
    let mut stage = suspicious().await;
    stage.list_of("argocd", 60).await;
    stage.list_of("argocd", 60).await;
    let said = stage.said().await;
    assert_eq!(said.last(), Some(&pb::StoreContinuity::Restored));
}
