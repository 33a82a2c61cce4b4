//! One request to a provider.
//!
//! Owns: the bounds in time and bytes, and the rule that a credential stays on its origin. A redirect is followed for reads
//! of the same origin only, and named in the error otherwise.

mod answer;

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use bytes::{Bytes, BytesMut};
use reqwest::{
    Client, Method, StatusCode, Url,
    header::{ACCEPT, HeaderMap, HeaderValue, LOCATION, USER_AGENT},
    redirect::Policy,
};
use serde_json::Value;
use tokio::{sync::Mutex, time::Instant};

use crate::{
    Connection, Cursor, InvalidName, ProviderError, RefusedAddress, Secret, budget::Budget,
    connection::REFUSED,
};
pub(crate) use answer::Answer;

const CONNECT: Duration = Duration::from_secs(5);
const CALL: Duration = Duration::from_secs(30);
/// The largest answer that is read, in bytes.
const LARGEST: usize = 8 << 20;
const REDIRECTS: usize = 3;
const AGENT: &str = "causeway";

/// What makes one provider's HTTP its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dialect {
    pub(crate) provider: &'static str,
    /// Pause between calls that create something, where the provider limits those.
    pub(crate) pause: Duration,
    pub(crate) accept: &'static str,
}

/// A client with one origin.
#[derive(Debug)]
pub(crate) struct HttpClient {
    client: Client,
    connection: Connection,
    dialect: Dialect,
    budget: Budget,
    created: Mutex<Option<Instant>>,
}

/// A request below the API URL.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    method: Method,
    segments: Vec<String>,
    query: Vec<(&'static str, String)>,
    /// Replaces segments and query.
    cursor: Option<Cursor>,
    body: Option<Value>,
    accept: Option<&'static str>,
    limit: usize,
    is_folder: bool,
}

/// How a request is authenticated.
#[derive(Debug, Clone)]
pub(crate) struct Authorization {
    pub(crate) header: &'static str,
    pub(crate) value: Arc<Secret>,
    /// The part that no message may show.
    pub(crate) secret: Arc<Secret>,
}

impl Authorization {
    /// A header whose value is a secret behind a prefix such as `Bearer `.
    pub(crate) fn new(header: &'static str, prefix: &str, secret: &Secret) -> Self {
        Self {
            header,
            value: Arc::new(Secret::new(&format!("{prefix}{}", secret.expose()))),
            secret: Arc::new(secret.clone()),
        }
    }

    /// Names the secret inside an encoded value.
    pub(crate) fn hiding(self, secret: &Secret) -> Self {
        Self {
            secret: Arc::new(secret.clone()),
            ..self
        }
    }
}

impl Call {
    pub(crate) fn new(method: Method, segments: &[&str]) -> Self {
        Self {
            method,
            segments: segments.iter().map(|part| (*part).to_owned()).collect(),
            query: Vec::new(),
            cursor: None,
            body: None,
            accept: None,
            limit: LARGEST,
            is_folder: false,
        }
    }

    pub(crate) fn get(segments: &[&str]) -> Self {
        Self::new(Method::GET, segments)
    }

    pub(crate) fn post(segments: &[&str], body: Value) -> Self {
        Self::new(Method::POST, segments).body(body)
    }

    pub(crate) fn body(mut self, body: Value) -> Self {
        self.body = Some(body);
        self
    }

    pub(crate) fn query(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.query.push((name, value.into()));
        self
    }

    /// Continues a list; the cursor has path and query.
    pub(crate) fn at(mut self, cursor: Option<Cursor>) -> Self {
        self.cursor = cursor;
        self
    }

    /// Ends the path with a slash, which Bitbucket wants for folders.
    pub(crate) fn folder(mut self) -> Self {
        self.is_folder = true;
        self
    }

    pub(crate) fn accept(mut self, accept: &'static str) -> Self {
        self.accept = Some(accept);
        self
    }

    pub(crate) fn limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    pub(crate) fn what(&self) -> String {
        self.segments.join("/")
    }
}

impl HttpClient {
    pub(crate) fn new(connection: Connection, dialect: Dialect) -> Result<Self, ProviderError> {
        let mut builder = Client::builder()
            .connect_timeout(CONNECT)
            .timeout(CALL)
            .redirect(Policy::none())
            // A proxy would look names up itself, past the rules for addresses.
            .no_proxy()
            .dns_resolver(connection.url.resolver());
        if let Some(certificates) = connection.certificates()? {
            builder = builder.tls_certs_only(certificates);
        }
        let client = builder
            .build()
            .map_err(|_| ProviderError::InvalidUrl("has certificates that cannot be used"))?;
        Ok(Self {
            client,
            connection,
            dialect,
            budget: Budget::default(),
            created: Mutex::new(None),
        })
    }

    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    pub(crate) fn host(&self) -> String {
        self.connection.url.host()
    }

