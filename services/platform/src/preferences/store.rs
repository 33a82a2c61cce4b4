//! Store trait of preferences and saved views.

use causeway_proto::ids::{AccountId, UserId};

use crate::{
    preferences::model::{Preferences, SavedView, ViewPlace},
    request::UserRequest,
    store::{Change, StoreFuture},
};

/// Preferences and saved views of users.
pub(crate) trait PreferenceStore: Send + Sync {
    /// The preferences of a user; empty ones if there are none.
    fn preferences<'a>(
        &'a self,
        account: &'a AccountId,
        user: &'a UserId,
    ) -> StoreFuture<'a, Preferences>;

    /// Replaces the preferences of the requester if they still have the version that stands beside the content. Returns the new version.
    fn set_preferences<'a>(
        &'a self,
        request: &'a UserRequest,
        preferences: &'a Preferences,
        now: i64,
    ) -> StoreFuture<'a, Change<u64>>;

    /// A user's own views and all shared ones of users who exist, after a place, by owner and name.
    fn list_saved_views<'a>(
        &'a self,
        account: &'a AccountId,
        user: &'a UserId,
        asked: (Option<&'a ViewPlace>, u32),
    ) -> StoreFuture<'a, Vec<SavedView>>;

    /// Creates or replaces a view of its owner. Full if the owner has the maximum number of views.
    fn save_view<'a>(
        &'a self,
        request: &'a UserRequest,
        view: &'a SavedView,
    ) -> StoreFuture<'a, Change<SavedView>>;

    /// Deletes a view of the requester.
    fn delete_saved_view<'a>(
        &'a self,
        request: &'a UserRequest,
        name: &'a str,
        now: i64,
    ) -> StoreFuture<'a, Change<()>>;
}
