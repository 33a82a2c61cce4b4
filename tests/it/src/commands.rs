//! Commands in containers through all parts: with input, output, exit code and terminal, for who may and in whose pods, and no message
//! of another one's.

mod caught;
mod held;

use std::collections::VecDeque;

use causeway_client::{Credential, Peer, reason};
use causeway_proto::{
    error::v1::Reason,
    platform::v1::{self as platform, Selector},
    proxy::v1::{
        ExecRequest, ExecResponse, TerminalSize, exec_response::Event,
        exec_service_client::ExecServiceClient,
    },
};
use causeway_sandbox::{Sandbox, SandboxOptions};
use causeway_testkit::{Mesh, Part, new_id, wait_until};
use futures::stream;
use serde_json::json;
use tokio::sync::mpsc;
use tonic::{Code, Status, Streaming};

use crate::{
    tenants::{account, entitled},
    world::{PATIENCE, application, create},
};

/// A session that a test holds the other end of.
pub(crate) struct Session {
    /// What is sent; dropped, the input has ended.
    pub(crate) input: Option<mpsc::Sender<ExecRequest>>,
    answers: Streaming<ExecResponse>,
    heard: VecDeque<u8>,
}

/// What a command did.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Ran {
    stdout: String,
    stderr: String,
    code: i32,
    error: String,
}

impl Session {
    async fn send(&self, message: ExecRequest) {
        self.input.as_ref().unwrap().send(message).await.unwrap();
    }

    async fn type_in(&self, text: &str) {
        let message = ExecRequest {
            input: text.to_owned().into(),
            ..ExecRequest::default()
        };
        self.send(message).await;
    }

    async fn resize(&self, columns: u32, rows: u32) {
        let message = ExecRequest {
            size: Some(TerminalSize { columns, rows }),
            ..ExecRequest::default()
        };
        self.send(message).await;
    }

    /// Reads until all of this has come.
    pub(crate) async fn until(&mut self, text: &str) {
        let wanted = text.as_bytes();
        loop {
            let heard = self.heard.make_contiguous();
            if let Some(at) = heard.windows(wanted.len()).position(|it| it == wanted) {
                self.heard.drain(..at + wanted.len());
                return;
            }
            match self.answers.message().await.unwrap().unwrap().event {
                Some(Event::Stdout(bytes)) => self.heard.extend(bytes),
                Some(Event::End(end)) => panic!("it ended: {end:?}; {text} did not come"),
                _ => {}
            }
        }
    }

    /// Reads some output; gives how many bytes.
    async fn some(&mut self) -> usize {
        match self.answers.message().await.unwrap().unwrap().event {
            Some(Event::Stdout(bytes)) => bytes.len(),
            Some(Event::End(end)) => panic!("it ended: {end:?}"),
            _ => 0,
        }
    }

    /// Waits for the session to be ended from elsewhere.
    async fn ended(&mut self) -> Status {
        loop {
            match self.answers.message().await {
                Ok(Some(_)) => {}
                Ok(None) => panic!("it ended without a word"),
                Err(status) => return status,
            }
        }
    }

    /// Reads to the end.
    pub(crate) async fn end(mut self) -> Result<Ran, Status> {
        drop(self.input.take());
        let mut ran = Ran::default();
        while let Some(answer) = self.answers.message().await? {
            match answer.event {
                Some(Event::Stdout(bytes)) => ran.stdout += &String::from_utf8_lossy(&bytes),
                Some(Event::Stderr(bytes)) => ran.stderr += &String::from_utf8_lossy(&bytes),
                Some(Event::End(end)) => {
                    (ran.code, ran.error) = (end.exit_code, end.error);
                    if !ran.error.is_empty() {
                        return Ok(ran);
                    }
                }
                Some(Event::Begin(_)) | None => {}
            }
        }
        Ok(ran)
    }
}

/// A running pod that belongs to an application.
pub(crate) fn pod(sandbox: &Sandbox, application: &str, name: &str) {
    let mark = format!("argocd_{application}:/Pod:default/{name}");
    let state = json!({"running": {"startedAt": "2026-01-01T00:00:00Z"}});
    let object = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"namespace": "default", "name": name,
            "annotations": {"argocd.argoproj.io/tracking-id": mark, "argocd.argoproj.io/hook": "PostSync"}},
        "spec": {"containers": [{"name": "main", "image": "nginx:1"}], "restartPolicy": "Always"},
        "status": {"phase": "Running", "containerStatuses": [
            {"name": "main", "image": "nginx:1", "ready": true, "restartCount": 0, "state": state}]},
    });
    sandbox.kube().write_raw("pods", object).unwrap();
}

