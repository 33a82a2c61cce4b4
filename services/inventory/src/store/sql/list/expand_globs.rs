//! Patterns of a scope as the values that they fit: few runtimes, namespaces and projects have many applications, and what is named
//! is found by an index. Read before the rows are, so that whatever was committed when a list began is told of.

use std::borrow::Cow;

use causeway_assertion::{Scope, ScopeRule, glob_matches, is_glob, is_match_all};
use causeway_database::{Database, query};
use causeway_proto::ids::AccountId;

use crate::{
    application::Visible,
    store::{StoreError, sql::read::rows_up_to, visible::MOST_ANCHORS},
};

/// Patterns of which more values begin alike stay patterns.
const MOST_VALUES: usize = if cfg!(test) { 3 } else { 400 };
/// A scope that would name more stays as it is.
const MOST_NAMED: usize = 1_000;
/// What nothing is called.
const NOTHING: &str = "/";

/// A list of a rule, with the column that it is about.
type Selector = (&'static str, fn(&mut ScopeRule) -> &mut Vec<String>);

const SELECTORS: [Selector; 3] = [
    ("runtime_name", |rule| &mut rule.runtimes),
    ("namespace", |rule| &mut rule.namespaces),
    ("project", |rule| &mut rule.projects),
];

/// Whether patterns are so many that few rows are looked at for one that fits: what they fit would be too much to be looked up each.
pub(super) fn are_many(visible: &Visible) -> bool {
    let rules = visible.rules().iter();
    let mut rules = rules.chain(visible.limits().into_iter().flatten());
    rules.any(|rule| {
        let lists = [&rule.runtimes, &rule.namespaces, &rule.projects];
        let patterns = |list: &&Vec<String>| list.iter().filter(|it| is_glob(it)).count();
        lists.iter().map(patterns).any(|count| count > MOST_ANCHORS)
    })
}

/// What is visible, in names where there are few.
pub(in crate::store::sql) async fn spelled<'a>(
    database: &Database,
    account: &AccountId,
    visible: &'a Visible,
) -> Result<Cow<'a, Visible>, StoreError> {
    let mut scope = Scope {
        rules: visible.rules().to_vec(),
        limits: visible.limits().map(<[ScopeRule]>::to_vec),
        ..Scope::default()
    };
    let mut named = 0;
    for (column, list) in SELECTORS {
        let Some(beginning) = beginning(&mut scope, list) else {
            continue;
        };
        let Some(values) = values(database, account, column, &beginning).await? else {
            continue;
        };
        for rule in rules(&mut scope) {
            named += spell(list(rule), &values);
        }
    }
    Ok(match named {
        1..=MOST_NAMED => Cow::Owned(Visible::new(&scope)),
        _ => Cow::Borrowed(visible),
    })
}

fn rules(scope: &mut Scope) -> impl Iterator<Item = &mut ScopeRule> {
    scope
        .rules
        .iter_mut()
        .chain(scope.limits.iter_mut().flatten())
}

fn is_pattern(list: &[String]) -> bool {
    list.iter().any(|it| is_glob(it)) && !list.iter().any(|it| is_match_all(it))
}

/// How all that fits the patterns begins; nothing where there are none.
fn beginning(scope: &mut Scope, list: fn(&mut ScopeRule) -> &mut Vec<String>) -> Option<String> {
    let lists = rules(scope).map(|rule| &*list(rule));
    let patterns = lists.filter(|list| is_pattern(list)).flatten();
    let beginnings = patterns.map(|it| it.split(['*', '?']).next().unwrap_or_default());
    beginnings.reduce(shared).map(str::to_owned)
}

/// What both begin with.
fn shared<'a>(one: &'a str, other: &'a str) -> &'a str {
    let letters = one.chars().zip(other.chars());
    let same = letters.take_while(|(one, other)| one == other);
    let bytes: usize = same.map(|(letter, _)| letter.len_utf8()).sum();
    &one[..bytes]
}

/// The values of a column that begin so, found one by one in its index; nothing where there are too many.
async fn values(
    database: &Database,
    account: &AccountId,
    column: &'static str,
    beginning: &str,
) -> Result<Option<Vec<String>>, StoreError> {
    let mut query = query("WITH RECURSIVE found (value) AS (SELECT (SELECT ");
    query.push(column);
    query.push(" FROM application WHERE deleted = 0 AND account = ");
    query.push_bind(account.as_str());
    query.push(" AND ").push(column).push(" >= ");
    query.push_bind(beginning).push(" ORDER BY ").push(column);
    query
        .push(" LIMIT 1) UNION ALL SELECT (SELECT ")
        .push(column);
    query.push(" FROM application WHERE deleted = 0 AND account = ");
    query.push_bind(account.as_str());
    query.push(" AND ").push(column).push(" > value ORDER BY ");
    query
        .push(column)
        .push(" LIMIT 1) FROM found WHERE value < ");
    // Behind all that begins so.
    query.push_bind(format!("{beginning}{}", char::MAX));
    query.push(") SELECT value FROM found WHERE value IS NOT NULL LIMIT ");
    query.push_bind(rows_up_to(MOST_VALUES + 1));
    let rows = query.fetch_all(database).await?;
    let values = rows.iter().map(|row| row.try_get(0));
    let values: Vec<String> = values.collect::<Result<_, _>>()?;
    Ok((values.len() <= MOST_VALUES).then_some(values))
}

/// Names the values that a list fits in its place; how many.
fn spell(list: &mut Vec<String>, values: &[String]) -> usize {
    if !is_pattern(list) {
        return 0;
    }
    let mut names: Vec<String> = list.iter().filter(|it| !is_glob(it)).cloned().collect();
    let fits = |value: &&String| list.iter().any(|pattern| glob_matches(pattern, value));
    names.extend(values.iter().filter(fits).cloned());
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        names.push(NOTHING.to_owned());
    }
    *list = names;
    list.len()
}
