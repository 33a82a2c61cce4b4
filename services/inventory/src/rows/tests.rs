use std::collections::BTreeMap;

use proptest::{prelude::*, strategy::ValueTree as _, test_runner::TestRunner};

use super::*;
use crate::{
    application::{Field, Record},
    fixture::{
        Bench, account, all,
        application::{expected, numbered_filter, report_numbered},
    },
    inventory::{Inventory, List, ListError, Listed, PageStart},
    store::Store,
};

const APPLICATIONS: usize = 40;

fn numbers(count: usize) -> Vec<u64> {
    let mut runner = TestRunner::default();
    let numbers = prop::collection::vec(any::<u64>(), count);
    numbers.new_tree(&mut runner).unwrap().current()
}

/// All applications of the account as its store has them.
async fn records(store: &dyn Store) -> Vec<Record> {
    let range = ChangeRange {
        after: 0,
        to: u64::MAX,
    };
    let (account, all) = (account("default"), all());
    let reads = store.reads();
    let page = reads.changed_applications(&account, &all, View::Basic, range, 1_000);
    let mut records = page.await.unwrap().items;
    records.retain(|record| record.life == crate::order::ObjectLife::Live);
    records
}

async fn listed(
    inventory: &Inventory,
    filter: &Filter,
    start: PageStart<'_>,
    limit: usize,
) -> Result<Listed, ListError> {
    let list = List {
        filter,
        view: View::Basic,
        start,
        limit,
    };
    inventory.list(&account("default"), list).await
}

fn uids(records: &[&Record]) -> Vec<String> {
    records.iter().map(|it| it.uid.to_string()).collect()
}

/// The uids of all pages after each other.
async fn all_pages(inventory: &Inventory, filter: &Filter, limit: usize) -> Vec<String> {
    let (mut found, mut token) = (Vec::new(), None);
    loop {
        let start = token
            .as_ref()
            .map_or(PageStart::Offset(0), PageStart::Token);
        let listed = listed(inventory, filter, start, limit).await.unwrap();
        found.extend(listed.page.items.iter().map(|it| it.uid.to_string()));
        match listed.next {
            Some(next) => token = Some(next),
            None => return found,
        }
    }
}

async fn check(inventory: &Inventory, store: &dyn Store, number: u64) {
    let filter = numbered_filter(number);
    let all = records(store).await;
    let expected = expected(&all, &filter);
    let offset = usize::try_from(number % 9).unwrap();
    let window = listed(inventory, &filter, PageStart::Offset(offset), 7)
        .await
        .unwrap();
    let items: Vec<&Record> = window.page.items.iter().collect();
    let part: Vec<&Record> = expected.iter().copied().skip(offset).take(7).collect();
    assert_eq!(uids(&items), uids(&part), "{filter:?} at {offset}");
    assert_eq!(window.total, expected.len() as u64, "{filter:?}");
    assert_eq!(window.next.is_some(), expected.len() > offset + 7);
    assert_eq!(
        all_pages(inventory, &filter, 5).await,
        uids(&expected),
        "{filter:?}"
    );
    check_counts(inventory, &all, &filter).await;
}

async fn check_counts(inventory: &Inventory, all: &[Record], filter: &Filter) {
    for own_condition_left_out in [false, true] {
        let query = FacetQuery {
            fields: Field::ALL.to_vec(),
            labels: vec!["team".to_owned()],
            most: 2,
            own_condition_left_out,
        };
        let counted = inventory.counts(&account("default"), filter, &query).await;
        let counted = counted.unwrap();
        assert_eq!(counted.facets.total, expected(all, filter).len() as u64);
        for facet in &counted.facets.facets {
            let filter = if own_condition_left_out {
                filter.without_field(facet.field)
            } else {
                filter.clone()
            };
            let of = |it: &&Record| facet.field.value(&it.facts()).to_owned();
            let found = expected(all, &filter);
            let by_value = tally(found.iter().map(of));
            assert_eq!(
                (&facet.values, facet.others),
                (&by_value.0, by_value.1),
                "{filter:?}"
            );
        }
        let filter = if own_condition_left_out {
            filter.without_label("team")
        } else {
            filter.clone()
        };
        let found = expected(all, &filter);
        let teams = found
            .iter()
            .filter_map(|it| it.summary.traits.labels.get("team"));
        let (values, others) = tally(teams.cloned());
        let label = &counted.labels[0];
        assert_eq!(
            (&label.values, label.others),
            (&values, others),
            "{filter:?}"
        );
    }
}

