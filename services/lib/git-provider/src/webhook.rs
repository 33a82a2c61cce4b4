//! Webhooks that a provider sends, and its record of deliveries.

use crate::Secret;

/// What a webhook is sent for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    Push,
    PullRequest,
    Status,
}

/// A webhook of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    pub id: String,
    pub url: String,
    /// Sorted; events of other kinds are left out.
    pub events: Vec<Event>,
    /// False where the provider has switched it off.
    pub is_active: bool,
}

/// A webhook to create.
#[derive(Debug, Clone)]
pub struct NewWebhook {
    pub url: String,
    pub secret: Secret,
    pub events: Vec<Event>,
}

/// One attempt of a provider to deliver an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    pub id: String,
    pub event: String,
    /// Status of the answer; 0 without one.
    pub status: u16,
}
