//! The contract as OpenAPI, as anyone may read it: made once, when it is first asked for.

use std::sync::OnceLock;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use http_body_util::Full;
use tonic::body::Body;

use super::{Router, json};
use crate::openapi;

pub(super) const JSON: &str = "/openapi.json";
pub(super) const YAML: &str = "/openapi.yaml";

/// What was made so far.
#[derive(Default)]
pub(crate) struct Documents {
    json: OnceLock<Document>,
    yaml: OnceLock<Document>,
}

struct Document {
    text: Bytes,
    tag: String,
}

impl Document {
    fn new(text: String) -> Self {
        let tag = json::tag("", text.as_bytes());
        let text = text.into();
        Self { text, tag }
    }

    fn answer(&self, headers: &HeaderMap, kind: &'static str) -> Response<Body> {
        let (status, text) = if json::holds(headers, &self.tag) {
            (StatusCode::NOT_MODIFIED, Bytes::new())
        } else {
            (StatusCode::OK, self.text.clone())
        };
        let mut response = json::respond(status, kind, Full::new(text));
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.extend(HeaderValue::try_from(&self.tag).map(|tag| (header::ETAG, tag)));
        response
    }
}

/// The document in JSON.
pub(super) fn json(router: &Router, headers: &HeaderMap) -> Response<Body> {
    let made = router.documents.json.get_or_init(|| {
        let document = openapi::document(&router.table, router.version);
        Document::new(document.to_string())
    });
    made.answer(headers, "application/json")
}

/// The same in YAML.
pub(super) fn yaml(router: &Router, headers: &HeaderMap) -> Response<Body> {
    let made = router.documents.yaml.get_or_init(|| {
        let document = openapi::document(&router.table, router.version);
        let text = serde_saphyr::to_string(&document);
        Document::new(text.expect("what is JSON can be written as YAML"))
    });
    made.answer(headers, "application/yaml")
}
