//! Runtimes whose applications are not reported now, by the rosters that this replica has read. A scope that is not known is silent,
//! so that no state looks current before it is certain.

use std::collections::{BTreeMap, HashMap};

use causeway_proto::ids::AccountId;
use tokio::sync::watch;

use super::roster::Roster;
use crate::application::{ObjectKind, Scope};

/// Scopes of applications by account, runtime and cluster.
#[derive(Default)]
pub(super) struct Silences {
    accounts: HashMap<AccountId, BTreeMap<String, BTreeMap<String, Silence>>>,
    changes: watch::Sender<u64>,
}

/// The last roster of a scope.
#[derive(Default)]
struct Silence {
    version: u64,
    runtime_name: String,
    since: Option<i64>,
}

/// Names of runtimes of an account, by runtime and cluster.
pub type ScopeNames = BTreeMap<(String, String), String>;

impl Silences {
    /// Takes in a roster, unless a later one of the scope is known.
    pub(super) fn update(&mut self, scope: &Scope, roster: &Roster) {
        if scope.kind != ObjectKind::Application {
            return;
        }
        let runtimes = self.accounts.entry(scope.account.clone()).or_default();
        let clusters = runtimes.entry(scope.runtime.to_string()).or_default();
        let known = clusters.entry(scope.cluster.to_string()).or_default();
        if roster.version <= known.version {
            return;
        }
        let since = roster.silent_since();
        let changed = known.version == 0 || known.since.is_some() != since.is_some();
        *known = Silence {
            version: roster.version,
            runtime_name: roster.runtime_name.clone(),
            since,
        };
        if changed {
            self.changes.send_modify(|changes| *changes += 1);
        }
    }

    /// Since when the applications of a runtime and cluster are not reported; 0 if that is unknown.
    pub(super) fn since(
        &self,
        account: &AccountId,
        (runtime, cluster): (&str, &str),
    ) -> Option<i64> {
        let runtimes = self.accounts.get(account);
        let clusters = runtimes.and_then(|it| it.get(runtime));
        match clusters.and_then(|it| it.get(cluster)) {
            Some(known) => known.since,
            None => Some(0),
        }
    }

    /// The scopes of an account that are heard.
    pub(super) fn reporting(&self, account: &AccountId) -> ScopeNames {
        self.select(account, |silence| silence.since.is_none())
    }

    /// All scopes of an account.
    pub(super) fn all(&self, account: &AccountId) -> ScopeNames {
        self.select(account, |_| true)
    }

    fn select(&self, account: &AccountId, wanted: impl Fn(&Silence) -> bool) -> ScopeNames {
        let mut selected = ScopeNames::new();
        for (runtime, clusters) in self.accounts.get(account).into_iter().flatten() {
            for (cluster, silence) in clusters.iter().filter(|(_, it)| wanted(it)) {
                let scope = (runtime.clone(), cluster.clone());
                selected.insert(scope, silence.runtime_name.clone());
            }
        }
        selected
    }

    /// Changes when a scope falls silent or is heard again.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }
}

#[cfg(test)]
mod tests;
