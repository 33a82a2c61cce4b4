//! Commands in simulated containers, over the same WebSocket as a real API server's: a few programs are built in, and nothing is ever
//! started on this machine.

mod console;
mod program;
mod words;

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use http::{HeaderValue, Request, Response, StatusCode, header};
use http_body_util::BodyExt as _;
use hyper::{body::Incoming, upgrade};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{handshake::derive_accept_key, protocol::Role},
};
use tokio_util::task::TaskTracker;

use super::{
    http::{Answer, AnswerBody, Api, refuse},
    log::LogRequest,
    object::ObjectKey,
    refusal::{Reason, Refusal},
    route::{ObjectPath, Route, is_true},
};
use console::Console;

/// The newest first: by it an end of input can be told.
const PROTOCOLS: [&str; 2] = ["v5.channel.k8s.io", "v4.channel.k8s.io"];

/// State of all commands.
#[derive(Debug, Default)]
pub(crate) struct Commands {
    /// Hides the newest protocol, as older clusters do.
    is_old: AtomicBool,
    /// Bytes written by commands, by namespace and name of the pod.
    written: Mutex<BTreeMap<(String, String), Arc<AtomicU64>>>,
}

/// Parameters of an exec request.
#[derive(Debug, Default)]
struct ExecRequest {
    container: String,
    command: Vec<String>,
    stdin: bool,
    tty: bool,
}

impl Commands {
    pub(crate) fn be_old(&self) {
        self.is_old.store(true, Ordering::Relaxed);
    }

    pub(crate) fn written(&self, namespace: &str, pod: &str) -> u64 {
        self.counter(namespace, pod).load(Ordering::Relaxed)
    }

    fn counter(&self, namespace: &str, pod: &str) -> Arc<AtomicU64> {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (namespace.to_owned(), pod.to_owned());
        Arc::clone(written.entry(key).or_default())
    }

    fn protocol(&self, offered: &str) -> Option<&'static str> {
        let old = usize::from(self.is_old.load(Ordering::Relaxed));
        let offered: Vec<_> = offered.split(',').map(str::trim).collect();
        let mut known = PROTOCOLS[old..].iter();
        known.find(|known| offered.contains(known)).copied()
    }
}

/// True for a request that starts an exec session.
pub(super) fn is_asked(request: &Request<Incoming>) -> bool {
    let upgrade = request.headers().get(header::UPGRADE);
    let upgrade = upgrade.is_some_and(|it| it.as_bytes().eq_ignore_ascii_case(b"websocket"));
    upgrade && request.uri().path().ends_with("/exec")
}

/// Begins a command in a task of its own, or says why not.
pub(super) fn answer(api: &Arc<Api>, request: Request<Incoming>, tasks: &TaskTracker) -> Answer {
    begin(api, request, tasks).unwrap_or_else(|refusal| refuse(&refusal))
}

fn begin(
    api: &Arc<Api>,
    mut request: Request<Incoming>,
    tasks: &TaskTracker,
) -> Result<Answer, Refusal> {
    let path = path(&request)?;
    let question = ExecRequest::read(request.uri().query().unwrap_or_default());
    let pod = pod(api, &path)?;
    check(&question, &pod)?;
    let text = |name| {
        let value: Option<&HeaderValue> = request.headers().get(name);
        value
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    };
    let key = text(header::SEC_WEBSOCKET_KEY);
    let protocol = api.commands.protocol(text(header::SEC_WEBSOCKET_PROTOCOL));
    let protocol = protocol.ok_or_else(|| Refusal::bad_request("unknown subprotocol"))?;
    let answer = switching(key, protocol)?;
    let counter = api.commands.counter(&path.namespace, &path.name);
    let stop = api.stop.clone();
    let upgraded = upgrade::on(&mut request);
    tasks.spawn(async move {
        let Ok(upgraded) = upgraded.await else {
            return;
        };
        let io = TokioIo::new(upgraded);
        let socket = WebSocketStream::from_raw_socket(io, Role::Server, None).await;
        let console = Console::new(Box::pin(socket), &question, counter);
        let running = program::run(console, question.command, path.name);
        tokio::select! {
            () = running => {}
            () = stop.cancelled() => {}
        }
    });
    Ok(answer)
}

fn path(request: &Request<Incoming>) -> Result<ObjectPath, Refusal> {
    match Route::parse(request.uri().path()) {
        Some(Route::Object(path)) if path.plural == "pods" && path.subresource == "exec" => {
            Ok(path)
        }
        _ => Err(Refusal::unknown_path()),
    }
}

fn pod(api: &Api, path: &ObjectPath) -> Result<Value, Refusal> {
    let key = ObjectKey::new(&path.namespace, &path.name);
    let found = api.store().get("pods", &key).map(|stored| stored.value());
    found.ok_or_else(|| Refusal::not_found("pods", &path.name))
}

fn check(question: &ExecRequest, pod: &Value) -> Result<(), Refusal> {
    let wanted = LogRequest {
        container: question.container.clone(),
        ..LogRequest::default()
    };
    let container = wanted.container(pod)?;
    if container.ended.is_some() {
        let why = format!("container not found (\"{}\")", container.name);
        return Err(Refusal::new(Reason::InternalError, why));
    }
    if question.command.is_empty() {
        Err(Refusal::bad_request("you must specify a command"))
    } else {
        Ok(())
    }
}

fn switching(key: &str, protocol: &'static str) -> Result<Answer, Refusal> {
    let accepted = HeaderValue::try_from(derive_accept_key(key.as_bytes()));
    let accepted = accepted.map_err(|_| Refusal::bad_request("bad Sec-WebSocket-Key"))?;
    let body: AnswerBody = http_body_util::Empty::new().boxed_unsync();
    let mut answer = Response::new(body);
    *answer.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = answer.headers_mut();
    headers.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(header::SEC_WEBSOCKET_ACCEPT, accepted);
    let protocol = HeaderValue::from_static(protocol);
    headers.insert(header::SEC_WEBSOCKET_PROTOCOL, protocol);
    Ok(answer)
}

impl ExecRequest {
    fn read(query: &str) -> Self {
        let mut question = Self::default();
        for (key, value) in form_urlencoded::parse(query.as_bytes()) {
            match &*key {
                "container" => question.container = value.into_owned(),
                "command" => question.command.push(value.into_owned()),
                "stdin" => question.stdin = is_true(&value),
                "tty" => question.tty = is_true(&value),
                _ => {}
            }
        }
        question
    }
}
