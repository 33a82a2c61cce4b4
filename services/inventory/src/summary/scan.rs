//! Reads the applications that may have something to say, by their states, so that healthy ones are not read.

use causeway_proto::ids::AccountId;

use crate::{
    application::{Filter, Health, NextPage, Page, Place, Record, Sync, View},
    inventory::Inventory,
    store::StoreError,
};

use super::{Condition, Problems, Running};

/// Applications per page.
const PAGE: usize = 500;
/// Applications that are read at most.
const MAX_READ: usize = 20_000;
/// Applications that are read with the errors of their resources.
const MAX_WHOLE: usize = 2_000;
const BROKEN: [Health; 3] = [Health::Degraded, Health::Missing, Health::Unknown];
const OTHERS: [Health; 4] = [
    Health::Unspecified,
    Health::Progressing,
    Health::Healthy,
    Health::Suspended,
];
const DIFFERENT: [Sync; 2] = [Sync::OutOfSync, Sync::Unknown];
const EQUAL: [Sync; 2] = [Sync::Synced, Sync::Unspecified];

pub(super) struct Scan<'a> {
    inventory: &'a Inventory,
    account: &'a AccountId,
    condition: fn(&Record) -> Condition,
    pub(super) problems: Problems,
    pub(super) running: Vec<Running>,
    pub(super) drifted: u64,
    read: usize,
}

impl<'a> Scan<'a> {
    pub(super) fn new(
        inventory: &'a Inventory,
        account: &'a AccountId,
        condition: fn(&Record) -> Condition,
    ) -> Self {
        Self {
            inventory,
            account,
            condition,
            problems: Problems::default(),
            running: Vec::new(),
            drifted: 0,
            read: 0,
        }
    }

    /// Reads each application of some states once. Those that settled before `drifted_before` count as drifted.
    pub(super) async fn run(
        &mut self,
        filter: &Filter,
        drifted_before: i64,
    ) -> Result<(), StoreError> {
        let groups: [(&[Health], &[Sync]); 3] = [
            (&BROKEN, &[]),
            (&OTHERS, &DIFFERENT),
            (&[Health::Progressing], &EQUAL),
        ];
        for (health, sync) in groups {
            let Some(narrowed) = narrow(filter, health, sync) else {
                continue;
            };
            let mut after = None;
            while self.read < MAX_READ {
                let page = self
                    .page(&narrowed, health == BROKEN, after.as_ref())
                    .await?;
                after = self.take(page, &narrowed, drifted_before).await?;
                if after.is_none() {
                    break;
                }
            }
        }
        Ok(())
    }

    async fn page(
        &self,
        filter: &Filter,
        is_broken: bool,
        after: Option<&Place>,
    ) -> Result<Page<Record>, StoreError> {
        let view = if is_broken && self.read < MAX_WHOLE {
            View::Full
        } else {
            View::Basic
        };
        let reads = self.inventory.store().reads();
        let page = reads.list_applications(self.account, filter, view, after, PAGE);
        page.await
    }

    /// Takes in a page; returns where the next one begins.
    async fn take(
        &mut self,
        page: Page<Record>,
        filter: &Filter,
        drifted_before: i64,
    ) -> Result<Option<Place>, StoreError> {
        let last = page.items.last().map(|it| filter.sort.place_of(it));
        let next = match page.rest {
            NextPage::End => None,
            NextPage::More => last,
            NextPage::ScanPosition(looked) => Some(looked.place),
        };
        self.read += page.items.len();
        let condition = self.condition;
        let decode = move || {
            let items = page.items.into_iter();
            let read = items.map(|record| (condition(&record), record));
            read.collect::<Vec<_>>()
        };
        let read = tokio::task::spawn_blocking(decode).await;
        for (condition, record) in read.map_err(|error| StoreError::Failed(error.into()))? {
            self.add(condition, record, drifted_before);
        }
        Ok(next)
    }

    fn add(&mut self, condition: Condition, record: Record, drifted_before: i64) {
        let Condition {
            names,
            troubles,
            running,
            automated,
            settled_at,
        } = condition;
        let summary = &record.summary;
        self.problems
            .add(&record.key, summary.health, &names, &troubles);
        let is_idle = !automated && running.is_none() && settled_at < drifted_before;
        self.drifted += u64::from(summary.sync == Sync::OutOfSync && is_idle);
        if let Some((started_at, operation)) = running {
            self.running.push(Running {
                key: record.key,
                started_at,
                operation,
            });
        }
    }
}

/// The filter with fewer states; none if nothing can match.
fn narrow(filter: &Filter, health: &[Health], sync: &[Sync]) -> Option<Filter> {
    let both = |wanted: &[Health]| {
        let known = health.iter().copied();
        let both = known.filter(|it| wanted.is_empty() || wanted.contains(it));
        both.collect::<Vec<_>>()
    };
    let health = both(&filter.health);
    let known = sync.iter().copied();
    let common: Vec<Sync> = match (sync, &*filter.sync) {
        ([], wanted) => wanted.to_vec(),
        (_, []) => sync.to_vec(),
        (_, wanted) => known.filter(|it| wanted.contains(it)).collect(),
    };
    let is_empty = health.is_empty() || (common.is_empty() && !sync.is_empty());
    (!is_empty).then(|| Filter {
        health,
        sync: common,
        ..filter.clone()
    })
}
