//! The table of built-in kinds.

use super::{Origin, Resource, Scope, Status, Version, resource_id};

/// One kind a line: group (`-` for core) and version, kind, plural, short name and traits (`cluster`, `status`, `all`).
const KINDS: &str = "
-                         v1 Namespace                namespaces                ns     cluster,status
-                         v1 Node                     nodes                     no     cluster,status
-                         v1 ConfigMap                configmaps                cm     -
-                         v1 Event                    events                    ev     -
-                         v1 PersistentVolumeClaim    persistentvolumeclaims    pvc    status
-                         v1 Pod                      pods                      po     status,all
-                         v1 Secret                   secrets                   -      -
-                         v1 ServiceAccount           serviceaccounts           sa     -
-                         v1 Service                  services                  svc    status,all
apps                      v1 DaemonSet                daemonsets                ds     status,all
apps                      v1 Deployment               deployments               deploy status,all
apps                      v1 ReplicaSet               replicasets               rs     status,all
apps                      v1 StatefulSet              statefulsets              sts    status,all
batch                     v1 CronJob                  cronjobs                  cj     status,all
batch                     v1 Job                      jobs                      -      status,all
autoscaling               v2 HorizontalPodAutoscaler  horizontalpodautoscalers  hpa    status,all
policy                    v1 PodDisruptionBudget      poddisruptionbudgets      pdb    status
networking.k8s.io         v1 Ingress                  ingresses                 ing    status
networking.k8s.io         v1 IngressClass             ingressclasses            -      cluster
networking.k8s.io         v1 NetworkPolicy            networkpolicies           netpol -
rbac.authorization.k8s.io v1 ClusterRoleBinding       clusterrolebindings       -      cluster
rbac.authorization.k8s.io v1 ClusterRole              clusterroles              -      cluster
rbac.authorization.k8s.io v1 RoleBinding              rolebindings              -      -
rbac.authorization.k8s.io v1 Role                     roles                     -      -
coordination.k8s.io       v1 Lease                    leases                    -      -
discovery.k8s.io          v1 EndpointSlice            endpointslices            -      -
apiextensions.k8s.io      v1 CustomResourceDefinition customresourcedefinitions crd    cluster,status
";

const WITH_GENERATION: &[&str] = &[
    "customresourcedefinitions",
    "cronjobs",
    "daemonsets",
    "deployments",
    "ingresses",
    "jobs",
    "networkpolicies",
    "poddisruptionbudgets",
    "replicasets",
    "statefulsets",
];

pub(super) fn has_generation(plural: &str) -> bool {
    WITH_GENERATION.contains(&plural)
}

/// Fields that a built-in kind can be selected by, beside name and namespace.
pub(super) fn selects_by(id: &str, path: &str) -> bool {
    let known: &[&str] = match id {
        "pods" => &[
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "spec.hostNetwork",
            "status.phase",
            "status.podIP",
            "status.podIPs",
            "status.nominatedNodeName",
        ],
        "events" => &[
            "involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.resourceVersion",
            "involvedObject.fieldPath",
            "reason",
            "reportingComponent",
            "source",
            "type",
        ],
        "secrets" => &["type"],
        "namespaces" => &["status.phase"],
        "nodes" => &["spec.unschedulable"],
        "services" => &["spec.clusterIP", "spec.type"],
        "replicasets.apps" => &["status.replicas"],
        "jobs.batch" => &["status.successful"],
        _ => &[],
    };
    known.contains(&path)
}

/// Every built-in kind.
pub(crate) fn builtin() -> Vec<Resource> {
    KINDS.lines().filter_map(resource).collect()
}

fn resource(line: &str) -> Option<Resource> {
    let mut words = line.split_whitespace().map(|word| match word {
        "-" => "",
        word => word,
    });
    let (group, version, kind) = (words.next()?, words.next()?, words.next()?);
    let (plural, short_name, traits) = (words.next()?, words.next()?, words.next()?);
    let has = |wanted| traits.split(',').any(|known| known == wanted);
    Some(Resource {
        id: resource_id(group, plural).into(),
        group: group.to_owned(),
        kind: kind.to_owned(),
        plural: plural.to_owned(),
        singular: kind.to_lowercase(),
        short_names: Some(short_name.to_owned())
            .into_iter()
            .filter(|name| !name.is_empty())
            .collect(),
        categories: has("all").then(|| "all".to_owned()).into_iter().collect(),
        scope: if has("cluster") {
            Scope::Cluster
        } else {
            Scope::Namespaced
        },
        origin: Origin::Builtin,
        versions: vec![Version {
            name: version.to_owned(),
            status: if has("status") {
                Status::Separate
            } else {
                Status::Inline
            },
            columns: Vec::new(),
            schema: None,
        }],
    })
}
