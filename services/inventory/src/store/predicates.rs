//! SQL predicates of a caller's scope and filter, so that the database skips invisible and unwanted rows. They are equivalent to
//! `Filter::matches`, because counts rely on them. Each returned record is checked by `Visible::contains` nevertheless.

use causeway_assertion::{ScopeRule, is_glob, is_match_all};

use crate::application::{Filter, Must, Requirement, Visible};

/// Maximum number of index lookups of one query.
pub(super) const MAX_PREDICATES: usize = 16;

/// Patterns per OR group: SQLite limits the depth of an expression.
const MAX_PATTERNS: usize = 50;

/// Builder of a query text.
pub(super) trait Sql {
    fn text(&mut self, text: &'static str);
    fn value(&mut self, value: String);
    /// Appends a glob match of the last written column.
    fn pattern(&mut self, pattern: &str);
}

/// How to find the visible rows.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ScopePlan<'a> {
    /// All rows are visible.
    Everything,
    /// By index lookups, each in the order of keys.
    Lookups(Vec<IndexPredicate<'a>>),
    /// By a scan in the order of keys.
    Scan,
}

/// Lookup in an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct IndexPredicate<'a> {
    /// Columns with their values.
    pub(super) equal: Vec<(&'static str, &'a str)>,
    /// Label with its value, looked up in the label index.
    pub(super) label: Option<(&'a str, &'a str)>,
    /// Scope rule of the lookup; its other selectors filter the rows.
    pub(super) rule: Option<&'a ScopeRule>,
}

impl<'a> IndexPredicate<'a> {
    /// Runtime of the lookup.
    pub(super) fn runtime(&self) -> Option<&'a str> {
        let named = self
            .equal
            .iter()
            .find(|(column, _)| *column == "runtime_name");
        named.map(|(_, runtime)| *runtime)
    }

    /// True if the lookup finds exactly the rows of a rule.
    pub(super) fn covers_rule(&self, rule: &ScopeRule) -> bool {
        let mut rule = rule.clone();
        for (column, _) in &self.equal {
            match *column {
                "name" => rule.names.clear(),
                "namespace" => rule.namespaces.clear(),
                "project" => rule.projects.clear(),
                _ => rule.runtimes.clear(),
            }
        }
        rule.labels
            .retain(|label, value| !self.covers_label(label, value));
        rule.is_everything()
    }

    fn covers_label(&self, label: &str, value: &str) -> bool {
        self.label == Some((label, value))
    }
}

/// Chooses how to find the visible rows.
pub(super) fn plan_scope(visible: &Visible) -> ScopePlan<'_> {
    if visible.is_everything() {
        return ScopePlan::Everything;
    }
    let rules = visible.rules();
    // The limits of a credential are the narrower ones if its user may see everything.
    let leading_rules = match visible.limits() {
        Some(limits) if rules.iter().any(ScopeRule::is_everything) => limits,
        _ => rules,
    };
    let mut predicates = Vec::new();
    for rule in leading_rules {
        let found = predicates_of_rule(rule);
        if found.is_empty() || predicates.len() + found.len() > MAX_PREDICATES {
            return ScopePlan::Scan;
        }
        predicates.extend(found);
    }
    ScopePlan::Lookups(predicates)
}

/// Lookups by the most selective columns with literal values in a rule, one per combination; empty if there are too many.
fn predicates_of_rule(rule: &ScopeRule) -> Vec<IndexPredicate<'_>> {
    let columns = [
        ("name", &rule.names),
        ("namespace", &rule.namespaces),
        ("project", &rule.projects),
    ];
    let first = columns.into_iter().find(|(_, values)| are_literal(values));
    if let (None, Some((label, value))) = (first, rule.labels.first_key_value()) {
        return vec![IndexPredicate {
            equal: Vec::new(),
            label: Some((label, value)),
            rule: Some(rule),
        }];
    }
    let runtimes = Some(("runtime_name", &rule.runtimes)).filter(|(_, values)| are_literal(values));
    let named = || [first, runtimes].into_iter().flatten();
    // Multiplied before the combinations are built: a scope may list hundreds of values for each.
    let pairs = named().map(|(_, values)| values.len());
    if pairs.fold(1, usize::saturating_mul) > MAX_PREDICATES {
        return Vec::new();
    }
    let mut found: Vec<Vec<(&'static str, &str)>> = vec![Vec::new()];
    for (column, values) in named() {
        found = found
            .iter()
            .flat_map(|before| {
                values.iter().map(move |value| {
                    let mut equal = before.clone();
                    equal.push((column, value.as_str()));
                    equal
                })
            })
            .collect();
    }
    found.retain(|equal| !equal.is_empty());
    let predicate = |equal| IndexPredicate {
        equal,
        label: None,
        rule: Some(rule),
    };
    found.into_iter().map(predicate).collect()
}

fn are_literal(values: &[String]) -> bool {
    !values.is_empty() && !values.iter().any(|value| is_glob(value))
}

/// Adds the columns of a lookup and the remaining selectors.
pub(super) fn push_predicate(
    sql: &mut impl Sql,
    predicate: &IndexPredicate<'_>,
    visible: &Visible,
) {
    for (column, value) in &predicate.equal {
        sql.text(" AND ");
        sql.text(column);
        sql.text(" = ");
        sql.value((*value).to_owned());
    }
    push_rest(sql, predicate, visible);
}

