//! A Git server without an API: commits and branches by Git itself, and nothing else.

use crate::{AutoMerge, Capabilities, HeadPin, Provider, Support};

/// Plain Git over HTTPS or SSH.
#[derive(Debug, Clone, Copy)]
pub struct PlainGit;

impl Provider for PlainGit {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            provider: "plain Git",
            pull_requests: Support::Absent,
            head_pin: HeadPin::None,
            auto_merge: AutoMerge::Caller,
            statuses: Support::Absent,
            webhooks: Support::Absent,
            deliveries: Support::Absent,
            rate_limit: Support::Absent,
        }
    }
}
