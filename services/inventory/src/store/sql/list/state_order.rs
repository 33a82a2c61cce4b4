//! Orders by sync or health: the states are scanned one after the other.

use causeway_database::{Database, Query, query};
use causeway_proto::ids::AccountId;

use crate::{
    application::{Filter, Health, Sort, Sync},
    store::StoreError,
};

#[derive(Debug, Clone, Copy)]
pub(super) enum State {
    Sync(Sync),
    Health(Health),
}

/// States that any application has, by a loose index scan, so that no empty one is scanned.
pub(super) async fn existing_states(
    database: &Database,
    account: &AccountId,
    mut states: Vec<(u64, State)>,
) -> Result<Vec<(u64, State)>, StoreError> {
    let Some((_, first)) = states.first() else {
        return Ok(states);
    };
    let (column, mut asked) = (
        first.column(),
        query("WITH RECURSIVE found (code) AS (SELECT "),
    );
    let next = |asked: &mut Query| {
        asked.push("(SELECT ").push(column);
        asked.push(" FROM application WHERE deleted = 0 AND account = ");
        asked.push_bind(account.as_str());
    };
    next(&mut asked);
    asked
        .push(" ORDER BY ")
        .push(column)
        .push(" LIMIT 1) UNION ALL SELECT ");
    next(&mut asked);
    asked.push(" AND ").push(column).push(" > code ORDER BY ");
    asked.push(column).push(" LIMIT 1)");
    asked.push(" FROM found WHERE code IS NOT NULL) SELECT code FROM found WHERE code IS NOT NULL");
    let rows = asked.fetch_all(database).await?;
    let codes = rows.iter().map(|row| row.try_get(0));
    let codes: Vec<i64> = codes.collect::<Result<_, _>>()?;
    states.retain(|(_, state)| codes.contains(&state.code()));
    Ok(states)
}

impl State {
    pub(super) fn code(self) -> i64 {
        match self {
            Self::Sync(sync) => sync.code(),
            Self::Health(health) => health.code(),
        }
    }

    pub(super) fn column(self) -> &'static str {
        match self {
            Self::Sync(_) => "sync",
            Self::Health(_) => "health",
        }
    }
}

/// States of an order with their ranks; empty for other orders.
pub(super) fn states(filter: &Filter) -> Vec<(u64, State)> {
    match filter.sort {
        Sort::Sync => rank_states(&Sync::BY_URGENCY, &filter.sync, State::Sync),
        Sort::Health => rank_states(&Health::BY_URGENCY, &filter.health, State::Health),
        Sort::Runtime
        | Sort::Name
        | Sort::Namespace
        | Sort::Project
        | Sort::Changed
        | Sort::Created
        | Sort::Cluster
        | Sort::LastOperation => Vec::new(),
    }
}

fn rank_states<T: Copy + PartialEq>(
    all: &[T],
    wanted: &[T],
    state: fn(T) -> State,
) -> Vec<(u64, State)> {
    let rank_states = (0..).zip(all);
    let rank_states = rank_states.filter(|(_, one)| wanted.is_empty() || wanted.contains(one));
    rank_states.map(|(rank, one)| (rank, state(*one))).collect()
}
