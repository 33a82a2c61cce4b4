//! The parts as processes, a gate before the cluster, and a caller who asks again.

use causeway_proto::ids::RequestId;
use causeway_sandbox::{Sandbox, SandboxOptions};
use causeway_testkit::{Access, Processes, Setting, wait_until_blocking};
use kube::config::Kubeconfig;
use serde_json::{Value, json};
use tokio::runtime::{Handle, Runtime};

use super::{
    asked::{Asked, define, files},
    gate::{Fate, Gate, Marks, Point},
};
use crate::{parts::reached, program::SOON};

const ALL: &str = "read,sync,refresh,terminate,rollback,delete,update,logs,resource-action,resource-delete,rollout,workflow";
/// Of the repository that all applications are in.
pub(super) const REPOSITORY: &str = "apps";

/// Who is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Victim {
    AppProxy,
    TunnelClient,
    TunnelServer,
}

/// A running system; one change is under way at a time.
pub(super) struct World {
    pub(super) sandbox: Sandbox,
    processes: Processes,
    gate: Gate,
    caller: Caller,
    /// So many objects have been made.
    made: usize,
    runtime: Runtime,
}

/// A person with an HTTP client.
#[derive(Clone)]
struct Caller {
    client: reqwest::Client,
    address: String,
    key: String,
    handle: Handle,
}

/// One request and what it says.
pub(super) struct Question {
    /// After `/v1/runtimes/east/`.
    pub(super) path: String,
    pub(super) body: Value,
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    status: u16,
    body: Value,
}

impl Answer {
    pub(super) fn is_ok(&self) -> bool {
        self.status == 200
    }

    /// Whether it says that nothing was done and that it may be asked again later: while another operation is under way, too, or
    /// somebody else changes the object.
    fn is_refused_for_now(&self) -> bool {
        let unknown = self.body["details"][0]["reason"] == "OUTCOME_UNKNOWN";
        matches!(self.status, 409 | 503 | 504) && !unknown
    }
}

/// What a crash left.
#[derive(Debug)]
pub(super) struct Seen {
    /// The writes that the cluster made, whoever asked for them.
    pub(super) writes: Vec<String>,
    first: Option<Answer>,
    second: Answer,
    third: Answer,
    /// Outcomes of the audit, the first attempt the first.
    audit: Vec<String>,
}

impl Victim {
    fn part(self) -> &'static str {
        match self {
            Self::AppProxy => "runtime/app-proxy",
            Self::TunnelClient => "runtime/tunnel-client",
            Self::TunnelServer => "platform/tunnel-server",
        }
    }

    /// What becomes of a write that nobody waits for any more: that of a process that was killed never arrived.
    fn fate(self) -> Fate {
        match self {
            Self::AppProxy => Fate::Lost,
            Self::TunnelClient | Self::TunnelServer => Fate::Passes,
        }
    }
}

impl World {
    pub(super) fn set(marks: Marks) -> Self {
        let runtime = Runtime::new().unwrap();
        let options = SandboxOptions {
            // A hook goes on until somebody ends it.
            pod_run: None,
            ..SandboxOptions::in_memory()
        };
        let sandbox = runtime.block_on(Sandbox::start(options)).unwrap();
        define(&sandbox);
        let files = files();
        let pushed = sandbox.push(REPOSITORY, &files, "All that is deployed");
        runtime.block_on(pushed).unwrap();
        let client = {
            let _within = runtime.enter();
            sandbox.kube().client()
        };
        let gate = runtime.block_on(Gate::start(client, sandbox.argocd_url(), marks));
        let mut reached = reached(&sandbox);
        reached.kubeconfig = through(&reached.kubeconfig, &format!("http://{}", gate.cluster));
        reached.argocd_url = format!("http://{}", gate.argocd);
        let setting = Setting {
            access: Access::Tunnel,
            allow: ALL,
            ..Setting::default()
        };
        let processes = Processes::start(&reached, setting);
        let key = processes.folder.path().join("platform/admin.key");
        let caller = Caller {
            client: reqwest::Client::builder().no_proxy().build().unwrap(),
            address: processes.address().to_owned(),
            key: std::fs::read_to_string(key).unwrap().trim().to_owned(),
            handle: runtime.handle().clone(),
        };
        Self {
            sandbox,
            processes,
            gate,
            caller,
            made: 0,
            runtime,
        }
    }

