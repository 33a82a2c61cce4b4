//! Keyset pagination: page sizes and page tokens.
//!
//! A token holds the sort key of the last row and a digest of caller and query, so it is rejected for other callers and queries.
//! It needs no secrecy: filters and scope are evaluated again for each page.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use causeway_proto::{error::v1::Reason, list::ListRequest};
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest as _, Sha256};
use tonic::{Code, Status};

use crate::{Caller, status::status};

/// Maximum length of a token.
const MAX_TOKEN_BYTES: usize = 4096;
const DIGEST_BYTES: usize = 16;

/// Digest of caller and query.
pub type Digest = [u8; DIGEST_BYTES];

/// Page sizes of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageSizes {
    /// Used if the request has no page size.
    pub default: u32,
    /// Upper bound of requested page sizes.
    pub max: u32,
}

/// Requested page of rows that are sorted by key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<K> {
    size: u32,
    after: Option<K>,
    query: Digest,
}

/// Token of another caller or another query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "page_token: was made for another caller or another query: leave it empty for the first page"
)]
pub struct InvalidPageToken;

impl PageSizes {
    /// Uses the maximum page size by default.
    #[must_use]
    pub const fn fixed(max: u32) -> Self {
        Self { default: max, max }
    }

    fn resolve(self, requested: u32) -> u32 {
        match requested {
            0 => self.default,
            requested => requested.min(self.max),
        }
    }
}

impl<K: Serialize + DeserializeOwned> Page<K> {
    /// Parses page size and token of a request.
    pub fn from_request<R: ListRequest>(
        request: &R,
        caller: &Caller,
        sizes: PageSizes,
    ) -> Result<Self, InvalidPageToken> {
        let query = digest(request, caller);
        Ok(Self {
            size: sizes.resolve(request.page_size()),
            after: parse_token(request.page_token(), &query)?,
            query,
        })
    }

    /// Returns the key of the last row of the previous page; none for the first page.
    pub fn after(&self) -> Option<&K> {
        self.after.as_ref()
    }

    /// Returns the maximum number of rows.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Returns the number of rows to fetch: one more than the page size, to detect a next page.
    pub fn fetch_limit(&self) -> u32 {
        self.size.saturating_add(1)
    }

    /// Splits fetched rows into this page and the token of the next page, which is empty on the last page.
    pub fn split_page<T>(&self, mut rows: Vec<T>, key: impl Fn(&T) -> K) -> (Vec<T>, String) {
        let size = self.size as usize;
        let has_more = rows.len() > size;
        rows.truncate(size);
        let last = rows.last().filter(|_| has_more);
        let token = last.map(|last| self.token_after(&key(last)));
        (rows, token.unwrap_or_default())
    }

    /// Paginates a complete, sorted list in memory.
    pub fn paginate<T>(
        &self,
        rows: impl IntoIterator<Item = T>,
        key: impl Fn(&T) -> K,
    ) -> (Vec<T>, String)
    where
        K: Ord,
    {
        let is_after = |row: &T| self.after.as_ref().is_none_or(|last| key(row) > *last);
        let rows = rows.into_iter().filter(is_after);
        let rows = rows.take(self.fetch_limit() as usize).collect();
        self.split_page(rows, key)
    }

    /// Returns the token of the page that starts after `last`.
    pub fn token_after(&self, last: &K) -> String {
        let key = serde_json::json!(last).to_string();
        URL_SAFE_NO_PAD.encode([&self.query[..], key.as_bytes()].concat())
    }
}

impl From<InvalidPageToken> for Status {
    fn from(error: InvalidPageToken) -> Self {
        status(
            Code::InvalidArgument,
            Reason::FieldInvalid,
            error.to_string(),
        )
    }
}

fn parse_token<K: DeserializeOwned>(
    token: &str,
    query: &Digest,
) -> Result<Option<K>, InvalidPageToken> {
    if token.is_empty() {
        return Ok(None);
    }
    if token.len() > MAX_TOKEN_BYTES {
        return Err(InvalidPageToken);
    }
    let token = URL_SAFE_NO_PAD
        .decode(token)
        .map_err(|_| InvalidPageToken)?;
    let key = token.strip_prefix(&query[..]).ok_or(InvalidPageToken)?;
    let key = serde_json::from_slice(key).map_err(|_| InvalidPageToken)?;
    Ok(Some(key))
}

/// Hashes caller and query without the page. A zero byte after each text prevents collisions of concatenated texts.
pub fn digest<R: ListRequest>(request: &R, caller: &Caller) -> Digest {
    let subject = caller.subject.to_string();
    let mut hash = Sha256::new();
    for text in [caller.account.as_str(), &subject, R::NAME] {
        hash.update(text.as_bytes());
        hash.update([0]);
    }
    hash.update(request.query());
    let digest: [u8; 32] = hash.finalize().into();
    *digest.first_chunk().expect("SHA-256 is longer")
}

#[cfg(test)]
mod tests;
