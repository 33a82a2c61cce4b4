//! Two accounts, each with a runtime in which everything is allowed, and things in them.

use std::collections::HashMap;

use causeway_client::Peer;
use causeway_proto::{
    access::v1::Kind as Kinds,
    method::Method,
    platform::v1::{Rule, Selector},
};
use causeway_sandbox::{Sandbox, SandboxOptions, git::Commit};
use causeway_testkit::{Mesh, RuntimeParts, new_id};
use serde_json::{Value, json};
use tokio::join;

use super::kind::{Kind, asked, asked_of, define, object, place};
use crate::tenants::{account, entitled};

/// Everything that a runtime can be told to allow.
const ALLOWED: &str = "read,sync,refresh,terminate,rollback,delete,update,logs,exec,resource-action,resource-delete,rollout,workflow";

/// A thing by its names, whether or not there is one.
#[derive(Debug)]
pub(super) struct Thing {
    pub(super) runtime: &'static str,
    pub(super) name: String,
    pub(super) request_id: String,
    pub(super) uid: String,
    /// As it was when all was settled, where it must stay as it is.
    kept: Option<Value>,
}

/// One kind of thing: a user's own, one outside of their scope, an absent one, a foreign one, and one in no runtime.
#[derive(Debug)]
pub(super) struct Things {
    pub(super) kind: Kind,
    pub(super) all: [Thing; 5],
}

pub(super) struct World {
    pub(super) mesh: Mesh,
    pub(super) ours: RuntimeParts,
    pub(super) theirs: RuntimeParts,
    /// May do everything with what is called `mine-…`, in the first account.
    pub(super) ada: Peer,
    /// May do everything in the other account.
    pub(super) globex: Peer,
    /// By the path of the RPC that changes them, and by the kind of those that are read and stay as they are.
    things: HashMap<String, Things>,
}

/// Which things an RPC is asked about: what it changes is of no use to another.
fn place_of(method: &Method, kind: Kind) -> String {
    if matches!(method.kind, Kinds::Mutation | Kinds::Session) {
        method.path.clone()
    } else {
        format!("{kind:?}")
    }
}

impl World {
    /// Starts all parts, makes what these RPCs are to be asked about, and waits until everybody knows of it.
    pub(super) async fn start(asked: &[(&Method, Option<Kind>)]) -> Self {
        let mesh = Mesh::start(SandboxOptions::in_memory()).await;
        let globex = account(&mesh, "globex").await;
        let options = SandboxOptions::in_memory;
        let ada = entitled(&mesh, "ada", vec![everything_of("mine-*")]).await;
        let (ours, theirs) = join!(
            serving(mesh.join_allowing("ours", options(), ALLOWED)),
            serving(mesh.join_by(&globex, "globex-theirs", "theirs", options())),
        );
        let mut world = Self {
            mesh,
            ours,
            theirs,
            ada,
            globex,
            things: HashMap::new(),
        };
        world.make_all(asked).await;
        world.settle().await;
        for things in world.things.values_mut() {
            for (thing, runtime) in [(1, &world.ours), (3, &world.theirs)] {
                let thing = &mut things.all[thing];
                thing.kept = Some(asked_of(runtime.sandbox(), things.kind, &thing.name));
            }
        }
        world
    }

    async fn make_all(&mut self, asked: &[(&Method, Option<Kind>)]) {
        // Lists tell of rollouts and of their applications.
        let mut places = vec![("Rollout".to_owned(), Kind::Rollout)];
        for (method, kind) in asked {
            let place = kind.map(|kind| (place_of(method, kind), kind));
            places.extend(place.filter(|place| !places.contains(place)));
        }
        for sandbox in [self.ours.sandbox(), self.theirs.sandbox()] {
            push(sandbox, &places).await;
        }
        for (number, (place, kind)) in places.into_iter().enumerate() {
            let all = self.make(kind, number);
            self.things.insert(place, Things { kind, all });
        }
    }

    fn make(&self, kind: Kind, number: usize) -> [Thing; 5] {
        let thing = |runtime: &'static str, what: &str, sandbox: Option<&Sandbox>| {
            let name = format!("{what}-{number}");
            let uid = sandbox.map_or_else(new_id, |sandbox| place(sandbox, kind, &name));
            Thing {
                runtime,
                name,
                request_id: new_id(),
                uid,
                kept: None,
            }
        };
        let (ours, theirs) = (self.ours.sandbox(), self.theirs.sandbox());
        [
            thing("ours", "mine", Some(ours)),
            thing("ours", "outs", Some(ours)),
            thing("ours", "outz", None),
            thing("theirs", "mine-of-them", Some(theirs)),
            thing("thears", "mine-of-thum", None),
        ]
    }

    pub(super) fn things(&self, method: &Method, kind: Kind) -> &Things {
        &self.things[&place_of(method, kind)]
    }

    pub(super) fn all_things(&self) -> impl Iterator<Item = &Things> {
        self.things.values()
    }

    /// Rollouts, of which lists tell and of their applications.
    pub(super) fn listed(&self) -> &Things {
        &self.things["Rollout"]
    }

    /// Fails where somebody has had their way with what is outside of their scope or foreign.
    pub(super) fn assert_untouched(&self, things: &Things) {
        for (thing, runtime) in [(1, &self.ours), (3, &self.theirs)] {
            let thing = &things.all[thing];
            let truth = runtime.sandbox().kube().snapshot();
            let (_, word) = things.kind.group_and_kind();
            let found = truth.find(word, things.kind.namespace(), &thing.name);
            let found = found.map(|found| asked(&found.object));
            assert_eq!(found, thing.kept, "{thing:?}");
        }
    }

    pub(super) async fn stop(self) {
        join!(self.theirs.stop(), self.ours.stop());
        self.mesh.stop().await;
    }
}

/// A runtime whose cluster serves all kinds of things.
async fn serving(joined: impl Future<Output = RuntimeParts>) -> RuntimeParts {
    let mut runtime = joined.await;
    for (kind, plural) in [
        ("Rollout", "rollouts"),
        ("Workflow", "workflows"),
        ("WorkflowTemplate", "workflowtemplates"),
    ] {
        define(runtime.sandbox(), kind, plural);
    }
    // It looks for kinds that it did not find no more often than once a minute, and at its start.
    runtime.resource_reporter.stop().await;
    runtime.resource_reporter.start_again().await;
    runtime
}

/// Everything with what is called so.
fn everything_of(names: &str) -> Rule {
    Rule {
        entities: vec!["*".to_owned()],
        actions: vec!["*".to_owned()],
        selector: Some(Selector {
            names: vec![names.to_owned()],
            ..Selector::default()
        }),
    }
}

/// Makes the repository that all applications are of, with a folder for each. Argo CD acts on those Deployments alone that it knows
/// from there.
async fn push(sandbox: &Sandbox, places: &[(String, Kind)]) {
    let mut commit = Commit::new("Add settings");
    for (number, (_, kind)) in places.iter().enumerate() {
        for what in ["mine", "outs", "mine-of-them"] {
            let name = format!("{what}-{number}");
            let text = match kind {
                Kind::Deployment => object(*kind, &name).to_string(),
                Kind::Application | Kind::Pod | Kind::Rollout | Kind::Workflow | Kind::Template => {
                    settings(&name)
                }
            };
            commit = commit.write(&format!("{name}/object.yaml"), text);
        }
    }
    sandbox.commit("apps", &commit).await.unwrap();
}

fn settings(name: &str) -> String {
    let metadata = json!({"name": name});
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"color": "blue"}})
        .to_string()
}
