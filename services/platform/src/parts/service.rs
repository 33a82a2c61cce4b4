//! Takes announcements of services, and shares them with the other replicas.

use std::sync::Arc;

use causeway_proto::ids::{AccountId, RuntimeName};

use crate::{
    parts::model::{Part, PartHome, Parts, TooMany},
    replicas::exchange::{Outbox, ReplicaMessage},
    runtimes::presence::Sessions,
    store::{Store, StoreError},
};

/// Whether a part goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    /// It does.
    Staying,
    /// It stops in order.
    Leaving,
}

/// Effect of a report: new information for the other replicas, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReportEffect {
    /// The other replicas are to hear it.
    ForAll,
    /// Nobody knew the part that leaves.
    None,
}

/// Registry of running services and of the sessions of runtimes.
#[derive(Clone)]
pub(crate) struct PartService {
    pub store: Arc<dyn Store>,
    pub parts: Arc<Parts>,
    pub sessions: Arc<Sessions>,
    pub outbox: Arc<Outbox>,
}

impl PartService {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            parts: Arc::default(),
            sessions: Arc::default(),
            outbox: Arc::default(),
        }
    }

    /// Takes what a part tells of itself.
    pub(crate) fn announce(
        &self,
        home: PartHome,
        part: Part,
        presence: Presence,
    ) -> Result<(), TooMany> {
        let heard_at = part.last_seen_at;
        let heard = ReplicaMessage::Part {
            home: home.clone(),
            part: part.clone(),
            presence,
        };
        if self.take_part(home, part, presence)? == ReportEffect::ForAll {
            self.publish(heard_at, || heard);
        }
        Ok(())
    }

    /// Takes what another replica heard.
    pub(crate) fn take_from_replica(&self, heard: ReplicaMessage, heard_at: i64) {
        match heard {
            ReplicaMessage::Sessions { server, sessions } => {
                self.sessions.report(server, sessions, heard_at);
            }
            // The replica that received one service too many refused it without sharing it; one too many here is listed there alone.
            ReplicaMessage::Part {
                home,
                part,
                presence,
            } => drop(self.take_part(home, part, presence)),
        }
    }

    pub(crate) fn publish(&self, heard_at: i64, heard: impl FnOnce() -> ReplicaMessage) {
        if self.store.is_shared() {
            self.outbox.put(heard().to_word(heard_at));
        }
    }

    fn take_part(
        &self,
        home: PartHome,
        part: Part,
        presence: Presence,
    ) -> Result<ReportEffect, TooMany> {
        if let Some(runtime) = &home {
            self.sessions
                .record_heartbeat(runtime, &part.version, part.last_seen_at);
        }
        match presence {
            Presence::Staying => {
                self.parts.announce(home, part)?;
                Ok(ReportEffect::ForAll)
            }
            Presence::Leaving => match self.parts.leave(&home, &part.name, &part.instance) {
                Some(_) => Ok(ReportEffect::ForAll),
                None => Ok(ReportEffect::None),
            },
        }
    }

    /// The parts of the platform, then those of an account's runtimes by name.
    pub(crate) async fn list_parts(
        &self,
        account: &AccountId,
        now: i64,
    ) -> Result<Vec<(Option<RuntimeName>, Part)>, StoreError> {
        let own = self.parts.of(&None, now).into_iter();
        let mut parts: Vec<_> = own.map(|part| (None, part)).collect();
        let mut behind: Option<RuntimeName> = None;
        loop {
            let runtimes = self
                .store
                .list_runtimes(account, behind.as_ref(), 500)
                .await?;
            let Some(last) = runtimes.last() else {
                return Ok(parts);
            };
            behind = Some(last.name.clone());
            for runtime in runtimes
                .into_iter()
                .filter(|runtime| runtime.revoked_at.is_none())
            {
                let home = Some((runtime.account, runtime.runtime_id));
                let of = self.parts.of(&home, now).into_iter();
                parts.extend(of.map(|part| (Some(runtime.name.clone()), part)));
            }
        }
    }

    /// Writes the runtimes that were heard of since a time.
    pub(crate) async fn flush(&self, since: i64) -> Result<(), StoreError> {
        let seen = self.sessions.seen_since(since);
        if seen.is_empty() {
            return Ok(());
        }
        self.store.touch_runtimes(seen).await
    }
}
