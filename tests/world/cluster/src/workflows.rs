//! Controller of Argo Workflows, under a guard because it does not watch its parent.

use std::{sync::Arc, time::Duration};

use futures::FutureExt as _;
use serde_json::json;

use crate::{
    Program, Programs,
    child::{Child, Crew, Ready, Supervisor},
    control_plane::ControlPlane,
    error::ClusterError,
    objects::Objects,
    process::Launch,
};

const START_TIMEOUT: Duration = Duration::from_secs(60);
const NAMESPACE: &str = "argo";
const SETTINGS: &str = "workflow-controller-configmap";

pub(crate) async fn start(
    programs: &Programs,
    plane: &ControlPlane,
    objects: &Objects,
    (supervisor, crew): (&Arc<Supervisor>, &mut Crew),
) -> Result<(), ClusterError> {
    let program = programs.path(Program::Workflows);
    objects.define(&program.with_file_name("crds")).await?;
    let namespace =
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}});
    objects.apply(&namespace).await?;
    objects.apply(&settings()).await?;
    let launch = Launch::new(
        Child::Workflows.to_string(),
        programs.path(Program::Kubernetes),
    )
    .argument("guard")
    .argument(program.display().to_string())
    .flag("kubeconfig", plane.kubeconfig.display())
    .flag("namespace", NAMESPACE)
    .flag("executor-image", "registry.example.com/argoexec:0")
    .variable("LEADER_ELECTION_DISABLE", true)
    .variable("DEFAULT_REQUEUE_TIME", "100ms");
    let started = supervisor.start(Child::Workflows, launch, runs(), START_TIMEOUT);
    crew.join(started.await?);
    Ok(())
}

/// Without its ports for figures, which are the same for every cluster of a machine.
fn settings() -> serde_json::Value {
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": SETTINGS, "namespace": NAMESPACE},
        "data": {
            "metricsConfig": "enabled: false\n",
            "telemetryConfig": "enabled: false\n",
        },
    })
}

/// Its port for health cannot be chosen, so what runs counts as ready. It acts on what was made before it looked, too.
fn runs() -> Ready {
    Arc::new(|| async { Ok(()) }.boxed())
}
