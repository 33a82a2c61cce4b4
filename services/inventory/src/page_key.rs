//! Sealed page tokens.
//!
//! A token names the last scanned row, which its caller may not see. So it is encrypted for its caller and query with a key that
//! the replicas of a store share: callers can neither read nor forge one.

use aws_lc_rs::aead::{AES_256_GCM_SIV, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use causeway_proto::list::ListRequest;
use causeway_shell::{
    Caller,
    page::{self, Digest},
};

use crate::report::FieldError;

const KEY_BYTES: usize = 32;
/// Maximum size of a token, in bytes.
const LONGEST: usize = 8 << 10;

/// Key that seals the page tokens of a store.
#[derive(Debug)]
pub struct PageKey(RandomizedNonceKey);

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
        Some(Self(key))
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
        let mut sealed = token.into_bytes();
        let nonce = self
            .key
            .seal_in_place_append_tag(Aad::from(self.of), &mut sealed)
            .expect("a token is far shorter than what can be sealed");
        URL_SAFE_NO_PAD.encode([nonce.as_ref().as_slice(), &sealed].concat())
    }

    fn opened(&self, sealed: &str) -> Option<String> {
        if sealed.len() > LONGEST {
            return None;
        }
        let sealed = URL_SAFE_NO_PAD.decode(sealed).ok()?;
        let (nonce, token) = sealed.split_first_chunk::<NONCE_LEN>()?;
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let mut token = token.to_vec();
        let token = self
            .key
            .open_in_place(nonce, Aad::from(self.of), &mut token);
        String::from_utf8(token.ok()?.to_vec()).ok()
    }
}

fn foreign() -> FieldError {
    let problem = "was made for another caller, other rights or another question: leave it empty for the first page";
    FieldError::new("page_token", problem)
}

#[cfg(test)]
mod tests;
