//! Verbs carried out: a change leaves its mark by the same patch, and what is made has a name that is made of the request's id. Pods
//! that stand in the way of a change go before it: who asks again finds them gone, or the mark.

use std::{collections::BTreeMap, time::SystemTime};

use causeway_proto::time::to_millis;
use serde_json::{Value, json};

use super::{
    Changes, Verb, WorkflowRefusal, named, of_schedule, of_template,
    pods::Pods,
    resubmitted,
    retry::{RetrySelection, begun},
};
use crate::{
    kube::objects::{ObjectError, ObjectName, Objects},
    merge::{applied, changes_nothing, difference},
    outcome::{
        Attempt, REQUESTS_ANNOTATION, RequestIdReused, RequestIdentity, RequestRecords,
        RequestState,
    },
    policy::Action,
    rollout::digest,
    scope::Requester,
    subject::{ResourceName, SubjectError, Subjects},
};

const GROUP: &str = "argoproj.io";
const KIND: &str = "Workflow";
/// Attempts before an action on a changing Workflow is given up.
const ATTEMPTS: usize = 8;

/// Verbs on the workflows of a cluster. Cheap to clone.
#[derive(Clone)]
pub struct Workflows {
    subjects: Subjects,
    workflows: Objects,
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkflowOrder {
    /// The request.
    pub asked: RequestIdentity,
    /// What it is about.
    pub of: ObjectName,
    /// What to do.
    pub task: Task,
}

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Task {
    /// Change a Workflow.
    Change(Verb),
    /// Begin one again that has ended.
    Retry(RetrySelection),
    /// Make one of another one.
    Resubmit(Changes),
    /// Make one of a template.
    Submit(Template, Changes),
}

/// What workflows are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Template {
    /// A WorkflowTemplate.
    Workflow,
    /// A CronWorkflow.
    Cron,
}

/// How a Workflow is changed.
struct Plan {
    patch: Value,
    /// The ids and names of nodes whose pods go.
    removed: BTreeMap<String, String>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkflowOutcome {
    /// Whether an earlier call had done it.
    pub origin: Attempt,
    /// The name of the Workflow.
    pub name: String,
    /// Its resource version.
    pub resource_version: u64,
    /// True if there was nothing to do.
    pub unchanged: bool,
}

/// Why it was not done. Each text is one line that says what to do.
#[derive(Debug, Clone, thiserror::Error)]
pub enum WorkflowError {
    #[error(transparent)]
    Subject(#[from] SubjectError),
    #[error("{verb} is not for {namespace}/{name}: {refusal}", namespace = .of.namespace, name = .of.name)]
    Refused {
        of: ObjectName,
        verb: &'static str,
        refusal: WorkflowRefusal,
    },
    #[error(transparent)]
    RequestIdReused(#[from] RequestIdReused),
    #[error(
        "so much was asked of {namespace}/{name} since then that it may have been done before: ask again if it is still wanted",
        namespace = .0.namespace, name = .0.name
    )]
    Overtaken(ObjectName),
    #[error("there is another workflow {0}: ask again with a new request_id")]
    Taken(String),
    #[error("{namespace}/{name} is changed by others all the time: try again", namespace = .0.namespace, name = .0.name)]
    Contended(ObjectName),
    #[error(transparent)]
    Cluster(#[from] ObjectError),
}

impl Workflows {
    /// Dials nothing yet.
    pub fn new(subjects: Subjects) -> Self {
        let workflows = (GROUP, "v1alpha1", KIND, "workflows");
        Self {
            workflows: Objects::new(subjects.setup.cluster.clone(), workflows),
            subjects,
        }
    }

    /// Does it, unless the same request did before.
    ///
    /// # Errors
    /// See [`WorkflowError`].
    pub async fn act(
        &self,
        order: &WorkflowOrder,
        requester: &Requester,
    ) -> Result<WorkflowOutcome, WorkflowError> {
        let name = order.name();
        for _ in 0..ATTEMPTS {
            let found = self
                .subjects
                .find(&name, Action::Workflow, requester)
                .await?;
            let done = match &order.task {
                Task::Change(verb) => {
                    let plan = |live: &Value| verb.plan(live, requester.user.as_str(), &moment());
                    let plan = |live: &Value| plan(live).map(Plan::of);
                    self.change(order, plan, &found.object, requester).await
                }
                Task::Retry(again) => {
                    let plan = |live: &Value| Plan::to_retry(live, again);
                    self.change(order, plan, &found.object, requester).await
                }
                Task::Resubmit(changes) => {
                    let made = resubmitted(&found.object, changes);
                    self.make(order, made).await
                }
                Task::Submit(Template::Workflow, changes) => {
                    self.make(order, of_template(&found.object, changes)).await
                }
                Task::Submit(Template::Cron, changes) => {
                    let made = of_schedule(&found.object, changes, &moment());
                    self.make(order, made).await
                }
            };
            match done {
                Err(WorkflowError::Cluster(ObjectError::Conflict)) => {}
                done => return done,
            }
        }
        Err(WorkflowError::Contended(order.of.clone()))
    }

    /// What the cluster says when it refuses may quote what it was given.
    pub(crate) fn redacted(&self, mut error: WorkflowError) -> WorkflowError {
        let redactor = &self.subjects.setup.redactor;
        if let WorkflowError::Cluster(said) = &mut error {
            said.redact(redactor);
        }
        if let WorkflowError::Subject(said) = &mut error {
            said.redact(redactor);
        }
        error
    }

