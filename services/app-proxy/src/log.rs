//! What pods write, read for a user: whose pods are meant, which of their containers, and their lines in order of each.
//!
//! A reader who takes nothing holds back its own stream and nothing else: it is read from the cluster as fast as it is taken, with
//! one piece of each container in memory, and ends when nothing was taken for a while.

mod kube;
mod lines;
mod pod;
mod reading;
mod seats;

use std::{collections::BTreeSet, sync::Arc};

use causeway_argocd::{application::Application, rest::ApplicationName};
use causeway_shell::Shell;
use futures::{Stream, StreamExt as _, stream};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use crate::{
    policy::{Action, Answer},
    scope::Asker,
    subject::{Belonging, ResourceName, SubjectError, Subjects, Walk},
};
use kube::Pods;
pub(crate) use lines::{Grep, GrepError, Reading, Wanted};
pub(crate) use pod::Containers;
use pod::Pod;
use reading::{End, Follower, Source};
use seats::{Seat, Seats};

/// How many pieces wait for a reader, whichever container they are of.
const WAITING: usize = 4;
/// Of how many containers at once are read while they are followed.
const MOST_FOLLOWED: usize = 64;
/// In how many namespaces the pods of an application are looked for.
const MOST_NAMESPACES: usize = 50;

/// What to read.
#[derive(Debug, Clone)]
pub(crate) struct LogOrder {
    pub(crate) whose: Whose,
    /// Labels that the pods have; empty for any.
    pub(crate) selector: String,
    pub(crate) containers: Containers,
    pub(crate) portion: Portion,
    pub(crate) grep: Option<Grep>,
}

/// Whose pods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Whose {
    pub(crate) application: Option<ApplicationName>,
    /// What owns them, or the pod itself.
    pub(crate) resource: Option<ResourceName>,
    /// Where they are; empty where the others tell it.
    pub(crate) namespace: String,
}

/// Which lines of a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Portion {
    /// Whether those count that are written from now on.
    pub(crate) follow: bool,
    /// Whether the run before the last restart is meant.
    pub(crate) previous: bool,
    /// Whether each begins with its time.
    pub(crate) timestamps: bool,
    /// Milliseconds since 1970.
    pub(crate) since: Option<i64>,
    /// The last ones only.
    pub(crate) tail: Option<i64>,
}

/// Something of the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) of: Arc<Place>,
    pub(crate) said: Said,
}

/// A container.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) namespace: String,
    pub(crate) pod: String,
    pub(crate) container: String,
}

/// What there is of a container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Said {
    Begin {
        containers: usize,
        joined: bool,
    },
    Lines(String),
    /// With the reason, where it was not read to its end.
    End(String),
}

/// Why there are no logs. Each text is one line that says what to do.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum LogError {
    #[error(transparent)]
    Subject(#[from] SubjectError),
    #[error(
        "{0} containers would be followed, and at most {MOST_FOLLOWED} can be: name a resource, a container or a label_selector"
    )]
    Many(usize),
    #[error(
        "too many logs are read at once in this runtime, or by this user: end some of them, or try again later"
    )]
    Busy,
    #[error("nothing was taken from these logs for {0} minutes: they were ended")]
    Stuck(u64),
    #[error("the runtime's app-proxy is being stopped: try again")]
    Draining,
}

/// Logs of a cluster. Cheap to clone.
#[derive(Clone)]
pub struct Logs {
    subjects: Subjects,
    pods: Pods,
    seats: Arc<Seats>,
    shell: Shell,
}

/// Which pods are meant, as it was found when the stream began.
#[derive(Debug, Clone)]
struct Meant {
    namespaces: BTreeSet<String>,
    application: Option<ApplicationName>,
    /// The uid of what owns them, or of the pod itself.
    owner: Option<String>,
    /// The name of the one pod.
    pod: Option<String>,
}

/// Who reads what, for as long as the stream is.
struct Question {
    logs: Logs,
    order: LogOrder,
    asker: Asker,
    meant: Meant,
}

impl Logs {
    /// Of what is found by these. Streams run on the shell's tasks.
    pub fn new(subjects: Subjects, shell: Shell) -> Self {
        Self {
            pods: Pods::new(subjects.resources.clone()),
            subjects,
            seats: Arc::default(),
            shell,
        }
    }

    /// Begins to read.
    ///
    /// # Errors
    /// See [`LogError`].
    pub(crate) async fn open(
        &self,
        order: LogOrder,
        asker: Asker,
    ) -> Result<impl Stream<Item = Result<Piece, LogError>> + Send + use<>, LogError> {
        let seat = self.seats.take(&asker.user).ok_or(LogError::Busy)?;
        let meant = self.meant(&order.whose, &asker).await?;
        let question = Question {
            logs: self.clone(),
            order,
            asker,
            meant,
        };
        let pods = question.pods().await?;
        let count = pods.iter().map(|pod| question.sources(pod).len()).sum();
        if question.order.portion.follow && count > MOST_FOLLOWED {
            return Err(LogError::Many(count));
        }
        Ok(self.run(question, pods, seat))
    }

