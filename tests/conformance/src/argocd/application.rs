//! One Application, watched from before its creation.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use causeway_sandbox::git::Commit;
use causeway_testkit::wait_until;
use futures::StreamExt;
use kube::{
    Api,
    api::{DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams},
    core::{ApiResource, GroupVersionKind},
    runtime::watcher::{self, Event},
};
use serde_json::{Value, json};
use tokio::{
    sync::{oneshot, watch},
    task::JoinSet,
    time::timeout,
};

use super::{
    expected::{self, Section, Seen},
    plain::{Names, in_order_of_names},
    track::{self, SIDES, text},
    world::{Answer, World},
};

const TIMEOUT: Duration = Duration::from_secs(120);
/// Time without a change after which a recording ends.
const QUIET: Duration = Duration::from_secs(3);
pub(crate) const REFRESH: &str = "argocd.argoproj.io/refresh";

/// An Application with a repository and a namespace of the same name.
pub(crate) struct Application<'a> {
    pub(crate) world: &'a World,
    pub(crate) name: String,
    names: Names,
    commits: Vec<String>,
    states: Arc<Mutex<Vec<Value>>>,
    changes: watch::Receiver<usize>,
    /// index of the state that was waited for last
    reached: AtomicUsize,
    answers: BTreeMap<String, Section>,
    /// aborted on drop
    _recording: JoinSet<()>,
}

pub(crate) fn config_map(name: &str, value: &str) -> String {
    format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n  value: \"{value}\"\n"
    )
}

fn kind(group: &str, version: &str, kind: &str) -> ApiResource {
    ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind))
}