fn tally(values: impl Iterator<Item = String>) -> (Vec<(String, u64)>, u64) {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let others = counts.iter().skip(2).map(|(_, count)| count).sum();
    counts.truncate(2);
    (counts, others)
}

#[tokio::test]
async fn s_45_windows_and_counts_equal_a_sorted_list_while_applications_change() {
    for bench in Bench::all().await {
        let (inventory, store) = (bench.inventory(), &*bench.store);
        let mut version = 0;
        for numbers in numbers(200).chunks(5) {
            for number in &numbers[..4] {
                version += 1;
                let uid = usize::try_from(number % APPLICATIONS as u64).unwrap();
                report_numbered(store, uid, *number, version).await;
            }
            check(&inventory, store, numbers[4]).await;
        }
    }
}

#[tokio::test]
async fn an_account_beyond_the_bound_is_listed_from_the_store_with_the_same_result() {
    for bench in Bench::all().await {
        let store = &*bench.store;
        for (uid, number) in (0..).zip(numbers(APPLICATIONS)) {
            report_numbered(store, uid, number, uid as u64 + 1).await;
        }
        let all = records(store).await;
        let inventory = bench.inventory().with_max_rows(all.len() - 1);
        for number in numbers(40) {
            let filter = Filter {
                descending: false,
                ..numbered_filter(number)
            };
            if !filter.sort.is_indexed() || filter.has_details() {
                let refused = listed(&inventory, &filter, PageStart::Offset(0), 7).await;
                assert!(matches!(refused, Err(ListError::TooMany)), "{filter:?}");
                continue;
            }
            let expected = expected(&all, &filter);
            let first = listed(&inventory, &filter, PageStart::Offset(0), 7)
                .await
                .unwrap();
            assert_eq!(first.total, expected.len() as u64, "{filter:?}");
            assert_eq!(all_pages(&inventory, &filter, 5).await, uids(&expected));
            let offset = listed(&inventory, &filter, PageStart::Offset(1), 7).await;
            assert!(matches!(offset, Err(ListError::TooMany)));
        }
    }
}

#[tokio::test]
async fn removed_tombstones_do_not_leave_their_rows_behind() {
    let bench = Bench::memory();
    let (inventory, store) = (bench.inventory(), &*bench.store);
    let web = crate::fixture::live("u1", "web", crate::fixture::at(1, 1, 1));
    crate::fixture::report(store, web).await;
    let all = all();
    let count = |listed: Listed| (listed.total, listed.page.items.len());
    let first = listed(&inventory, &all, PageStart::Offset(0), 9).await;
    assert_eq!(count(first.unwrap()), (1, 1));
    let gone = crate::fixture::gone("u1", "web", crate::fixture::at(2, 1, 2));
    crate::fixture::report(store, gone).await;
    crate::fixture::forget(store, crate::fixture::keep(0)).await;
    let after = listed(&inventory, &all, PageStart::Offset(0), 9).await;
    assert_eq!(count(after.unwrap()), (0, 0));
}

#[tokio::test]
async fn accounts_that_were_not_asked_for_longest_make_room() {
    let bench = Bench::memory();
    let store = &*bench.store;
    for (uid, number) in (0..).zip(numbers(APPLICATIONS)) {
        report_numbered(store, uid, number | 1, uid as u64 + 1).await;
    }
    let total = records(store).await.len();
    let rows = Rows::new(total + total / 2);
    let of = |name: &str| {
        let (rows, account) = (&rows, account(name));
        async move {
            rows.current(store.reads(), &account, Loading::Wait)
                .await
                .unwrap()
                .is_some()
        }
    };
    // The neighbour of the fixture has the same applications.
    assert!(of("default").await);
    assert!(of(crate::fixture::NEIGHBOUR).await);
    assert_eq!(lock(&rows.accounts).len(), 1);
    assert!(of("default").await);
}
