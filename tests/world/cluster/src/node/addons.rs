//! Add-ons of a cluster with a real node: images, CoreDNS, and the wait for readiness.

use std::{path::Path, sync::Arc, time::Duration};

use serde_json::Value;

use super::Node;
use crate::{
    Image, Program, Programs,
    child::{Crew, Supervisor},
    control_plane::ControlPlane,
    controllers,
    error::ClusterError,
    folder::Folder,
    objects::{Objects, condition},
};

const START_TIMEOUT: Duration = Duration::from_secs(90);

impl Node {
    /// Starts the whole cluster and waits until the node takes pods and names are resolved.
    pub(crate) async fn start(
        &self,
        programs: &Programs,
        folder: &Folder,
        flags: &[String],
        (supervisor, crew): (&Arc<Supervisor>, &mut Crew),
    ) -> Result<ControlPlane, ClusterError> {
        let program = programs.path(Program::Kubernetes);
        let images = async {
            let containerd = self.containerd(supervisor).await?;
            self.import(image("pause", programs.path(Program::Pause)))
                .await?;
            self.import(image("coredns", programs.path(Program::Coredns)))
                .await?;
            Ok::<_, ClusterError>(containerd)
        };
        let plane = ControlPlane::on_node(program, folder, self, flags, (supervisor, &mut *crew));
        let (containerd, plane) = futures::try_join!(images, plane)?;
        crew.join(containerd);
        let (manager, scheduler, kubelet, proxy) = futures::try_join!(
            controllers::manager(program, &plane, supervisor),
            controllers::scheduler(program, &plane, supervisor),
            self.kubelet(program, &plane, supervisor),
            self.proxy(program, &plane, supervisor),
        )?;
        for member in [manager, scheduler, kubelet, proxy] {
            crew.join(member);
        }
        let ready = self
            .ready(&Objects::new(plane.client(), &supervisor.place().logs))
            .await;
        // A child that ended says more than an object that never came.
        crew.check()?;
        ready.map(|()| plane)
    }

    async fn ready(&self, objects: &Objects) -> Result<(), ClusterError> {
        let filled = self.subnets().fill(include_str!("addons.yaml"), "");
        let addons: Vec<Value> = serde_saphyr::from_multiple(&filled).expect("the text is ours");
        for addon in &addons {
            objects.apply(addon).await?;
        }
        let node = format!("/api/v1/nodes/{}", self.subnets().node_name());
        let coredns = "/apis/apps/v1/namespaces/kube-system/deployments/coredns";
        let account = "/api/v1/namespaces/default/serviceaccounts/default";
        futures::try_join!(
            holds(objects, "the node is not ready", &node, "Ready"),
            holds(objects, "CoreDNS is not ready", coredns, "Available"),
            objects.wait(
                "kube-controller-manager does not act",
                START_TIMEOUT,
                || objects.get(account)
            ),
        )
        .map(drop)
    }
}

/// Waits until a condition of an object is true.
pub(super) async fn holds(
    objects: &Objects,
    what: &str,
    path: &str,
    name: &str,
) -> Result<(), ClusterError> {
    objects
        .wait(what, START_TIMEOUT, || async {
            let now = objects.get(path).await?;
            match condition(&now, name) {
                Some("True") => Ok(()),
                other => Err(format!("{name} is {other:?}")),
            }
        })
        .await
}

/// An image of one static program.
fn image(name: &str, program: &Path) -> Image {
    let path = format!("/{name}");
    Image::new(format!("registry.local/{name}:1"))
        .file(&path, program, 0o755)
        .entrypoint(&[&path])
}