impl<'a> Application<'a> {
    /// Creates the repository and the namespace, and starts the watch.
    pub(crate) async fn prepare(world: &'a World, word: &str) -> Self {
        let name = format!("{word}-{:08x}", rand::random::<u32>());
        world.make_repository(&name).await;
        let namespace = serde_json::from_value(
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}),
        )
        .unwrap();
        let namespaces: Api<DynamicObject> =
            Api::all_with(world.client.clone(), &kind("", "v1", "Namespace"));
        namespaces
            .create(&PostParams::default(), &namespace)
            .await
            .unwrap();
        let states = Arc::new(Mutex::new(Vec::new()));
        let (count, changes) = watch::channel(0);
        let (ready, listed) = oneshot::channel();
        let api = applications(world);
        let mut recording = JoinSet::new();
        recording.spawn(record(api, name.clone(), Arc::clone(&states), count, ready));
        timeout(TIMEOUT, listed).await.unwrap().unwrap();
        let mut names = Names::of(world.user);
        names.add(&world.repository_url(&name), "REPOSITORY");
        names.add(&name, "APPLICATION");
        Self {
            world,
            name,
            names,
            commits: Vec::new(),
            states,
            changes,
            reached: AtomicUsize::new(0),
            answers: BTreeMap::new(),
            _recording: recording,
        }
    }

    /// Client for a kind in the application's namespace.
    pub(crate) fn api(&self, group: &str, version: &str, name: &str) -> Api<DynamicObject> {
        Api::namespaced_with(
            self.world.client.clone(),
            &self.name,
            &kind(group, version, name),
        )
    }

    pub(crate) fn config_maps(&self) -> Api<DynamicObject> {
        self.api("", "v1", "ConfigMap")
    }

    pub(crate) fn commit(&self, number: usize) -> &str {
        &self.commits[number - 1]
    }

    /// Commits files below the folder `web`; an empty text removes the file.
    pub(crate) async fn push(&mut self, files: &[(&str, &str)]) {
        let number = self.commits.len() + 1;
        let commit = files.iter().fold(
            Commit::new(&format!("commit {number}")),
            |commit, (path, text)| {
                let path = format!("web/{path}");
                if text.is_empty() {
                    commit.remove(&path)
                } else {
                    commit.write(&path, *text)
                }
            },
        );
        let sha = self.world.commit(&self.name, &commit).await;
        self.names.add(&sha, format!("COMMIT{number}"));
        self.names.add(&sha[..7], format!("COMMIT{number}"));
        self.commits.push(sha);
    }

    /// Commits and requests a refresh, as a webhook would.
    pub(crate) async fn push_and_refresh(&mut self, files: &[(&str, &str)]) {
        self.push(files).await;
        if !self.world.differs("push-is-noticed") {
            self.refresh("normal").await;
        }
    }

    /// Creates the Application for the folder `web` at `main` with manual sync, changed by the patch.
    pub(crate) async fn create(&self, patch: Value) {
        let mut object = json!({
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "Application",
            "metadata": {"name": self.name, "namespace": self.world.namespace},
            "spec": {
                "project": "default",
                "source": {"repoURL": self.world.repository_url(&self.name), "path": "web", "targetRevision": "main"},
                "destination": {"server": "https://kubernetes.default.svc", "namespace": self.name},
            },
        });
        json_patch::merge(&mut object, &patch);
        let object = serde_json::from_value(object).unwrap();
        applications(self.world)
            .create(&PostParams::default(), &object)
            .await
            .unwrap();
    }

    pub(crate) async fn patch(&self, patch: Value) {
        applications(self.world)
            .patch(&self.name, &PatchParams::default(), &Patch::Merge(patch))
            .await
            .unwrap();
    }

    pub(crate) async fn refresh(&self, level: &str) {
        self.patch(json!({"metadata": {"annotations": {REFRESH: level}}}))
            .await;
    }

    pub(crate) async fn delete(&self) {
        applications(self.world)
            .delete(&self.name, &DeleteParams::default())
            .await
            .unwrap();
    }

    fn seen(&self) -> Vec<Value> {
        self.states.lock().unwrap().clone()
    }

    /// Waits for a state, the one that was waited for last and those that came after it included, so that none is too short
    /// to be seen; `null` is the state of one that is gone.
    pub(crate) async fn until(&self, holds: impl Fn(&Value) -> bool) -> Value {
        let mut changes = self.changes.clone();
        let looking = async {
            loop {
                changes.mark_unchanged();
                let reached = self.reached.load(SeqCst);
                let seen = self.seen();
                let found = seen[reached.min(seen.len())..].iter().position(&holds);
                if let Some(further) = found {
                    self.reached.store(reached + further, SeqCst);
                    return seen[reached + further].clone();
                }
                changes.changed().await.unwrap();
            }
        };
        let found = timeout(TIMEOUT, looking).await;
        found.unwrap_or_else(|_| {
            let last = self.seen().last().map_or(Value::Null, |last| {
                json!([last["operation"], last["status"]])
            });
            panic!("it never came there: {:#}", self.names.value(&last))
        })
    }

    pub(crate) async fn until_is(&self, sync: &str, health: &str) {
        self.until(|state| is(state, sync, health)).await;
    }

    /// Waits for synced, healthy and no operation, at a commit.
    pub(crate) async fn until_settled_at(&self, number: usize) {
        let sha = self.commit(number);
        self.until(|state| {
            is(state, "Synced", "Healthy")
                && ended(state, "Succeeded")
                && text(state, "/status/sync/revision") == sha
        })
        .await;
    }

    pub(crate) async fn until_ended(&self, phase: &str) {
        self.until(|state| ended(state, phase)).await;
    }

    pub(crate) async fn ask(&self, method: &str, rest: &str, body: Option<&Value>) -> Answer {
        self.world
            .ask(method, &format!("applications/{}{rest}", self.name), body)
            .await
    }

    /// Sends a request and records the response for the comparison.
    pub(crate) async fn call_and_record(
        &mut self,
        title: &str,
        method: &str,
        rest: &str,
        body: Option<&Value>,
        read: impl Fn(&Value) -> Value,
    ) {
        let answer = self.ask(method, rest, body).await;
        let read = if answer.status == 200 {
            read(&answer.body)
        } else {
            answer.body
        };
        self.note(title, &json!({"status": answer.status, "body": read}));
    }

    pub(crate) fn note(&mut self, title: &str, value: &Value) {
        let text = format!("{:#}", self.names.value(value));
        self.answers.insert(title.to_owned(), Section::Text(text));
    }

    /// Compares all observations with the expected ones until they match.
    pub(crate) async fn matches(&self, name: &str) {
        let mut changes = self.changes.clone();
        let Some(expected) = expected::read(name) else {
            while timeout(QUIET, changes.changed()).await.is_ok() {}
            self.record(name, &self.all().await);
        };
        let same = async {
            loop {
                changes.mark_unchanged();
                if expected::differences(&expected, &self.all().await).is_empty() {
                    return;
                }
                // events come after the states that they report, without notice
                let _ = timeout(Duration::from_millis(200), changes.changed()).await;
            }
        };
        if timeout(TIMEOUT, same).await.is_err() {
            panic!(
                "{name} is not as expected\n{}",
                expected::differences(&expected, &self.all().await)
            );
        }
        track::check(&self.seen());
        if self.seen().last().is_some_and(|last| !last.is_null()) {
            let _ = applications(self.world)
                .delete(&self.name, &DeleteParams::default())
                .await;
        }
    }

    /// Compares only the responses.
    pub(crate) async fn matches_answers(&self, name: &str) {
        let Some(expected) = expected::read(name) else {
            self.record(name, &self.answers);
        };
        let told = expected::differences(&expected, &self.answers);
        assert!(told.is_empty(), "{name} is not as expected\n{told}");
        let _ = applications(self.world)
            .delete(&self.name, &DeleteParams::default())
            .await;
    }

    /// Records a behaviour without a file on the real target; review the file before committing it.
    fn record(&self, name: &str, seen: &Seen) -> ! {
        assert!(
            self.world.is_real(),
            "{name} has no file in expected/argocd: run it on the real Argo CD"
        );
        expected::write(name, seen);
        panic!("{name} is recorded in expected/argocd: read it, and run it again");
    }

    async fn all(&self) -> Seen {
        let events = self.events().await;
        let states = self.seen();
        let mut seen = self.answers.clone();
        for (title, side) in SIDES {
            seen.insert(
                title.to_owned(),
                Section::Steps(track::steps(&states, side, &self.names)),
            );
        }
        let mut last = states
            .last()
            .map_or(Value::Null, |last| self.names.value(&last["status"]));
        in_order_of_names(&mut last);
        seen.insert("status".to_owned(), Section::Text(format!("{last:#}")));
        // two loops of Argo CD write events, so only those about one thing have an order
        let about = |word: &str| {
            events
                .iter()
                .filter(|event| event.contains(word))
                .cloned()
                .collect::<Vec<_>>()
        };
        // the server tells of a begin after it has asked for it, when the controller may have come to the end already
        for (word, reason) in [
            ("begun", " OperationStarted"),
            ("ended", " OperationCompleted"),
        ] {
            let title = format!("events about {word} operations");
            seen.insert(title, Section::Steps(about(reason)));
        }
        for (word, side) in [
            ("sync", track::sync_word as fn(&Value) -> &str),
            ("health", track::health_word),
        ] {
            let told = track::transitions(&states, word, side);
            note_untold(&mut seen, word, &about(&format!("{word} status")), &told);
        }
        seen
    }

    /// Kubernetes Events about the Application, in order of creation.
    async fn events(&self) -> Vec<String> {
        let api: Api<DynamicObject> = Api::namespaced_with(
            self.world.client.clone(),
            &self.world.namespace,
            &kind("", "v1", "Event"),
        );
        let listed = api
            .list(&ListParams::default().fields(&format!("involvedObject.name={}", self.name)))
            .await
            .unwrap();
        let mut events: Vec<(u64, String)> = listed
            .items
            .iter()
            .map(|event| {
                let revision = event
                    .metadata
                    .resource_version
                    .as_ref()
                    .and_then(|it| it.parse().ok())
                    .unwrap_or(0);
                let told = format!(
                    "{} {}: {}",
                    text(&event.data, "/type"),
                    text(&event.data, "/reason"),
                    self.names.text(text(&event.data, "/message"))
                );
                (revision, told)
            })
            .collect();
        events.sort();
        events.into_iter().map(|(_, told)| told).collect()
    }
}