/// Adds the selectors that a lookup does not cover.
pub(super) fn push_rest(sql: &mut impl Sql, predicate: &IndexPredicate<'_>, visible: &Visible) {
    if let Some(rule) = predicate.rule {
        sql.text(" AND (");
        push_rule(sql, rule, Columns::All, Some(predicate));
        sql.text(")");
    }
    // A single rule is covered already.
    if single_rule(visible).is_none() || predicate.rule.is_none() {
        push_rules(sql, visible, Columns::All);
    }
}

/// The only rule of a scope without limits.
pub(super) fn single_rule(visible: &Visible) -> Option<&ScopeRule> {
    match (visible.rules(), visible.limits()) {
        ([rule], None) => Some(rule),
        _ => None,
    }
}

/// Selectors to include.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Columns {
    /// All selectors.
    All,
    /// Only those by the key, which never change while the object lives.
    KeyOnly,
}

/// Adds the rules and limits of a scope.
pub(super) fn push_rules(sql: &mut impl Sql, visible: &Visible, columns: Columns) {
    if visible.is_everything() {
        return;
    }
    for rules in [Some(visible.rules()), visible.limits()]
        .into_iter()
        .flatten()
    {
        sql.text(" AND (1 = 0");
        for rule in rules {
            sql.text(" OR (");
            push_rule(sql, rule, columns, None);
            sql.text(")");
        }
        sql.text(")");
    }
}

/// Adds a rule without the selectors that a lookup covers. Redundant conditions make the planner underestimate the rows, and then it
/// reads and sorts all of them.
fn push_rule(
    sql: &mut impl Sql,
    rule: &ScopeRule,
    columns: Columns,
    covered: Option<&IndexPredicate<'_>>,
) {
    sql.text("1 = 1");
    let covered_columns = covered.map_or(&[][..], |predicate| &predicate.equal);
    let mut list = |column, patterns: &[String]| {
        if !covered_columns
            .iter()
            .any(|(covered, _)| *covered == column)
        {
            push_list(sql, column, patterns);
        }
    };
    list("runtime_name", &rule.runtimes);
    list("cluster", &rule.clusters);
    list("namespace", &rule.namespaces);
    list("name", &rule.names);
    if columns == Columns::KeyOnly {
        return;
    }
    list("project", &rule.projects);
    let is_covered_label = |name: &str, value: &str| {
        covered.is_some_and(|predicate| predicate.covers_label(name, value))
    };
    for (name, value) in rule
        .labels
        .iter()
        .filter(|(name, value)| !is_covered_label(name, value))
    {
        push_label(sql, " AND EXISTS ", name, std::slice::from_ref(value));
    }
    if !rule.can_match() {
        sql.text(" AND 1 = 0");
    }
}

fn push_label(sql: &mut impl Sql, start: &'static str, label: &str, values: &[String]) {
    sql.text(start);
    sql.text("(SELECT 1 FROM application_label WHERE application_id = id AND label = ");
    sql.value(label.to_owned());
    if !values.is_empty() {
        sql.text(" AND value IN ");
        push_values(sql, values.iter());
    }
    sql.text(")");
}

/// Adds the labels, names and texts of a filter, except for a label that the lookup covers.
pub(super) fn push_search(sql: &mut impl Sql, filter: &Filter, covered: Option<(&str, &str)>) {
    let is_covered = |label: &String, values: &[String]| {
        covered
            .is_some_and(|(covered, value)| covered == label && values.iter().any(|it| it == value))
    };
    for Requirement { label, must } in filter.labels.requirements() {
        match must {
            Must::BeIn(values) if is_covered(label, values) => {}
            Must::Exist => push_label(sql, " AND EXISTS ", label, &[]),
            Must::NotExist => push_label(sql, " AND NOT EXISTS ", label, &[]),
            Must::BeIn(values) => push_label(sql, " AND EXISTS ", label, values),
            Must::NotBeIn(values) => push_label(sql, " AND NOT EXISTS ", label, values),
        }
    }
    let lists = [
        ("runtime_name", &filter.runtimes),
        ("cluster", &filter.clusters),
        ("namespace", &filter.namespaces),
        ("name", &filter.names),
        ("project", &filter.projects),
    ];
    for (column, patterns) in lists {
        push_list(sql, column, &patterns.0);
    }
    for pattern in filter.text.patterns() {
        for (start, end) in [
            (" AND (name", ""),
            (" OR namespace", ""),
            (" OR project", ")"),
        ] {
            sql.text(start);
            sql.pattern(&pattern);
            sql.text(end);
        }
    }
}

fn push_list(sql: &mut impl Sql, column: &'static str, patterns: &[String]) {
    if patterns.is_empty() || patterns.iter().any(|pattern| is_match_all(pattern)) {
        return;
    }
    let (globs, names): (Vec<&String>, Vec<&String>) =
        patterns.iter().partition(|pattern| is_glob(pattern));
    sql.text(" AND (");
    sql.text(column);
    sql.text(" IN ");
    push_values(sql, names.into_iter());
    for chunk in globs.chunks(MAX_PATTERNS) {
        sql.text(" OR (1 = 0");
        for glob in chunk {
            sql.text(" OR ");
            sql.text(column);
            sql.pattern(glob);
        }
        sql.text(")");
    }
    sql.text(")");
}

/// Adds a list of values; `(NULL)`, which matches nothing, if there are none.
fn push_values<'a>(sql: &mut impl Sql, values: impl ExactSizeIterator<Item = &'a String>) {
    let none = values.len() == 0;
    let mut start = "(";
    for value in values {
        sql.text(start);
        sql.value(value.clone());
        start = ", ";
    }
    sql.text(if none { "(NULL)" } else { ")" });
}

#[cfg(test)]
mod tests;
