//! The columns of built-in kinds.

use jiff::Timestamp;
use serde_json::Value;

use super::{age, human, since};

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

const fn count(name: &'static str, cell: Cell) -> Column {
    Column {
        name,
        kind: "integer",
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
    count("Up-to-date", |object, _| {
        number(object, "/status/updatedReplicas").into()
    }),
    count("Available", |object, _| {
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
    count("Desired", |object, _| {
        number(object, "/spec/replicas").into()
    }),
    count("Current", |object, _| {
        number(object, "/status/replicas").into()
    }),
    count("Ready", |object, _| {
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
    count("Desired", |object, _| {
        number(object, "/status/desiredNumberScheduled").into()
    }),
    count("Current", |object, _| {
        number(object, "/status/currentNumberScheduled").into()
    }),
    count("Ready", |object, _| {
        number(object, "/status/numberReady").into()
    }),
    count("Up-to-date", |object, _| {
        number(object, "/status/updatedNumberScheduled").into()
    }),
    count("Available", |object, _| {
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
    count("Active", |object, _| {
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
];
const CONFIG_MAPS: &[Column] = &[
    count("Data", |object, _| {
        (size(object, "/data") + size(object, "/binaryData")).into()
    }),
    AGE,
];
const SECRETS: &[Column] = &[
    text("Type", |object, _| or_none(object, "/type")),
    count("Data", |object, _| size(object, "/data").into()),
    AGE,
];
const SERVICE_ACCOUNTS: &[Column] = &[
    count("Secrets", |object, _| {
        object["secrets"].as_array().map_or(0, Vec::len).into()
    }),
    AGE,
];
const EVENTS: &[Column] = &[
    text("Last Seen", |object, now| {
        time_or_none(object, "/lastTimestamp", now)
    }),
    text("Type", |object, _| or_none(object, "/type")),
    text("Reason", |object, _| or_none(object, "/reason")),
    text("Object", |event, _| {
        let about = &event["involvedObject"];
        let text = |field: &str| about[field].as_str().unwrap_or_default().to_owned();
        format!("{}/{}", text("kind").to_lowercase(), text("name")).into()
    }),
    text("Message", |object, _| or_none(object, "/message")),
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

fn number(object: &Value, path: &str) -> u64 {
    object.pointer(path).and_then(Value::as_u64).unwrap_or(0)
}

fn size(object: &Value, path: &str) -> usize {
    object
        .pointer(path)
        .and_then(Value::as_object)
        .map_or(0, serde_json::Map::len)
}

fn or_none(object: &Value, path: &str) -> Value {
    object
        .pointer(path)
        .and_then(Value::as_str)
        .filter(|found| !found.is_empty())
        .unwrap_or("<none>")
        .into()
}

fn time_or_none(object: &Value, path: &str, now: Timestamp) -> Value {
    match object.pointer(path).and_then(Value::as_str) {
        Some(time) => since(time, now).into(),
        None => "<none>".into(),
    }
}

fn of_replicas(object: &Value, ready: &str) -> Value {
    format!(
        "{}/{}",
        number(object, ready),
        number(object, "/spec/replicas")
    )
    .into()
}

fn statuses(pod: &Value) -> &[Value] {
    pod.pointer("/status/containerStatuses")
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

fn pod_ready(pod: &Value) -> String {
    let all = pod["spec"]["containers"].as_array().map_or(0, Vec::len);
    let ready = statuses(pod)
        .iter()
        .filter(|status| status["ready"] == true)
        .count();
    format!("{ready}/{all}")
}

/// The reason of the first container that waits or ended, or the phase.
fn pod_status(pod: &Value) -> String {
    if pod["metadata"]["deletionTimestamp"].is_string() {
        return "Terminating".to_owned();
    }
    let reason = |status: &Value| {
        let state = &status["state"];
        let found = state["waiting"]["reason"]
            .as_str()
            .or_else(|| state["terminated"]["reason"].as_str());
        found.map(str::to_owned)
    };
    let phase = pod["status"]["phase"].as_str().unwrap_or("Unknown");
    statuses(pod)
        .iter()
        .find_map(reason)
        .unwrap_or_else(|| phase.to_owned())
}

fn containers(object: &Value, field: &str) -> Value {
    let containers = object
        .pointer("/spec/template/spec/containers")
        .and_then(Value::as_array);
    let texts = containers
        .into_iter()
        .flatten()
        .filter_map(|container| container[field].as_str());
    texts.collect::<Vec<_>>().join(",").into()
}

fn pairs(object: &Value, path: &str) -> String {
    let map = object.pointer(path).and_then(Value::as_object);
    let pairs = map
        .into_iter()
        .flatten()
        .map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()));
    let text = pairs.collect::<Vec<_>>().join(",");
    if text.is_empty() {
        "<none>".to_owned()
    } else {
        text
    }
}

fn ports(service: &Value) -> String {
    let ports = service["spec"]["ports"].as_array().into_iter().flatten();
    let port = |port: &Value| {
        let node = port["nodePort"]
            .as_u64()
            .map(|node| format!(":{node}"))
            .unwrap_or_default();
        format!(
            "{}{node}/{}",
            port["port"],
            port["protocol"].as_str().unwrap_or("TCP")
        )
    };
    let text = ports.map(port).collect::<Vec<_>>().join(",");
    if text.is_empty() {
        "<none>".to_owned()
    } else {
        text
    }
}

fn hosts(ingress: &Value) -> String {
    let rules = ingress["spec"]["rules"].as_array().into_iter().flatten();
    let text = rules
        .filter_map(|rule| rule["host"].as_str())
        .collect::<Vec<_>>()
        .join(",");
    if text.is_empty() {
        "*".to_owned()
    } else {
        text
    }
}

fn is_complete(job: &Value) -> bool {
    let conditions = job["status"]["conditions"].as_array().into_iter().flatten();
    conditions
        .into_iter()
        .any(|condition| condition["type"] == "Complete" && condition["status"] == "True")
}

fn duration(job: &Value, now: Timestamp) -> Value {
    let time = |field: &str| {
        job["status"][field]
            .as_str()
            .and_then(|time| time.parse::<Timestamp>().ok())
    };
    match (time("startTime"), time("completionTime")) {
        (Some(start), Some(end)) => human(end.duration_since(start).as_secs()).into(),
        (Some(start), None) => human(now.duration_since(start).as_secs()).into(),
        _ => "".into(),
    }
}
