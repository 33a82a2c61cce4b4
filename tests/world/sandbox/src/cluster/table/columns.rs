//! The columns of built-in kinds.

use jiff::Timestamp;
use serde_json::Value;

use super::{
    super::object::metadata_text,
    age,
    cells::{
        containers, duration, hosts, is_complete, number, of_replicas, or_empty, or_none,
        or_unknown, pairs, pod_ready, pod_status, ports, size, time_or_none, time_or_unknown,
    },
};

type Cell = fn(&Value, Timestamp) -> Value;

/// A column and how its cell is read.
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) kind: &'static str,
    pub(super) priority: i64,
    pub(super) cell: Cell,
}

const fn text(name: &'static str, cell: Cell) -> Column {
    Column {
        name,
        kind: "string",
        priority: 0,
        cell,
    }
}

const fn wide(name: &'static str, cell: Cell) -> Column {
    Column {
        name,
        kind: "string",
        priority: 1,
        cell,
    }
}

/// Events have their name last, and only where the table is wide.
const fn wide_name(name: &'static str) -> Column {
    wide(name, |object, _| metadata_text(object, "name").into())
}

const AGE: Column = text("Age", |object, now| age(object, now).into());
const GENERIC: &[Column] = &[AGE];
const PODS: &[Column] = &[
    text("Ready", |pod, _| pod_ready(pod).into()),
    text("Status", |pod, _| pod_status(pod).into()),
    text("Restarts", |pod, _| {
        number(pod, "/status/containerStatuses/0/restartCount")
            .to_string()
            .into()
    }),
    AGE,
    wide("IP", |pod, _| or_none(pod, "/status/podIP")),
    wide("Node", |pod, _| or_none(pod, "/spec/nodeName")),
    wide("Nominated Node", |_, _| "<none>".into()),
    wide("Readiness Gates", |_, _| "<none>".into()),
];
const DEPLOYMENTS: &[Column] = &[
    text("Ready", |object, _| {
        of_replicas(object, "/status/readyReplicas")
    }),
    text("Up-to-date", |object, _| {
        number(object, "/status/updatedReplicas").into()
    }),
    text("Available", |object, _| {
        number(object, "/status/availableReplicas").into()
    }),
    AGE,
    wide("Containers", |object, _| containers(object, "name")),
    wide("Images", |object, _| containers(object, "image")),
    wide("Selector", |object, _| {
        pairs(object, "/spec/selector/matchLabels").into()
    }),
];
const REPLICA_SETS: &[Column] = &[
    text("Desired", |object, _| {
        number(object, "/spec/replicas").into()
    }),
    text("Current", |object, _| {
        number(object, "/status/replicas").into()
    }),
    text("Ready", |object, _| {
        number(object, "/status/readyReplicas").into()
    }),
    AGE,
    wide("Containers", |object, _| containers(object, "name")),
    wide("Images", |object, _| containers(object, "image")),
    wide("Selector", |object, _| {
        pairs(object, "/spec/selector/matchLabels").into()
    }),
];
const STATEFUL_SETS: &[Column] = &[
    text("Ready", |object, _| {
        of_replicas(object, "/status/readyReplicas")
    }),
    AGE,
    wide("Containers", |object, _| containers(object, "name")),
    wide("Images", |object, _| containers(object, "image")),
];
const DAEMON_SETS: &[Column] = &[
    text("Desired", |object, _| {
        number(object, "/status/desiredNumberScheduled").into()
    }),
    text("Current", |object, _| {
        number(object, "/status/currentNumberScheduled").into()
    }),
    text("Ready", |object, _| {
        number(object, "/status/numberReady").into()
    }),
    text("Up-to-date", |object, _| {
        number(object, "/status/updatedNumberScheduled").into()
    }),
    text("Available", |object, _| {
        number(object, "/status/numberAvailable").into()
    }),
    text("Node Selector", |object, _| {
        pairs(object, "/spec/template/spec/nodeSelector").into()
    }),
    AGE,
];
const JOBS: &[Column] = &[
    text("Status", |job, _| {
        if is_complete(job) {
            "Complete"
        } else {
            "Running"
        }
        .into()
    }),
    text("Completions", |job, _| {
        format!(
            "{}/{}",
            number(job, "/status/succeeded"),
            number(job, "/spec/completions")
        )
        .into()
    }),
    text("Duration", duration),
    AGE,
];
const CRON_JOBS: &[Column] = &[
    text("Schedule", |object, _| or_none(object, "/spec/schedule")),
    text("Timezone", |object, _| or_none(object, "/spec/timeZone")),
    text("Suspend", |object, _| {
        if object["spec"]["suspend"] == true {
            "True"
        } else {
            "False"
        }
        .into()
    }),
    text("Active", |object, _| {
        object["status"]["active"]
            .as_array()
            .map_or(0, Vec::len)
            .into()
    }),
    text("Last Schedule", |object, now| {
        time_or_none(object, "/status/lastScheduleTime", now)
    }),
    AGE,
];
const SERVICES: &[Column] = &[
    text("Type", |object, _| or_none(object, "/spec/type")),
    text("Cluster-IP", |object, _| or_none(object, "/spec/clusterIP")),
    text("External-IP", |object, _| {
        or_none(object, "/status/loadBalancer/ingress/0/ip")
    }),
    text("Port(s)", |object, _| ports(object).into()),
    AGE,
    wide("Selector", |object, _| {
        pairs(object, "/spec/selector").into()
    }),
];
const NAMESPACES: &[Column] = &[
    text("Status", |object, _| or_none(object, "/status/phase")),
    AGE,
];
const NODES: &[Column] = &[
    text("Status", |_, _| "Ready".into()),
    text("Roles", |_, _| "<none>".into()),
    AGE,
    text("Version", |object, _| {
        or_none(object, "/status/nodeInfo/kubeletVersion")
    }),
    wide("Internal-IP", |object, _| {
        or_none(object, "/status/addresses/0/address")
    }),
    wide("External-IP", |_, _| "<none>".into()),
    wide("OS-Image", |object, _| {
        or_unknown(object, "/status/nodeInfo/osImage")
    }),
    wide("Kernel-Version", |object, _| {
        or_unknown(object, "/status/nodeInfo/kernelVersion")
    }),
    wide("Container-Runtime", |object, _| {
        or_unknown(object, "/status/nodeInfo/containerRuntimeVersion")
    }),
];
const CONFIG_MAPS: &[Column] = &[
    text("Data", |object, _| {
        (size(object, "/data") + size(object, "/binaryData")).into()
    }),
    AGE,
];
const SECRETS: &[Column] = &[
    text("Type", |object, _| or_none(object, "/type")),
    text("Data", |object, _| size(object, "/data").into()),
    AGE,
];
const SERVICE_ACCOUNTS: &[Column] = &[
    text("Secrets", |object, _| {
        object["secrets"].as_array().map_or(0, Vec::len).into()
    }),
    AGE,
];
const EVENTS: &[Column] = &[
    text("Last Seen", |object, now| {
        time_or_unknown(object, "/lastTimestamp", now)
    }),
    text("Type", |object, _| or_none(object, "/type")),
    text("Reason", |object, _| or_none(object, "/reason")),
    text("Object", |event, _| {
        let about = &event["involvedObject"];
        let text = |field: &str| about[field].as_str().unwrap_or_default().to_owned();
        format!("{}/{}", text("kind").to_lowercase(), text("name")).into()
    }),
    wide("Subobject", |object, _| {
        or_empty(object, "/involvedObject/fieldPath")
    }),
    wide("Source", |object, _| or_empty(object, "/source/component")),
    text("Message", |object, _| or_empty(object, "/message")),
    wide("First Seen", |object, now| {
        time_or_unknown(object, "/firstTimestamp", now)
    }),
    wide("Count", |object, _| number(object, "/count").max(1).into()),
    wide_name("Name"),
];
const DEFINITIONS: &[Column] = &[text("Created At", |object, _| {
    or_none(object, "/metadata/creationTimestamp")
})];
const INGRESSES: &[Column] = &[
    text("Class", |object, _| {
        or_none(object, "/spec/ingressClassName")
    }),
    text("Hosts", |object, _| hosts(object).into()),
    text("Address", |object, _| {
        or_none(object, "/status/loadBalancer/ingress/0/ip")
    }),
    text("Ports", |object, _| {
        if object["spec"]["tls"].is_array() {
            "80, 443"
        } else {
            "80"
        }
        .into()
    }),
    AGE,
];
const CLAIMS: &[Column] = &[
    text("Status", |object, _| or_none(object, "/status/phase")),
    text("Volume", |object, _| {
        object
            .pointer("/spec/volumeName")
            .cloned()
            .unwrap_or_else(|| "".into())
    }),
    text("Capacity", |object, _| {
        or_none(object, "/status/capacity/storage")
    }),
    text("Access Modes", |object, _| {
        or_none(object, "/spec/accessModes/0")
    }),
    text("StorageClass", |object, _| {
        or_none(object, "/spec/storageClassName")
    }),
    AGE,
];

/// Whether the first column is the name, as it is but for events.
pub(super) fn begins_with_name(id: &str) -> bool {
    id != "events"
}

/// The columns after the name.
pub(super) fn of(id: &str) -> &'static [Column] {
    match id {
        "pods" => PODS,
        "deployments.apps" => DEPLOYMENTS,
        "replicasets.apps" => REPLICA_SETS,
        "statefulsets.apps" => STATEFUL_SETS,
        "daemonsets.apps" => DAEMON_SETS,
        "jobs.batch" => JOBS,
        "cronjobs.batch" => CRON_JOBS,
        "services" => SERVICES,
        "namespaces" => NAMESPACES,
        "nodes" => NODES,
        "configmaps" => CONFIG_MAPS,
        "secrets" => SECRETS,
        "serviceaccounts" => SERVICE_ACCOUNTS,
        "events" => EVENTS,
        "ingresses.networking.k8s.io" => INGRESSES,
        "persistentvolumeclaims" => CLAIMS,
        "customresourcedefinitions.apiextensions.k8s.io" => DEFINITIONS,
        _ => GENERIC,
    }
}
