//! The other way into the runtime: the platform dials its router.

use causeway_assertion::development_ca::DevelopmentCa;
use causeway_cluster::Cluster;
use causeway_testkit::run;
use serde_json::json;

use super::{NAMESPACE, apply, platform::Platform, router};
use crate::stage::kubectl;

/// Takes the tunnel away, and has the runtime's router serve TLS where the platform dials it from now on.
pub(super) fn open(cluster: &Cluster, platform: &mut Platform) {
    let kubectl = |words: &[&str]| {
        let words = [&["--namespace", NAMESPACE], words].concat();
        run(&mut kubectl(cluster, &words)).expect_success()
    };
    kubectl(&["delete", "deployment", "tunnel-client"]);
    let address = ["get", "service", "request-router", "--output"];
    let address = kubectl(&[&address[..], &["jsonpath={.spec.clusterIP}"]].concat());
    causeway_shell::install_crypto();
    let authority = DevelopmentCa::open_or_create(&platform.folder("door")).unwrap();
    let identity = authority.server_identity(&[&address]).unwrap();
    let door = json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {"name": "door", "namespace": NAMESPACE},
        "stringData": {"tls.crt": identity.certificate_pem, "tls.key": identity.key_pem},
    });
    let tls = ["--tls-certificate=/door/tls.crt", "--tls-key=/door/tls.key"];
    apply(cluster, &[&[door], &router(&tls)[..]].concat());
    let rolled = ["rollout", "status", "deployment/request-router"];
    kubectl(&[&rolled[..], &["--timeout=0s"]].concat());
    let url = format!("https://{address}:7500");
    platform.dial("east", &url, &authority.ca_file());
}
