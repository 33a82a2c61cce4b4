//! A caller's scope and filter as SQL: what the database is told so that it does not read what the caller may not see or did not
//! ask for. It says exactly what `Filter::matches` says, since counts rest on it; of each record that is handed out
//! `Visible::contains` has the last word all the same.

use causeway_assertion::{ScopeRule, is_glob, is_match_all};

use crate::application::{Filter, Must, Requirement, Visible};

/// How many ranges of an index one question is asked for.
pub(super) const MOST_ANCHORS: usize = 16;

/// How many patterns stand beside each other: an expression must not become too deep.
const PATTERNS_TOGETHER: usize = 50;

/// What a question is written to.
pub(super) trait Sql {
    fn text(&mut self, text: &'static str);
    fn value(&mut self, value: String);
    /// Adds that what was written last fits a pattern.
    fn pattern(&mut self, pattern: &str);
}

/// How what is visible is found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Plan<'a> {
    /// It is all there is.
    Everything,
    /// Each in the order of keys in an index that begins with these columns.
    Anchors(Vec<Anchor<'a>>),
    /// All rows are looked at in the order of keys.
    Scan,
}

/// Where to look for what is visible or asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Anchor<'a> {
    /// One value for each of some columns.
    pub(super) equal: Vec<(&'static str, &'a str)>,
    /// A label with its value, by which rows are found.
    pub(super) label: Option<(&'a str, &'a str)>,
    /// What else must hold.
    pub(super) rule: Option<&'a ScopeRule>,
}

impl<'a> Anchor<'a> {
    /// The runtime that it names, if it names one.
    pub(super) fn runtime(&self) -> Option<&'a str> {
        let named = self
            .equal
            .iter()
            .find(|(column, _)| *column == "runtime_name");
        named.map(|(_, runtime)| *runtime)
    }

    /// Whether it finds all that a rule lets see, and nothing else.
    pub(super) fn is_all_of(&self, rule: &ScopeRule) -> bool {
        let mut rule = rule.clone();
        for (column, _) in &self.equal {
            match *column {
                "name" => rule.names.clear(),
                "namespace" => rule.namespaces.clear(),
                "project" => rule.projects.clear(),
                _ => rule.runtimes.clear(),
            }
        }
        rule.labels.retain(|label, value| !self.is_by(label, value));
        rule.is_everything()
    }

    fn is_by(&self, label: &str, value: &str) -> bool {
        self.label == Some((label, value))
    }
}

/// How to find what is visible.
pub(super) fn plan(visible: &Visible) -> Plan<'_> {
    if visible.is_everything() {
        return Plan::Everything;
    }
    let rules = visible.rules();
    // A credential that is limited, of a user who is not, is found by its limits.
    let led_by = match visible.limits() {
        Some(limits) if rules.iter().any(ScopeRule::is_everything) => limits,
        _ => rules,
    };
    let mut anchors = Vec::new();
    for rule in led_by {
        let found = anchors_of(rule);
        if found.is_empty() || anchors.len() + found.len() > MOST_ANCHORS {
            return Plan::Scan;
        }
        anchors.extend(found);
    }
    Plan::Anchors(anchors)
}

/// The most selective columns for which a rule names values, each value with each; nothing where those are too many to be asked for.
fn anchors_of(rule: &ScopeRule) -> Vec<Anchor<'_>> {
    let columns = [
        ("name", &rule.names),
        ("namespace", &rule.namespaces),
        ("project", &rule.projects),
    ];
    let first = columns.into_iter().find(|(_, values)| are_names(values));
    if let (None, Some((label, value))) = (first, rule.labels.first_key_value()) {
        return vec![Anchor {
            equal: Vec::new(),
            label: Some((label, value)),
            rule: Some(rule),
        }];
    }
    let runtimes = Some(("runtime_name", &rule.runtimes)).filter(|(_, values)| are_names(values));
    let named = || [first, runtimes].into_iter().flatten();
    // Some hundreds of each would be a great many together.
    let pairs = named().map(|(_, values)| values.len());
    if pairs.fold(1, usize::saturating_mul) > MOST_ANCHORS {
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
    let anchor = |equal| Anchor {
        equal,
        label: None,
        rule: Some(rule),
    };
    found.into_iter().map(anchor).collect()
}