    async fn change(
        &self,
        order: &WorkflowOrder,
        plan: impl Fn(&Value) -> Result<Plan, WorkflowRefusal>,
        live: &Value,
        requester: &Requester,
    ) -> Result<WorkflowOutcome, WorkflowError> {
        let marks = marks(live);
        match marks.standing(&order.asked, requester.asked_at)? {
            RequestState::New => {}
            RequestState::Done(_) => return Ok(outcome(live, Attempt::EarlierCall)),
            RequestState::Forgotten => return Err(WorkflowError::Overtaken(order.of.clone())),
        }
        let plan = plan(live).map_err(|refusal| WorkflowError::Refused {
            of: order.of.clone(),
            verb: order.task.name(),
            refusal,
        })?;
        self.clear(order, live, &plan.removed).await?;
        let mark = json!({"metadata": {
            "resourceVersion": live.pointer("/metadata/resourceVersion"),
            "annotations": {REQUESTS_ANNOTATION: marks.with(&order.asked, to_millis(SystemTime::now()))},
        }});
        let patch = applied(&plan.patch, &mark);
        let changed = self.workflows.patch(&order.of, &patch).await?;
        Ok(WorkflowOutcome {
            unchanged: changes_nothing(live, &plan.patch),
            ..outcome(&changed, Attempt::ThisCall)
        })
    }

    /// Deletes the pods of nodes. They are listed while the Workflow is as it was found, so that none is among them that its
    /// controller made for a concurrent request.
    async fn clear(
        &self,
        order: &WorkflowOrder,
        found: &Value,
        nodes: &BTreeMap<String, String>,
    ) -> Result<(), WorkflowError> {
        if nodes.is_empty() {
            return Ok(());
        }
        let pods = Pods::of(self.subjects.resources.clone(), found, nodes).await?;
        let live = self.workflows.get(&order.of).await?;
        let is = |name: &str| live.pointer(name) == found.pointer(name);
        if !is("/metadata/uid") || !is("/metadata/resourceVersion") {
            return Err(ObjectError::Conflict.into());
        }
        Ok(pods.delete().await?)
    }

    async fn make(
        &self,
        order: &WorkflowOrder,
        made: Value,
    ) -> Result<WorkflowOutcome, WorkflowError> {
        let mut made = named(made, &digest(&order.asked.id.to_string()));
        let mark = RequestRecords::default().with(&order.asked, to_millis(SystemTime::now()));
        made["metadata"]["annotations"][REQUESTS_ANNOTATION] = json!(mark);
        let namespace = &order.of.namespace;
        match self.workflows.create(namespace, &made).await {
            Ok(made) => Ok(outcome(&made, Attempt::ThisCall)),
            Err(ObjectError::Exists) => self.made_before(order, &made).await,
            Err(error) => Err(error.into()),
        }
    }

    async fn made_before(
        &self,
        order: &WorkflowOrder,
        made: &Value,
    ) -> Result<WorkflowOutcome, WorkflowError> {
        let name = ObjectName {
            namespace: order.of.namespace.clone(),
            name: name_of(made),
        };
        let there = self.workflows.get(&name).await?;
        match marks(&there).standing(&order.asked, u64::MAX)? {
            RequestState::Done(_) => Ok(outcome(&there, Attempt::EarlierCall)),
            RequestState::New | RequestState::Forgotten => Err(WorkflowError::Taken(name.name)),
        }
    }
}

impl WorkflowOrder {
    fn name(&self) -> ResourceName {
        let kind = match &self.task {
            Task::Change(_) | Task::Retry(_) | Task::Resubmit(_) => KIND,
            Task::Submit(Template::Workflow, _) => "WorkflowTemplate",
            Task::Submit(Template::Cron, _) => "CronWorkflow",
        };
        ResourceName {
            group: GROUP.to_owned(),
            kind: kind.to_owned(),
            namespace: self.of.namespace.clone(),
            name: self.of.name.clone(),
            uid: None,
        }
    }
}

impl Task {
    /// What it is called.
    fn name(&self) -> &'static str {
        match self {
            Self::Change(verb) => verb.name(),
            Self::Retry(_) => "retry",
            Self::Resubmit(_) => "resubmit",
            Self::Submit(..) => "submit",
        }
    }
}

impl Plan {
    fn of(patch: Value) -> Self {
        Self {
            patch,
            removed: BTreeMap::new(),
        }
    }

    fn to_retry(live: &Value, again: &RetrySelection) -> Result<Self, WorkflowRefusal> {
        let begun = begun(live, again, &moment())?;
        Ok(Self {
            patch: difference(live, &begun.workflow),
            removed: begun.removed,
        })
    }
}

fn marks(object: &Value) -> RequestRecords {
    let annotations = object.pointer("/metadata/annotations").cloned();
    let annotations: Option<BTreeMap<String, String>> =
        annotations.and_then(|it| serde_json::from_value(it).ok());
    RequestRecords::of(&annotations.unwrap_or_default())
}

fn outcome(workflow: &Value, origin: Attempt) -> WorkflowOutcome {
    let version = workflow.pointer("/metadata/resourceVersion");
    let version = version.and_then(|version| version.as_str()?.parse().ok());
    WorkflowOutcome {
        origin,
        name: name_of(workflow),
        resource_version: version.unwrap_or(0),
        unchanged: false,
    }
}

fn name_of(workflow: &Value) -> String {
    let name = workflow.pointer("/metadata/name").and_then(Value::as_str);
    name.unwrap_or_default().to_owned()
}

/// Now, RFC 3339 to the second.
fn moment() -> String {
    let now = jiff::Timestamp::from_millisecond(to_millis(SystemTime::now()));
    let now = now.unwrap_or(jiff::Timestamp::MAX).as_second();
    jiff::Timestamp::from_second(now).map_or_else(|_| String::new(), |now| now.to_string())
}
