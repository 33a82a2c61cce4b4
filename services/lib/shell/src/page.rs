//! Pages of lists: how many rows one has, and the token that says where the next one begins. A token holds the key of the last row
//! that its caller was told of, and a digest of who asked for what, so that it is of no use to others or for another list. It is no
//! secret and opens nothing: rows behind it are chosen as ever, and one that somebody made up skips rows of their own.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use causeway_proto::{error::v1::Reason, list::ListRequest};
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest as _, Sha256};
use tonic::{Code, Status};

use crate::{Caller, status::status};

/// Longer tokens are of nobody.
const LONGEST: usize = 4096;
const DIGEST_BYTES: usize = 16;

/// What is told of a question.
pub type Digest = [u8; DIGEST_BYTES];

/// How many rows the pages of a list have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageSizes {
    /// Where the caller leaves it open.
    pub usual: u32,
    /// At most, whatever the caller asks for.
    pub largest: u32,
}

/// The page that a caller asks for, of rows in the order of their keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<K> {
    size: u32,
    behind: Option<K>,
    question: Digest,
}

/// A token that was not made for this caller and this list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "page_token: was made for another caller or another question: leave it empty for the first page"
)]
pub struct InvalidPageToken;

impl PageSizes {
    /// Pages as large as they may be, unless the caller asks for less.
    #[must_use]
    pub const fn fixed(largest: u32) -> Self {
        let usual = largest;
        Self { usual, largest }
    }

    fn of(self, asked: u32) -> u32 {
        match asked {
            0 => self.usual,
            asked => asked.min(self.largest),
        }
    }
}

impl<K: Serialize + DeserializeOwned> Page<K> {
    /// The page that somebody asks for.
    pub fn from_request<R: ListRequest>(
        request: &R,
        caller: &Caller,
        sizes: PageSizes,
    ) -> Result<Self, InvalidPageToken> {
        let question = question(request, caller);
        Ok(Self {
            size: sizes.of(request.page_size()),
            behind: behind(request.page_token(), &question)?,
            question,
        })
    }

    /// The key of the last row of the page before; none for the first page.
    pub fn after(&self) -> Option<&K> {
        self.behind.as_ref()
    }

    /// How many rows it has at most.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// How many rows to look for: one more than the page has, to know whether there is another one.
    pub fn fetch_limit(&self) -> u32 {
        self.size.saturating_add(1)
    }

    /// The rows of the page, of as many as were found behind the page before, and the token of the next page, which is empty where there is
    /// none.
    pub fn split_page<T>(&self, mut found: Vec<T>, key: impl Fn(&T) -> K) -> (Vec<T>, String) {
        let size = self.size as usize;
        let more = found.len() > size;
        found.truncate(size);
        let last = found.last().filter(|_| more);
        let token = last.map(|last| self.token_after(&key(last)));
        (found, token.unwrap_or_default())
    }

    /// The same of all rows there are, in the order of their keys.
    pub fn paginate<T>(
        &self,
        all: impl IntoIterator<Item = T>,
        key: impl Fn(&T) -> K,
    ) -> (Vec<T>, String)
    where
        K: Ord,
    {
        let behind = |row: &T| self.behind.as_ref().is_none_or(|last| key(row) > *last);
        let found = all.into_iter().filter(behind);
        let found = found.take(self.fetch_limit() as usize).collect();
        self.split_page(found, key)
    }

    /// The token of the page behind a key.
    pub fn token_after(&self, last: &K) -> String {
        let key = serde_json::json!(last).to_string();
        URL_SAFE_NO_PAD.encode([&self.question[..], key.as_bytes()].concat())
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

fn behind<K: DeserializeOwned>(
    token: &str,
    question: &Digest,
) -> Result<Option<K>, InvalidPageToken> {
    if token.is_empty() {
        return Ok(None);
    }
    if token.len() > LONGEST {
        return Err(InvalidPageToken);
    }
    let token = URL_SAFE_NO_PAD
        .decode(token)
        .map_err(|_| InvalidPageToken)?;
    let key = token.strip_prefix(&question[..]).ok_or(InvalidPageToken)?;
    let key = serde_json::from_slice(key).map_err(|_| InvalidPageToken)?;
    Ok(Some(key))
}

/// Who asks for what, whichever page of it. No text is part of the next one.
pub fn question<R: ListRequest>(request: &R, caller: &Caller) -> Digest {
    let subject = caller.subject.to_string();
    let mut hash = Sha256::new();
    for text in [caller.account.as_str(), &subject, R::NAME] {
        hash.update(text.as_bytes());
        hash.update([0]);
    }
    hash.update(request.question());
    let digest: [u8; 32] = hash.finalize().into();
    *digest.first_chunk().expect("it is longer")
}

#[cfg(test)]
mod tests;
