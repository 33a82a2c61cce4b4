//! Error reasons as encoded in `google.rpc.ErrorInfo`.

use crate::error::v1::Reason;

/// The domain of every `ErrorInfo` of the mesh.
pub const DOMAIN: &str = "causeway";

impl Reason {
    /// Returns the text of `ErrorInfo.reason`: the name without its prefix, for example `RUNTIME_NOT_CONNECTED`.
    pub fn code(self) -> &'static str {
        let name = self.as_str_name();
        name.strip_prefix("REASON_").unwrap_or(name)
    }

    /// Parses the text of `ErrorInfo.reason`.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::from_str_name(&format!("REASON_{code}"))
    }
}
