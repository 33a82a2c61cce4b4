//! The API over HTTP: one request in, one answer out. Knows no sockets.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode, header};
use http_body::Body;
use http_body_util::{BodyExt as _, Full, Limited, combinators::UnsyncBoxBody};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{
    discovery,
    exec::Commands,
    faults::Faults,
    log::Logs,
    object::Stored,
    openapi,
    refusal::{Reason, Refusal},
    resource::{Origin, Resource, resource_id},
    route::{Format, ObjectPath, Query, Route},
    store::Store,
};

mod mutate;
mod options;
mod read;
mod review;

pub(crate) use mutate::now;

const LARGEST_BODY: usize = 3 << 20;

pub(crate) type AnswerBody = UnsyncBoxBody<Bytes, Infallible>;
pub(crate) type Answer = Response<AnswerBody>;

/// State that all requests share.
pub(crate) struct Api {
    store: Mutex<Store>,
    pub(crate) faults: Faults,
    pub(crate) logs: Logs,
    pub(crate) commands: Commands,
    pub(crate) stop: CancellationToken,
}

/// A request that was read in full.
pub(crate) struct Call {
    pub(crate) method: Method,
    pub(crate) path: ObjectPath,
    pub(crate) query: Query,
    pub(crate) format: Format,
    pub(crate) manager: String,
    pub(crate) content_type: String,
    pub(crate) body: Bytes,
}

impl Api {
    pub(crate) fn new(store: Store) -> Self {
        Self {
            store: Mutex::new(store),
            faults: Faults::new(),
            logs: Logs::default(),
            commands: Commands::default(),
            stop: CancellationToken::new(),
        }
    }

    /// The store, for as long as the guard lives. Never held across an await.
    pub(crate) fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers any request; refusals are answers too.
    pub(crate) async fn answer<B>(self: Arc<Self>, request: Request<B>) -> Answer
    where
        B: Body + Send,
        B::Data: Send,
        B::Error: std::error::Error + Send + Sync + 'static,
    {
        match self.try_answer(request).await {
            Ok(answer) => answer,
            Err(refusal) => refuse(&refusal),
        }
    }

    async fn try_answer<B>(self: Arc<Self>, request: Request<B>) -> Result<Answer, Refusal>
    where
        B: Body + Send,
        B::Data: Send,
        B::Error: std::error::Error + Send + Sync + 'static,
    {
        if self.stop.is_cancelled() {
            return Err(Refusal::new(
                Reason::ServiceUnavailable,
                "the sandbox is stopping",
            ));
        }
        let route = Route::parse(request.uri().path()).ok_or_else(Refusal::no_such_page)?;
        let Route::Object(path) = route else {
            return self.describe(&route);
        };
        let delay = self.faults.delay_of(&path.plural);
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        if let Some(refusal) = self.faults.take_refusal(&path.plural) {
            return Err(refusal);
        }
        let call = read_call(request, path).await?;
        self.serve(&call)
    }

    fn serve(self: &Arc<Self>, call: &Call) -> Result<Answer, Refusal> {
        if let Some(answer) = review::answer(call)? {
            return Ok(answer);
        }
        let resource = self.resource(&call.path)?;
        match (call.method.as_str(), call.path.name.is_empty()) {
            ("GET" | "HEAD", _) => self.read(&resource, call),
            ("POST", true) => self.create(&resource, call),
            ("PUT", false) => self.update(&resource, call),
            ("PATCH", false) => self.patch(&resource, call),
            ("DELETE", false) => self.delete(&resource, call),
            _ => Err(Refusal::not_allowed()),
        }
    }

    fn resource(&self, path: &ObjectPath) -> Result<Arc<Resource>, Refusal> {
        let store = self.store();
        let Some(found) = store.collection(&resource_id(&path.group, &path.plural)) else {
            return Err(unknown(&store, path));
        };
        let resource = Arc::clone(&found.resource);
        let is_served = resource.version(&path.version).is_some();
        let is_placed = resource.is_namespaced() || path.namespace.is_empty();
        let is_named =
            path.name.is_empty() || !resource.is_namespaced() || !path.namespace.is_empty();
        match (is_served && is_placed && is_named, resource.origin) {
            (true, _) => Ok(resource),
            (false, Origin::Builtin) => Err(Refusal::unknown_path()),
            (false, Origin::Custom) => Err(Refusal::no_such_page()),
        }
    }