    /// How many writes a change makes that nothing happens to.
    pub(super) fn undisturbed(&mut self, asked: &Asked) -> usize {
        let question = self.prepare(asked);
        self.gate.arm(None);
        let answer = self.ask(&question, &RequestId::generate().to_string());
        assert_eq!(answer.status, 200, "{asked:?}: {answer:?}");
        self.gate.made().len()
    }

    /// Kills the victim when the change is at this point, starts it again and asks twice more.
    pub(super) fn crash(&mut self, asked: &Asked, victim: Victim, point: Point) -> Seen {
        wait_until_blocking("a change that gets so far", SOON, || {
            self.try_crash(asked, victim, point)
        })
    }

    /// The same of an object and a request of its own. Nothing is seen of one that never went out: on a busy machine the platform may
    /// be too slow to say whether it may.
    fn try_crash(&mut self, asked: &Asked, victim: Victim, point: Point) -> Result<Seen, String> {
        let question = self.prepare(asked);
        let id = RequestId::generate().to_string();
        self.gate.arm(Some(point));
        let (caller, gate, processes) = (&self.caller, &self.gate, &mut self.processes);
        let (held, first) = std::thread::scope(|scope| {
            let first = scope.spawn(|| caller.ask(&question, &id));
            let held = wait_until_blocking("the point", SOON, || {
                // In this order: what has ended by now is held no more.
                let ended = first.is_finished();
                let held = gate.holds();
                (held || ended)
                    .then_some(held)
                    .ok_or("it is under way".to_owned())
            });
            if held {
                processes.part(victim.part()).kill();
                gate.open(victim.fate());
            }
            (held, first.join().unwrap())
        });
        if !held {
            let made = self.gate.made();
            return match first {
                Ok(answer) if made.is_empty() && answer.is_refused_for_now() => {
                    Err(format!("{answer:?}"))
                }
                other => panic!("{asked:?}: {point:?} is never reached: {made:?}, {other:?}"),
            };
        }
        self.bring_back(victim);
        (asked.settle)(self, &question);
        let second = self.ask(&question, &id);
        let third = self.ask(&question, &id);
        Ok(Seen {
            writes: self.gate.made(),
            first: first.ok(),
            second,
            third,
            audit: self.audit(&id),
        })
    }

    /// Starts what was killed, and waits until there is a way into the runtime.
    fn bring_back(&mut self, victim: Victim) {
        let part = self.processes.part(victim.part());
        part.start_again();
        let said = match victim {
            Victim::AppProxy => return,
            Victim::TunnelClient => "the tunnel is open",
            Victim::TunnelServer => "a session is open",
        };
        let is_said = |line: &str| line.contains(said).then_some(());
        part.child.wait_for_line(said, SOON, is_said);
    }

    /// The object that the change is about, as it must be.
    fn prepare(&mut self, asked: &Asked) -> Question {
        self.made += 1;
        let name = format!("{}-{}", asked.name.to_lowercase(), self.made);
        self.gate.arm(None);
        (asked.prepare)(self, &name)
    }

    /// Asks until somebody answers who knows: what comes back may be dialling still.
    pub(super) fn ask(&self, question: &Question, id: &str) -> Answer {
        wait_until_blocking("an answer", SOON, || {
            let answer = self.caller.ask(question, id)?;
            if answer.is_refused_for_now() {
                Err(format!("{answer:?}"))
            } else {
                Ok(answer)
            }
        })
    }

    /// Commits a file to the repository that all applications are in.
    pub(super) fn push(&self, file: &str, text: &str) {
        let files = [(file, text)];
        let pushed = self.sandbox.push(REPOSITORY, &files, "One more");
        self.runtime.block_on(pushed).unwrap();
    }

    /// The live object.
    pub(super) fn live(&self, kind: &str, namespace: &str, name: &str) -> Option<Value> {
        let truth = self.sandbox.kube().snapshot();
        let found = truth.find(kind, namespace, name);
        found.map(|found| found.object.clone())
    }

    /// Waits until an Application is so.
    pub(super) fn wait(&self, name: &str, what: &str, is: impl Fn(&Value) -> bool) -> Value {
        wait_until_blocking(what, SOON, || {
            match self.live("Application", "argocd", name) {
                Some(live) if is(&live) => Ok(live),
                other => Err(format!("{other:?}")),
            }
        })
    }

