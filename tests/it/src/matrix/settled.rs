//! When the matrix may begin: everything is reached, compared with Git and told to the inventory, so that no answer says "not yet".

use causeway_client::Peer;
use causeway_proto::method::{Method, method};
use causeway_testkit::{RuntimeParts, wait_until};
use serde_json::{Value, json};
use tokio::join;

use super::{
    call::{call, send},
    kind::Kind,
    world::World,
};
use crate::world::PATIENCE;

fn rpc(name: &str) -> &'static Method {
    method(&format!("/causeway.{name}")).unwrap()
}

impl World {
    pub(super) async fn settle(&self) {
        let admin = self.mesh.user();
        join!(
            compared(&self.ours),
            compared(&self.theirs),
            self.reached(),
            self.told(&admin, &[0, 1]),
            self.told(&self.globex, &[3]),
        );
    }

    /// Waits until both runtimes answer, and until all parts know what a user may.
    async fn reached(&self) {
        let [mine, _, _, foreign, _] = &self.listed().all;
        let live = rpc("proxy.v1.ApplicationActionService/GetLiveApplication");
        for (by, thing) in [(&self.ada, mine), (&self.globex, foreign)] {
            wait_until("the runtime is reached", PATIENCE, async || {
                let answer = call(by, live, Kind::Application, thing).await;
                answer.map(drop).map_err(|status| status.to_string())
            })
            .await;
        }
    }

    /// Waits until the inventory lists all of these columns to somebody who may see all of their account.
    async fn told(&self, by: &Peer, columns: &[usize]) {
        let names = |kind: Option<Kind>| -> Vec<&str> {
            let things = self.all_things();
            let things = things.filter(|things| kind.is_none_or(|kind| things.kind == kind));
            let things = things.flat_map(|things| columns.iter().map(|it| &things.all[*it]));
            things.map(|thing| &*thing.name).collect()
        };
        let (applications, rollouts) = (names(None), names(Some(Kind::Rollout)));
        let list = rpc("inventory.v1.ApplicationService/ListApplications");
        until_listed(by, list, &applications).await;
        let list = rpc("inventory.v1.ResourceService/ListResources");
        until_listed(by, list, &rollouts).await;
    }
}

/// Waits until Argo CD has compared every application with what is in Git.
async fn compared(runtime: &RuntimeParts) {
    wait_until("all applications are compared", PATIENCE, async || {
        let truth = runtime.sandbox().kube().snapshot();
        let applications = truth.objects.iter().filter(|it| it.kind == "Application");
        let mut missing =
            applications.filter(|it| !it.object["status"]["sync"]["status"].is_string());
        missing
            .next()
            .map_or(Ok(()), |it| Err(it.object.to_string()))
    })
    .await;
}

async fn until_listed(by: &Peer, list: &Method, names: &[&str]) {
    wait_until("the inventory lists all", PATIENCE, async || {
        let listed = send(by, list, json!({"pageSize": 500})).await;
        let listed = Value::from(listed.map_err(|status| status.to_string())?).to_string();
        let missing = names
            .iter()
            .find(|name| !listed.contains(&format!("\"{name}\"")));
        missing.map_or(Ok(()), |name| Err(format!("{name} is not in {listed}")))
    })
    .await;
}