fn are_names(values: &[String]) -> bool {
    !values.is_empty() && !values.iter().any(|value| is_glob(value))
}

/// Adds what an anchor says, and what narrows it.
pub(super) fn push_anchor(sql: &mut impl Sql, anchor: &Anchor<'_>, visible: &Visible) {
    for (column, value) in &anchor.equal {
        sql.text(" AND ");
        sql.text(column);
        sql.text(" = ");
        sql.value((*value).to_owned());
    }
    push_rest(sql, anchor, visible);
}

/// Adds what narrows an anchor.
pub(super) fn push_rest(sql: &mut impl Sql, anchor: &Anchor<'_>, visible: &Visible) {
    if let Some(rule) = anchor.rule {
        sql.text(" AND (");
        push_rule(sql, rule, Columns::All, Some(anchor));
        sql.text(")");
    }
    // It is told already.
    if only_rule(visible).is_none() || anchor.rule.is_none() {
        push_rules(sql, visible, Columns::All);
    }
}

/// The rule that says all of what is visible, where there is one.
pub(super) fn only_rule(visible: &Visible) -> Option<&ScopeRule> {
    match (visible.rules(), visible.limits()) {
        ([rule], None) => Some(rule),
        _ => None,
    }
}

/// Which selectors are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Columns {
    /// All.
    All,
    /// Those that hold as long as the object lives.
    Place,
}

/// Adds a condition that every visible row meets.
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

/// A rule but for what an anchor has told already: a database that is told twice takes few rows for fewer, and reads them all before
/// it puts them in order.
fn push_rule(sql: &mut impl Sql, rule: &ScopeRule, columns: Columns, told: Option<&Anchor<'_>>) {
    sql.text("1 = 1");
    let columns_told = told.map_or(&[][..], |anchor| &anchor.equal);
    let mut list = |column, patterns: &[String]| {
        if !columns_told.iter().any(|(told, _)| *told == column) {
            push_list(sql, column, patterns);
        }
    };
    list("runtime_name", &rule.runtimes);
    list("cluster", &rule.clusters);
    list("namespace", &rule.namespaces);
    list("name", &rule.names);
    if columns == Columns::Place {
        return;
    }
    list("project", &rule.projects);
    let by = |name: &str, value: &str| told.is_some_and(|anchor| anchor.is_by(name, value));
    for (name, value) in rule.labels.iter().filter(|(name, value)| !by(name, value)) {
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

/// Adds what a filter says of labels and texts, but for what holds for all that have one label's value.
pub(super) fn push_search(sql: &mut impl Sql, filter: &Filter, told: Option<(&str, &str)>) {
    let is_told = |label: &String, values: &[String]| {
        told.is_some_and(|(told, value)| told == label && values.iter().any(|it| it == value))
    };
    for Requirement { label, must } in filter.labels.requirements() {
        match must {
            Must::BeIn(values) if is_told(label, values) => {}
            Must::Exist => push_label(sql, " AND EXISTS ", label, &[]),
            Must::NotExist => push_label(sql, " AND NOT EXISTS ", label, &[]),
            Must::BeIn(values) => push_label(sql, " AND EXISTS ", label, values),
            Must::NotBeIn(values) => push_label(sql, " AND NOT EXISTS ", label, values),
        }
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
    for some in globs.chunks(PATTERNS_TOGETHER) {
        sql.text(" OR (1 = 0");
        for glob in some {
            sql.text(" OR ");
            sql.text(column);
            sql.pattern(glob);
        }
        sql.text(")");
    }
    sql.text(")");
}

/// Of no value it is `(NULL)`, in which nothing is.
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
