//! What a provider can do, as forms and commands show it before a call.

/// Presence of a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    Present,
    Absent,
}

/// Who merges once the rules are met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AutoMerge {
    Provider,
    /// The caller waits and merges.
    Caller,
}

/// How a merge is bound to the commit that was reviewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadPin {
    /// The merge call compares it.
    Atomic,
    /// It is compared just before the merge call.
    Before,
    /// There are no merges.
    None,
}

/// Features of one provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    pub provider: &'static str,
    pub pull_requests: Support,
    pub head_pin: HeadPin,
    pub auto_merge: AutoMerge,
    pub statuses: Support,
    pub webhooks: Support,
    /// List and redelivery of what a webhook sent.
    pub deliveries: Support,
    /// Headers that say how many requests a credential has left.
    pub rate_limit: Support,
}
