//! In-memory store of runtimes and join tokens.

use std::collections::BTreeMap;

use causeway_assertion::PublicKey;
use causeway_proto::ids::{AccountId, KeyId, RuntimeId, RuntimeName};

use super::{MemoryStore, State, TokenRow};
use crate::{
    audit::Entry,
    request::{Recorded, UserRequest},
    runtimes::{
        join_record,
        model::{
            JoinOutcome, JoinToken, JoinTokenId, Joining, Offer, Purpose, Runtime, TokenRejection,
        },
        presence::{LastContact, RuntimeKey},
    },
    secret::SecretDigest,
    store::{Change, RevokeOutcome, RuntimeStore, StoreFuture, TokenOutcome},
};

impl State {
    fn join(&mut self, token: SecretDigest, joining: &Joining, now: i64) -> JoinOutcome {
        let mut tokens = self.tokens.iter();
        let Some(at) =
            tokens.position(|row| row.token.digest == token && row.token.expires_at > now)
        else {
            return JoinOutcome::Invalid;
        };
        let TokenRow {
            token,
            rejoins,
            used_by,
        } = self.tokens[at].clone();
        let (account, name) = (token.account, token.name);
        if let (Some(id), None) = (rejoins, &used_by) {
            return self.join_again(at, (account, name), &id, joining);
        }
        let runtime = joining.clone().into_runtime(account, name, now);
        let bar = if let Some(id) = used_by {
            let mut found = self
                .runtime(&runtime.account, id.as_str())
                .filter(|known| known.is_same(joining));
            if let Some(known) = found.take() {
                return JoinOutcome::Joined(Box::new(known.clone()));
            }
            Some(TokenRejection::Used)
        } else {
            self.taken(&runtime)
        };
        if let Some(bar) = bar {
            let (account, name) = (runtime.account, runtime.name);
            return JoinOutcome::Barred { account, name, bar };
        }
        self.tokens[at].used_by = Some(runtime.runtime_id.clone());
        self.runtimes.push(runtime.clone());
        JoinOutcome::Joined(Box::new(runtime))
    }

    fn offer(&mut self, token: SecretDigest, now: i64) -> Option<Offer> {
        let mut tokens = self.tokens.iter();
        let row = tokens.find(|row| row.token.digest == token && row.token.expires_at > now)?;
        let TokenRow {
            token,
            rejoins,
            used_by,
        } = row.clone();
        let bar = match (used_by, &rejoins) {
            (Some(_), _) => Some(TokenRejection::Used),
            (None, Some(id)) => {
                let runtime = self.runtime(&token.account, id.as_str());
                let there = runtime.is_some_and(|runtime| runtime.revoked_at.is_none());
                (!there).then_some(TokenRejection::Gone)
            }
            (None, None) => self
                .name_is_taken(&token.account, &token.name)
                .then_some(TokenRejection::NameTaken),
        };
        Some(Offer {
            name: token.name,
            purpose: token.purpose,
            expires_at: token.expires_at,
            bar,
        })
    }

    fn join_again(
        &mut self,
        at: usize,
        (account, name): (AccountId, RuntimeName),
        id: &RuntimeId,
        joining: &Joining,
    ) -> JoinOutcome {
        let bar = match (
            self.key_is_taken(&joining.identity_key),
            self.runtime(&account, id.as_str()),
        ) {
            (false, Some(runtime)) if runtime.revoked_at.is_none() => {
                let renewed = runtime.clone().with_keys_of(joining);
                runtime.clone_from(&renewed);
                self.tokens[at].used_by = Some(id.clone());
                self.revocations += 1;
                return JoinOutcome::Rejoined(Box::new(renewed));
            }
            (true, Some(runtime)) if runtime.revoked_at.is_none() => TokenRejection::KeyTaken,
            _ => TokenRejection::Gone,
        };
        JoinOutcome::Barred { account, name, bar }
    }

    fn key_is_taken(&self, key: &PublicKey) -> bool {
        let mut present = self
            .runtimes
            .iter()
            .filter(|known| known.revoked_at.is_none());
        present.any(|known| known.identity_key == *key)
    }

    fn taken(&mut self, runtime: &Runtime) -> Option<TokenRejection> {
        if self.name_is_taken(&runtime.account, &runtime.name) {
            return Some(TokenRejection::NameTaken);
        }
        self.key_is_taken(&runtime.identity_key)
            .then_some(TokenRejection::KeyTaken)
    }
}

impl State {
    fn unused_tokens(&self, account: &AccountId, now: i64) -> Vec<JoinToken> {
        let rows = self.tokens.iter().filter(|row| row.used_by.is_none());
        let tokens = rows.map(|row| &row.token);
        let good = tokens.filter(|it| it.account == *account && it.expires_at > now);
        let mut good: Vec<_> = good.cloned().collect();
        good.sort_by_key(|token| (-token.created_at, token.digest));
        good
    }
}

