//! What is wrong now in an account, as far as a caller may see it: counts of states, problems grouped by cause, and what waits.
//! The counts are of one snapshot. Everything else is read after it, up to a limit of applications.

mod cause;
pub(crate) mod convert;
mod grpc;
mod problems;
mod scan;

use bytes::Bytes;
use causeway_proto::ids::AccountId;

use crate::{
    application::{
        Details, FacetQuery, Facets, Facts, Field, Filter, Health, Key, ObjectKind, Record, Sort,
        Source, Summary, Sync, View,
    },
    inventory::{Inventory, ListError},
    resource::{ResourceFilter, ResourceRecord},
    store::StoreError,
};
pub use problems::{Problem, Problems, Trouble};
use scan::Scan;

/// Number of items of the lists of what waits.
const MAX_LISTED: usize = 20;
const MAX_SILENT: usize = 100;
/// Runtimes whose reporters are looked at.
const MAX_RUNTIMES: usize = 300;
const MAX_GROUPS: usize = 1_000;
/// Pages of suspended rollouts that are read.
const MAX_ROLLOUT_PAGES: usize = 20;
const ROLLOUT_PAGE: usize = 500;
const ROLLOUTS: &str = "rollouts.argoproj.io";
const DRIFT_MS: i64 = 24 * 60 * 60 * 1_000;

/// What one application says about its condition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Condition {
    /// Names that its messages may contain.
    pub names: Vec<String>,
    /// Its errors.
    pub troubles: Vec<Trouble>,
    /// Start time and encoding of its running operation, in milliseconds since 1970.
    pub running: Option<(i64, Bytes)>,
    /// True if it syncs automatically.
    pub automated: bool,
    /// End of the last operation, or else the creation time, in milliseconds since 1970.
    pub settled_at: i64,
}

/// How stored records are read.
#[derive(Debug, Clone, Copy)]
pub struct Readers {
    /// The condition of an application.
    pub condition: fn(&Record) -> Condition,
    /// Time of the pause of a rollout, in milliseconds since 1970; none if it is not paused.
    pub paused: fn(&ResourceRecord) -> Option<i64>,
}

/// An application with a running operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    /// The application.
    pub key: Key,
    /// Start time, in milliseconds since 1970.
    pub started_at: i64,
    /// The operation, encoded.
    pub operation: Bytes,
}

/// A runtime without reporters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Silent {
    /// Its name.
    pub runtime: String,
    /// Time of its last sign of life, in milliseconds since 1970.
    pub last_heard_at: i64,
    /// Number of its applications.
    pub applications: u64,
}

/// Summary of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountSummary {
    /// Counts by health and sync status.
    pub states: Facets,
    /// Problems, most applications first.
    pub problems: Vec<Problem>,
    /// Number of problems that were left out.
    pub problems_left_off: u64,
    /// Running operations, longest running first.
    pub running: Vec<Running>,
    /// Number of running operations.
    pub running_total: u64,
    /// Paused rollouts with the time of their pause, longest paused first.
    pub paused: Vec<(ResourceRecord, i64)>,
    /// Runtimes without reporters.
    pub silent: Vec<Silent>,
    /// Number of applications that drifted.
    pub drifted: u64,
}

impl Inventory {
    /// The summary of the applications that match, at the time `now` in milliseconds since 1970.
    pub async fn summary(
        &self,
        account: &AccountId,
        filter: &Filter,
        (most_problems, now): (usize, i64),
        readers: Readers,
    ) -> Result<AccountSummary, ListError> {
        let _turn = self.summary_turn().await?;
        let query = FacetQuery {
            fields: vec![Field::Health, Field::Sync, Field::Runtime],
            most: MAX_RUNTIMES,
            ..FacetQuery::default()
        };
        let mut states = self.counts(account, filter, &query).await?.facets;
        let runtimes = states.facets.pop().map(|it| it.values).unwrap_or_default();
        let mut scan = Scan::new(self, account, readers.condition);
        scan.run(filter, now - DRIFT_MS).await?;
        let (problems, problems_left_off) = scan.problems.into_worst(most_problems);
        scan.running.sort_by_key(|running| running.started_at);
        let running_total = scan.running.len() as u64;
        scan.running.truncate(MAX_LISTED);
        Ok(AccountSummary {
            states,
            problems,
            problems_left_off,
            running: scan.running,
            running_total,
            drifted: scan.drifted,
            paused: self.paused(account, filter, readers.paused).await?,
            silent: self.silent(account, filter, runtimes).await?,
        })
    }