/// The first message of a command in a pod.
pub(crate) fn in_pod(name: &str, command: &[&str]) -> ExecRequest {
    ExecRequest {
        runtime: "east".to_owned(),
        kind: "Pod".to_owned(),
        namespace: "default".to_owned(),
        name: name.to_owned(),
        request_id: new_id(),
        command: command.iter().map(|word| (*word).to_owned()).collect(),
        ..ExecRequest::default()
    }
}

pub(crate) async fn open(by: &Peer, first: ExecRequest) -> Result<Session, Status> {
    let (input, messages) = mpsc::channel(4);
    input.send(first).await.unwrap();
    let mut client = ExecServiceClient::new(by.clone());
    let messages = stream::unfold(messages, async |mut messages| {
        let message = messages.recv().await?;
        Some((message, messages))
    });
    let answers = client.exec(messages).await?;
    Ok(Session {
        input: Some(input),
        answers: answers.into_inner(),
        heard: VecDeque::new(),
    })
}

/// Opens as soon as the runtime is there; one that was refused before it got there may be asked for again.
pub(crate) async fn reached(by: &Peer, first: &ExecRequest) -> Session {
    wait_until("the runtime is reached", PATIENCE, async || {
        let again = ExecRequest {
            request_id: new_id(),
            ..first.clone()
        };
        let opened = open(by, again).await;
        opened.map_err(|status| status.to_string())
    })
    .await
}

async fn ran(by: &Peer, first: ExecRequest) -> Result<Ran, Status> {
    open(by, first).await?.end().await
}

/// A mesh with the pod `one` of the application `web`, whose runtime is reached.
pub(crate) async fn mesh() -> Mesh {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let sandbox = mesh.sandbox();
    create(sandbox, &application(sandbox, "web")).await;
    pod(sandbox, "web", "one");
    let reached = reached(&mesh.user(), &in_pod("one", &["true"])).await;
    assert_eq!(reached.end().await.unwrap(), Ran::default());
    mesh
}