    /// What the audit says of each attempt, once it says how the first and the last one ended. One between them for which the
    /// platform was too slow never went out, and has no end.
    fn audit(&self, id: &str) -> Vec<String> {
        wait_until_blocking("the audit", SOON, || {
            let records = self.caller.records(id)?;
            let ended = |record: &Value| record["endedAt"].is_string();
            // The newest come first.
            match (records.first(), records.last()) {
                (Some(last), Some(first)) if ended(last) && ended(first) => {}
                _ => return Err(json!(records).to_string()),
            }
            let outcome = |record: &Value| record["outcome"].as_str().unwrap_or("-").to_owned();
            Ok(records.iter().rev().map(outcome).collect())
        })
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if std::thread::panicking() {
            #[expect(clippy::print_stderr, reason = "a test that fails tells what was said")]
            {
                eprintln!("{}", self.processes.logs());
            }
        }
        // What the sandbox does ends with it, not in the middle of a drop of this runtime.
        let _within = self.runtime.enter();
    }
}

impl Caller {
    fn ask(&self, question: &Question, id: &str) -> Result<Answer, String> {
        let url = format!("{}/v1/runtimes/east/{}", self.address, question.path);
        let request = self.client.post(url).bearer_auth(&self.key);
        let request = request.header("idempotency-key", id);
        self.answer(request.json(&question.body))
    }

    fn records(&self, id: &str) -> Result<Vec<Value>, String> {
        let url = format!("{}/v1/auditRecords", self.address);
        let request = self.client.get(url).bearer_auth(&self.key);
        let answer = self.answer(request.query(&[("requestId", id), ("pageSize", "500")]))?;
        let records = answer.body["records"].as_array().cloned();
        Ok(records.unwrap_or_default())
    }

    fn answer(&self, request: reqwest::RequestBuilder) -> Result<Answer, String> {
        self.handle.block_on(async {
            let answer = request.send().await.map_err(|error| error.to_string())?;
            let status = answer.status().as_u16();
            let body = answer.json().await.map_err(|error| error.to_string())?;
            Ok(Answer { status, body })
        })
    }
}

impl Seen {
    /// One effect, one outcome, and an audit that agrees.
    pub(super) fn check(&self, asked: &Asked, victim: Victim, point: Point, writes: usize) {
        let case = format!("{} {victim:?} {point:?}: {self:#?}", asked.name);
        let effects = self.writes.iter().filter(|it| asked.is_effect(it)).count();
        let wanted = asked.effects(writes);
        assert!(effects <= wanted, "more than one effect: {case}");
        if self.is_unknown() {
            // Told as such, with the command that finds out; nothing is done again.
            assert_eq!(self.second, self.third, "{case}");
            return;
        }
        assert_eq!(effects, wanted, "{case}");
        assert_eq!(self.second.status, 200, "{case}");
        assert_eq!(self.third.status, 200, "{case}");
        assert!(asked.is_repeat(&self.third.body), "{case}");
        assert_eq!(
            asked.outcome(&self.second.body),
            asked.outcome(&self.third.body),
            "{case}"
        );
        let was_made = matches!(point, Point::After(number) if number + 1 == writes);
        if was_made {
            assert!(asked.is_repeat(&self.second.body), "{case}");
        }
        let first = self.audit.first().map(String::as_str);
        let told = self.first.as_ref().map(|answer| answer.status);
        assert_ne!(told, Some(200), "{case}");
        assert_eq!(first, Some("OUTCOME_UNKNOWN"), "{case}");
        let last = self.audit.last().map(String::as_str);
        assert_eq!(last, Some("OUTCOME_SUCCEEDED"), "{case}");
    }

    fn is_unknown(&self) -> bool {
        let reason = &self.second.body["details"][0]["reason"];
        *reason == "OUTCOME_UNKNOWN"
    }
}

/// A kubeconfig for the same user by another way.
fn through(kubeconfig: &str, server: &str) -> String {
    let mut config = Kubeconfig::from_yaml(kubeconfig).unwrap();
    for cluster in config
        .clusters
        .iter_mut()
        .filter_map(|it| it.cluster.as_mut())
    {
        cluster.server = Some(server.to_owned());
        cluster.certificate_authority = None;
        cluster.certificate_authority_data = None;
    }
    // JSON is YAML.
    serde_json::to_string(&config).unwrap()
}
