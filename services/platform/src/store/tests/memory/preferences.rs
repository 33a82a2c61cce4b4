//! In-memory store of preferences and saved views.

use causeway_proto::ids::{AccountId, UserId};

use super::{MemoryStore, State};
use crate::{
    preferences::model::{MOST_VIEWS, Preferences, SavedView, ViewPlace},
    request::{Recorded, UserRequest},
    store::{Change, PreferenceStore, StoreFuture},
};

impl PreferenceStore for MemoryStore {
    fn preferences<'a>(
        &'a self,
        account: &'a AccountId,
        user: &'a UserId,
    ) -> StoreFuture<'a, Preferences> {
        let of = (account.clone(), user.clone());
        self.with(|state| state.preferences.get(&of).cloned().unwrap_or_default())
    }

    fn set_preferences<'a>(
        &'a self,
        request: &'a UserRequest,
        preferences: &'a Preferences,
        now: i64,
    ) -> StoreFuture<'a, Change<u64>> {
        self.with(|state| {
            if let Some(recorded) = state.recall(request) {
                let version = |text: String| text.parse().expect("it was written as a number");
                return Change::Made(recorded.map(version));
            }
            let of = (request.account.clone(), request.user.clone());
            let known = state.preferences.entry(of).or_default();
            if known.version != preferences.version {
                return Change::Stale;
            }
            let version = known.version + 1;
            known.clone_from(preferences);
            known.version = version;
            state.remember(request, &version.to_string(), now);
            Change::first(version)
        })
    }

    fn list_saved_views<'a>(
        &'a self,
        account: &'a AccountId,
        user: &'a UserId,
        (behind, limit): (Option<&'a ViewPlace>, u32),
    ) -> StoreFuture<'a, Vec<SavedView>> {
        self.with(|state| {
            let exists = |view: &SavedView| {
                let owner = state.user(account, &view.owner);
                owner.is_some_and(|owner| owner.deleted_at.is_none())
            };
            let visible = |view: &&SavedView| {
                let shared = view.owner == *user || !view.roles.is_empty();
                view.account == *account && shared && Some(&view.place()) > behind
            };
            let views = state.saved_views.iter().filter(visible);
            let mut views: Vec<_> = views.filter(|view| exists(view)).cloned().collect();
            views.sort_by_key(SavedView::place);
            views.truncate(limit as usize);
            views
        })
    }

    fn save_view<'a>(
        &'a self,
        request: &'a UserRequest,
        view: &'a SavedView,
    ) -> StoreFuture<'a, Change<SavedView>> {
        self.with(|state| {
            match state.recall(request) {
                Some(Recorded::Repeated(name)) => {
                    let found = state.view(request, &name).cloned();
                    return found
                        .map_or(Change::Unknown, |it| Change::Made(Recorded::Repeated(it)));
                }
                Some(_) => return Change::Made(Recorded::Reused),
                None => {}
            }
            let own = |it: &&SavedView| it.account == view.account && it.owner == view.owner;
            let count = state.saved_views.iter().filter(own).count();
            if state.view(request, &view.name).is_none() && count >= MOST_VIEWS as usize {
                return Change::Full;
            }
            state.forget_view(request, &view.name);
            state.saved_views.push(view.clone());
            state.remember(request, &view.name, view.updated_at);
            Change::first(view.clone())
        })
    }

    fn delete_saved_view<'a>(
        &'a self,
        request: &'a UserRequest,
        name: &'a str,
        now: i64,
    ) -> StoreFuture<'a, Change<()>> {
        self.with(|state| {
            if let Some(recorded) = state.recall(request) {
                return Change::Made(recorded.map(drop));
            }
            if !state.forget_view(request, name) {
                return Change::Unknown;
            }
            state.remember(request, name, now);
            Change::first(())
        })
    }
}

fn is_named(view: &SavedView, request: &UserRequest, name: &str) -> bool {
    view.account == request.account && view.owner == request.user && view.name == name
}

impl State {
    fn view(&self, request: &UserRequest, name: &str) -> Option<&SavedView> {
        let mut views = self.saved_views.iter();
        views.find(|view| is_named(view, request, name))
    }

    /// Tells whether the view was there.
    fn forget_view(&mut self, request: &UserRequest, name: &str) -> bool {
        let before = self.saved_views.len();
        self.saved_views
            .retain(|view| !is_named(view, request, name));
        self.saved_views.len() < before
    }
}