    async fn paused(
        &self,
        account: &AccountId,
        filter: &Filter,
        since: fn(&ResourceRecord) -> Option<i64>,
    ) -> Result<Vec<(ResourceRecord, i64)>, StoreError> {
        let sought = ResourceFilter {
            runtime: filter.runtime.clone(),
            kind: ROLLOUTS.to_owned(),
            health: vec![Health::Suspended],
            ..ResourceFilter::within(filter.visible.clone())
        };
        let (mut paused, mut after) = (Vec::new(), None);
        for _ in 0..MAX_ROLLOUT_PAGES {
            let reads = self.store().reads();
            let page =
                reads.list_resources(account, &sought, View::Basic, after.as_ref(), ROLLOUT_PAGE);
            let page = page.await?;
            let items = page.items.into_iter();
            let matching = items.filter(|record| belongs(filter, record));
            paused.extend(matching.filter_map(|it| since(&it).map(|since| (it, since))));
            let Some((key, _)) = page.looked else { break };
            after = Some(key);
        }
        paused.sort_by_key(|(_, since)| *since);
        paused.truncate(MAX_LISTED);
        Ok(paused)
    }

    /// Those of the runtimes, given with the number of their applications, that have no reporter of applications.
    async fn silent(
        &self,
        account: &AccountId,
        filter: &Filter,
        runtimes: Vec<(String, u64)>,
    ) -> Result<Vec<Silent>, StoreError> {
        let mut silent = Vec::new();
        for (runtime, applications) in runtimes {
            let memberships = self.store().memberships();
            let groups = memberships.list_by_runtime(account, &runtime, (None, MAX_GROUPS));
            let mut groups = groups.await?;
            groups.retain(|(scope, _)| scope.kind == ObjectKind::Application);
            let silences = groups.iter().map(|(_, roster)| roster.silent_since());
            let Some(silences) = silences.collect::<Option<Vec<_>>>() else {
                continue;
            };
            let left_at = silences.into_iter().max().unwrap_or_default();
            let changed_at = self.last_report(account, filter, &runtime).await?;
            silent.push(Silent {
                runtime,
                last_heard_at: left_at.max(changed_at),
                applications,
            });
        }
        silent.sort_by_key(|it| std::cmp::Reverse(it.applications));
        silent.truncate(MAX_SILENT);
        Ok(silent)
    }

    /// Time of the last accepted state of a runtime's applications: a restart of the inventory forgets who reported.
    async fn last_report(
        &self,
        account: &AccountId,
        filter: &Filter,
        runtime: &str,
    ) -> Result<i64, StoreError> {
        let newest = Filter {
            runtime: runtime.to_owned(),
            sort: Sort::Changed,
            ..Filter::within(filter.visible.clone())
        };
        let reads = self.store().reads();
        let page = reads.list_applications(account, &newest, View::Basic, None, 1);
        let newest = page.await?.items.into_iter().next();
        Ok(newest.map_or(0, |record| record.received_at))
    }
}

/// True if a resource belongs to an application that matches by all but its state.
fn belongs(filter: &Filter, record: &ResourceRecord) -> bool {
    let Some(owner) = &record.belongs else {
        return is_unrestricted(filter);
    };
    let key = Key {
        runtime_name: record.key.runtime_name.clone(),
        namespace: owner.application.namespace.to_string(),
        name: owner.application.name.to_string(),
        cluster: owner.application.cluster.to_string(),
        runtime: record.key.runtime.clone(),
    };
    let summary = Summary {
        traits: owner.traits.clone(),
        sync: Sync::Unspecified,
        health: Health::Unspecified,
        source: Source::Unspecified,
        details: Details::default(),
    };
    let facts = Facts::new(&key, &summary, i64::MAX);
    filter.without_states().matches(&facts)
}

/// True if every visible application matches.
fn is_unrestricted(filter: &Filter) -> bool {
    let all = Filter {
        sort: filter.sort,
        ..Filter::within(filter.visible.clone())
    };
    *filter == all
}

#[cfg(test)]
mod tests;
