//! Orders by a state: the states that they go through, one after the other.

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

/// Those of the states that any application is in, found one by one in their index, so that none is gone through in vain.
pub(super) async fn present(
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

/// The states that an order goes through, with their ranks; none where it is no order by a state.
pub(super) fn states(filter: &Filter) -> Vec<(u64, State)> {
    match filter.sort {
        Sort::Sync => ranked(&Sync::BY_URGENCY, &filter.sync, State::Sync),
        Sort::Health => ranked(&Health::BY_URGENCY, &filter.health, State::Health),
        Sort::Runtime | Sort::Name | Sort::Namespace | Sort::Project | Sort::Changed => Vec::new(),
    }
}

fn ranked<T: Copy + PartialEq>(
    all: &[T],
    wanted: &[T],
    state: fn(T) -> State,
) -> Vec<(u64, State)> {
    let ranked = (0..).zip(all);
    let ranked = ranked.filter(|(_, one)| wanted.is_empty() || wanted.contains(one));
    ranked.map(|(rank, one)| (rank, state(*one))).collect()
}
