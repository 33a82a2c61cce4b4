//! Routes: the names that the far side may ask for, and where each leads. What is not here cannot
//! be reached.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use http::Uri;
use http::uri::{Authority, Scheme};

/// The name of a route: 1 to 63 of `a-z`, `0-9` and `-`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RouteName(String);

/// A name and the local HTTP/2 upstream that it leads to: `NAME=http://HOST:PORT`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    pub name: RouteName,
    pub upstream: Authority,
}

/// What is wrong with a route.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RouteError {
    #[error("a route is written NAME=http://HOST:PORT")]
    Form,
    #[error("'{0}' is not the name of a route: use 1 to 63 of a-z, 0-9 and '-'")]
    Name(String),
    #[error("'{0}' is not an upstream: use http://HOST:PORT, without a path")]
    Upstream(String),
    #[error("the route '{0}' is given twice")]
    Twice(RouteName),
    #[error("no route is given: without one nothing can be reached")]
    None,
}

impl FromStr for RouteName {
    type Err = RouteError;

    fn from_str(text: &str) -> Result<Self, RouteError> {
        let grammar = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if (1..=63).contains(&text.len()) && text.bytes().all(grammar) {
            return Ok(Self(text.to_owned()));
        }
        Err(RouteError::Name(text.chars().take(63).collect()))
    }
}

impl RouteName {
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RouteName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl FromStr for Route {
    type Err = RouteError;

    fn from_str(text: &str) -> Result<Self, RouteError> {
        let (name, upstream) = text.split_once('=').ok_or(RouteError::Form)?;
        Ok(Self {
            name: name.parse()?,
            upstream: parse_upstream(upstream)?,
        })
    }
}

fn parse_upstream(text: &str) -> Result<Authority, RouteError> {
    let invalid = || RouteError::Upstream(text.to_owned());
    let uri: Uri = text.parse().map_err(|_malformed| invalid())?;
    let bare = matches!(uri.path(), "" | "/") && uri.query().is_none();
    let authority = uri.authority().ok_or_else(invalid)?;
    let named = authority.port().is_some() && !authority.as_str().contains('@');
    if uri.scheme() == Some(&Scheme::HTTP) && bare && named {
        return Ok(authority.clone());
    }
    Err(invalid())
}

/// The whole of what can be reached. `U` is what a name leads to.
#[derive(Debug)]
pub(crate) struct Routes<U>(HashMap<String, U>);

impl<U> Routes<U> {
    pub(crate) fn new(routes: &[Route], open: impl Fn(&Route) -> U) -> Result<Self, RouteError> {
        let mut table = HashMap::with_capacity(routes.len());
        for route in routes {
            if table.insert(route.name.0.clone(), open(route)).is_some() {
                return Err(RouteError::Twice(route.name.clone()));
            }
        }
        if table.is_empty() {
            return Err(RouteError::None);
        }
        Ok(Self(table))
    }

    /// Exact match or nothing.
    pub(crate) fn find(&self, name: &str) -> Option<&U> {
        self.0.get(name)
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = self.0.keys().cloned().collect();
        names.sort_unstable();
        names
    }
}

#[cfg(test)]
mod tests;
