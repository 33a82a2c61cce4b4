//! Reads an open watch event by event.

use http::Method;
use serde_json::Value;

use super::{TIMEOUT, World};

/// Events of one watch, in their order.
pub(crate) struct Watching {
    response: reqwest::Response,
    rest: Vec<u8>,
}

impl World {
    /// Opens a watch; `watch=true` is added to the query of `path`.
    pub(crate) async fn watch(&self, path: &str) -> Watching {
        self.watch_as(path, "application/json").await
    }

    /// Opens a watch with this `Accept` header.
    pub(crate) async fn watch_as(&self, path: &str, accept: &str) -> Watching {
        let joint = if path.contains('?') { '&' } else { '?' };
        let request = self.request(Method::GET, &format!("{path}{joint}watch=true"));
        let response = request.header("accept", accept).open().await;
        assert_eq!(response.status(), 200, "{path}");
        Watching {
            response,
            rest: Vec::new(),
        }
    }
}

impl Watching {
    /// Returns the next event; nothing when the server ended the watch.
    pub(crate) async fn try_next(&mut self) -> Option<Value> {
        loop {
            if let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.rest.drain(..=end).collect();
                return Some(serde_json::from_slice(&line).unwrap());
            }
            let chunk = tokio::time::timeout(TIMEOUT, self.response.chunk());
            let chunk = chunk.await.expect("an event in time").unwrap()?;
            self.rest.extend_from_slice(&chunk);
        }
    }

    pub(crate) async fn next(&mut self) -> Value {
        self.try_next().await.expect("the watch goes on")
    }

    /// Returns the next event's type and object name.
    pub(crate) async fn named(&mut self) -> (String, String) {
        let event = self.next().await;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        (
            text(&event["type"]),
            text(&event["object"]["metadata"]["name"]),
        )
    }
}
