//! Parameters of a log request: container, start, end and format.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::super::{
    refusal::Refusal,
    route::{is_true, number},
};

const LISTS: [(&str, &str); 2] = [
    ("containers", "containerStatuses"),
    ("initContainers", "initContainerStatuses"),
];

/// The parameters of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LogRequest {
    /// Empty for the only one.
    pub(crate) container: String,
    pub(crate) follow: bool,
    pub(crate) previous: bool,
    pub(crate) timestamps: bool,
    pub(crate) since_seconds: Option<i64>,
    pub(crate) since_time: Option<Timestamp>,
    pub(crate) tail_lines: Option<u64>,
    pub(crate) limit_bytes: Option<u64>,
}

/// A container that has begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Container {
    pub(crate) name: String,
    pub(crate) image: String,
    pub(crate) started: Timestamp,
    pub(crate) ended: Option<Timestamp>,
}

impl LogRequest {
    /// Takes a parameter, if it is one of a log.
    ///
    /// # Errors
    /// `BadRequest` for a number or a time that cannot be read.
    pub(crate) fn read(&mut self, key: &str, value: String) -> Result<(), Refusal> {
        match key {
            "container" => self.container = value,
            "follow" => self.follow = is_true(&value),
            "previous" => self.previous = is_true(&value),
            "timestamps" => self.timestamps = is_true(&value),
            "sinceSeconds" => self.since_seconds = Some(number(key, &value)?),
            "sinceTime" => self.since_time = Some(number(key, &value)?),
            "tailLines" => self.tail_lines = Some(number(key, &value)?),
            "limitBytes" => self.limit_bytes = Some(number(key, &value)?),
            _ => {}
        }
        Ok(())
    }

    pub(super) fn since(&self) -> Option<Timestamp> {
        let ago = |seconds| Timestamp::now() - SignedDuration::from_secs(seconds);
        self.since_time.or(self.since_seconds.map(ago))
    }

    /// The container that is meant.
    ///
    /// # Errors
    /// No container is named of several, the name is unknown, or the container has not started.
    pub(crate) fn container(&self, pod: &Value) -> Result<Container, Refusal> {
        let of = pod["metadata"]["name"].as_str().unwrap_or_default();
        let named = |list: &str| -> Vec<&str> {
            let containers = pod["spec"][list].as_array().into_iter().flatten();
            containers.filter_map(|it| it["name"].as_str()).collect()
        };
        let (main, init) = (named("containers"), named("initContainers"));
        let name = match (self.container.as_str(), main.as_slice()) {
            ("", [only]) => *only,
            ("", several) => {
                let all: Vec<&str> = init.iter().chain(several).copied().collect();
                let why = format!(
                    "a container name must be specified for pod {of}, choose one of: [{}]",
                    all.join(" ")
                );
                return Err(Refusal::bad_request(why));
            }
            (name, _) if main.contains(&name) || init.contains(&name) => name,
            (name, _) => {
                let why = format!("container {name} is not valid for pod {of}");
                return Err(Refusal::bad_request(why));
            }
        };
        if self.previous {
            // Containers are never restarted here.
            return Err(Refusal::bad_request(format!(
                "previous terminated container \"{name}\" in pod \"{of}\" not found"
            )));
        }
        read(pod, name).ok_or_else(|| {
            let reason = waiting(pod, name);
            Refusal::bad_request(format!(
                "container \"{name}\" in pod \"{of}\" is waiting to start: {reason}"
            ))
        })
    }
}

fn read(pod: &Value, name: &str) -> Option<Container> {
    let status = status(pod, name)?;
    let time = |pointer: &str| status.pointer(pointer)?.as_str()?.parse().ok();
    let running = time("/state/running/startedAt");
    Some(Container {
        name: name.to_owned(),
        image: status["image"].as_str().unwrap_or_default().to_owned(),
        started: running.or_else(|| time("/state/terminated/startedAt"))?,
        ended: time("/state/terminated/finishedAt"),
    })
}

fn waiting(pod: &Value, name: &str) -> String {
    let status = status(pod, name);
    let reason = status.and_then(|it| it.pointer("/state/waiting/reason")?.as_str());
    reason.unwrap_or("ContainerCreating").to_owned()
}

fn status<'a>(pod: &'a Value, name: &str) -> Option<&'a Value> {
    let lists = LISTS
        .iter()
        .filter_map(|(_, list)| pod["status"][list].as_array());
    lists.flatten().find(|it| it["name"] == name)
}
