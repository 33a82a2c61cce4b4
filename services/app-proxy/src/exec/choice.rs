//! In which container of which pod a command runs. Pure.

use serde_json::Value;

use super::ContainerId;
use crate::pods::{Container, Containers, Pod, Readiness};

/// Why there is no container to run it in. Each text is one line that says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ChoiceError {
    #[error("it has no pod now: 'causeway app tree' and 'causeway event list' show why")]
    NoPod,
    #[error("the pod {pod} has no container {wanted}: it has {there}")]
    NoContainer {
        pod: String,
        wanted: String,
        /// Their names.
        there: String,
    },
    #[error(
        "the container {container} of the pod {pod} does not run: {state}; 'causeway app logs' shows what it wrote"
    )]
    NotRunning {
        pod: String,
        container: String,
        state: String,
    },
}

/// The container of the first pod by its name that runs and has it, of pods that are not on their way out where there are others.
pub(super) fn choose(pods: &[Value], wanted: Option<&str>) -> Result<ContainerId, ChoiceError> {
    let mut pods: Vec<Pod> = pods.iter().map(Pod::read).collect();
    let order = |pod: &Pod| (pod.is_leaving, pod.namespace.clone(), pod.name.clone());
    pods.sort_by_key(order);
    let which = match wanted {
        Some(name) => Containers::Named(name.to_owned()),
        None => Containers::Default,
    };
    let mut first = None;
    for pod in &pods {
        match runs(pod, &which) {
            Ok(container) => return Ok(place(pod, container)),
            Err(error) => first = first.or(Some(error)),
        }
    }
    Err(first.unwrap_or(ChoiceError::NoPod))
}

fn runs<'p>(pod: &'p Pod, which: &Containers) -> Result<&'p Container, ChoiceError> {
    let Some(container) = pod.meant(which).next() else {
        let names: Vec<_> = pod.containers.iter().map(|it| it.name.as_str()).collect();
        return Err(ChoiceError::NoContainer {
            pod: pod.name.clone(),
            wanted: match which {
                Containers::Named(name) => name.clone(),
                Containers::Default | Containers::All => "at all".to_owned(),
            },
            there: names.join(", "),
        });
    };
    if container.is_running {
        return Ok(container);
    }
    let state = match &container.readiness {
        Readiness::Waiting(reason) => reason.clone(),
        Readiness::Readable => "it has ended".to_owned(),
    };
    Err(ChoiceError::NotRunning {
        pod: pod.name.clone(),
        container: container.name.clone(),
        state,
    })
}

fn place(pod: &Pod, container: &Container) -> ContainerId {
    ContainerId {
        namespace: pod.namespace.clone(),
        pod: pod.name.clone(),
        uid: pod.uid.clone(),
        container: container.name.clone(),
    }
}

#[cfg(test)]
mod tests;
