//! The reasons of errors as they stand in `google.rpc.ErrorInfo`.

use crate::error::v1::Reason;

/// The domain of every `ErrorInfo` of the mesh.
pub const DOMAIN: &str = "causeway";

impl Reason {
    /// The text of `ErrorInfo.reason`: the name without its prefix, for example `RUNTIME_NOT_CONNECTED`.
    pub fn code(self) -> &'static str {
        let name = self.as_str_name();
        name.strip_prefix("REASON_").unwrap_or(name)
    }

    /// The reason that a text of `ErrorInfo.reason` names.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::from_str_name(&format!("REASON_{code}"))
    }
}
