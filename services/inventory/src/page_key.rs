//! Sealed page tokens and cursors.
//!
//! A token names the last scanned row, which its caller may not see. So it is encrypted for its caller and query with a key that
//! the replicas of a store share: callers can neither read nor forge one. So are the cursors of watches, for their caller.

use std::sync::Arc;

use aws_lc_rs::aead::{AES_256_GCM_SIV, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use causeway_proto::list::ListRequest;
use causeway_shell::{
    Caller,
    page::{self, Digest},
};
use sha2::{Digest as _, Sha256};

use crate::{report::FieldError, watch::Cursor};

const KEY_BYTES: usize = 32;
/// Maximum size of a token, in bytes.
const LONGEST: usize = 8 << 10;

/// Key that seals the page tokens and cursors of a store.
#[derive(Debug)]
pub struct PageKey(Arc<RandomizedNonceKey>);

/// Seals the cursors of one caller.
#[derive(Debug, Clone)]
pub(crate) struct CursorKey {
    key: Arc<RandomizedNonceKey>,
    of: [u8; 32],
}

/// A cursor that was made for another caller, or not by this inventory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "cursor: was not made for you here, or by an older version: list again, and watch from the cursor of that list"
)]
pub struct ForeignCursor;

/// Who asks for what: what the token of the next page is sealed for.
#[derive(Debug)]
pub(crate) struct Question<'a> {
    key: &'a RandomizedNonceKey,
    of: Digest,
}

impl PageKey {
    /// A new one, as text.
    #[must_use]
    pub fn generate() -> String {
        URL_SAFE_NO_PAD.encode(rand::random::<[u8; KEY_BYTES]>())
    }

    /// One from its text; nothing where that is of none.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let key = RandomizedNonceKey::new(&AES_256_GCM_SIV, &bytes).ok()?;
        Some(Self(Arc::new(key)))
    }

    /// What the cursors of a caller are sealed with.
    pub(crate) fn cursors(&self, caller: &Caller) -> CursorKey {
        let mut of = Sha256::new();
        let subject = caller.subject.to_string();
        for text in ["causeway-cursor-v1", caller.account.as_str(), &subject] {
            of.update(text);
            of.update([0]);
        }
        CursorKey {
            key: Arc::clone(&self.0),
            of: of.finalize().into(),
        }
    }

    /// The request with its token as the inventory made it, and what the next one is sealed for.
    pub(crate) fn open<R: ListRequest>(
        &self,
        caller: &Caller,
        request: R,
    ) -> Result<(R, Question<'_>), FieldError> {
        let of = page::digest(&request, caller);
        let question = Question { key: &self.0, of };
        let token = match request.page_token() {
            "" => String::new(),
            sealed => question.opened(sealed).ok_or_else(foreign)?,
        };
        Ok((request.with_token(token), question))
    }
}

impl Question<'_> {
    /// The token of the next page as its caller holds it; empty where there is no next page.
    pub(crate) fn sealed(&self, token: String) -> String {
        if token.is_empty() {
            return token;
        }
        seal(self.key, &self.of, token)
    }

    fn opened(&self, sealed: &str) -> Option<String> {
        open(self.key, &self.of, sealed)
    }
}

impl CursorKey {
    /// A cursor as its caller holds it.
    pub(crate) fn seal(&self, cursor: Cursor) -> String {
        seal(&self.key, &self.of, cursor.to_string())
    }

    /// The cursor of a request; none where it is empty.
    pub(crate) fn open(&self, sealed: &str) -> Result<Option<Cursor>, ForeignCursor> {
        if sealed.is_empty() {
            return Ok(None);
        }
        let cursor = open(&self.key, &self.of, sealed).and_then(|text| text.parse().ok());
        cursor.map(Some).ok_or(ForeignCursor)
    }
}

fn seal(key: &RandomizedNonceKey, of: &[u8], text: String) -> String {
    let mut sealed = text.into_bytes();
    let nonce = key
        .seal_in_place_append_tag(Aad::from(of), &mut sealed)
        .expect("the text is far shorter than what can be sealed");
    URL_SAFE_NO_PAD.encode([nonce.as_ref().as_slice(), &sealed].concat())
}

fn open(key: &RandomizedNonceKey, of: &[u8], sealed: &str) -> Option<String> {
    if sealed.len() > LONGEST {
        return None;
    }
    let sealed = URL_SAFE_NO_PAD.decode(sealed).ok()?;
    let (nonce, text) = sealed.split_first_chunk::<NONCE_LEN>()?;
    let nonce = Nonce::assume_unique_for_key(*nonce);
    let mut text = text.to_vec();
    let text = key.open_in_place(nonce, Aad::from(of), &mut text);
    String::from_utf8(text.ok()?.to_vec()).ok()
}

fn foreign() -> FieldError {
    let problem = "was made for another caller, other rights or another question: leave it empty for the first page";
    FieldError::new("page_token", problem)
}

#[cfg(test)]
mod tests;
