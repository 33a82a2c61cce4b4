//! What a provider answered, and which error that is.

use std::{sync::Arc, time::SystemTime};

use bytes::Bytes;
use reqwest::{
    StatusCode,
    header::{CONTENT_TYPE, DATE, HeaderMap, LINK},
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{ProviderError, Secret};

/// Letters of a provider's words that an error quotes.
const QUOTED: usize = 300;

/// An answer with its body.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) provider: &'static str,
    pub(crate) host: String,
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) secret: Arc<Secret>,
}

impl Answer {
    /// The answer itself where it is a success.
    pub(crate) fn check(self, what: &str) -> Result<Self, ProviderError> {
        let provider = self.provider;
        let status = self.status.as_u16();
        // Azure DevOps answers its sign-in page with this status to a token that is no good.
        if self.is_html() && status == 203 {
            return Err(ProviderError::Unauthorized { provider });
        }
        // A gateway answers HTML too, but is temporary.
        if self.is_html() && !self.status.is_server_error() {
            let host = self.host;
            return Err(ProviderError::Html { host, status });
        }
        match status {
            200..=299 => Ok(self),
            401 => Err(ProviderError::Unauthorized { provider }),
            403 => Err(ProviderError::Forbidden {
                provider,
                reason: self.reason(),
            }),
            404 => Err(ProviderError::NotFound {
                what: what.to_owned(),
            }),
            500.. => Err(ProviderError::Unavailable {
                provider,
                reason: status.to_string(),
            }),
            _ => Err(ProviderError::Refused {
                provider,
                status,
                reason: self.reason(),
            }),
        }
    }

    /// The content of a file, of whatever type.
    pub(crate) fn into_file(self, path: &str) -> Result<Bytes, ProviderError> {
        if self.status.is_success() {
            return Ok(self.body);
        }
        self.check(path).map(|answer| answer.body)
    }

    /// Parses the body. What does not parse is not shown: it may hold secrets.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, ProviderError> {
        if self.is_html() {
            return Err(ProviderError::Html {
                host: self.host.clone(),
                status: self.status.as_u16(),
            });
        }
        serde_json::from_slice(&self.body).map_err(|error| ProviderError::Malformed {
            provider: self.provider,
            reason: format!(
                "no JSON of the expected form at line {}, column {}",
                error.line(),
                error.column()
            ),
        })
    }

    /// The provider's words in one line, without the credential.
    pub(crate) fn reason(&self) -> String {
        let body: Value = serde_json::from_slice(&self.body).unwrap_or_default();
        let words = words(&body).unwrap_or_else(|| "no reason given".to_owned());
        let words = self.secret.scrub(&words);
        let is_odd = |c: char| c.is_control();
        let words: String = words
            .chars()
            .map(|c| if is_odd(c) { ' ' } else { c })
            .collect();
        words.trim().chars().take(QUOTED).collect()
    }

    pub(crate) fn is_rate_limited(&self) -> bool {
        let is_out = |name| {
            self.headers
                .get(name)
                .is_some_and(|value| value.as_bytes() == b"0")
        };
        let refused = self.status == StatusCode::FORBIDDEN;
        self.status == StatusCode::TOO_MANY_REQUESTS
            || (refused
                && (is_out("x-ratelimit-remaining") || self.headers.contains_key("retry-after")))
    }

    /// Target of the link with relation `next`.
    pub(crate) fn next_link(&self) -> Option<String> {
        let links = self.headers.get_all(LINK).iter();
        let links = links.filter_map(|value| value.to_str().ok());
        links.flat_map(|value| value.split(',')).find_map(|link| {
            let (target, parameters) = link.split_once(';')?;
            let is_next = parameters
                .split(';')
                .any(|each| matches!(each.trim(), "rel=\"next\"" | "rel=next"));
            let target = target.trim().strip_prefix('<')?.strip_suffix('>')?;
            is_next.then(|| target.to_owned())
        })
    }

    /// Seconds that this machine's clock is ahead of the provider's.
    pub(crate) fn clock_skew(&self) -> Option<i64> {
        let text = self.headers.get(DATE)?.to_str().ok()?;
        let theirs = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
        let ours = jiff::Timestamp::try_from(SystemTime::now()).ok()?;
        Some(ours.as_second() - theirs.as_second())
    }

    fn is_html(&self) -> bool {
        let kind = self.headers.get(CONTENT_TYPE);
        let kind = kind.and_then(|value| value.to_str().ok());
        kind.is_some_and(|kind| kind.starts_with("text/html"))
    }
}

/// Where the providers put their reason.
fn words(body: &Value) -> Option<String> {
    let errors = &body["errors"];
    let message = [
        &body["message"],
        &body["error"]["message"],
        &body["error_description"],
        &body["error"],
    ];
    let message = message.into_iter().find_map(text);
    let first = errors.as_array().and_then(|list| {
        let mut found = list
            .iter()
            .map(|error| text(&error["message"]).or(text(error)));
        found.find_map(|words| words)
    });
    let details = first.or_else(|| text(errors));
    match (message, details) {
        (Some(message), Some(details)) if !message.contains(&details) => {
            Some(format!("{message}: {details}"))
        }
        (message, details) => message.or(details),
    }
}

/// A text, also where it is a list of texts or fields with texts.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(list) => {
            let texts: Vec<_> = list.iter().filter_map(text).collect();
            (!texts.is_empty()).then(|| texts.join(", "))
        }
        Value::Object(fields) => {
            let pair = |(name, value): (&String, &Value)| Some(format!("{name} {}", text(value)?));
            let texts: Vec<_> = fields.iter().filter_map(pair).collect();
            (!texts.is_empty()).then(|| texts.join(", "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}
