//! Controller of Argo Rollouts, under a guard because it does not watch its parent.

use std::{sync::Arc, time::Duration};

use serde_json::json;

use crate::{
    Program, Programs,
    argocd::serves,
    child::{Child, Crew, Supervisor},
    control_plane::ControlPlane,
    error::ClusterError,
    objects::Objects,
    process::Launch,
};

const START_TIMEOUT: Duration = Duration::from_secs(60);
const NAMESPACE: &str = "argo-rollouts";

pub(crate) async fn start(
    programs: &Programs,
    plane: &ControlPlane,
    objects: &Objects,
    (supervisor, crew): (&Arc<Supervisor>, &mut Crew),
) -> Result<(), ClusterError> {
    let program = programs.path(Program::Rollouts);
    objects.define(&program.with_file_name("crds")).await?;
    let namespace =
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}});
    objects.apply(&namespace).await?;
    let launch = Launch::new(
        Child::Rollouts.to_string(),
        programs.path(Program::Kubernetes),
    )
    .argument("guard")
    .argument(program.display().to_string())
    .flag("kubeconfig", plane.kubeconfig.display())
    .flag("namespace", NAMESPACE)
    .flag("leader-elect", false)
    .flag("metricsPort", 0);
    let plan = |port: u16| {
        let health = format!("http://127.0.0.1:{port}/healthz");
        (launch.clone().flag("healthzPort", port), serves(health))
    };
    let started = supervisor.start_on_free_port(Child::Rollouts, START_TIMEOUT, plan);
    crew.join(started.await?.0);
    Ok(())
}
