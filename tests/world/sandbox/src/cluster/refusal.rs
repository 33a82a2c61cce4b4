//! Error responses: a Kubernetes `Status`.

use serde_json::{Value, json};

/// The machine-readable half of a refusal, with Kubernetes' own names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    BadRequest,
    Unauthorized,
    Forbidden,
    NotFound,
    AlreadyExists,
    Conflict,
    Invalid,
    Expired,
    MethodNotAllowed,
    NotAcceptable,
    UnsupportedMediaType,
    RequestEntityTooLarge,
    TooManyRequests,
    Timeout,
    InternalError,
    /// an error without a reason, which Kubernetes has too
    Unknown,
    ServiceUnavailable,
    /// no `Status` at all: nothing is served there
    NoSuchPage,
}

impl Reason {
    pub(crate) fn code(self) -> u16 {
        match self {
            Self::BadRequest => 400,
            Self::Unauthorized => 401,
            Self::Forbidden => 403,
            Self::NotFound | Self::NoSuchPage => 404,
            Self::MethodNotAllowed => 405,
            Self::NotAcceptable => 406,
            Self::AlreadyExists | Self::Conflict => 409,
            Self::Expired => 410,
            Self::RequestEntityTooLarge => 413,
            Self::UnsupportedMediaType => 415,
            Self::Invalid => 422,
            Self::TooManyRequests => 429,
            Self::InternalError | Self::Unknown => 500,
            Self::ServiceUnavailable => 503,
            Self::Timeout => 504,
        }
    }

    fn from_code(code: u16) -> Self {
        match code {
            401 => Self::Unauthorized,
            403 => Self::Forbidden,
            404 => Self::NotFound,
            409 => Self::Conflict,
            410 => Self::Expired,
            413 => Self::RequestEntityTooLarge,
            422 => Self::Invalid,
            429 => Self::TooManyRequests,
            503 => Self::ServiceUnavailable,
            504 => Self::Timeout,
            400..=499 => Self::BadRequest,
            _ => Self::InternalError,
        }
    }
}

/// One refusal: code and reason, a sentence, and Kubernetes' `details` (an object or null).
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Refusal {
    pub(crate) code: u16,
    pub(crate) reason: Reason,
    pub(crate) message: String,
    pub(crate) details: Value,
}

impl Refusal {
    pub(crate) fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self {
            code: reason.code(),
            reason,
            message: message.into(),
            details: Value::Null,
        }
    }

    pub(crate) fn with_details(mut self, details: Value) -> Self {
        self.details = details;
        self
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(Reason::BadRequest, message)
    }

    pub(crate) fn injected(code: u16) -> Self {
        Self {
            code,
            ..Self::new(Reason::from_code(code), "refused by an injected fault")
        }
    }

    pub(crate) fn throttled(retry_after_seconds: u64) -> Self {
        Self::new(
            Reason::TooManyRequests,
            "too many requests, try again later",
        )
        .with_details(json!({ "retryAfterSeconds": retry_after_seconds }))
    }

    pub(crate) fn not_found(resource: &str, name: &str) -> Self {
        Self::new(Reason::NotFound, format!("{resource} \"{name}\" not found"))
            .with_details(about(resource, name))
    }

    pub(crate) fn unknown_path() -> Self {
        Self::new(
            Reason::NotFound,
            "the server could not find the requested resource",
        )
        .with_details(json!({}))
    }

    pub(crate) fn no_such_page() -> Self {
        Self::new(Reason::NoSuchPage, "404 page not found")
    }

    pub(crate) fn already_exists(resource: &str, name: &str) -> Self {
        Self::new(
            Reason::AlreadyExists,
            format!("{resource} \"{name}\" already exists"),
        )
        .with_details(about(resource, name))
    }

    pub(crate) fn conflict(resource: &str, name: &str, why: &str) -> Self {
        Self::new(
            Reason::Conflict,
            format!("Operation cannot be fulfilled on {resource} \"{name}\": {why}"),
        )
        .with_details(about(resource, name))
    }

    pub(crate) fn stale(resource: &str, name: &str) -> Self {
        Self::conflict(
            resource,
            name,
            "the object has been modified; please apply your changes to the latest version and try again",
        )
    }

    pub(crate) fn forbidden(resource: &str, name: &str, why: &str) -> Self {
        Self::new(
            Reason::Forbidden,
            format!("{resource} \"{name}\" is forbidden: {why}"),
        )
        .with_details(about(resource, name))
    }

    /// `causes` are pairs of a field path and what is wrong with it, which begins with the kind of wrong: "Required value".
    pub(crate) fn invalid(
        group: &str,
        kind: &str,
        name: &str,
        causes: &[(String, String)],
    ) -> Self {
        let text: Vec<String> = causes
            .iter()
            .map(|(field, why)| format!("{field}: {why}"))
            .collect();
        let text = match text.as_slice() {
            [one] => one.clone(),
            several => format!("[{}]", several.join(", ")),
        };
        let list: Vec<Value> = causes
            .iter()
            .map(|(field, why)| json!({ "reason": reason_of(why), "message": why, "field": field }))
            .collect();
        let mut details = json!({ "kind": kind, "causes": list });
        for (field, value) in [("name", name), ("group", group)] {
            if !value.is_empty() {
                details[field] = value.into();
            }
        }
        let dot = if group.is_empty() { "" } else { "." };
        let why = format!("{kind}{dot}{group} \"{name}\" is invalid: {text}");
        Self::new(Reason::Invalid, why).with_details(details)
    }

    /// A parameter of the request that does not go with the others.
    pub(crate) fn invalid_option(kind: &str, field: &str, why: &str) -> Self {
        let cause = (field.to_owned(), why.to_owned());
        Self::invalid("meta.k8s.io", kind, "", &[cause])
    }

    pub(crate) fn expired(asked: u64, oldest: u64) -> Self {
        Self::new(
            Reason::Expired,
            format!("too old resource version: {asked} ({oldest})"),
        )
    }

    pub(crate) fn not_allowed() -> Self {
        Self::new(
            Reason::MethodNotAllowed,
            "the server does not allow this method on the requested resource",
        )
        .with_details(json!({}))
    }

    pub(crate) fn retry_after_seconds(&self) -> Option<u64> {
        self.details
            .get("retryAfterSeconds")
            .and_then(Value::as_u64)
    }

    /// The `Status` object that clients read.
    pub(crate) fn to_status(&self) -> Value {
        let mut status = json!({
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "code": self.code,
        });
        if self.reason != Reason::Unknown {
            status["reason"] = format!("{:?}", self.reason).into();
        }
        if !self.details.is_null() {
            status["details"] = self.details.clone();
        }
        status
    }
}

/// The machine-readable name of what the text of a cause begins with.
fn reason_of(why: &str) -> &'static str {
    let is_type = why.starts_with("Invalid value") && why.contains("in body must be of type");
    match why.split(':').next().unwrap_or_default() {
        "Required value" => "FieldValueRequired",
        "Unsupported value" => "FieldValueNotSupported",
        "Forbidden" => "FieldValueForbidden",
        _ if is_type => "FieldValueTypeInvalid",
        _ => "FieldValueInvalid",
    }
}

fn about(resource: &str, name: &str) -> Value {
    let (plural, group) = resource.split_once('.').unwrap_or((resource, ""));
    match group {
        "" => json!({ "name": name, "kind": plural }),
        group => json!({ "name": name, "group": group, "kind": plural }),
    }
}
