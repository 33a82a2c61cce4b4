//! Runtimes and join tokens.

use causeway_proto::ids::{AccountId, KeyId, RuntimeId, RuntimeName};

use super::{MemoryStore, State};
use crate::{
    request::{Recorded, UserRequest},
    runtime::{Bar, JoinOutcome, JoinToken, Joining, Runtime},
    secret::SecretDigest,
    session::{RuntimeKey, Seen},
    store::{Answer, RevokeOutcome, RuntimeStore, TokenOutcome},
};

impl State {
    fn join(&mut self, token: SecretDigest, joining: &Joining, now: i64) -> JoinOutcome {
        let mut tokens = self.tokens.iter();
        let Some(at) =
            tokens.position(|(known, _)| known.digest == token && known.expires_at > now)
        else {
            return JoinOutcome::Invalid;
        };
        let (account, name) = (
            self.tokens[at].0.account.clone(),
            self.tokens[at].0.name.clone(),
        );
        let runtime = joining.clone().into_runtime(account, name, now);
        let bar = if let Some(id) = self.tokens[at].1.clone() {
            let mut found = self
                .runtime(&runtime.account, id.as_str())
                .filter(|known| known.is_same(joining));
            if let Some(known) = found.take() {
                return JoinOutcome::Joined(Box::new(known.clone()));
            }
            Some(Bar::Used)
        } else {
            self.taken(&runtime)
        };
        if let Some(bar) = bar {
            let (account, name) = (runtime.account, runtime.name);
            return JoinOutcome::Barred { account, name, bar };
        }
        self.tokens[at].1 = Some(runtime.runtime_id.clone());
        self.runtimes.push(runtime.clone());
        JoinOutcome::Joined(Box::new(runtime))
    }

    fn taken(&mut self, runtime: &Runtime) -> Option<Bar> {
        if self.name_is_taken(&runtime.account, &runtime.name) {
            return Some(Bar::NameTaken);
        }
        let mut present = self
            .runtimes
            .iter()
            .filter(|known| known.revoked_at.is_none());
        let same = present.any(|known| known.identity_key == runtime.identity_key);
        same.then_some(Bar::KeyTaken)
    }
}

impl RuntimeStore for MemoryStore {
    fn create_join_token<'a>(
        &'a self,
        request: &'a UserRequest,
        token: &'a JoinToken,
    ) -> Answer<'a, TokenOutcome> {
        self.with(|state| {
            if let Some(recorded) = state.recall(request) {
                let end = |text: String| text.parse().expect("it was written as a number");
                return TokenOutcome::Made(recorded.map(end));
            }
            if state.name_is_taken(&token.account, &token.name) {
                return TokenOutcome::NameTaken;
            }
            state.tokens.push((token.clone(), None));
            state.remember(request, &token.expires_at.to_string(), token.created_at);
            TokenOutcome::Made(Recorded::First(token.expires_at))
        })
    }

    fn join<'a>(
        &'a self,
        token: SecretDigest,
        joining: &'a Joining,
        now: i64,
    ) -> Answer<'a, JoinOutcome> {
        self.with(|state| state.join(token, joining, now))
    }

    fn list_runtimes<'a>(
        &'a self,
        account: &'a AccountId,
        behind: Option<&'a RuntimeName>,
        limit: u32,
    ) -> Answer<'a, Vec<Runtime>> {
        self.with(|state| {
            let own = state
                .runtimes
                .iter()
                .filter(|runtime| runtime.account == *account);
            let last: std::collections::BTreeMap<_, _> =
                own.map(|runtime| (&runtime.name, runtime)).collect();
            let page = last
                .into_iter()
                .filter(|(name, _)| behind.is_none_or(|behind| *name > behind));
            page.map(|(_, runtime)| runtime.clone())
                .take(limit as usize)
                .collect()
        })
    }

    fn find_runtime<'a>(
        &'a self,
        account: &'a AccountId,
        name: &'a RuntimeName,
    ) -> Answer<'a, Option<Runtime>> {
        self.with(|state| state.named(account, name).cloned())
    }

    fn resolve_runtime<'a>(
        &'a self,
        account: &'a AccountId,
        id: &'a RuntimeId,
    ) -> Answer<'a, Option<Runtime>> {
        self.with(|state| state.runtime(account, id.as_str()).cloned())
    }

    fn find_runtime_by_key<'a>(&'a self, key_id: &'a KeyId) -> Answer<'a, Option<Runtime>> {
        self.with(|state| {
            let mut present = state
                .runtimes
                .iter()
                .filter(|runtime| runtime.revoked_at.is_none());
            present.find(|runtime| runtime.key_id() == *key_id).cloned()
        })
    }

    fn revoke_runtime<'a>(
        &'a self,
        request: &'a UserRequest,
        name: &'a RuntimeName,
        now: i64,
    ) -> Answer<'a, RevokeOutcome> {
        self.with(|state| {
            if let Some(recorded) = state.recall(request) {
                return RevokeOutcome::Revoked(recorded.map(|id| {
                    let found = state.runtime(&request.account, &id);
                    Box::new(found.expect("runtimes are never removed").clone())
                }));
            }
            let Some(runtime) = state.named(&request.account, name) else {
                return RevokeOutcome::Unknown;
            };
            runtime.revoked_at.get_or_insert(now);
            let runtime = Box::new(runtime.clone());
            state.remember(request, runtime.runtime_id.as_str(), now);
            state.revocations += 1;
            RevokeOutcome::Revoked(Recorded::First(runtime))
        })
    }

    fn gone_runtimes<'a>(&'a self, of: &'a [RuntimeKey]) -> Answer<'a, Vec<RuntimeKey>> {
        self.with(|state| {
            let mut gone = of.to_vec();
            gone.retain(|(account, id)| {
                let found = state.runtime(account, id.as_str());
                found.is_none_or(|runtime| runtime.revoked_at.is_some())
            });
            gone
        })
    }

    fn touch_runtimes(&self, seen: Vec<(RuntimeKey, Seen)>) -> Answer<'_, ()> {
        self.with(|state| {
            for ((account, id), seen) in seen {
                let Some(runtime) = state.runtime(&account, id.as_str()) else {
                    continue;
                };
                runtime.last_seen_at = Some(seen.at);
                if !seen.version.is_empty() {
                    runtime.version = seen.version;
                }
            }
        })
    }
}
