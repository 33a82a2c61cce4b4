//! What a sign-in gave, as the file of contexts keeps it.

use std::fmt;

use causeway_proto::{platform::v1 as pb, time::timestamp_to_millis};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A session and its token, which does not show itself in logs.
#[derive(Clone, Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Session {
    pub(crate) token: String,
    pub(crate) session_id: String,
    pub(crate) account: String,
    pub(crate) user: String,
    /// As RFC 3339 has it.
    pub(crate) expires_at: String,
}

impl Session {
    pub(crate) fn new(token: String, account: String, session: &pb::UserSession) -> Self {
        let end = session.expires_at.as_ref().map_or(0, timestamp_to_millis);
        let end = Timestamp::from_millisecond(end).unwrap_or(Timestamp::UNIX_EPOCH);
        Self {
            token,
            session_id: session.session_id.clone(),
            account,
            user: session.user.clone(),
            expires_at: format!("{end:.0}"),
        }
    }

    /// True if it has ended by itself. A time that cannot be read is left to the platform.
    pub(crate) fn is_over(&self) -> bool {
        let end = self.expires_at.parse::<Timestamp>();
        end.is_ok_and(|end| end <= Timestamp::now())
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = formatter.debug_struct("Session");
        text.field("user", &self.user);
        text.finish_non_exhaustive()
    }
}
