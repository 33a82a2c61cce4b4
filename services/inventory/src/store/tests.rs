mod deployments;
mod events;
mod file;
mod gc;
mod history;
mod images;
mod lists;
mod manifests;
mod membership;
mod order;
mod queries;
mod quota;
mod replicas;
mod resources;
mod scope;

use std::sync::Arc;

use causeway_assertion::ScopeRule;
use proptest::{
    prelude::*,
    strategy::ValueTree as _,
    test_runner::{Config, TestRunner},
};

use super::{ChangeRange, Outcome, Store, Write, sql::OpenError, sql::SqlStore};
use crate::{
    application::{Change, Filter, Health, NextPage, State, Sync, Uid, View},
    digest::Digest,
    fixture::{
        Bench, account, all, at, forget, gone, keep, live, report, scope, scope_of, soon, state,
        write,
    },
    order::Continuity,
};

const ALL: ChangeRange = ChangeRange {
    after: 0,
    to: u64::MAX,
};

async fn names(store: &dyn Store) -> Vec<(String, u64)> {
    let all = all();
    let page = store
        .reads()
        .list_applications(&account("default"), &all, View::Basic, None, 100)
        .await
        .unwrap();
    let records = page.items.into_iter();
    records
        .map(|record| (record.key.name, record.resource_version))
        .collect()
}

async fn list_changes(store: &dyn Store, after: u64) -> Vec<(u64, String, bool)> {
    let span = ChangeRange { after, ..ALL };
    let all = all();
    let page = store
        .reads()
        .changed_applications(&account("default"), &all, View::Basic, span, 100)
        .await
        .unwrap();
    let records = page.items.into_iter();
    records
        .map(|record| {
            (
                record.change,
                record.uid.to_string(),
                record.life == crate::order::ObjectLife::Live,
            )
        })
        .collect()
}

fn listed(names: &[(&str, u64)]) -> Vec<(String, u64)> {
    names
        .iter()
        .map(|(name, version)| ((*name).to_owned(), *version))
        .collect()
}
