//! Actions of single resources: those that Argo CD has for workloads.

use axum::{
    Json,
    extract::{Path, Query, State, rejection::JsonRejection},
};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Answer, ApplicationQuery, Name, Refusal, Shared, SharedState};
use crate::argocd::{
    manifest::{GroupKind, ResourceKey},
    status::stamp,
};

/// Resource of an application.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ActionTarget {
    app_namespace: String,
    project: String,
    namespace: String,
    resource_name: String,
    version: String,
    group: String,
    kind: String,
    /// with the second version of the call, as are
    action: String,
    resource_action_parameters: Vec<Parameter>,
}

/// Resource, action and parameters of a request.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Parameter {
    name: String,
    value: String,
}

/// An action, and whether it can be run.
struct Action {
    name: &'static str,
    disabled: bool,
    change: Change,
}

/// Effect of an action.
enum Change {
    Patch(Value),
    /// To as many replicas as a parameter says.
    Scale,
}

impl Change {
    fn patch(&self, of: &ActionTarget) -> Result<Value, Refusal> {
        match self {
            Self::Patch(patch) => Ok(patch.clone()),
            Self::Scale => {
                let parameters = of.resource_action_parameters.iter();
                let mut replicas = parameters.filter(|it| it.name == "replicas");
                let replicas = replicas.next().map_or("", |it| it.value.as_str());
                let number: u32 = replicas.parse().map_err(|_| {
                    let why = "error executing Lua resource action: invalid number: ";
                    Refusal::Failed(format!("{why}{replicas}"))
                })?;
                Ok(json!({"spec": {"replicas": number}}))
            }
        }
    }
}

pub(super) async fn list(
    State(shared): SharedState,
    Path(name): Name,
    Query(of): Query<ActionTarget>,
) -> Answer {
    let (_, object) = shared.resource(&name, &of).await?;
    let actions = actions(&of.kind, &object);
    let actions = actions.iter().map(|action| {
        let (name, disabled) = (action.name, action.disabled);
        if disabled {
            json!({"name": name, "disabled": true})
        } else {
            json!({"name": name})
        }
    });
    Ok(Json(json!({"actions": actions.collect::<Vec<_>>()})))
}

/// With the action as the body.
pub(super) async fn run(
    State(shared): SharedState,
    Path(name): Name,
    Query(of): Query<ActionTarget>,
    action: Result<Json<String>, JsonRejection>,
) -> Answer {
    let Json(action) = action.map_err(|rejection| Refusal::Invalid(rejection.body_text()))?;
    shared.act(&name, &of, &action).await
}

/// With everything in the body.
pub(super) async fn run_with_parameters(
    State(shared): SharedState,
    Path(name): Name,
    of: Result<Json<ActionTarget>, JsonRejection>,
) -> Answer {
    let Json(of) = of.map_err(|rejection| Refusal::Invalid(rejection.body_text()))?;
    let action = of.action.clone();
    shared.act(&name, &of, &action).await
}

fn actions(kind: &str, object: &Value) -> Vec<Action> {
    let now = stamp(Timestamp::now());
    let restart = Action {
        name: "restart",
        disabled: false,
        change: Change::Patch(
            json!({"spec": {"template": {"metadata": {"annotations": {"kubectl.kubernetes.io/restartedAt": now}}}}}),
        ),
    };
    let is_paused = object["spec"]["paused"] == true;
    let pausing = |name, paused: bool| Action {
        name,
        disabled: paused == is_paused,
        change: Change::Patch(json!({"spec": {"paused": paused}})),
    };
    let scale = Action {
        name: "scale",
        disabled: false,
        change: Change::Scale,
    };
    match kind {
        "Deployment" => vec![
            pausing("pause", true),
            restart,
            pausing("resume", false),
            scale,
        ],
        _ => Vec::new(),
    }
}

impl Shared {
    async fn act(&self, name: &str, of: &ActionTarget, action: &str) -> Answer {
        let (key, object) = self.resource(name, of).await?;
        let actions = actions(&of.kind, &object);
        let found = actions.iter().find(|known| known.name == action);
        let found = found.ok_or_else(|| {
            Refusal::Failed(
                "error getting Lua resource action: built-in script does not exist".to_owned(),
            )
        })?;
        let live = &self.reconciler.live;
        let kind = GroupKind {
            group: of.group.clone(),
            version: of.version.clone(),
            kind: of.kind.clone(),
        };
        let served = live.served(&kind).await?;
        let served = served.ok_or(Refusal::Denied)?;
        live.patch(&served, &key, &found.change.patch(of)?).await?;
        Ok(Json(json!({})))
    }

    /// A resource of an application as the cluster has it.
    async fn resource(
        &self,
        name: &str,
        of: &ActionTarget,
    ) -> Result<(ResourceKey, Value), Refusal> {
        let which = ApplicationQuery {
            app_namespace: of.app_namespace.clone(),
            project: of.project.clone(),
            ..ApplicationQuery::default()
        };
        let application = self.known(name, &which).await?;
        let key = ResourceKey {
            group: of.group.clone(),
            kind: of.kind.clone(),
            namespace: of.namespace.clone(),
            name: of.resource_name.clone(),
        };
        let roots = self.reconciler.tracked(&application.key);
        let live = self.reconciler.live.with_descendants(roots);
        let object = live.get(&key).cloned();
        let missing = || {
            let ActionTarget {
                kind,
                group,
                resource_name,
                ..
            } = of;
            Refusal::Invalid(format!(
                "{kind} {group} {resource_name} not found as part of application {name}"
            ))
        };
        Ok((key, object.ok_or_else(missing)?))
    }
}
