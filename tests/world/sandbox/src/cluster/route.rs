//! Parses path, query and accepted format of a request.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use serde_json::json;

use super::{
    log::LogRequest,
    refusal::{Reason, Refusal},
    selector::Selector,
};

/// A path of the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    Version,
    Health,
    CoreVersions,
    Groups,
    Group(String),
    Resources { group: String, version: String },
    OpenApi,
    OpenApiOf(String),
    Object(ObjectPath),
}

/// A path below a group and version. Empty texts are absent parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ObjectPath {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) namespace: String,
    pub(crate) plural: String,
    pub(crate) name: String,
    pub(crate) subresource: String,
}

impl Route {
    pub(crate) fn parse(path: &str) -> Option<Self> {
        let parts: Option<Vec<String>> = path
            .split('/')
            .filter(|part| !part.is_empty())
            .map(decode)
            .collect();
        let parts = parts?;
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        match parts.as_slice() {
            ["version"] => Some(Self::Version),
            ["healthz" | "livez" | "readyz", ..] => Some(Self::Health),
            ["api"] => Some(Self::CoreVersions),
            ["apis"] => Some(Self::Groups),
            ["openapi", "v3"] => Some(Self::OpenApi),
            ["openapi", "v3", rest @ ..] => Some(Self::OpenApiOf(rest.join("/"))),
            ["api", version] => Some(Self::Resources {
                group: String::new(),
                version: (*version).to_owned(),
            }),
            ["apis", group] => Some(Self::Group((*group).to_owned())),
            ["apis", group, version] => Some(Self::Resources {
                group: (*group).to_owned(),
                version: (*version).to_owned(),
            }),
            ["api", version, rest @ ..] => object("", version, rest),
            ["apis", group, version, rest @ ..] => object(group, version, rest),
            _ => None,
        }
    }
}

fn decode(part: &str) -> Option<String> {
    percent_decode_str(part)
        .decode_utf8()
        .ok()
        .map(Cow::into_owned)
}

fn object(group: &str, version: &str, rest: &[&str]) -> Option<Route> {
    let (namespace, rest) = match rest {
        ["namespaces", _, "status" | "finalize"] => ("", rest),
        ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (*namespace, rest),
        _ => ("", rest),
    };
    let (plural, name, subresource) = match rest {
        [plural] => (plural, "", ""),
        [plural, name] => (plural, *name, ""),
        [plural, name, subresource] => (plural, *name, *subresource),
        _ => return None,
    };
    Some(Route::Object(ObjectPath {
        group: group.to_owned(),
        version: version.to_owned(),
        namespace: namespace.to_owned(),
        plural: (*plural).to_owned(),
        name: name.to_owned(),
        subresource: subresource.to_owned(),
    }))
}

/// The query of a request. Unknown parameters are ignored, as a real server does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query {
    pub(crate) selector: Selector,
    pub(crate) resource_version: String,
    pub(crate) version_match: String,
    /// 0 is everything
    pub(crate) limit: usize,
    pub(crate) continue_token: String,
    pub(crate) watch: bool,
    pub(crate) bookmarks: bool,
    pub(crate) timeout_seconds: Option<u64>,
    pub(crate) field_manager: String,
    pub(crate) force: bool,
    pub(crate) propagation: String,
    pub(crate) include: String,
    pub(crate) log: LogRequest,
}

