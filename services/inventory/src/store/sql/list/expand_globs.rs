//! Expands globs of a scope to the matching values: runtimes, namespaces and projects are few, and literal values can be looked up in
//! an index. Values are read before the rows, so that a list includes everything committed before it began.

use std::borrow::Cow;

use causeway_assertion::{Scope, ScopeRule, glob_matches, is_glob, is_match_all};
use causeway_database::{Database, query};
use causeway_proto::ids::AccountId;

use crate::{
    application::Visible,
    store::{StoreError, predicates::MAX_PREDICATES, sql::read::rows_up_to},
};

/// Globs stay globs if more values share their literal prefix.
const MAX_VALUES: usize = if cfg!(test) { 3 } else { 400 };
/// A scope that would get more literals stays as it is.
const MAX_EXPANDED: usize = 1_000;
/// Matches no value: Kubernetes names have no slash.
const NOTHING: &str = "/";

/// Column of a selector, and access to its list in a rule.
type Selector = (&'static str, fn(&mut ScopeRule) -> &mut Vec<String>);

const SELECTORS: [Selector; 3] = [
    ("runtime_name", |rule| &mut rule.runtimes),
    ("namespace", |rule| &mut rule.namespaces),
    ("project", |rule| &mut rule.projects),
];

/// True if a rule has so many globs that its matches are too many for lookups, and dense enough for a scan.
pub(super) fn has_many_globs(visible: &Visible) -> bool {
    let rules = visible.rules().iter();
    let mut rules = rules.chain(visible.limits().into_iter().flatten());
    rules.any(|rule| {
        let lists = [&rule.runtimes, &rule.namespaces, &rule.projects];
        let patterns = |list: &&Vec<String>| list.iter().filter(|it| is_glob(it)).count();
        lists
            .iter()
            .map(patterns)
            .any(|count| count > MAX_PREDICATES)
    })
}

/// Expands the globs of a scope where few values match.
pub(in crate::store::sql) async fn expand_globs<'a>(
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
        let Some(prefix) = common_prefix_of(&mut scope, list) else {
            continue;
        };
        let Some(values) = values(database, account, column, &prefix).await? else {
            continue;
        };
        for rule in rules(&mut scope) {
            named += expand_list(list(rule), &values);
        }
    }
    Ok(match named {
        1..=MAX_EXPANDED => Cow::Owned(Visible::new(&scope)),
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

/// Literal prefix that all globs of a selector share; none without globs.
fn common_prefix_of(
    scope: &mut Scope,
    list: fn(&mut ScopeRule) -> &mut Vec<String>,
) -> Option<String> {
    let lists = rules(scope).map(|rule| &*list(rule));
    let patterns = lists.filter(|list| is_pattern(list)).flatten();
    let beginnings = patterns.map(|it| it.split(['*', '?']).next().unwrap_or_default());
    beginnings.reduce(common_prefix).map(str::to_owned)
}

/// Common prefix of two texts.
fn common_prefix<'a>(one: &'a str, other: &'a str) -> &'a str {
    let letters = one.chars().zip(other.chars());
    let same = letters.take_while(|(one, other)| one == other);
    let bytes: usize = same.map(|(letter, _)| letter.len_utf8()).sum();
    &one[..bytes]
}

/// Distinct values of a column with a prefix, by a loose index scan; none if there are too many.
async fn values(
    database: &Database,
    account: &AccountId,
    column: &'static str,
    prefix: &str,
) -> Result<Option<Vec<String>>, StoreError> {
    let mut query = query("WITH RECURSIVE found (value) AS (SELECT (SELECT ");
    query.push(column);
    query.push(" FROM application WHERE deleted = 0 AND account = ");
    query.push_bind(account.as_str());
    query.push(" AND ").push(column).push(" >= ");
    query.push_bind(prefix).push(" ORDER BY ").push(column);
    query
        .push(" LIMIT 1) UNION ALL SELECT (SELECT ")
        .push(column);
    query.push(" FROM application WHERE deleted = 0 AND account = ");
    query.push_bind(account.as_str());
    query.push(" AND ").push(column).push(" > value ORDER BY ");
    query
        .push(column)
        .push(" LIMIT 1) FROM found WHERE value < ");
    // Greater than every value with the prefix.
    query.push_bind(format!("{prefix}{}", char::MAX));
    query.push(") SELECT value FROM found WHERE value IS NOT NULL LIMIT ");
    query.push_bind(rows_up_to(MAX_VALUES + 1));
    let rows = query.fetch_all(database).await?;
    let values = rows.iter().map(|row| row.try_get(0));
    let values: Vec<String> = values.collect::<Result<_, _>>()?;
    Ok((values.len() <= MAX_VALUES).then_some(values))
}

/// Replaces a list with the values that it matches; returns their number.
fn expand_list(list: &mut Vec<String>, values: &[String]) -> usize {
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