    pub(crate) fn provider(&self) -> &'static str {
        self.dialect.provider
    }

    /// Path and query of a link to this origin.
    pub(crate) fn cursor(&self, link: &str) -> Result<Cursor, ProviderError> {
        let url = self.connection.url.0.join(link).ok();
        let url = url.filter(|url| self.is_ours(url));
        let url = url.ok_or_else(|| self.malformed("a next page on another host"))?;
        let query = url.query().map(|query| format!("?{query}"));
        Ok(Cursor(format!(
            "{}{}",
            url.path(),
            query.unwrap_or_default()
        )))
    }

    pub(crate) fn malformed(&self, reason: &str) -> ProviderError {
        ProviderError::Malformed {
            provider: self.dialect.provider,
            reason: reason.to_owned(),
        }
    }

    /// Sends a request; every status but a redirect and a used-up budget is returned.
    pub(crate) async fn send(
        &self,
        call: Call,
        authorization: &Authorization,
    ) -> Result<Answer, ProviderError> {
        let mut url = self.url(&call)?;
        self.admit()?;
        self.pace(&call.method).await;
        for _ in 0..=REDIRECTS {
            let answer = self.send_once(&call, &url, authorization).await?;
            let Some(target) = redirect(&answer, &url) else {
                return self.within_budget(answer);
            };
            if call.method != Method::GET || !self.is_ours(&target) {
                return Err(self.moved(&target));
            }
            url = target;
        }
        Err(self.malformed("more than three redirects"))
    }

    fn admit(&self) -> Result<(), ProviderError> {
        let admitted = self
            .budget
            .admit(self.connection.priority, SystemTime::now());
        admitted.map_err(|budget| ProviderError::RateLimited {
            provider: self.dialect.provider,
            budget,
        })
    }

    /// Providers refuse bursts of calls that create something, whatever is left of the budget.
    async fn pace(&self, method: &Method) {
        if method == Method::GET || self.dialect.pause.is_zero() {
            return;
        }
        let mut created = self.created.lock().await;
        if let Some(last) = *created {
            tokio::time::sleep_until(last + self.dialect.pause).await;
        }
        *created = Some(Instant::now());
    }

    async fn send_once(
        &self,
        call: &Call,
        url: &Url,
        authorization: &Authorization,
    ) -> Result<Answer, ProviderError> {
        let unusable = |_| ProviderError::Unauthorized {
            provider: self.dialect.provider,
        };
        let mut value = HeaderValue::from_str(authorization.value.expose()).map_err(unusable)?;
        value.set_sensitive(true);
        let accept = call.accept.unwrap_or(self.dialect.accept);
        let mut request = self
            .client
            .request(call.method.clone(), url.clone())
            .header(USER_AGENT, AGENT)
            .header(ACCEPT, accept)
            .header(authorization.header, value);
        if let Some(body) = &call.body {
            request = request.json(body);
        }
        let lost = |error: reqwest::Error| self.lost(&error);
        let mut response = request.send().await.map_err(lost)?;
        let (status, headers) = (response.status(), response.headers().clone());
        let mut body = BytesMut::new();
        while let Some(chunk) = response.chunk().await.map_err(lost)? {
            if body.len() + chunk.len() > call.limit {
                let (what, limit) = (call.what(), call.limit);
                return Err(ProviderError::TooLarge { what, limit });
            }
            body.extend_from_slice(&chunk);
        }
        Ok(self.answer((status, headers), body.freeze(), authorization))
    }

    fn lost(&self, error: &reqwest::Error) -> ProviderError {
        let deepest = deepest(error);
        if deepest.is::<RefusedAddress>() {
            return ProviderError::InvalidUrl(REFUSED);
        }
        let reason = if error.is_timeout() {
            format!("no answer within {} s", CALL.as_secs())
        } else {
            deepest.to_string()
        };
        ProviderError::Unavailable {
            provider: self.dialect.provider,
            reason,
        }
    }

    fn answer(
        &self,
        (status, headers): (StatusCode, HeaderMap),
        body: Bytes,
        authorization: &Authorization,
    ) -> Answer {
        self.budget.observe(&headers, SystemTime::now());
        Answer {
            provider: self.dialect.provider,
            host: self.host(),
            status,
            headers,
            body,
            secret: Arc::clone(&authorization.secret),
        }
    }

    fn within_budget(&self, answer: Answer) -> Result<Answer, ProviderError> {
        if !answer.is_rate_limited() {
            return Ok(answer);
        }
        let budget = self.budget.exhaust(&answer.headers, SystemTime::now());
        Err(ProviderError::RateLimited {
            provider: self.dialect.provider,
            budget,
        })
    }

    fn url(&self, call: &Call) -> Result<Url, ProviderError> {
        let mut url = self.connection.url.0.clone();
        if let Some(Cursor(text)) = &call.cursor {
            let joined = url.join(text).ok().filter(|url| self.is_ours(url));
            return joined.ok_or_else(|| self.malformed("a next page on another host"));
        }
        for segment in &call.segments {
            // The URL type drops these, which would name something else.
            if segment.is_empty() || segment == "." || segment == ".." {
                return Err(InvalidName {
                    what: "path",
                    text: call.what(),
                    problem: "has an empty or relative segment",
                }
                .into());
            }
        }
        url.path_segments_mut()
            .map_err(|()| ProviderError::InvalidUrl("has no path"))?
            .pop_if_empty()
            .extend(&call.segments)
            .extend(call.is_folder.then_some(""));
        if !call.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&call.query);
        }
        Ok(url)
    }

    fn is_ours(&self, url: &Url) -> bool {
        url.origin() == self.connection.url.0.origin()
    }

    fn moved(&self, target: &Url) -> ProviderError {
        let mut target = target.clone();
        // A query may have a token of another service.
        target.set_query(None);
        target.set_fragment(None);
        ProviderError::Moved {
            provider: self.dialect.provider,
            to: target.to_string().chars().take(200).collect(),
        }
    }
}

fn redirect(answer: &Answer, url: &Url) -> Option<Url> {
    if !answer.status.is_redirection() {
        return None;
    }
    let location = answer.headers.get(LOCATION)?.to_str().ok()?;
    url.join(location).ok()
}

/// The deepest cause; the outer ones repeat the URL.
fn deepest(error: &reqwest::Error) -> &(dyn std::error::Error + 'static) {
    let mut deepest: &(dyn std::error::Error + 'static) = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest
}