impl Query {
    /// # Errors
    /// `BadRequest` for a selector or number that cannot be read.
    pub(crate) fn parse(text: &str) -> Result<Self, Refusal> {
        let mut query = Self::default();
        let (mut labels, mut fields) = (String::new(), String::new());
        for (key, value) in form_urlencoded::parse(text.as_bytes()) {
            let value = value.into_owned();
            match &*key {
                "labelSelector" => labels = value,
                "fieldSelector" => fields = value,
                "resourceVersion" => query.resource_version = value,
                "resourceVersionMatch" => query.version_match = value,
                "limit" => query.limit = usize::try_from(number::<i64>(&key, &value)?).unwrap_or(0),
                "continue" => query.continue_token = value,
                "watch" => query.watch = is_true(&value),
                "allowWatchBookmarks" => query.bookmarks = is_true(&value),
                // Clients list first where a server answers so.
                "sendInitialEvents" => {
                    let why = "Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled";
                    return Err(Refusal::invalid_option("ListOptions", &key, why));
                }
                "timeoutSeconds" => query.timeout_seconds = Some(number(&key, &value)?),
                "fieldManager" => query.field_manager = value,
                "force" => query.force = is_true(&value),
                "dryRun" => {
                    let why = "the sandbox has no dry runs: leave out dryRun";
                    return Err(Refusal::bad_request(why));
                }
                "propagationPolicy" => query.propagation = value,
                "includeObject" => query.include = value,
                _ => query.log.read(&key, value)?,
            }
        }
        query.selector = Selector::parse(&labels, &fields)?;
        Ok(query)
    }

    /// The revision asked for; 0 when none is.
    ///
    /// # Errors
    /// Without a reason, as Kubernetes has it of a get and of a watch.
    pub(crate) fn revision(&self) -> Result<u64, Refusal> {
        let text = self.resource_version.as_str();
        let unreadable = || {
            Refusal::new(
                Reason::Unknown,
                format!(
                    "resourceVersion: Invalid value: {text:?}: strconv.ParseUint: parsing {text:?}: invalid syntax"
                ),
            )
        };
        match text {
            "" => Ok(0),
            number => number.parse().map_err(|_| unreadable()),
        }
    }
}

pub(crate) fn is_true(value: &str) -> bool {
    matches!(value, "" | "1" | "true" | "True")
}

pub(super) fn number<T: std::str::FromStr>(key: &str, value: &str) -> Result<T, Refusal> {
    value.parse().map_err(|_| {
        Refusal::bad_request(format!("invalid value {value:?} of the parameter {key}"))
    })
}

/// Format of objects in a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Json,
    Table(Include),
    /// Metadata alone: parts read owners so.
    Metadata,
}

/// Part of the object in a table row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Include {
    Nothing,
    Metadata,
    Object,
}

impl Format {
    /// The first entry of `Accept` that this server can write.
    ///
    /// # Errors
    /// `NotAcceptable` when there is none.
    pub(crate) fn negotiate(accept: &str, include: &str) -> Result<Self, Refusal> {
        if accept.trim().is_empty() {
            return Ok(Self::Json);
        }
        let include = match include {
            "None" => Include::Nothing,
            "Object" => Include::Object,
            _ => Include::Metadata,
        };
        accept
            .split(',')
            .find_map(|entry| read_entry(entry, include))
            .ok_or_else(|| {
                let why = "406: Not Acceptable\n\nAvailable representations: application/json";
                Refusal::new(Reason::NotAcceptable, why).with_details(json!({}))
            })
    }

    /// Cache slot of lines in this format, if watchers share them.
    pub(crate) fn slot(self) -> Option<usize> {
        match self {
            Self::Json => Some(0),
            Self::Table(Include::Metadata) => Some(1),
            Self::Table(Include::Nothing | Include::Object) | Self::Metadata => None,
        }
    }
}

fn read_entry(entry: &str, include: Include) -> Option<Format> {
    let mut parts = entry.split(';').map(str::trim);
    if !matches!(parts.next()?, "application/json" | "*/*") {
        return None;
    }
    match parts.find_map(|part| part.strip_prefix("as=")) {
        Some("Table") => Some(Format::Table(include)),
        Some("PartialObjectMetadata" | "PartialObjectMetadataList") => Some(Format::Metadata),
        Some(_) => None,
        None => Some(Format::Json),
    }
}

#[cfg(test)]
mod tests;
