//! Controllers of a simulated cluster: kube-controller-manager, kube-scheduler, and KWOK instead of kubelets.

use std::{path::Path, sync::Arc, time::Duration};

use futures::FutureExt as _;
use serde_json::json;

use crate::{
    child::{Child, Crew, Member, Ready, Supervisor},
    control_plane::ControlPlane,
    error::ClusterError,
    objects::{Objects, condition},
    process::Launch,
};

const START_TIMEOUT: Duration = Duration::from_secs(300);

/// Starts the three, makes the nodes and waits until they are ready and accounts of namespaces are made.
pub(crate) async fn start(
    program: &Path,
    plane: &ControlPlane,
    nodes: u32,
    (supervisor, crew): (&Arc<Supervisor>, &mut Crew),
) -> Result<(), ClusterError> {
    let objects = Objects::new(plane.client(), &supervisor.place().logs);
    let (manager, scheduler, kwok) = futures::try_join!(
        manager(program, plane, supervisor),
        scheduler(program, plane, supervisor),
        kwok(program, plane, supervisor),
    )?;
    crew.join(manager);
    crew.join(scheduler);
    crew.join(kwok);
    let made = (1..=nodes).map(|number| node(&objects, number));
    let waited = futures::future::try_join_all(made);
    let account = "/api/v1/namespaces/default/serviceaccounts/default";
    let accounts = objects.wait(
        "kube-controller-manager does not act",
        START_TIMEOUT,
        || objects.get(account),
    );
    let result = futures::try_join!(waited, accounts);
    // A child that ended says more than an object that never came.
    crew.check()?;
    result.map(drop)
}

pub(crate) async fn manager(
    program: &Path,
    plane: &ControlPlane,
    supervisor: &Supervisor,
) -> Result<Member, ClusterError> {
    let kubeconfig = plane.kubeconfig_of("system:kube-controller-manager", None)?;
    let authority = &plane.keys.authority_files;
    let launch = Launch::new(Child::ControllerManager.to_string(), program)
        .argument("kube-controller-manager")
        .flag("kubeconfig", kubeconfig.display())
        .flag("secure-port", 0)
        .flag("leader-elect", false)
        .flag("use-service-account-credentials", true)
        .flag(
            "service-account-private-key-file",
            plane.keys.service_accounts.key.display(),
        )
        .flag("root-ca-file", authority.certificate.display())
        .flag("cluster-signing-cert-file", authority.certificate.display())
        .flag("cluster-signing-key-file", authority.key.display())
        .flag("kube-api-qps", 500)
        .flag("kube-api-burst", 1000)
        .flag("controllers", "*");
    run(supervisor, Child::ControllerManager, plane.enter(launch)).await
}

pub(crate) async fn scheduler(
    program: &Path,
    plane: &ControlPlane,
    supervisor: &Supervisor,
) -> Result<Member, ClusterError> {
    let kubeconfig = plane.kubeconfig_of("system:kube-scheduler", None)?;
    let launch = Launch::new(Child::Scheduler.to_string(), program)
        .argument("kube-scheduler")
        .flag("kubeconfig", kubeconfig.display())
        .flag("secure-port", 0)
        .flag("leader-elect", false);
    run(supervisor, Child::Scheduler, plane.enter(launch)).await
}

async fn kwok(
    program: &Path,
    plane: &ControlPlane,
    supervisor: &Supervisor,
) -> Result<Member, ClusterError> {
    // KWOK does nothing without a description of what nodes and pods go through.
    let stages = program.with_file_name("kwok-stages.yaml");
    let launch = Launch::new(Child::Kwok.to_string(), program)
        .argument("kwok")
        .flag("config", stages.display())
        .flag("kubeconfig", plane.kubeconfig.display())
        .flag("manage-all-nodes", true)
        .flag("node-lease-duration-seconds", 40)
        .flag("node-ip", "10.200.0.1")
        .flag("cidr", "10.201.0.0/16");
    run(supervisor, Child::Kwok, launch).await
}

/// The three have no readiness port, so their effects on objects are awaited.
async fn run(
    supervisor: &Supervisor,
    child: Child,
    launch: Launch,
) -> Result<Member, ClusterError> {
    let at_once: Ready = Arc::new(|| async { Ok(()) }.boxed());
    Ok(supervisor
        .start(child, launch, at_once, START_TIMEOUT)
        .await?)
}

async fn node(objects: &Objects, number: u32) -> Result<(), ClusterError> {
    let name = format!("node-{number}");
    let room = json!({"cpu": "64", "memory": "256Gi", "pods": "1000"});
    let node = json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "annotations": {"kwok.x-k8s.io/node": "fake", "node.alpha.kubernetes.io/ttl": "0"},
            "labels": {
                "kubernetes.io/hostname": name,
                "kubernetes.io/os": "linux",
                "kubernetes.io/arch": "amd64",
                "type": "kwok",
            },
        },
        "status": {"allocatable": room, "capacity": room},
    });
    objects.apply(&node).await?;
    let path = format!("/api/v1/nodes/{name}");
    let what = format!("node {name} does not become ready");
    objects
        .wait(&what, START_TIMEOUT, || async {
            let now = objects.get(&path).await?;
            match condition(&now, "Ready") {
                Some("True") => Ok(()),
                other => Err(format!("Ready is {other:?}")),
            }
        })
        .await
}