impl RuntimeStore for MemoryStore {
    fn list_join_tokens<'a>(
        &'a self,
        account: &'a AccountId,
        now: i64,
        limit: u32,
    ) -> StoreFuture<'a, Vec<JoinToken>> {
        self.with(|state| {
            let mut tokens = state.unused_tokens(account, now);
            tokens.truncate(limit as usize);
            tokens
        })
    }

    fn revoke_join_token<'a>(
        &'a self,
        request: &'a UserRequest,
        id: &'a JoinTokenId,
        now: i64,
    ) -> StoreFuture<'a, Change<()>> {
        self.with(|state| {
            if let Some(recorded) = state.recall(request) {
                return Change::Made(recorded.map(drop));
            }
            if state.is_overtaken(request) {
                return Change::Overtaken;
            }
            let tokens = state.unused_tokens(&request.account, now);
            let Some(token) = tokens.into_iter().find(|token| token.id() == *id) else {
                return Change::Unknown;
            };
            state.tokens.retain(|row| row.token.digest != token.digest);
            state.remember(request, &id.0, now);
            Change::first(())
        })
    }

    fn create_join_token<'a>(
        &'a self,
        request: &'a UserRequest,
        token: &'a JoinToken,
    ) -> StoreFuture<'a, TokenOutcome> {
        self.with(|state| {
            if let Some(recorded) = state.recall(request) {
                let end = |text: String| text.parse().expect("it was written as a number");
                return TokenOutcome::Made(recorded.map(end));
            }
            if state.is_overtaken(request) {
                return TokenOutcome::Overtaken;
            }
            let present = state.named(&token.account, &token.name);
            let present = present.filter(|runtime| runtime.revoked_at.is_none());
            let rejoins = present.map(|runtime| runtime.runtime_id.clone());
            match (token.purpose, &rejoins) {
                (Purpose::Join, Some(_)) => return TokenOutcome::NameTaken,
                (Purpose::Rejoin, None) => return TokenOutcome::Unknown,
                (Purpose::Join | Purpose::Rejoin, _) => {}
            }
            state.tokens.push(TokenRow {
                token: token.clone(),
                rejoins,
                used_by: None,
            });
            state.remember(request, &token.expires_at.to_string(), token.created_at);
            TokenOutcome::Made(Recorded::First(token.expires_at))
        })
    }

    fn look_at_token(&self, token: SecretDigest, now: i64) -> StoreFuture<'_, Option<Offer>> {
        self.with(|state| state.offer(token, now))
    }

    fn join<'a>(
        &'a self,
        token: SecretDigest,
        joining: &'a Joining,
        now: i64,
    ) -> StoreFuture<'a, JoinOutcome> {
        self.with(|state| {
            let outcome = state.join(token, joining, now);
            let record = match &outcome {
                JoinOutcome::Joined(runtime) => join_record::joined(runtime, String::new(), now),
                JoinOutcome::Rejoined(runtime) => join_record::rejoined(runtime, now),
                JoinOutcome::Invalid | JoinOutcome::Barred { .. } => return outcome,
            };
            state.write(Entry::Open(Box::new(record)));
            outcome
        })
    }

    fn list_runtimes<'a>(
        &'a self,
        account: &'a AccountId,
        behind: Option<&'a RuntimeName>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<Runtime>> {
        self.with(|state| {
            let own = state
                .runtimes
                .iter()
                .filter(|runtime| runtime.account == *account);
            let last: BTreeMap<_, _> = own.map(|runtime| (&runtime.name, runtime)).collect();
            let page = last
                .into_iter()
                .filter(|(name, _)| behind.is_none_or(|behind| *name > behind));
            page.map(|(_, runtime)| runtime.clone())
                .take(limit as usize)
                .collect()
        })
    }

    fn present_runtimes(&self, limit: u32) -> StoreFuture<'_, Vec<Runtime>> {
        self.with(|state| {
            let all = state.runtimes.iter();
            let last: BTreeMap<_, _> = all
                .map(|runtime| ((&runtime.account, &runtime.name), runtime))
                .collect();
            let present = last.into_values().filter(|it| it.revoked_at.is_none());
            present.take(limit as usize).cloned().collect()
        })
    }

    fn find_runtime<'a>(
        &'a self,
        account: &'a AccountId,
        name: &'a RuntimeName,
    ) -> StoreFuture<'a, Option<Runtime>> {
        self.with(|state| state.named(account, name).cloned())
    }

    fn resolve_runtime<'a>(
        &'a self,
        account: &'a AccountId,
        id: &'a RuntimeId,
    ) -> StoreFuture<'a, Option<Runtime>> {
        self.with(|state| state.runtime(account, id.as_str()).cloned())
    }

    fn find_runtime_by_key<'a>(&'a self, key_id: &'a KeyId) -> StoreFuture<'a, Option<Runtime>> {
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
    ) -> StoreFuture<'a, RevokeOutcome> {
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

    fn present_keys<'a>(&'a self, of: &'a [RuntimeKey]) -> StoreFuture<'a, Vec<Option<KeyId>>> {
        self.with(|state| {
            let key = |(account, id): &RuntimeKey| {
                let found = state.runtime(account, id.as_str());
                let present = found.filter(|runtime| runtime.revoked_at.is_none());
                present.map(|runtime| runtime.key_id())
            };
            of.iter().map(key).collect()
        })
    }

    fn touch_runtimes(&self, seen: Vec<(RuntimeKey, LastContact)>) -> StoreFuture<'_, ()> {
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