    fn describe(&self, route: &Route) -> Result<Answer, Refusal> {
        let kinds: discovery::Kinds = self
            .store()
            .collections()
            .map(|found| Arc::clone(&found.resource))
            .collect();
        let found = match route {
            Route::Version => Some(discovery::version()),
            Route::Health => return Ok(text("ok")),
            Route::CoreVersions => Some(discovery::core_versions()),
            Route::Groups => Some(discovery::groups(&kinds)),
            Route::Group(name) => {
                let group = discovery::group(&kinds, name);
                return group
                    .map(|value| json(StatusCode::OK, &value))
                    .ok_or_else(Refusal::no_such_page);
            }
            Route::Resources { group, version } => discovery::resources(&kinds, group, version),
            Route::OpenApi => Some(openapi::index(&kinds)),
            Route::OpenApiOf(document) => openapi::document(&kinds, document),
            Route::Object(_) => None,
        };
        found
            .map(|value| json(StatusCode::OK, &value))
            .ok_or_else(Refusal::unknown_path)
    }

    /// An object's bytes in the version that was asked for.
    pub(crate) fn render(&self, resource: &Resource, version: &str, stored: &Stored) -> Bytes {
        let _ = self;
        render(resource, version, stored)
    }
}

/// A kind that is not there, in a group that is or is not.
fn unknown(store: &Store, path: &ObjectPath) -> Refusal {
    let mut groups = store.collections().map(|found| &found.resource.group);
    if path.group.is_empty() || groups.any(|group| *group == path.group) {
        Refusal::unknown_path()
    } else {
        Refusal::no_such_page()
    }
}

/// An object's bytes in the version that was asked for.
pub(crate) fn render(resource: &Resource, version: &str, stored: &Stored) -> Bytes {
    if resource.versions.len() < 2 {
        return stored.json.clone();
    }
    let mut value = stored.value();
    value["apiVersion"] = resource.api_version(version).into();
    Bytes::from(serde_json::to_vec(&value).expect("a JSON value always serialises"))
}

async fn read_call<B>(request: Request<B>, path: ObjectPath) -> Result<Call, Refusal>
where
    B: Body + Send,
    B::Data: Send,
    B::Error: std::error::Error + Send + Sync + 'static,
{
    let (parts, body) = request.into_parts();
    let query = Query::parse(parts.uri.query().unwrap_or_default())?;
    let format = Format::negotiate(header_text(&parts.headers, &header::ACCEPT), &query.include)?;
    let agent = header_text(&parts.headers, &header::USER_AGENT)
        .split('/')
        .next()
        .unwrap_or_default();
    let named = if query.field_manager.is_empty() {
        agent
    } else {
        query.field_manager.as_str()
    };
    let manager = if named.is_empty() { "unknown" } else { named };
    let body = Limited::new(body, LARGEST_BODY)
        .collect()
        .await
        .map_err(|_| {
            let why = format!("Request entity too large: limit is {LARGEST_BODY}");
            Refusal::new(Reason::RequestEntityTooLarge, why)
        })?;
    Ok(Call {
        method: parts.method,
        path,
        format,
        manager: manager.chars().take(128).collect(),
        query,
        content_type: header_text(&parts.headers, &header::CONTENT_TYPE).to_owned(),
        body: body.to_bytes(),
    })
}

fn header_text<'a>(headers: &'a HeaderMap, name: &header::HeaderName) -> &'a str {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

pub(crate) fn refuse(refusal: &Refusal) -> Answer {
    let status = StatusCode::from_u16(refusal.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    if refusal.reason == Reason::NoSuchPage {
        let body = Full::new(Bytes::from(format!("{}\n", refusal.message))).boxed_unsync();
        return typed(status, "text/plain; charset=utf-8", body);
    }
    let mut answer = json(status, &refusal.to_status());
    if let Some(seconds) = refusal.retry_after_seconds() {
        answer
            .headers_mut()
            .insert(header::RETRY_AFTER, seconds.into());
    }
    answer
}

pub(crate) fn json(status: StatusCode, value: &Value) -> Answer {
    bytes(status, to_bytes(value))
}

fn to_bytes(value: &Value) -> Bytes {
    Bytes::from(serde_json::to_vec(value).expect("a JSON value always serialises"))
}

pub(crate) fn bytes(status: StatusCode, bytes: Bytes) -> Answer {
    typed(status, "application/json", Full::new(bytes).boxed_unsync())
}

pub(crate) fn text(text: &'static str) -> Answer {
    typed(
        StatusCode::OK,
        "text/plain",
        Full::new(Bytes::from_static(text.as_bytes())).boxed_unsync(),
    )
}

pub(crate) fn typed(status: StatusCode, content_type: &'static str, body: AnswerBody) -> Answer {
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    answer.headers_mut().insert(
        header::CONTENT_TYPE,
        header::HeaderValue::from_static(content_type),
    );
    answer
}