/// How the last command ended by the audit.
async fn audited(mesh: &Mesh, request_id: &str) -> platform::AuditRecord {
    wait_until("the outcome is in the audit", PATIENCE, async || {
        let request = platform::ListAuditRecordsRequest::default();
        let listed = mesh.audit().list_audit_records(request).await;
        let records = listed.map_err(|status| status.to_string())?.into_inner();
        let mut records = records.records.into_iter();
        let ours = |it: &platform::AuditRecord| it.request_id == request_id && !it.denied;
        let found = records.find(|it| ours(it) && it.ended_at.is_some());
        found.ok_or_else(|| "it is not there".to_owned())
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_has_its_input_its_output_and_its_exit_code() {
    let mesh = mesh().await;
    let user = mesh.user();
    let command = ["sh", "-c", "echo out; echo err >&2; exit 3"];
    let first = in_pod("one", &command);
    let found = ran(&user, first.clone()).await.unwrap();
    let expected = Ran {
        stdout: "out\n".to_owned(),
        stderr: "err\n".to_owned(),
        code: 3,
        error: String::new(),
    };
    assert_eq!(found, expected);
    let record = audited(&mesh, &first.request_id).await;
    assert_eq!(record.permission, "exec.create");
    assert!(
        record.target.contains("Pod/default/one") && record.target.contains("exit 3"),
        "{record:?}"
    );
    assert_eq!(record.outcome(), platform::Outcome::Succeeded);
    assert_eq!(
        record.message,
        "exit code 3; in default/one/main, 0 bytes in, 8 bytes out"
    );

    let mut piped = in_pod("one", &["cat"]);
    piped.stdin = true;
    let mut session = open(&user, piped).await.unwrap();
    // More than all windows between here and there.
    let piece = ExecRequest {
        input: "x".repeat(64 << 10).into(),
        ..ExecRequest::default()
    };
    let input = session.input.take().unwrap();
    let typed = async move {
        for _ in 0..64 {
            input.send(piece.clone()).await.unwrap();
        }
    };
    let (found, ()) = tokio::join!(session.end(), typed);
    let found = found.unwrap();
    assert_eq!((found.stdout.len(), found.code), (4 << 20, 0));

    // With an application the pod is found by it.
    let mut first = in_pod("", &["hostname"]);
    (first.kind, first.namespace) = (String::new(), String::new());
    first.application_namespace = "argocd".to_owned();
    first.application = "web".to_owned();
    assert_eq!(ran(&user, first).await.unwrap().stdout, "one\n");
    let absent = in_pod("one", &["no-such-program"]);
    let id = absent.request_id.clone();
    let told = ran(&user, absent).await.unwrap().error;
    assert!(told.contains("executable file not found"), "{told}");
    let record = audited(&mesh, &id).await;
    assert!(record.message.contains("not found"), "{record:?}");
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_has_a_terminal_whose_size_changes() {
    let mesh = mesh().await;
    let mut first = in_pod("one", &["sh"]);
    (first.stdin, first.tty) = (true, true);
    let (columns, rows) = (80, 24);
    first.size = Some(TerminalSize { columns, rows });
    let mut session = open(&mesh.user(), first).await.unwrap();
    session.until("$ ").await;
    session.type_in("stty size\n").await;
    session.until("24 80\r\n").await;
    session.resize(132, 50).await;
    session.type_in("stty size\n").await;
    session.until("50 132\r\n").await;
    session.type_in("half a line\u{3}").await;
    session.until("^C\r\n$ ").await;
    session.type_in("exit 7\n").await;
    session.until("exit 7\r\n").await;
    assert_eq!(session.end().await.unwrap().code, 7);
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_are_for_admins_and_in_pods_of_their_own_scope() {
    let mesh = mesh().await;
    let sandbox = mesh.sandbox();
    let globex = account(&mesh, "globex").await;
    let options = SandboxOptions::in_memory();
    let theirs = mesh.join_by(&globex, "globex-east", "east", options).await;
    create(theirs.sandbox(), &application(theirs.sandbox(), "web")).await;
    for name in ["one", "theirs"] {
        pod(theirs.sandbox(), "web", name);
    }
    reached(&globex, &in_pod("one", &["true"])).await;
    assert_eq!(
        theirs
            .sandbox()
            .kube()
            .written_by_commands("default", "theirs"),
        0
    );

    // An operator may do all with applications, and run nothing.
    let rule = |entity: &str, selector| platform::Rule {
        entities: vec![entity.to_owned()],
        actions: vec!["*".to_owned()],
        selector,
    };
    let operator = entitled(&mesh, "operates", vec![rule("application", None)]).await;
    let refused = ran(&operator, in_pod("one", &["true"])).await.unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied, "{refused}");
    assert!(refused.message().contains("exec.create"), "{refused}");

    // Who may run commands of some applications finds others absent.
    let selector = Selector {
        names: vec!["web".to_owned()],
        ..Selector::default()
    };
    let member = entitled(&mesh, "webs", vec![rule("exec", Some(selector))]).await;
    create(sandbox, &application(sandbox, "shop")).await;
    pod(sandbox, "shop", "hidden");
    let own = ran(&member, in_pod("one", &["hostname"])).await.unwrap();
    assert_eq!(own.stdout, "one\n");
    let mut told = Vec::new();
    for name in ["hidden", "theirs", "never"] {
        let refused = ran(&member, in_pod(name, &["true"])).await.unwrap_err();
        assert_eq!(reason(&refused), Some(Reason::ResourceUnknown), "{refused}");
        told.push(refused.message().replace(name, "NAME"));
    }
    assert!(told.iter().all(|text| *text == told[0]), "{told:?}");
    theirs.stop().await;
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn runtime_policy_limits_exec() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let all_but = "read,sync,refresh,logs,resource-delete,rollout,workflow";
    let west = mesh
        .join_allowing("west", SandboxOptions::in_memory(), all_but)
        .await;
    create(west.sandbox(), &application(west.sandbox(), "web")).await;
    pod(west.sandbox(), "web", "one");
    let refused = wait_until("the runtime is reached", PATIENCE, async || {
        let mut first = in_pod("one", &["true"]);
        first.runtime = "west".to_owned();
        match ran(&mesh.user(), first).await {
            Err(status) if reason(&status) == Some(Reason::RuntimePolicy) => Ok(status),
            other => Err(format!("{other:?}")),
        }
    })
    .await;
    assert!(refused.message().contains("--allow exec"), "{refused}");
    west.stop().await;
    mesh.stop().await;
}

/// A part as who shows an assertion sees it.
fn at(mesh: &Mesh, part: &Part, assertion: &str) -> Peer {
    mesh.peer(part, Credential::api_key(assertion))
}