    fn run(
        &self,
        question: Question,
        pods: Vec<Value>,
        seat: Seat,
    ) -> impl Stream<Item = Result<Piece, LogError>> + Send + use<> {
        let (pieces, taken) = mpsc::channel(WAITING);
        let (ended, end) = oneshot::channel();
        let draining = self.shell.shutdown();
        self.shell.tasks().spawn("log stream", async move {
            let _seat = seat;
            let gone = pieces.clone();
            let work = async {
                match question.order.portion.follow {
                    true => Follower::new(question, pieces).run(pods).await,
                    false => question.read_through(&pods, &pieces).await,
                }
            };
            let end = tokio::select! {
                end = work => end,
                () = draining.requested() => Err(End::Failed(LogError::Draining)),
                () = gone.closed() => Err(End::Left),
            };
            if let Err(End::Failed(error)) = end {
                // Whoever has left is told nothing.
                let _ = ended.send(error);
            }
        });
        let pieces = stream::unfold(taken, |mut taken| async {
            taken.recv().await.map(|piece| (Ok(piece), taken))
        });
        let end = stream::once(end).filter_map(async |end| end.ok().map(Err));
        pieces.chain(end)
    }

    async fn meant(&self, whose: &Whose, asker: &Asker) -> Result<Meant, SubjectError> {
        let mut meant = Meant {
            namespaces: BTreeSet::new(),
            application: whose.application.clone(),
            owner: None,
            pod: None,
        };
        if let Some(name) = &whose.application {
            let found = self.subjects.application(name, Action::Logs, asker).await?;
            meant.namespaces = places(&found);
        }
        if let Some(name) = &whose.resource {
            let found = self.subjects.find(name, Action::Logs, asker).await?;
            let uid = found.object.pointer("/metadata/uid");
            meant.owner = uid.and_then(|uid| uid.as_str()).map(str::to_owned);
            let is_pod = (name.group.as_str(), name.kind.as_str()) == ("", "Pod");
            meant.pod = is_pod.then(|| name.name.clone());
            if !name.namespace.is_empty() {
                meant.namespaces = [name.namespace.clone()].into();
            }
        }
        if !whose.namespace.is_empty() {
            meant.namespaces = [whose.namespace.clone()].into();
        }
        self.subjects
            .setup
            .policy
            .check(Action::Logs, &asker.user)?;
        Ok(meant)
    }

    /// What the cluster says when it refuses may quote what it was given.
    pub(crate) fn redacted(&self, mut error: LogError) -> LogError {
        let redactor = &self.subjects.setup.redactor;
        if let LogError::Subject(said) = &mut error {
            said.redact(redactor);
        }
        error
    }
}

impl Question {
    /// The pods that are meant and there for the caller, by namespace and name.
    async fn pods(&self) -> Result<Vec<Value>, LogError> {
        let mut walk = Walk::of_many(&self.logs.subjects);
        let mut pods = Vec::new();
        for namespace in &self.meant.namespaces {
            for object in self.logs.pods.list(namespace, self).await? {
                if self.is_for_caller(&mut walk, &object).await? {
                    pods.push(object);
                }
            }
        }
        Ok(pods)
    }

    /// Whether a pod is meant, and there for the caller.
    async fn is_for_caller(&self, walk: &mut Walk, object: &Value) -> Result<bool, SubjectError> {
        let name = ResourceName {
            kind: "Pod".to_owned(),
            ..ResourceName::of(object)
        };
        let kin = walk.kin(&name, object).await?;
        let owned = |uid: &String| kin.owners.contains(uid) || name.uid.as_ref() == Some(uid);
        let of_application = match (&self.meant.application, &kin.belonging) {
            (None, _) => true,
            (Some(wanted), Belonging::To(found)) => is(wanted, found),
            (Some(_), Belonging::Nowhere | Belonging::Unsaid) => false,
        };
        let answer =
            self.logs
                .subjects
                .answer(&self.asker, Action::Logs, &name.namespace, &kin.belonging);
        let meant = of_application && self.meant.owner.as_ref().is_none_or(owned);
        Ok(meant && answer == Answer::Allowed)
    }

    /// What is read of a pod.
    fn sources(&self, pod: &Value) -> Vec<Source> {
        let pod = Pod::read(pod);
        let meant = pod.meant(&self.order.containers).cloned();
        meant
            .map(|container| Source::new(&pod, container))
            .collect()
    }
}

fn is(wanted: &ApplicationName, found: &Application) -> bool {
    let found = &found.metadata;
    (&wanted.namespace, &wanted.name) == (&found.namespace, &found.name)
}

/// The namespaces that an application has something in.
fn places(application: &Application) -> BTreeSet<String> {
    let resources = application.status.resources.iter();
    let resources = resources.map(|it| it.namespace.as_str());
    let own = [application.spec.destination.namespace.as_str()];
    let all = own.into_iter().chain(resources);
    let mut places = BTreeSet::new();
    for place in all.filter(|it| !it.is_empty()) {
        if places.len() < MOST_NAMESPACES {
            places.insert(place.to_owned());
        }
    }
    places
}
