//! Control plane of a node, inside its namespaces and on its address.

use std::{path::Path, sync::Arc};

use super::Node;
use crate::{
    child::{Child, Crew, Supervisor},
    control_plane::{ControlPlane, Keys, START_TIMEOUT, answers, api_server, etcd},
    error::ClusterError,
    folder::Folder,
    keys,
    process::Launch,
};

const PORT: u16 = 6443;

impl ControlPlane {
    /// etcd and kube-apiserver in the box of a node, ready for controllers and for the kubelet.
    pub(crate) async fn on_node(
        program: &Path,
        folder: &Folder,
        node: &Node,
        flags: &[String],
        (supervisor, crew): (&Arc<Supervisor>, &mut Crew),
    ) -> Result<Self, ClusterError> {
        let subnets = node.subnets();
        let names = [subnets.node().to_string(), subnets.api().to_string()];
        let keys = Keys::make(folder.make("keys")?, &names)?;
        let socket = folder.path().join("etcd.sock");
        let (launch, ready) = etcd(program, folder, &socket);
        let launch = node.entrance().enter(launch);
        crew.join(
            supervisor
                .start(Child::Etcd, launch, ready, START_TIMEOUT)
                .await?,
        );
        let kubeconfig = folder.path().join("kubeconfig");
        let server = format!("https://{}:{PORT}", subnets.node());
        keys::write_private(&kubeconfig, &keys.kubeconfig(&server))?;
        let launch = Launch::new(Child::ApiServer.to_string(), program)
            .argument("kube-apiserver")
            .flag("etcd-servers", format!("unix://{}", socket.display()));
        let launch = for_kubelets(api_server(launch, &keys, PORT), node, &keys)?;
        let launch = node
            .entrance()
            .enter(launch.arguments(flags.iter().cloned()));
        let ready = answers(kubeconfig.clone());
        crew.join(
            supervisor
                .start(Child::ApiServer, launch, ready, START_TIMEOUT)
                .await?,
        );
        let entrance = Some(node.entrance().clone());
        Self::reached(keys, kubeconfig, entrance).await
    }
}

/// The last value of a repeated flag wins.
fn for_kubelets(launch: Launch, node: &Node, keys: &Keys) -> Result<Launch, ClusterError> {
    let subnets = node.subnets();
    let client = keys
        .authority
        .client("kube-apiserver", Some("system:masters"))?;
    let client = client.write(&keys.folder, "kubelet-client")?;
    Ok(launch
        .flag("bind-address", "0.0.0.0")
        .flag("advertise-address", subnets.node())
        .flag("endpoint-reconciler-type", "lease")
        .flag("service-cluster-ip-range", subnets.services())
        .flag("enable-admission-plugins", "NodeRestriction")
        .flag("kubelet-preferred-address-types", "InternalIP")
        .flag(
            "kubelet-certificate-authority",
            keys.authority_files.certificate.display(),
        )
        .flag("kubelet-client-certificate", client.certificate.display())
        .flag("kubelet-client-key", client.key.display()))
}
