//! Watches sources and what they consist of, and decides when each is reconciled.

use std::{sync::Arc, time::Duration};

use causeway_git_source::{Kind, Object};
use causeway_shell::Notices;
use futures::{FutureExt as _, StreamExt as _, future::BoxFuture};
use kube::{
    ResourceExt as _,
    api::{ApiResource, DynamicObject},
    runtime::{
        Controller,
        controller::{Action, Config},
        reflector::{ObjectRef, Store},
        watcher,
    },
};
use tokio::time::sleep;

use crate::{
    kube::{ObjectError, ObjectKind},
    reconcile::Operator,
};

/// Changes of one source within this time are one change. It bounds how fast two writers can undo each other.
const DEBOUNCE: Duration = Duration::from_millis(500);
const CONCURRENCY: u16 = 4;
/// A kind that the cluster does not serve is looked for again after this time.
const ABSENT: Duration = Duration::from_secs(10);

struct Context {
    operator: Arc<Operator>,
    kind: Kind,
}

/// Reconciles sources of both kinds for ever.
pub fn run(operator: &Arc<Operator>, notices: &Notices) -> BoxFuture<'static, ()> {
    let kinds = Kind::ALL.map(|kind| follow(Arc::clone(operator), kind, notices.clone()));
    async move {
        let [own, reference] = kinds;
        tokio::join!(own, reference);
    }
    .boxed()
}

async fn follow(operator: Arc<Operator>, kind: Kind, notices: Notices) {
    let topic = format!("Git sources of {}", kind.group());
    loop {
        match operator.objects.is_served(kind).await {
            Ok(true) => {
                notices.clear(&topic);
                control(Arc::clone(&operator), kind).await;
            }
            Ok(false) if kind == Kind::Causeway => notices.raise(
                topic.clone(),
                "Git sources are not read: the cluster has no kind restrictedgitsources.causeway.dev; install it with the chart"
                    .to_owned(),
            ),
            // Clusters without the reference's kind are the rule.
            Ok(false) => {}
            Err(error) => notices.raise(topic.clone(), format!("Git sources are not read: {error}")),
        }
        sleep(ABSENT).await;
    }
}

async fn control(operator: Arc<Operator>, kind: Kind) {
    let source = ObjectKind::Source(kind);
    let namespace = operator.namespace.clone();
    let api = operator.objects.within(source, &namespace);
    let every = watcher::Config::default;
    let controller = Controller::new_with(api, every(), source.resource());
    let related = Related {
        store: controller.store(),
        resource: source.resource(),
        kind,
    };
    let (of_application, of_set, of_project) = (related.clone(), related.clone(), related);
    let (application, set, project) = (
        ObjectKind::Application,
        ObjectKind::ApplicationSet,
        ObjectKind::Project,
    );
    let mut controller = controller
        .with_config(
            Config::default()
                .debounce(DEBOUNCE)
                .concurrency(CONCURRENCY),
        )
        .watches_with(
            operator.objects.all(application),
            application.resource(),
            every(),
            move |object| of_application.to_sources(&object),
        )
        .watches_with(
            operator.objects.within(project, &namespace),
            project.resource(),
            every(),
            move |_| of_project.all(),
        );
    let sets = operator.objects.all(set);
    if sets
        .list(&kube::api::ListParams::default().limit(1))
        .await
        .is_ok()
    {
        controller = controller.watches_with(sets, set.resource(), every(), move |object| {
            of_set.to_sources(&object)
        });
    }
    let context = Arc::new(Context { operator, kind });
    controller
        .run(reconcile, back_off, context)
        .for_each(|done| async move {
            if let Err(kube::runtime::controller::Error::QueueError(error)) = done {
                tracing::debug!(%error, "a watch of Git sources failed; it is started again");
            }
        })
        .await;
}

async fn reconcile(
    object: Arc<DynamicObject>,
    context: Arc<Context>,
) -> Result<Action, ObjectError> {
    let name = object.name_any();
    let next = context.operator.reconcile(context.kind, &name).await?;
    Ok(next.map_or_else(Action::await_change, Action::requeue))
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the controller passes its own clones"
)]
fn back_off(object: Arc<DynamicObject>, error: &ObjectError, context: Arc<Context>) -> Action {
    let name = object.name_any();
    let wait = context.operator.next_backoff(context.kind, &name);
    tracing::warn!(%error, source = name, retry_after = ?wait, "a Git source was not reconciled");
    Action::requeue(wait)
}

/// Finds the sources that another object concerns.
#[derive(Clone)]
struct Related {
    store: Store<DynamicObject>,
    resource: ApiResource,
    kind: Kind,
}

impl Related {
    /// Sources of an Application or ApplicationSet: its owner, and those whose namespace has it.
    fn to_sources(&self, object: &DynamicObject) -> Vec<ObjectRef<DynamicObject>> {
        let namespace = object.namespace().unwrap_or_default();
        let owners = object.owner_references();
        self.select(|source| {
            let is_own = owners.iter().any(|owner| owner.uid == source.uid);
            is_own || source.namespace_in_use() == Some(&namespace)
        })
    }

    /// Any project may open a namespace or take a name.
    fn all(&self) -> Vec<ObjectRef<DynamicObject>> {
        self.select(|_| true)
    }

    fn select(&self, matches: impl Fn(&Object) -> bool) -> Vec<ObjectRef<DynamicObject>> {
        let mut found = Vec::new();
        for source in self.store.state() {
            let Ok(value) = serde_json::to_value(&*source) else {
                continue;
            };
            if matches(&Object::read(self.kind, &value)) {
                found.push(ObjectRef::from_obj_with(&*source, self.resource.clone()));
            }
        }
        found
    }
}
