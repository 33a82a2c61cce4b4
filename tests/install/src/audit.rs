//! What the API server wrote down of requests, and what it refused.

use std::{fs, path::Path};

use serde::Deserialize;

use crate::grant::Grant;

const FORBIDDEN: u16 = 403;

/// One request that was answered.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Event {
    verb: String,
    user: User,
    #[serde(rename = "requestURI")]
    uri: String,
    object_ref: Option<Object>,
    response_status: Option<Answer>,
}

#[derive(Clone, Debug, Deserialize)]
struct User {
    username: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Object {
    resource: Option<String>,
    subresource: Option<String>,
    namespace: Option<String>,
    name: Option<String>,
    #[serde(default)]
    api_group: String,
}

#[derive(Clone, Debug, Deserialize)]
struct Answer {
    code: Option<u16>,
}

/// All events so far. A line that is being written is left to the next look.
pub(crate) fn read(log: &Path) -> Vec<Event> {
    // Without a request there is no file yet.
    let text = fs::read_to_string(log).unwrap_or_default();
    parse(&text)
}

pub(crate) fn parse(text: &str) -> Vec<Event> {
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let lines = whole.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// What was asked for and not allowed, each once.
pub(crate) fn refused(events: &[Event]) -> Vec<String> {
    let refused = events
        .iter()
        .filter(|event| event.code() == Some(FORBIDDEN));
    let mut shown: Vec<_> = refused.map(Event::shown).collect();
    shown.sort();
    shown.dedup();
    shown
}

impl Event {
    /// Whether it was allowed by this grant, perhaps beside others.
    pub(crate) fn uses(&self, grant: &Grant) -> bool {
        let Some(object) = &self.object_ref else {
            return false;
        };
        self.code() != Some(FORBIDDEN)
            && self.user.username == grant.account
            && self.verb == grant.verb
            && object.api_group == grant.group
            && object.kind() == grant.resource
            && is_within(grant.namespace.as_ref(), object.namespace.as_ref())
            && is_within(grant.name.as_ref(), object.name.as_ref())
    }

    fn code(&self) -> Option<u16> {
        self.response_status.as_ref()?.code
    }

    fn shown(&self) -> String {
        format!("{} may not {} {}", self.user.username, self.verb, self.uri)
    }
}

impl Object {
    fn kind(&self) -> String {
        let resource = self.resource.as_deref().unwrap_or_default();
        match &self.subresource {
            Some(subresource) => format!("{resource}/{subresource}"),
            None => resource.to_owned(),
        }
    }
}

fn is_within(granted: Option<&String>, asked: Option<&String>) -> bool {
    granted.is_none_or(|granted| asked == Some(granted))
}

#[cfg(test)]
mod tests;
