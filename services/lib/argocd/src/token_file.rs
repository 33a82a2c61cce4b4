//! Token of Argo CD in a file that may be replaced at any time.

use std::path::PathBuf;

use reqwest::header::HeaderValue;

use crate::ArgocdError;

const MAX_BYTES: usize = 16 * 1024;

#[derive(Clone)]
pub(crate) struct TokenFile(PathBuf);

impl TokenFile {
    pub(crate) fn new(file: PathBuf) -> Self {
        Self(file)
    }

    /// Returns the `Authorization` header. The file is read on each call, so a replaced token applies at once.
    pub(crate) async fn to_bearer(&self) -> Result<HeaderValue, ArgocdError> {
        let text = tokio::fs::read(&self.0)
            .await
            .map_err(|error| self.unusable(error.to_string()))?;
        let token = text.trim_ascii();
        if token.is_empty() || token.len() > MAX_BYTES {
            return Err(self.unusable("it contains no token".to_owned()));
        }
        let value = HeaderValue::from_bytes(&[b"Bearer ", token].concat());
        let mut value = value.map_err(|_| self.unusable("it contains no token".to_owned()))?;
        value.set_sensitive(true);
        Ok(value)
    }

    fn unusable(&self, cause: String) -> ArgocdError {
        ArgocdError::TokenFile {
            file: self.0.clone(),
            cause,
        }
    }
}
