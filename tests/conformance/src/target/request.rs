//! Raw requests and responses, as any client would see them.

use http::Method;
use serde_json::Value;

use super::World;

/// Builder of a request.
pub(crate) struct Request<'a> {
    world: &'a World,
    method: Method,
    path: String,
    token: Option<&'a str>,
    headers: Vec<(&'static str, String)>,
    body: Option<String>,
}

/// A response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: http::HeaderMap,
    /// null unless the body is JSON
    pub(crate) body: Value,
    pub(crate) text: String,
}

impl World {
    /// `path` may carry a query.
    pub(crate) fn request(&self, method: Method, path: &str) -> Request<'_> {
        Request {
            world: self,
            method,
            path: path.to_owned(),
            token: Some(&self.token),
            headers: Vec::new(),
            body: None,
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.request(Method::GET, path).send().await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.request(Method::POST, path).json(body).send().await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> Answer {
        self.request(Method::PUT, path).json(body).send().await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.request(Method::DELETE, path).send().await
    }

    /// Sends a JSON merge patch.
    pub(crate) async fn merge(&self, path: &str, change: &Value) -> Answer {
        self.patch(path, "application/merge-patch+json", change)
            .await
    }

    pub(crate) async fn patch(&self, path: &str, kind: &str, change: &Value) -> Answer {
        let request = self.request(Method::PATCH, path).json(change);
        request.header("content-type", kind).send().await
    }

    /// Creates an object and returns it as stored.
    pub(crate) async fn create(&self, path: &str, object: &Value) -> Value {
        let answer = self.post(path, object).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
        answer.body
    }
}

impl<'a> Request<'a> {
    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.retain(|(known, _)| *known != name);
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        self.body(body.to_string())
            .header("content-type", "application/json")
    }

    pub(crate) fn body(mut self, body: impl Into<String>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// Replaces the token; none makes the request anonymous.
    pub(crate) fn token(mut self, token: Option<&'a str>) -> Self {
        self.token = token;
        self
    }

    pub(crate) async fn send(self) -> Answer {
        let response = self.open().await;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await.unwrap();
        let body = serde_json::from_str(&text).unwrap_or_default();
        Answer {
            status,
            headers,
            body,
            text,
        }
    }

    pub(super) async fn open(self) -> reqwest::Response {
        let url = format!("{}{}", self.world.server, self.path);
        let mut request = self.world.http.request(self.method, url);
        for (name, value) in self.headers {
            request = request.header(name, value);
        }
        if let Some(token) = self.token {
            request = request.bearer_auth(token);
        }
        if let Some(body) = self.body {
            request = request.body(body);
        }
        request.send().await.unwrap()
    }
}

impl Answer {
    /// Returns the body; panics unless the request succeeded.
    pub(crate) fn ok(self) -> Value {
        assert!(
            (200..300).contains(&self.status),
            "{}: {}",
            self.status,
            self.text
        );
        self.body
    }

    /// Asserts the refusal: an object of kind `Status` with this code and reason. Returns the object.
    pub(crate) fn refused(self, code: u16, reason: &str) -> Value {
        assert_eq!(self.status, code, "{}", self.text);
        assert_refusal(&self.body, code, reason);
        self.body
    }
}

/// Asserts that an object is a failure `Status` with this code and reason.
pub(crate) fn assert_refusal(status: &Value, code: u16, reason: &str) {
    assert_eq!(status["kind"], "Status", "{status}");
    assert_eq!(status["apiVersion"], "v1", "{status}");
    assert_eq!(status["status"], "Failure", "{status}");
    assert_eq!(status["code"], code, "{status}");
    assert_eq!(status["reason"], reason, "{status}");
    assert!(status["metadata"].is_object(), "{status}");
}
