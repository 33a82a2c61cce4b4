//! An Argo CD that is there already, found by its labels where Helm talks to the cluster.

use std::path::Path;

use causeway_charts::{Chart, Mode, helm, modes};
use causeway_cluster::Cluster;
use serde_json::json;

use super::{apply, own, prepare};
use crate::stage::minimal;

/// Where the mode says nothing of Argo CD.
fn default() -> Mode {
    let mut modes = modes().into_iter();
    modes.find(|it| it.chart == Chart::Runtime).unwrap()
}

/// The Service of an Argo CD, after which nothing but its labels is known.
fn server(cluster: &Cluster, namespace: &str) {
    let labels = json!({"app.kubernetes.io/name": "argocd-server"});
    let service = json!({
        "apiVersion": "v1", "kind": "Service",
        "metadata": {"name": format!("{namespace}-server"), "namespace": namespace, "labels": labels},
        "spec": {"ports": [{"port": 443}]},
    });
    apply(cluster, &[], [&service]).expect_success();
}

/// In which namespace the parts look for Argo CD, where a Kubernetes API takes all that is rendered.
fn found(cluster: &Cluster, helm: &Path, values: &str) -> Result<String, String> {
    let release = Chart::Runtime.render_on(helm, cluster.kubeconfig(), values)?;
    let taken = apply(
        cluster,
        &["--dry-run=server"],
        release.objects.iter().filter(own),
    );
    assert!(taken.status.success(), "{}", taken.stderr);
    let mut pods = release.objects.iter();
    let proxy =
        pods.find(|it| it["kind"] == "Deployment" && it["metadata"]["name"] == "east-app-proxy");
    let container = &proxy.unwrap()["spec"]["template"]["spec"]["containers"][0];
    let mut flags = container["args"].as_array().unwrap().iter();
    let found = flags.find_map(|flag| flag.as_str()?.strip_prefix("--argocd-namespace="));
    Ok(found.unwrap().to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn argocd_is_found_by_labels_and_several_require_a_choice() {
    let Some(cluster) = minimal().await else {
        return;
    };
    let Some(helm) = helm() else { return };
    tokio::task::block_in_place(|| {
        prepare(&cluster, &helm);
        let nobody = default().values;
        let named = format!("{nobody}\nargocd: {{namespace: second-argocd, others: [gitops]}}");
        let look = |values: &str| found(&cluster, &helm, values);
        assert_eq!(look(nobody).unwrap(), "argocd");
        server(&cluster, "gitops");
        assert_eq!(look(nobody).unwrap(), "gitops");
        server(&cluster, "second-argocd");
        let refused = look(nobody).unwrap_err();
        let expected = "found an Argo CD in each of the namespaces gitops, second-argocd; set argocd.namespace";
        assert!(refused.contains(expected), "{refused}");
        assert_eq!(look(&named).unwrap(), "second-argocd");
    });
    cluster.stop().await;
}
