//! The table of built-in kinds.

use super::{Origin, Resource, Scale, Scope, Status, Version, resource_id};

struct Row {
    group: &'static str,
    version: &'static str,
    kind: &'static str,
    plural: &'static str,
    short_names: &'static [&'static str],
    traits: &'static [Trait],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Trait {
    ClusterWide,
    HasStatus,
    HasScale,
    InAll,
}

use Trait::{ClusterWide, HasScale, HasStatus, InAll};

const fn row(
    group: &'static str,
    version: &'static str,
    kind: &'static str,
    plural: &'static str,
    short_names: &'static [&'static str],
    traits: &'static [Trait],
) -> Row {
    Row {
        group,
        version,
        kind,
        plural,
        short_names,
        traits,
    }
}

const RBAC: &str = "rbac.authorization.k8s.io";
const NETWORKING: &str = "networking.k8s.io";

const ROWS: &[Row] = &[
    row(
        "",
        "v1",
        "Namespace",
        "namespaces",
        &["ns"],
        &[ClusterWide, HasStatus],
    ),
    row(
        "",
        "v1",
        "Node",
        "nodes",
        &["no"],
        &[ClusterWide, HasStatus],
    ),
    row(
        "",
        "v1",
        "PersistentVolume",
        "persistentvolumes",
        &["pv"],
        &[ClusterWide, HasStatus],
    ),
    row("", "v1", "ConfigMap", "configmaps", &["cm"], &[]),
    row("", "v1", "Endpoints", "endpoints", &["ep"], &[]),
    row("", "v1", "Event", "events", &["ev"], &[]),
    row("", "v1", "LimitRange", "limitranges", &["limits"], &[]),
    row(
        "",
        "v1",
        "PersistentVolumeClaim",
        "persistentvolumeclaims",
        &["pvc"],
        &[HasStatus],
    ),
    row("", "v1", "Pod", "pods", &["po"], &[HasStatus, InAll]),
    row(
        "",
        "v1",
        "ResourceQuota",
        "resourcequotas",
        &["quota"],
        &[HasStatus],
    ),
    row("", "v1", "Secret", "secrets", &[], &[]),
    row("", "v1", "ServiceAccount", "serviceaccounts", &["sa"], &[]),
    row(
        "",
        "v1",
        "Service",
        "services",
        &["svc"],
        &[HasStatus, InAll],
    ),
    row(
        "apps",
        "v1",
        "ControllerRevision",
        "controllerrevisions",
        &[],
        &[],
    ),
    row(
        "apps",
        "v1",
        "DaemonSet",
        "daemonsets",
        &["ds"],
        &[HasStatus, InAll],
    ),
    row(
        "apps",
        "v1",
        "Deployment",
        "deployments",
        &["deploy"],
        &[HasStatus, HasScale, InAll],
    ),
    row(
        "apps",
        "v1",
        "ReplicaSet",
        "replicasets",
        &["rs"],
        &[HasStatus, HasScale, InAll],
    ),
    row(
        "apps",
        "v1",
        "StatefulSet",
        "statefulsets",
        &["sts"],
        &[HasStatus, HasScale, InAll],
    ),
    row(
        "batch",
        "v1",
        "CronJob",
        "cronjobs",
        &["cj"],
        &[HasStatus, InAll],
    ),
    row("batch", "v1", "Job", "jobs", &[], &[HasStatus, InAll]),
    row(
        "autoscaling",
        "v2",
        "HorizontalPodAutoscaler",
        "horizontalpodautoscalers",
        &["hpa"],
        &[HasStatus, InAll],
    ),
    row(
        "policy",
        "v1",
        "PodDisruptionBudget",
        "poddisruptionbudgets",
        &["pdb"],
        &[HasStatus],
    ),
    row(
        NETWORKING,
        "v1",
        "IngressClass",
        "ingressclasses",
        &[],
        &[ClusterWide],
    ),
    row(
        NETWORKING,
        "v1",
        "Ingress",
        "ingresses",
        &["ing"],
        &[HasStatus],
    ),
    row(
        NETWORKING,
        "v1",
        "NetworkPolicy",
        "networkpolicies",
        &["netpol"],
        &[],
    ),
    row(
        RBAC,
        "v1",
        "ClusterRoleBinding",
        "clusterrolebindings",
        &[],
        &[ClusterWide],
    ),
    row(
        RBAC,
        "v1",
        "ClusterRole",
        "clusterroles",
        &[],
        &[ClusterWide],
    ),
    row(RBAC, "v1", "RoleBinding", "rolebindings", &[], &[]),
    row(RBAC, "v1", "Role", "roles", &[], &[]),
    row("coordination.k8s.io", "v1", "Lease", "leases", &[], &[]),
    row(
        "storage.k8s.io",
        "v1",
        "StorageClass",
        "storageclasses",
        &["sc"],
        &[ClusterWide],
    ),
    row(
        "discovery.k8s.io",
        "v1",
        "EndpointSlice",
        "endpointslices",
        &[],
        &[],
    ),
    row(
        "apiextensions.k8s.io",
        "v1",
        "CustomResourceDefinition",
        "customresourcedefinitions",
        &["crd", "crds"],
        &[ClusterWide, HasStatus],
    ),
];

const WITH_GENERATION: &[&str] = &[
    "customresourcedefinitions",
    "cronjobs",
    "daemonsets",
    "deployments",
    "ingresses",
    "ingressclasses",
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
    ROWS.iter().map(resource).collect()
}

fn resource(row: &Row) -> Resource {
    let has = |wanted: Trait| row.traits.contains(&wanted);
    Resource {
        id: resource_id(row.group, row.plural).into(),
        group: row.group.to_owned(),
        kind: row.kind.to_owned(),
        plural: row.plural.to_owned(),
        singular: row.kind.to_lowercase(),
        short_names: row
            .short_names
            .iter()
            .map(|&name| name.to_owned())
            .collect(),
        categories: if has(InAll) {
            vec!["all".to_owned()]
        } else {
            Vec::new()
        },
        scope: if has(ClusterWide) {
            Scope::Cluster
        } else {
            Scope::Namespaced
        },
        origin: Origin::Builtin,
        versions: vec![Version {
            name: row.version.to_owned(),
            status: if has(HasStatus) {
                Status::Separate
            } else {
                Status::Inline
            },
            scale: has(HasScale).then(replicas),
            columns: Vec::new(),
            schema: None,
        }],
    }
}

fn replicas() -> Scale {
    Scale {
        desired: "spec.replicas".to_owned(),
        observed: "status.replicas".to_owned(),
        selector: None,
    }
}
