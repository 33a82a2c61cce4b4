//! Account type. The first account exists from the first start and may create others; it cannot read their data.

use causeway_assertion::PLATFORM_ACCOUNT;
use causeway_proto::ids::{AccountId, UserId};

/// A tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Its name.
    pub account: AccountId,
    /// In milliseconds since 1970.
    pub created_at: i64,
}

/// The account that the first start makes.
pub(crate) fn first_account() -> AccountId {
    "default".parse().expect("it fits the grammar")
}

/// The user that every account begins with.
pub(crate) fn first_user() -> UserId {
    "admin".parse().expect("it fits the grammar")
}

/// True if a name is kept for the platform itself.
pub(crate) fn is_reserved(account: &AccountId) -> bool {
    account.as_str() == PLATFORM_ACCOUNT
}