/// Events must report the same transitions as the status; a difference becomes an unexpected section.
fn note_untold(seen: &mut Seen, word: &str, events: &[String], transitions: &[String]) {
    if events != transitions {
        let both = events.iter().chain(transitions).cloned().collect();
        seen.insert(
            format!("events about {word}, then what they should be"),
            Section::Steps(both),
        );
    }
}

pub(crate) fn applications(world: &World) -> Api<DynamicObject> {
    Api::namespaced_with(
        world.client.clone(),
        &world.namespace,
        &kind("argoproj.io", "v1alpha1", "Application"),
    )
}

/// Waits for a state of another object or its absence; a timeout prints the last state.
pub(crate) async fn until_object(
    api: &Api<DynamicObject>,
    name: &str,
    holds: impl Fn(Option<&DynamicObject>) -> bool,
) {
    let holds = &holds;
    let look = || async move {
        let object = api.get_opt(name).await.unwrap();
        let last = || serde_json::to_string_pretty(&object).unwrap();
        holds(object.as_ref()).then_some(()).ok_or_else(last)
    };
    wait_until(&format!("a state of {name}"), TIMEOUT, look).await;
}

pub(crate) async fn until_gone(api: &Api<DynamicObject>, name: &str) {
    until_object(api, name, |object| object.is_none()).await;
}

pub(crate) fn runs(pod: Option<&DynamicObject>) -> bool {
    pod.is_some_and(|pod| pod.data["status"]["phase"] == "Running")
}

pub(crate) fn is(state: &Value, sync: &str, health: &str) -> bool {
    text(state, "/status/sync/status") == sync && text(state, "/status/health/status") == health
}

pub(crate) fn ended(state: &Value, phase: &str) -> bool {
    text(state, "/status/operationState/phase") == phase && state.get("operation").is_none()
}

async fn record(
    api: Api<DynamicObject>,
    name: String,
    states: Arc<Mutex<Vec<Value>>>,
    count: watch::Sender<usize>,
    ready: oneshot::Sender<()>,
) {
    let config = watcher::Config::default().fields(&format!("metadata.name={name}"));
    let mut events = Box::pin(watcher::watcher(api, config));
    let mut ready = Some(ready);
    while let Some(event) = events.next().await {
        let state = match event.unwrap() {
            Event::Apply(object) | Event::InitApply(object) => {
                serde_json::to_value(object).unwrap()
            }
            Event::Delete(_) => Value::Null,
            Event::InitDone => {
                ready.take().map(|ready| ready.send(()));
                continue;
            }
            Event::Init => continue,
        };
        states.lock().unwrap().push(state);
        count.send_modify(|count| *count += 1);
    }
}
