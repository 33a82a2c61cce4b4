//! A pod as far as it is read and entered: which containers it has, and how they are. Pure.

use serde_json::Value;

/// Where a pod says which container is meant where none is named.
const DEFAULT: &str = "kubectl.kubernetes.io/default-container";
const LISTS: [(&str, &str); 3] = [
    ("/spec/initContainers", "/status/initContainerStatuses"),
    ("/spec/containers", "/status/containerStatuses"),
    (
        "/spec/ephemeralContainers",
        "/status/ephemeralContainerStatuses",
    ),
];
const MAIN: &str = "/spec/containers";

/// A pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pod {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) uid: String,
    pub(crate) containers: Vec<Container>,
    default: String,
    /// True if none of it starts again.
    pub(crate) is_over: bool,
    /// True when it has a deletion timestamp.
    pub(crate) is_leaving: bool,
}

/// A container of a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Container {
    pub(crate) name: String,
    /// Number of restarts.
    pub(crate) run: u64,
    pub(crate) readiness: Readiness,
    /// True if there was a run before.
    pub(crate) has_previous: bool,
    /// True if it runs now.
    pub(crate) is_running: bool,
}

/// Whether there is anything to read of a container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Readiness {
    Readable,
    /// Not yet, for this reason.
    Waiting(String),
}

/// Which containers are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Containers {
    /// What a pod calls its default, or its first one.
    Default,
    /// Those of a name.
    Named(String),
    /// Those of the start and of debugging, too.
    All,
}

impl Pod {
    pub(crate) fn read(object: &Value) -> Self {
        let text = |pointer: &str| at(object, pointer);
        let containers = LISTS.iter().flat_map(|(wanted, told)| {
            let names = list(object, wanted).map(|it| it["name"].as_str().unwrap_or_default());
            names.map(|name| Container::read(name, list(object, told)))
        });
        let annotated = object.pointer("/metadata/annotations");
        let annotated = annotated.and_then(|it| it.get(DEFAULT)?.as_str());
        let first = list(object, MAIN).next();
        let first = first.and_then(|it| it["name"].as_str());
        let has = |name: &&str| list(object, MAIN).any(|it| it["name"] == **name);
        Self {
            namespace: text("/metadata/namespace"),
            name: text("/metadata/name"),
            uid: text("/metadata/uid"),
            containers: containers.collect(),
            default: annotated
                .filter(has)
                .or(first)
                .unwrap_or_default()
                .to_owned(),
            is_over: matches!(&*text("/status/phase"), "Succeeded" | "Failed"),
            is_leaving: object.pointer("/metadata/deletionTimestamp").is_some(),
        }
    }

    /// Those that are meant.
    pub(crate) fn meant(&self, which: &Containers) -> impl Iterator<Item = &Container> {
        let is_meant = |name: &str| match which {
            Containers::All => true,
            Containers::Named(wanted) => name == wanted,
            Containers::Default => name == self.default,
        };
        self.containers.iter().filter(move |it| is_meant(&it.name))
    }
}

impl Container {
    fn read<'a>(name: &str, mut told: impl Iterator<Item = &'a Value>) -> Self {
        let status = told.find(|it| it["name"] == name).unwrap_or(&Value::Null);
        let is = |state: &str| status.pointer(state).is_some_and(Value::is_object);
        let ended = is("/lastState/terminated");
        let readable = is("/state/running") || is("/state/terminated") || ended;
        let reason = match at(status, "/state/waiting/reason") {
            reason if reason.is_empty() => "Pending".to_owned(),
            reason => reason,
        };
        Self {
            name: name.to_owned(),
            run: status["restartCount"].as_u64().unwrap_or(0),
            readiness: if readable {
                Readiness::Readable
            } else {
                Readiness::Waiting(reason)
            },
            has_previous: ended,
            is_running: is("/state/running"),
        }
    }
}

fn list<'a>(object: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> {
    object
        .pointer(pointer)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

fn at(object: &Value, pointer: &str) -> String {
    let text = object.pointer(pointer).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
